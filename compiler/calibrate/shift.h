// SPDX-License-Identifier: Apache-2.0
//
// Bias correction: rounded weights shift the mean of what a layer makes; the shift is taken off its
// bias. A layer is linear in its operand, so the mean error over the calibration items is the
// layer by the weights' errors, of the mean operand: one inference of a model made for that tells
// it of all layers. Depends on: plan.h, insert.h. Used by: tools/quantize.cc.
#ifndef TESSERA_COMPILER_CALIBRATE_SHIFT_H_
#define TESSERA_COMPILER_CALIBRATE_SHIFT_H_

#include <map>
#include <span>
#include <string>
#include <vector>

#include "compiler/calibrate/insert.h"
#include "compiler/calibrate/plan.h"
#include "runtime/tensor/tensor.h"

namespace tessera::calibrate {

// The layers of |plan| that have weights and can have a bias, each alone: input k is the operand of
// the k-th of them, output k its result by (quantised weights - weights) without a bias.
struct ErrorModel {
  onnx_model::OnnxModel model;
  std::vector<size_t> layers;         // positions in plan.layers
  std::vector<std::string> operands;  // the values whose means are the inputs
};
// |shapes|: of the operands. No layers: there is nothing to correct.
ErrorModel ErrorsOf(const onnx_model::OnnxModel& model, const IntegerPlan& plan,
                    const ActivationScales& scales,
                    const std::map<std::string, std::vector<int64_t>>& shapes);

// Takes |error|, output k of |errors|, off the bias of its layer: its mean over all axes but the
// channels'. A layer that has no bias gets one.
void TakeOff(onnx_model::OnnxModel& model, const IntegerPlan& plan, const ErrorModel& errors,
             size_t k, const HostTensor& error);

}  // namespace tessera::calibrate

#endif  // TESSERA_COMPILER_CALIBRATE_SHIFT_H_
