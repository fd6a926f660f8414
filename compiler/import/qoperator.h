// SPDX-License-Identifier: Apache-2.0
//
// Expands ONNX's operators on integers with scales (QLinearConv, QLinearMatMul, and those of ONNX
// Runtime's domain com.microsoft) into DequantizeLinear for each operand, the plain operator and
// QuantizeLinear. Depends on: onnx_model.h. Used by: onnx.cc, provider/onnxruntime.
#ifndef TESSERA_COMPILER_IMPORT_QOPERATOR_H_
#define TESSERA_COMPILER_IMPORT_QOPERATOR_H_

#include <string_view>

#include "base/error.h"
#include "compiler/import/onnx_model.h"

namespace tessera::onnx_model {

// Expands all such nodes of |model|. Nodes keep their index in the file (OnnxNode::index).
//   errors  kInvalidArgument  such a node has too few inputs (named)
Status ExpandQOperators(OnnxModel& model);

// Whether ExpandQOperators expands nodes of |type|, an OnnxNode::op_type.
bool IsQOperator(std::string_view type);

}  // namespace tessera::onnx_model

#endif  // TESSERA_COMPILER_IMPORT_QOPERATOR_H_
