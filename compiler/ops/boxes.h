// SPDX-License-Identifier: Apache-2.0
//
// Boxes picked by score, those that overlap a better one left out. Internal to compiler/ops.
#ifndef TESSERA_COMPILER_OPS_BOXES_H_
#define TESSERA_COMPILER_OPS_BOXES_H_

#include "compiler/ops/compose.h"

namespace tessera::ops {

// Each [batch, ..., count] in the order of the scores: int64 indices of boxes, and their scores,
// -infinity where no box was left.
struct PickedBoxes {
  TensorId at = -1, scores = -1;
};

// Of |scores|, [batch, ..., n], at most |most| and n boxes of |boxes|, [batch, n, 4] (least y,
// least x, greatest y, greatest x). Of equal scores the lower index is first. Two boxes overlap
// where the share of their common area is above the number |share|. Three nodes a box.
//   errors  kInvalidArgument  |most| is below 1
//           kUnsupported      more steps than kMostPicked
Result<PickedBoxes> PickBoxes(Composer& make, TensorId boxes, TensorId scores, TensorId share,
                              int64_t most);
inline constexpr int64_t kMostPicked = 512;

// Corners of |boxes|, [batch, n, 4], as PickBoxes takes them: of two opposite ones (y, x, y, x), or
// of centres and sizes (x, y, width, height).
Result<TensorId> Corners(Composer& make, TensorId boxes, bool centred);
// |scores|, -infinity where |kept| is false.
Result<TensorId> KeptScores(Composer& make, TensorId scores, TensorId kept);
// Whether a score is above -infinity.
Result<TensorId> IsPicked(Composer& make, TensorId scores);

}  // namespace tessera::ops

#endif  // TESSERA_COMPILER_OPS_BOXES_H_
