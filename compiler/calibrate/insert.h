// SPDX-License-Identifier: Apache-2.0
//
// A float model and the scales of its values to a model in QDQ form. Depends on: plan.h, range.h,
// weights.h. Used by: tools/quantize.cc.
#ifndef TESSERA_COMPILER_CALIBRATE_INSERT_H_
#define TESSERA_COMPILER_CALIBRATE_INSERT_H_

#include <map>
#include <string>

#include "base/dtype.h"
#include "compiler/calibrate/plan.h"
#include "compiler/calibrate/range.h"

namespace tessera::calibrate {

// By the value that a scale is of (IntegerPlan::scale_of's second).
using ActivationScales = std::map<std::string, ActivationScale>;

struct QdqModel {
  onnx_model::OnnxModel model;
  // By float value of the model that it was made from: the name of its integers.
  std::map<std::string, std::string> integers;
};

// |model| with QuantizeLinear and DequantizeLinear around each layer of |plan|: every reader of a
// layer's result reads its dequantised integers, and so does each layer of what it reads. Inputs
// and outputs keep their names. Weights are int8 constants with a scale an output channel, biases
// int32 constants, both behind DequantizeLinear. |dtype|: of activations, kInt8 or kUint8.
QdqModel InsertQdq(const onnx_model::OnnxModel& model, const IntegerPlan& plan,
                   const ActivationScales& scales, DType dtype);

}  // namespace tessera::calibrate

#endif  // TESSERA_COMPILER_CALIBRATE_INSERT_H_
