// SPDX-License-Identifier: Apache-2.0
//
// Selection of boxes by score. Each step picks the best remaining box and removes it and the boxes
// that overlap it. ONNX NonMaxSuppression.
#include "compiler/ops/boxes.h"

#include <limits>

#include "compiler/ops/composed.h"
#include "compiler/ops/reduce.h"

namespace tessera::ops {
namespace {

using graph::GatherAttributes;

// Rows of |x| at the indices |at|.
Result<TensorId> Rows(Composer& make, TensorId x, TensorId at) {
  Shape shape = make.shape(x);
  shape[0] = make.shape(at)[0];
  return make({.op = Op::kGather,
               .inputs = {x, at},
               .attributes = GatherAttributes{GatherAttributes::Form::kSlices, 0}},
              shape);
}

// Moves the used rows of |table|, [groups * each, n], to the front, in order, and fills the rest
// with -1. |used| is [groups, each]; in each group the used rows come first.
Result<TensorId> UsedFirst(Composer& make, TensorId table, TensorId used) {
  const int64_t groups = make.shape(used)[0], each = make.shape(used)[1], rows = groups * each;
  TESSERA_ASSIGN(TensorId counts, make.As(used, DType::kInt64));
  TESSERA_ASSIGN(counts, ReducedAlong(make, Op::kReduceSum, counts, {1}));
  TESSERA_ASSIGN(counts, make.Reshape(counts, {1, groups}));
  // For each group, one past its last row in the result: the sum of the counts up to it.
  TESSERA_ASSIGN(const TensorId column, make.Counting(groups, 1, 2));
  TESSERA_ASSIGN(const TensorId row, make.Counting(groups, 0, 2));
  TESSERA_ASSIGN(TensorId up_to, make(Op::kLessEqual, column, row));
  TESSERA_ASSIGN(up_to, make.As(up_to, DType::kInt64));
  TESSERA_ASSIGN(TensorId ends, make(Op::kMul, up_to, counts));
  TESSERA_ASSIGN(ends, ReducedAlong(make, Op::kReduceSum, ends, {1}));
  TESSERA_ASSIGN(const TensorId total, make.Part(ends, 0, groups - 1, 1));
  TESSERA_ASSIGN(ends, make.Reshape(ends, {1, groups}));
  TESSERA_ASSIGN(TensorId begins, make(Op::kSub, ends, counts));
  TESSERA_ASSIGN(begins, make.Reshape(begins, {groups}));
  // For each row of the result: its group and its place there.
  TESSERA_ASSIGN(const TensorId at, make.Counting(rows, 0, 2));
  TESSERA_ASSIGN(TensorId group, make(Op::kLessEqual, ends, at));
  TESSERA_ASSIGN(group, make.As(group, DType::kInt64));
  TESSERA_ASSIGN(group, ReducedAlong(make, Op::kReduceSum, group, {1}));
  TESSERA_ASSIGN(group, make.Reshape(group, {rows}));
  TESSERA_ASSIGN(const TensorId begin, Rows(make, begins, group));
  TESSERA_ASSIGN(const TensorId here, make.Counting(rows, 0, 1));
  TESSERA_ASSIGN(TensorId from, make(Op::kSub, here, begin));
  TESSERA_ASSIGN(const TensorId wide, make.Wholes({each}, {}));
  TESSERA_ASSIGN(group, make(Op::kMul, group, wide));
  TESSERA_ASSIGN(from, make(Op::kAdd, from, group));
  TESSERA_ASSIGN(const TensorId moved, Rows(make, table, from));
  TESSERA_ASSIGN(const TensorId is_used, make(Op::kLess, at, total));
  TESSERA_ASSIGN(const TensorId none, make.Wholes({-1}, {}));
  return make({.op = Op::kWhere, .inputs = {moved, none, is_used}}, make.shape(moved));
}

// Inputs: boxes [batch, n, 4], scores [batch, classes, n], boxes per class, overlap limit, score
// limit. The result always has the greatest possible number of rows (batch, class, box).
Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(TensorId boxes, c.Plain(node, 0));
  TESSERA_ASSIGN(TensorId scores, c.Plain(node, 1));
  Composer make(c, node);
  const Shape of = make.shape(scores);
  if (of.size() != 3 || make.shape(boxes) != Shape{of[0], of[2], 4} ||
      make.tensor(boxes).dtype != DType::kFloat32 || make.tensor(scores).dtype != DType::kFloat32)
    return make.Bad(Code::kInvalidArgument,
                    "boxes {} and scores {}; [batch, n, 4] and [batch, classes, n] of float32 are "
                    "needed",
                    ShapeText(make.shape(boxes)), ShapeText(of));
  double most = 0;
  if (QdqConverter::Has(node, 2)) {
    TESSERA_ASSIGN(most, c.Number(node, 2));
  }
  TESSERA_ASSIGN(TensorId share,
                 QdqConverter::Has(node, 3) ? c.Plain(node, 3) : make.Number(boxes, 0));
  if (QdqConverter::Has(node, 4)) {
    TESSERA_ASSIGN(TensorId low, c.Plain(node, 4));
    TESSERA_ASSIGN(low, make.Reshape(low, {1}));
    TESSERA_ASSIGN(const TensorId above, make(Op::kLess, low, scores));
    TESSERA_ASSIGN(scores, KeptScores(make, scores, above));
  }
  TESSERA_ASSIGN(boxes, Corners(make, boxes, node.IntOr("center_point_box", 0) != 0));
  // More boxes per class than n change nothing.
  const double bounded = std::min(most, static_cast<double>(of[2]));
  TESSERA_ASSIGN(const PickedBoxes picked,
                 PickBoxes(make, boxes, scores, share, static_cast<int64_t>(bounded)));
  const Shape all = make.shape(picked.at);  // [batch, classes, most]
  std::vector<TensorId> columns;
  for (size_t k = 0; k < 3; ++k) {
    TensorId column = picked.at;
    if (k < 2) {
      TESSERA_ASSIGN(column, make.Counting(all[k], k, 3));
      TESSERA_ASSIGN(column, make({.op = Op::kRepeat, .inputs = {column}}, all));
    }
    TESSERA_ASSIGN(column, make.Reshape(column, {all[0] * all[1] * all[2], 1}));
    columns.push_back(column);
  }
  TESSERA_ASSIGN(const TensorId table, make.Concat(columns, 1));
  TESSERA_ASSIGN(TensorId used, IsPicked(make, picked.scores));
  TESSERA_ASSIGN(used, make.Reshape(used, {all[0] * all[1], all[2]}));
  TESSERA_ASSIGN(const TensorId rows, UsedFirst(make, table, used));
  return make.Finish(rows);
}

constexpr OnnxRow kBoxRows[] = {{"NonMaxSuppression", FromOnnx, 1, kNever}};

}  // namespace

