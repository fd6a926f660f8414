// SPDX-License-Identifier: Apache-2.0
//
// Simplifies a float model before its values are analysed: the same function with fewer operators.
// Depends on: model_index.h. Used by: tools/quantize.cc.
#ifndef TESSERA_COMPILER_CALIBRATE_PREPARE_H_
#define TESSERA_COMPILER_CALIBRATE_PREPARE_H_

#include <map>
#include <string>

#include "base/error.h"
#include "compiler/import/onnx_model.h"

namespace tessera::calibrate {

// What Prepare did.
struct Prepared {
  int norms = 0;   // BatchNormalization nodes folded into weights and biases of a Conv
  int biases = 0;  // Add nodes that became the bias of a MatMul, now a Gemm
  // Values that depend on constants alone and are not initializers (shapes).
  std::map<std::string, HostTensor> computed;
};

// Removes Identity and Dropout; floats computed from constants become initializers. A
// BatchNormalization behind a Conv, ConvTranspose or Gemm without other readers is folded into its
// weights and bias; the folded values are computed in double and rounded once. A MatMul by constant
// weights with an added vector becomes a Gemm if its operand is known to be a matrix: an input, or
// the result of Flatten or Gemm.
//   errors  kInvalidArgument  the model has integers already
//           kUnsupported      an opset below 13, in which scales have no axis
Result<Prepared> Prepare(onnx_model::OnnxModel& model);

}  // namespace tessera::calibrate

#endif  // TESSERA_COMPILER_CALIBRATE_PREPARE_H_
