// SPDX-License-Identifier: Apache-2.0
//
// ONNX's operators on integers with scales beside them (QLinearConv, QLinearMatMul, and those of
// ONNX Runtime's domain com.microsoft) as what they stand for: DequantizeLinear in front of each
// operand, the operator, QuantizeLinear behind. Depends on: onnx_model.h. Used by: onnx.cc.
#ifndef TESSERA_COMPILER_IMPORT_QOPERATOR_H_
#define TESSERA_COMPILER_IMPORT_QOPERATOR_H_

#include "base/error.h"
#include "compiler/import/onnx_model.h"

namespace tessera::onnx_model {

// Replaces such nodes of |model|. Nodes keep their place in the file (OnnxNode::index).
//   errors  kInvalidArgument  such a node has too few inputs (named)
Status ExpandQOperators(OnnxModel& model);

}  // namespace tessera::onnx_model

#endif  // TESSERA_COMPILER_IMPORT_QOPERATOR_H_
