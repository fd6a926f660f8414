// SPDX-License-Identifier: Apache-2.0
//
// Selection of boxes by score, without those that overlap a better one. Internal to compiler/ops.
#ifndef TESSERA_COMPILER_OPS_BOXES_H_
#define TESSERA_COMPILER_OPS_BOXES_H_

#include "compiler/ops/compose.h"

namespace tessera::ops {

// Selected boxes in the order of their scores, each tensor [batch, ..., count]: int64 indices of
// boxes, and their scores, -infinity where no box was left.
struct PickedBoxes {
  TensorId at = -1, scores = -1;
};

// For each row of |scores|, [batch, ..., n], selects at most |most| of the n boxes in |boxes|,
// [batch, n, 4] (least y, least x, greatest y, greatest x). Of equal scores the lower index is
// first. Two boxes overlap if intersection over union is above the number |share|. Makes three
// nodes per box.
//   errors  kInvalidArgument  |most| is below 1
//           kUnsupported      more steps than kMostPicked
Result<PickedBoxes> PickBoxes(Composer& make, TensorId boxes, TensorId scores, TensorId share,
                              int64_t most);
inline constexpr int64_t kMostPicked = 512;

// |boxes|, [batch, n, 4], as the corners that PickBoxes needs. They are given as two opposite
// corners (y, x, y, x), or with |centred| as centre and size (x, y, width, height).
Result<TensorId> Corners(Composer& make, TensorId boxes, bool centred);
// |scores|, -infinity where |kept| is false.
Result<TensorId> KeptScores(Composer& make, TensorId scores, TensorId kept);
// Whether a score is above -infinity.
Result<TensorId> IsPicked(Composer& make, TensorId scores);

}  // namespace tessera::ops

#endif  // TESSERA_COMPILER_OPS_BOXES_H_
