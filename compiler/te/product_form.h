// SPDX-License-Identifier: Apache-2.0
//
// Rewrites a contraction of int8 inputs and weights to the factors that a processor's instructions
// multiply. Some multiply uint8 and int8, four at a time: sum(x * w) = sum((x + 128) * w) - 128 *
// sum(w), and the last term is constant, because the weights are. Others multiply int16, two at a
// time. Depends on: te.h, roles.h. Used by: compiler/network/host_form.h, compiler/schedule.
#ifndef TESSERA_COMPILER_TE_PRODUCT_FORM_H_
#define TESSERA_COMPILER_TE_PRODUCT_FORM_H_

#include <optional>
#include <span>
#include <vector>

#include "compiler/te/roles.h"
#include "compiler/te/te.h"

namespace tessera::te {

struct ProductForm {
  Tensor output;        // the same values; sums are modulo 2^32, as before
  Tensor weights;       // the placeholder that was read, int8
  int channel_dim = 0;  // dimension of the weights
  Tensor products;      // the stage of their sums, S.u8 or S.i16
  // A placeholder of |output|, int32, one per channel: CorrectionOf. Null: none is needed.
  Tensor correction;
};

// Results and inputs of a line that are multiplied together, channel by channel.
inline constexpr int64_t kQuad = 4;
inline constexpr int64_t kLanes = 16;  // channels that are multiplied together, or half as many

// A line along which a channelwise window moves: the last axis of the data, and that of the window.
struct ChannelLine {
  AxisRole points, taps;

  // The inputs that quads of results reach, in whole quads.
  int64_t reach() const;
};
// Empty: the sum is not channelwise, a channel reads several, the window has one tap along the
// line, or its taps are apart.
std::optional<ChannelLine> LineOf(const Roles& roles);

// The form of |output| whose one reduction sums products of an int8 tensor and an int8 placeholder
// over an input channel, or, if |channelwise|, along a ChannelLine. |factor|, of the input, is
// kUint8 or kInt16; channelwise sums have kUint8. Stage NAME.u8 or NAME.i16 holds a copy of the
// input, stage S.u8 or S.i16 the sums of stage S. Along a line the copy has reach() elements; those
// behind the input's repeat its last one. Its channels are whole kLanes, those behind the input's
// are 0. Empty for any other expression.
std::optional<ProductForm> ToProducts(const Tensor& output, DType factor, bool channelwise = false);

// 128 times the sum of each channel's weights. |weights| are row-major.
std::vector<int32_t> CorrectionOf(const ProductForm& form, std::span<const uint8_t> weights);

}  // namespace tessera::te

#endif  // TESSERA_COMPILER_TE_PRODUCT_FORM_H_
