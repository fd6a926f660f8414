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
  std::vector<float> scale;  // one per output channel
  HostTensor bias;           // int32 [channels] in steps of operand scale * scale; may be empty
  std::vector<float> bias_scale;
};

// Quantises |weights| (float32) with scales along |axis| that map each channel's greatest magnitude
// to 127. |bias| is float32, one per channel, or null. A channel whose bias would exceed 2^30 steps
// gets a larger scale.
IntegerWeights QuantizeWeights(const HostTensor& weights, int axis, const HostTensor* bias,
                               float operand_scale);

// The floats that |weights| represent.
HostTensor Dequantized(const IntegerWeights& weights, int axis);

}  // namespace tessera::calibrate

#endif  // TESSERA_COMPILER_CALIBRATE_WEIGHTS_H_
