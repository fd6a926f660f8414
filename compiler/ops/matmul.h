// SPDX-License-Identifier: Apache-2.0
//
// Products of two activations in ONNX files. Internal to compiler/ops.
#ifndef TESSERA_COMPILER_OPS_MATMUL_H_
#define TESSERA_COMPILER_OPS_MATMUL_H_

#include "compiler/ops/unit.h"

namespace tessera::ops {

// |node|, a MatMul, as a matrix product; an operand of one axis is a row or a column.
Status ProductFromOnnx(QdqConverter& c, const OnnxNode& node);

}  // namespace tessera::ops

#endif  // TESSERA_COMPILER_OPS_MATMUL_H_
