// SPDX-License-Identifier: Apache-2.0
//
// Rewrites a contraction of int8 inputs and weights to uint8 inputs, which processors multiply four
// at a time. sum(x * w) = sum((x + 128) * w) - 128 * sum(w), and the last term is constant, because
// the weights are. Depends on: te.h, roles.h. Used by: the host's half of the compile driver.
#ifndef TESSERA_COMPILER_TE_UNSIGNED_H_
#define TESSERA_COMPILER_TE_UNSIGNED_H_

#include <optional>
#include <span>
#include <vector>

#include "compiler/te/te.h"

namespace tessera::te {

struct UnsignedForm {
  Tensor output;        // the same values; sums are modulo 2^32, as before
  Tensor weights;       // the placeholder that was read, int8
  int channel_dim = 0;  // dimension of the weights
  Tensor products;      // the stage of their sums, S.u8
  Tensor correction;    // a placeholder of |output|, int32, one per channel: CorrectionOf
};

// The form of |output| whose one reduction sums products of an int8 tensor and an int8 placeholder
// over an input channel; the number of output channels is a multiple of |multiple|. Stage NAME.u8
// holds a copy of the input, stage S.u8 the sums of stage S. Empty for any other expression.
std::optional<UnsignedForm> ToUnsigned(const Tensor& output, int64_t multiple);

// 128 times the sum of each channel's weights. |weights| are row-major.
std::vector<int32_t> CorrectionOf(const UnsignedForm& form, std::span<const uint8_t> weights);

}  // namespace tessera::te

#endif  // TESSERA_COMPILER_TE_UNSIGNED_H_
