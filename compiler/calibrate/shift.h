// SPDX-License-Identifier: Apache-2.0
//
// Bias correction: rounded weights shift the mean of a layer's results, and the bias compensates
// for it. A layer is linear in its operand, so the mean error over the calibration items is the
// layer applied to the mean operand, with the weights' errors as weights. One inference of a model
// built for this gives the mean errors of all layers. Depends on: plan.h, insert.h. Used by:
// tools/quantize.cc.
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

// The layers of |plan| that have weights and can have a bias, each by itself: input k is the
// operand of the k-th such layer, output k its result with weights (quantised weights - weights)
// and without a bias.
struct ErrorModel {
  onnx_model::OnnxModel model;
  std::vector<size_t> layers;         // positions in plan.layers
  std::vector<std::string> operands;  // the values whose means are the inputs
};
// |shapes| are those of the operands. No layers: there is nothing to correct.
ErrorModel ErrorsOf(const onnx_model::OnnxModel& model, const IntegerPlan& plan,
                    const ActivationScales& scales,
                    const std::map<std::string, std::vector<int64_t>>& shapes);

// Subtracts |error|, output k of |errors|, from the bias of its layer, averaged over all axes but
// the channels'. A layer without a bias gets one.
void TakeOff(onnx_model::OnnxModel& model, const IntegerPlan& plan, const ErrorModel& errors,
             size_t k, const HostTensor& error);

}  // namespace tessera::calibrate

#endif  // TESSERA_COMPILER_CALIBRATE_SHIFT_H_
