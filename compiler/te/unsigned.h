// SPDX-License-Identifier: Apache-2.0
//
// A contraction of int8 inputs and weights as one of uint8 inputs: what processors multiply four at
// a time. sum(x * w) = sum((x + 128) * w) - 128 * sum(w), and the last term is known with the
// weights. Depends on: te.h, roles.h. Used by: the host's half of the compile driver.
#ifndef TESSERA_COMPILER_TE_UNSIGNED_H_
#define TESSERA_COMPILER_TE_UNSIGNED_H_

#include <optional>
#include <span>
#include <vector>

#include "compiler/te/te.h"

namespace tessera::te {

struct UnsignedForm {
  Tensor output;        // the same values, modulo 2^32 in the sums as before
  Tensor weights;       // the placeholder that was read, int8
  int channel_dim = 0;  // of the weights
  Tensor products;      // the stage of their sums, S.u8
  Tensor correction;    // a placeholder of |output|, int32, one a channel: CorrectionOf
};

// The form of |output| whose one reduction sums products of an int8 tensor and an int8 placeholder
// over an input channel, for |multiple| output channels or a multiple of that. The input is copied
// in stage NAME.u8, the products of stage S are summed in S.u8. Empty for any other expression.
std::optional<UnsignedForm> ToUnsigned(const Tensor& output, int64_t multiple);

// 128 times the sum of each channel's weights, which are given row-major.
std::vector<int32_t> CorrectionOf(const UnsignedForm& form, std::span<const uint8_t> weights);

}  // namespace tessera::te

#endif  // TESSERA_COMPILER_TE_UNSIGNED_H_
