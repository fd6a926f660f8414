// SPDX-License-Identifier: Apache-2.0
//
// What is done to a float model before its values are looked at: the same function with fewer
// operators. Depends on: model_index.h. Used by: tools/quantize.cc.
#ifndef TESSERA_COMPILER_CALIBRATE_PREPARE_H_
#define TESSERA_COMPILER_CALIBRATE_PREPARE_H_

#include <map>
#include <string>

#include "base/error.h"
#include "compiler/import/onnx_model.h"

namespace tessera::calibrate {

// What Prepare did.
struct Prepared {
  int norms = 0;   // BatchNormalization nodes that are weights and biases of their Conv now
  int biases = 0;  // Add nodes that are the bias of their MatMul now, which is a Gemm then
  // Values that depend on constants alone and are no initializers (shapes).
  std::map<std::string, HostTensor> computed;
};

// Identity and Dropout go; floats that are computed of constants become initializers. A
// BatchNormalization behind a Conv, ConvTranspose or Gemm that nothing else reads goes into its
// weights and bias; sums of constants are made in double and rounded once. A vector that is added
// behind a MatMul by constant weights makes a Gemm of it, where the operand is known to be a
// matrix: an input, or the result of Flatten or Gemm.
//   errors  kInvalidArgument  the model has integers already
//           kUnsupported      an opset below 13, in which scales have no axis
Result<Prepared> Prepare(onnx_model::OnnxModel& model);

}  // namespace tessera::calibrate

#endif  // TESSERA_COMPILER_CALIBRATE_PREPARE_H_
