// SPDX-License-Identifier: Apache-2.0
//
// Weights and biases as integers. Depends on: runtime/tensor. Used by: insert.h, shift.h.
#ifndef TESSERA_COMPILER_CALIBRATE_WEIGHTS_H_
#define TESSERA_COMPILER_CALIBRATE_WEIGHTS_H_

#include <vector>

#include "runtime/tensor/tensor.h"

namespace tessera::calibrate {

struct IntegerWeights {
  HostTensor values;         // int8, -127 to 127
  std::vector<float> scale;  // one an output channel
  HostTensor bias;           // int32 [channels] in steps of operand scale * scale; empty: none
  std::vector<float> bias_scale;
};

// |weights| (float32) with scales along |axis| that bring each channel's greatest magnitude to 127.
// |bias|: float32, one a channel, or null. A channel whose bias is more than 2^30 of its steps has
// larger ones.
IntegerWeights QuantizeWeights(const HostTensor& weights, int axis, const HostTensor* bias,
                               float operand_scale);

// The floats that |weights| stand for.
HostTensor Dequantized(const IntegerWeights& weights, int axis);

}  // namespace tessera::calibrate

#endif  // TESSERA_COMPILER_CALIBRATE_WEIGHTS_H_
