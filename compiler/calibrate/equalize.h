// SPDX-License-Identifier: Apache-2.0
//
// Cross-layer equalisation: channels between two convolutions, whose ranges differ, are scaled so
// that one scale for all of them loses less. Depends on: model_index.h. Used by: tools/quantize.cc.
// Source: Nagel et al., "Data-Free Quantization Through Weight Equalization and Bias Correction",
// ICCV 2019; here with the range of the activation, since weights have a scale a channel.
#ifndef TESSERA_COMPILER_CALIBRATE_EQUALIZE_H_
#define TESSERA_COMPILER_CALIBRATE_EQUALIZE_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "compiler/import/onnx_model.h"

namespace tessera::calibrate {

// Two convolutions with nothing but a Relu in between, and nobody else who reads along the way.
struct ConvPair {
  size_t first = 0, second = 0;  // positions of the nodes
  std::string value;             // what the second reads
};
std::vector<ConvPair> ConvPairs(const onnx_model::OnnxModel& model);

// Divides channel c of what |pair|'s first makes by 2^e(c) and multiplies what its second makes of
// it by that; powers of two, so that every float the model computes is the same but for its
// exponent. e brings the channel's greatest magnitude |channel_most| and that of the second's
// weights for it to their geometric mean; or, where the second has one output channel for it
// (depthwise), all channels to the same magnitude. Returns how many channels changed.
size_t Equalize(onnx_model::OnnxModel& model, const ConvPair& pair,
                std::span<const float> channel_most);

}  // namespace tessera::calibrate

#endif  // TESSERA_COMPILER_CALIBRATE_EQUALIZE_H_