std::span<const OnnxRow> BoxRows() { return kBoxRows; }

Result<TensorId> Corners(Composer& make, TensorId boxes, bool centred) {
  TensorId part[4], side[4];
  for (int64_t k = 0; k < 4; ++k) {
    TESSERA_ASSIGN(part[k], make.Part(boxes, 2, k, 1));
  }
  TESSERA_ASSIGN(const TensorId half, make.Number(boxes, 0.5f));
  for (size_t k = 0; k < 2; ++k) {  // y, x
    if (!centred) {
      TESSERA_ASSIGN(side[k], make(Op::kMin, part[k], part[k + 2]));
      TESSERA_ASSIGN(side[k + 2], make(Op::kMax, part[k], part[k + 2]));
      continue;
    }
    TESSERA_ASSIGN(const TensorId reach, make(Op::kMul, part[3 - k], half));
    TESSERA_ASSIGN(side[k], make(Op::kSub, part[1 - k], reach));
    TESSERA_ASSIGN(side[k + 2], make(Op::kAdd, part[1 - k], reach));
  }
  return make.Concat({side[0], side[1], side[2], side[3]}, 2);
}

Result<TensorId> KeptScores(Composer& make, TensorId scores, TensorId kept) {
  TESSERA_ASSIGN(const TensorId none, make.Number(scores, -std::numeric_limits<float>::infinity()));
  return make({.op = Op::kWhere, .inputs = {scores, none, kept}}, make.shape(scores));
}

Result<TensorId> IsPicked(Composer& make, TensorId scores) {
  TESSERA_ASSIGN(const TensorId none, make.Number(scores, -std::numeric_limits<float>::infinity()));
  return make(Op::kLess, none, scores);
}

Result<PickedBoxes> PickBoxes(Composer& make, TensorId boxes, TensorId scores, TensorId share,
                              int64_t most) {
  Shape one = make.shape(scores);
  const size_t axis = one.size() - 1;
  const int64_t steps = std::min(most, one[axis]);
  if (steps < 1) return make.Bad(Code::kInvalidArgument, "picks at most {} boxes", most);
  if (steps > kMostPicked)
    return make.Bad(Code::kUnsupported,
                    "picks {} boxes one after the other, at most {} are; ask for fewer", steps,
                    kMostPicked);
  one[axis] = 1;
  const int along = static_cast<int>(axis);
  std::vector<TensorId> at, best;
  for (int64_t k = 0; k < steps; ++k) {
    TESSERA_ASSIGN(const TensorId here, make({.op = Op::kArgMax,
                                              .inputs = {scores},
                                              .attributes = graph::ArgAttributes{along, false}},
                                             one, DType::kInt64));
    TESSERA_ASSIGN(const TensorId score,
                   make({.op = Op::kGather,
                         .inputs = {scores, here},
                         .attributes = GatherAttributes{GatherAttributes::Form::kElements, along}},
                        one));
    at.push_back(here);
    best.push_back(score);
    if (k + 1 == steps) break;
    TESSERA_ASSIGN(scores, make({.op = Op::kSuppress, .inputs = {scores, boxes, here, share}},
                                make.shape(scores)));
  }
  PickedBoxes picked;
  TESSERA_ASSIGN(picked.at, make.Concat(at, axis));
  TESSERA_ASSIGN(picked.scores, make.Concat(best, axis));
  return picked;
}

}  // namespace tessera::ops
