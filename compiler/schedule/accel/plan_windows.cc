// SPDX-License-Identifier: Apache-2.0
//
// Channelwise windows, with and without weights.
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/ir/visit.h"
#include "compiler/schedule/accel/step_writer.h"

namespace tessera::schedule::accel {

using ir::Expr;

void StepWriter::WindowOperands() {
  if (sum_.empty()) {
    sum_ = a_.stage.name();
    Add(SetScopeStep{sum_, ir::Scope::kAcc});
  }
  ir::Visit(a_.stage->body, [&](const Expr& e) {
    if (e->kind != ir::ExprKind::kTensorRead) return;
    (weighted_ && te::TensorOf(e) == a_.weight ? weight_read_ : input_read_) = e;
  });
  for (const ir::Axis& axis : a_.stage->axes) sum_axes_.push_back(axis.name());
  for (const ir::Axis& axis : a_.stage->reduce_axes)
    (axis.extent == 1 ? ones_ : window_taps_).push_back(axis.name());
  if (window_taps_.empty()) {  // one tap
    window_taps_.push_back(ones_.back());
    ones_.pop_back();
  }
  if (plan_.down) std::ranges::reverse(window_taps_);
  if (plan_.window_rows > 0) {
    const std::string rows = window_taps_[0];  // the first axis of the window, which has several
    Add(SplitStep{sum_, rows, {plan_.window_rows}, rows + ".o", rows});
    pieces_.push_back(rows + ".o");
  }
  if (weighted_) PackTaps();
  InputStage();
}

// Makes the taps of a piece one dimension, which fits in a row of a tile of WGT. A window with more
// taps than an instruction has is cut into pieces of one size that accumulate. The last piece
// begins earlier; its weights are zero for the taps that it shares with the piece before.
void StepWriter::PackTaps() {
  const size_t axes = window_taps_.size();
  // Windows that go down columns have their columns as lines.
  const size_t line = plan_.down ? 0 : 1;
  const int64_t columns = axes == 2 ? a_.window[line].taps : 1,
                rows = axes == 2 ? a_.window[1 - line].taps : a_.window[0].taps * a_.window[1].taps;
  const int64_t piece_columns = std::min(columns, kWindowTaps),
                piece_rows = std::min({rows, kWindowTaps, block_ / piece_columns});
  window_tiles_ = CeilDiv(columns, piece_columns) * CeilDiv(rows, piece_rows) *
                  CeilDiv(piece_rows * piece_columns, block_);
  const auto cut = [&](const std::string& axis, int64_t taps, int64_t piece) {
    if (piece == taps) return;
    Add(SplitStep{sum_, axis, {piece}, axis + ".o", axis, Tail::kOverlap});
    pieces_.push_back(axis + ".o");
  };
  cut(window_taps_[0], rows, piece_rows);
  if (axes == 2) cut(window_taps_[1], columns, piece_columns);
  packed_ = Fresh(a_.weight.name() + ".t");
  Names loops = ones_;  // then the taps of a piece, innermost
  loops.insert(loops.end(), pieces_.begin(), pieces_.end());
  loops.insert(loops.end(), window_taps_.begin(), window_taps_.end());
  Names have;
  for (const ir::Axis& axis : a_.stage->reduce_axes) {
    if (std::ranges::count(pieces_, axis.name() + ".o") > 0) have.push_back(axis.name() + ".o");
    have.push_back(axis.name());
  }
  if (loops != have) Add(ReorderStep{sum_, loops});
  if (axes == 2) {
    Add(FuseStep{sum_, window_taps_[0], window_taps_[1], "taps"});
    Add(ReindexStep{a_.weight.name(), sum_, packed_, {}, 0});
    Add(SplitStep{sum_, "taps", {piece_columns}, window_taps_[0], window_taps_[1]});
  } else {
    Add(ReindexStep{a_.weight.name(), sum_, packed_, {}, 0});
  }
  Add(PrepareStep{packed_});
  weight_ = Fresh(packed_ + ".w");
  Add(CacheReadStep{packed_, ir::Scope::kWgt, weight_, {sum_}});
}

void StepWriter::WindowLayouts() {
  if (!weighted_) return;
  // [channel, loops of one iteration, taps], without axes that do not choose a weight.
  weight_axes_ = {sum_axes_[ChannelDim(sum_axes_.size())]};
  for (const ir::Axis& axis : a_.stage->reduce_axes) {
    const bool tap = std::ranges::count(window_taps_, axis.name()) > 0;
    if (axis.extent == 1 && !tap && ir::UsesVar(weight_read_, axis.var))
      weight_axes_.push_back(axis.name());
  }
  weight_axes_.insert(weight_axes_.end(), pieces_.begin(), pieces_.end());
  weight_axes_.push_back(window_taps_.size() == 2 ? "taps" : window_taps_[0]);
  const size_t rank = weight_axes_.size();
  Names pieces;
  for (size_t d = 0; d < rank; ++d) {
    const bool blocked = d == 0 || d + 1 == rank;
    pieces.push_back(blocked ? fmt::format("{}/{}", d, block_) : std::to_string(d));
  }
  for (const std::string& name : {packed_, weight_})
    Add(LayoutStep{name,
                   fmt::format("{},0%{},{}%{}", fmt::join(pieces, ","), block_, rank - 1, block_)});
}

int64_t StepWriter::Pitch() const {
  const Extents& e = extents_;
  const WindowAxis& x = a_.window[1];
  const int64_t natural = (plan_.x_tile - 1) * e.chip_stride[1] + (x.taps - 1) * x.dilation + 1,
                columns = ChipSpan(region_, e, 1, plan_.x_tile);
  const bool pads = !te::TensorOf(input_read_)->placeholder;  // an extra column is a pad
  return columns == natural || !pads ? 0 : columns;
}

StepWriter::Names StepWriter::PitchedAxes() {
  const int64_t columns = Pitch();
  if (columns == 0) return input_axes_;
  Names axes;
  const size_t rank = input_axes_.size();
  for (size_t d = 0; d < rank; ++d) {
    const std::string& axis = input_axes_[d];
    if (PositionOf(rank, d) != 3) {
      axes.push_back(axis);
      continue;
    }
    // The pitch puts the start of the next row in another bank of INP.
    Add(SplitStep{input_, axis, {columns}, axis + ".r", axis + ".c", Tail::kPad});
    axes.insert(axes.end(), {axis + ".r", axis + ".c"});
  }
  return axes;
}

void StepWriter::AttachWindow() {
  const bool by_pieces = plan_.window_rows > 0;
  if (boxed()) Add(ComputeAtStep{input_, {sum_, by_pieces ? pieces_[0] : work_loop_}});
  if (!weighted_) return;
  if (plan_.weights == Residency::kChannel && !thin_) Add(ComputeAtStep{weight_, {sum_, "c.o"}});
  if (plan_.weights == Residency::kPart) {
    Add(ComputeAtStep{weight_, {sum_, work_loop_}, {boxed() ? input_ : ""}});
  }
  Names loops{"o.t", "t.t"};
  loops.insert(loops.end(), weight_axes_.begin() + 1, weight_axes_.end() - 1);
  loops.insert(loops.end(), {"o", "t"});
  Add(SplitStep{weight_, weight_axes_.front(), {block_}, "o.t", "o", Tail::kPad});
  Add(SplitStep{weight_, weight_axes_.back(), {block_}, "t.t", "t", Tail::kPad});
  Add(ReorderStep{weight_, loops});
  Add(FuseStep{weight_, "o", "t", "lane"});
}

}  // namespace tessera::schedule::accel
