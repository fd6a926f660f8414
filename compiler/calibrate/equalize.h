// SPDX-License-Identifier: Apache-2.0
//
// Cross-layer equalisation: scales the channels between two convolutions, whose ranges differ, so
// that one scale for all channels loses less. Depends on: model_index.h. Used by:
// tools/quantize.cc.
// Source: Nagel et al., "Data-Free Quantization Through Weight Equalization and Bias Correction",
// ICCV 2019; here with the range of the activation, since weights have one scale per channel.
#ifndef TESSERA_COMPILER_CALIBRATE_EQUALIZE_H_
#define TESSERA_COMPILER_CALIBRATE_EQUALIZE_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "compiler/import/onnx_model.h"

namespace tessera::calibrate {

// Two convolutions with at most a Relu between them; no other node reads the values between.
struct ConvPair {
  size_t first = 0, second = 0;  // positions of the nodes
  std::string value;             // operand of the second
};
std::vector<ConvPair> ConvPairs(const onnx_model::OnnxModel& model);

// Divides channel c of the result of |pair|'s first convolution by 2^e(c) and multiplies the
// second's weights for that channel by it. Powers of two change only the exponents of the model's
// floats. e brings the channel's greatest magnitude |channel_most| and the greatest magnitude of
// the second's weights for it to their geometric mean. If the second convolution is depthwise, e
// brings all channels to the same magnitude. Returns how many channels changed.
size_t Equalize(onnx_model::OnnxModel& model, const ConvPair& pair,
                std::span<const float> channel_most);

}  // namespace tessera::calibrate

#endif  // TESSERA_COMPILER_CALIBRATE_EQUALIZE_H_
