// SPDX-License-Identifier: Apache-2.0
//
// Makes a model in QDQ form from a float model and the scales of its values. Depends on: plan.h,
// range.h, weights.h. Used by: tools/quantize.cc.
#ifndef TESSERA_COMPILER_CALIBRATE_INSERT_H_
#define TESSERA_COMPILER_CALIBRATE_INSERT_H_

#include <map>
#include <string>

#include "base/dtype.h"
#include "compiler/calibrate/plan.h"
#include "compiler/calibrate/range.h"

namespace tessera::calibrate {

// Scales by the name of the value that owns them (the mapped values of IntegerPlan::scale_of).
using ActivationScales = std::map<std::string, ActivationScale>;

struct QdqModel {
  onnx_model::OnnxModel model;
  // By float value of the original model: the name of its integers.
  std::map<std::string, std::string> integers;
};

// |model| with QuantizeLinear and DequantizeLinear around each layer of |plan|. All readers of a
// layer's result read its dequantised integers; layers read their operands dequantised, too. Inputs
// and outputs keep their names. Weights are int8 constants with one scale per output channel,
// biases int32 constants, both behind DequantizeLinear. |dtype|: of activations, kInt8 or kUint8.
QdqModel InsertQdq(const onnx_model::OnnxModel& model, const IntegerPlan& plan,
                   const ActivationScales& scales, DType dtype);

}  // namespace tessera::calibrate

#endif  // TESSERA_COMPILER_CALIBRATE_INSERT_H_
