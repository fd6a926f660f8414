// SPDX-License-Identifier: Apache-2.0
//
// Layouts, tiles of work with their stages and fetches, and tiles of the machine.
#include <fmt/ranges.h>

#include <algorithm>

#include "base/check.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/accel/step_writer.h"

namespace tessera::schedule::accel {

using ir::Expr;

std::string StepWriter::AxisAt(size_t position) const {
  const size_t rank = region_.output->axes.size();
  for (size_t d = 0; d < rank; ++d) {
    if (PositionOf(rank, d) == position) return region_.output->axes[d].name();
  }
  return "";
}

std::string StepWriter::Blocked(size_t rank, size_t channel, int64_t rows, int64_t lanes) const {
  Names pieces;
  for (size_t d = 0; d < rank; ++d) {
    if (d == channel) continue;
    pieces.push_back(rows > 1 && d == 0 ? fmt::format("0/{}", rows) : std::to_string(d));
  }
  const size_t batch = channel == 0 ? 0 : 1;
  pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(batch),
                fmt::format("{}/{}", channel, lanes));
  if (rows > 1 && channel != 0) pieces.push_back(fmt::format("0%{}", rows));
  pieces.push_back(fmt::format("{}%{}", channel, lanes));
  return fmt::format("{}", fmt::join(pieces, ","));
}

std::string StepWriter::Blocked(size_t rank, size_t channel) const {
  return Blocked(rank, channel, config_.batch, block_);
}

size_t StepWriter::ChannelDim(size_t rank) const {
  for (size_t d = 0; d < rank; ++d) {
    if (PositionOf(rank, d) == 1) return d;
  }
  TESSERA_CHECK(false, "rank {}", rank);
}

void StepWriter::Layouts() {
  const size_t rank = region_.output->axes.size();
  const std::string pieces = Blocked(rank, ChannelDim(rank));
  for (const Pass& pass : passes_) {
    if (pass.name != out_) Add(LayoutStep{pass.name, pieces});
  }
  for (const auto& [tensor, copy] : fetched_) Add(LayoutStep{copy, pieces});
  Names constants;
  for (const EpilogueStep& step : region_.steps) {
    if (!step.constant || std::ranges::count(constants, step.tensor.name()) > 0) continue;
    const Shape4 shape = ToShape4(step.tensor.shape());
    const size_t dims = step.tensor.shape().size();
    constants.push_back(step.tensor.name());
    Add(LayoutStep{constants.back(),
                   Blocked(dims, ChannelDim(dims), std::min(shape[0], config_.batch),
                           MemoryLanes(shape, config_))});
  }
  for (const auto& [stack, copy] : records_) {
    for (const std::string& name : {stack, copy})
      Add(LayoutStep{name, fmt::format("1/{0},0,1%{0}", block_)});
  }
  if (!anchored_) return;
  Add(LayoutStep{sum_, pieces});
  if (!prepared_.empty()) {
    const Shape4 shape = ToShape4(a_.input.shape());
    const int64_t rows = std::min(shape[0], config_.batch), lanes = MemoryLanes(shape, config_);
    Add(LayoutStep{prepared_, Blocked(input_axes_.size(), input_channel_, rows, lanes)});
  }
  if (boxed()) Add(LayoutStep{input_, InputLayout()});
  if (a_.constant_input) {
    const Shape4 shape = ToShape4(a_.input.shape());
    const size_t dims = a_.input.shape().size();
    Add(LayoutStep{a_.input.name(),
                   Blocked(dims, ChannelDim(dims), std::min(shape[0], config_.batch),
                           MemoryLanes(shape, config_))});
  }
  if (!contraction_) return WindowLayouts();
  Names weights;
  const auto [count, o, i] = WeightDims();
  for (size_t d = 0; d < count; ++d) {
    weights.push_back(d == o || d == i ? fmt::format("{}/{}", d, block_) : std::to_string(d));
  }
  std::stable_partition(weights.begin(), weights.end(), [&](const std::string& piece) {
    return piece.starts_with(std::to_string(o) + "/");
  });
  const std::string tiles =
      fmt::format("{},{}%{},{}%{}", fmt::join(weights, ","), o, block_, i, block_);
  Add(LayoutStep{packed_, tiles});
  if (weight_ != packed_) Add(LayoutStep{weight_, tiles});
}

// On chip. Terms that LOAD fills are behind all of the elements, which stay together so.
std::string StepWriter::InputLayout() const {
  const size_t rank = input_axes_.size();
  if (!a_.FillsInput()) return Blocked(rank, input_channel_);
  return fmt::format("{},{}", rank - 1, Blocked(rank - 1, input_channel_));
}

StepWriter::WeightShape StepWriter::WeightDims() const {
  WeightShape dims{weight_read_->args.size(), 0, 0};
  if (!weight_axes_.empty()) {
    const auto at = [&](const std::string& axis) {
      return static_cast<size_t>(std::ranges::find(weight_axes_, axis) - weight_axes_.begin());
    };
    return {weight_axes_.size(), at(sum_axes_[ChannelDim(sum_axes_.size())]), at(reduced_)};
  }
  const size_t rank = a_.stage->axes.size();
  for (size_t d = 0; d < dims.rank; ++d) {
    if (ir::UsesVar(weight_read_->args[d], channel_)) dims.in = d;
    if (ir::UsesVar(weight_read_->args[d], a_.stage->axes[ChannelDim(rank)].var)) dims.out = d;
  }
  return dims;
}

std::string StepWriter::LeaderAxis(size_t position) const {
  if (!anchored_) return AxisAt(position);
  const size_t rank = sum_axes_.size();
  for (size_t d = 0; d < rank; ++d) {
    if (PositionOf(rank, d) == position) return sum_axes_[d];
  }
  return "";
}

void StepWriter::TilesOfWork() {
  const std::string leader = anchored_ ? sum_ : out_;
  const std::string n = LeaderAxis(0), c = LeaderAxis(1), x = LeaderAxis(3);
  const Rows rows = anchored_ ? RowsOnChip() : RowsOfResult();
  // The array and rows of several images on chip always have a whole block of lanes.
  const bool lanes = contraction_ || !thin_ || rows != Rows::kNone;
  parts_ = lanes && plan_.channel_part < plan_.channel_tile;
  FindBuffers();
  Names channels, positions, inside;
  if (lanes) {
    Add(SplitStep{leader, c, {block_}, "c.t", "lane", Tail::kPad});
    const bool all = plan_.inputs_outside;
    if (!all) Cut(leader, "c.t", PlanSize::kChannels, "c.o", "c.r");
    if (!all) channels.push_back("c.o");
    const std::string tile = all ? "c.t" : "c.r";
    if (parts_) Cut(leader, tile, PlanSize::kPart, "c.w", "c.i");
    inside.push_back(parts_ ? "c.i" : tile);
  }
  if (rows == Rows::kAll) Add(SplitStep{leader, n, {config_.batch}, "n.t", "n.r", Tail::kPad});
  const std::string images = rows == Rows::kAll ? "n.t" : n, y = LeaderAxis(2);
  const std::string& outer = extents_.matrix ? y : images;
  if (!outer.empty() && rows != Rows::kSome) positions.push_back(outer);
  const auto position = [&](const std::string& axis, PlanSize size) {
    if (axis.empty()) return;
    const bool all = size == PlanSize::kColumns || plan_.y_tile >= extents_.out_y;
    if (plan_.inputs_outside && all) return inside.push_back(axis);
    Cut(leader, axis, size, axis + ".o", axis + ".i");
    positions.push_back(axis + ".o");
    inside.push_back(axis + ".i");
  };
  position(extents_.matrix ? images : y, PlanSize::kRows);
  position(x, PlanSize::kColumns);
  if (plan_.down) std::swap(inside[inside.size() - 1], inside[inside.size() - 2]);
  Names order = plan_.spatial_outside ? positions : channels;
  const Names& second = plan_.spatial_outside ? channels : positions;
  order.insert(order.end(), second.begin(), second.end());
  position_loop_ = positions.empty() ? "" : positions.back();
  work_loop_ = !order.empty() ? order.back() : plan_.inputs_outside ? "ci.o" : "";
  const std::string lane = lanes ? "lane" : c, image = rows == Rows::kAll ? "n.r" : n;
  Names tile{lane};
  if (rows != Rows::kNone) tile.insert(tile.begin(), image);
  const auto add = [&](const Names& loops) {
    order.insert(order.end(), loops.begin(), loops.end());
  };
  if (contraction_) {
    // Chunks of the reduction go around parts of the channels; a part is done after its last chunk.
    const Tail tail = a_.in_channels % block_ == 0 ? Tail::kGuard : Tail::kPad;
    Add(SplitStep{sum_, reduced_, {block_}, "ci.t", "l", tail});
    Cut(sum_, "ci.t", PlanSize::kInputs, "ci.o", "ci.i");
    order.insert(plan_.inputs_outside ? order.begin() : order.end(), "ci.o");
    if (parts_) order.push_back(work_loop_ = "c.w");
    add(inside);
    order.push_back("ci.i");
    add(taps_);
    add(tile);
    order.push_back("l");
  } else if (anchored_) {
    // A window's instruction has all taps of a piece; a reduction's has one.
    add(ones_);
    add(pieces_);
    add(inside);
    add(weighted_ ? tile : window_taps_);
    add(weighted_ ? window_taps_ : tile);
  } else {
    add(inside);
    add(tile);
  }
  tile_of_[leader] = tile.front();
  Add(ReorderStep{leader, order});
  if (rows != Rows::kNone && !weighted_ && !RecordsAt(leader)) FuseRows(leader, image, lane);
}

StepWriter::Rows StepWriter::RowsInMemory() const {
  if (extents_.rows == 1) return Rows::kNone;
  return extents_.rows == config_.batch ? Rows::kAll : Rows::kSome;
}

void StepWriter::FuseRows(const std::string& stage, const std::string& image,
                          const std::string& lane) {
  Add(FuseStep{stage, image, lane, "tile"});
  tile_of_[stage] = "tile";
}

// A stage that reads records keeps rows and lanes apart: a record's numbers differ by lane.
bool StepWriter::RecordsAt(const std::string& stage) const {
  return std::ranges::any_of(
      passes_, [&](const Pass& pass) { return pass.name == stage && !pass.step->record.empty(); });
}

void StepWriter::Attach() {
  if (!work_loop_.empty()) AttachPasses();  // otherwise one tile is all
  if (contraction_) AttachOperands();
  if (anchored_ && !contraction_) AttachWindow();
  for (const Pass& pass : passes_) {
    if (!pass.changes.empty()) Add(InPlaceStep{pass.changes, pass.name});
  }
}

// Passes that need the sum follow it, producers first; other passes are computed where those read
// them, readers first.
void StepWriter::AttachPasses() {
  const std::string leader = anchored_ ? sum_ : out_;
  const auto follows = [&](const Pass& pass) {
    return anchored_ && ir::Contains(pass.step->value, [&](const ir::Expr& e) {
             return e->kind == ir::ExprKind::kTensorRead && te::TensorOf(e) == a_.stage;
           });
  };
  for (size_t k = passes_.size(); k-- > 0;) {
    if (passes_[k].name != out_ && follows(passes_[k]))
      Add(ReverseComputeAtStep{passes_[k].name, sum_, work_loop_});
  }
  if (anchored_) Add(ReverseComputeAtStep{out_, sum_, work_loop_});
  for (const Pass& pass : passes_) {
    if (pass.name != out_ && !follows(pass)) Add(ComputeAtStep{pass.name, {leader, work_loop_}});
  }
  for (const auto& [tensor, copy] : fetched_) Add(ComputeAtStep{copy, {leader, work_loop_}});
  if (plan_.params == Residency::kRegion) return;
  for (const auto& [stack, copy] : records_) Add(ComputeAtStep{copy, {leader, work_loop_}});
}

// One tile of work fetches the weights of its channel tile part by part.
bool StepWriter::WeightsByChannels() const {
  const Extents& e = extents_;
  const bool once = e.batches == 1 && plan_.y_tile >= e.out_y && plan_.x_tile >= e.out_x;
  return plan_.weights == Residency::kChannel && !once;
}

void StepWriter::AttachOperands() {
  if (!boxed()) {
    // The input is resident.
  } else if (plan_.input_above && !position_loop_.empty()) {
    Add(ComputeAtStep{input_, {sum_, position_loop_}});
  } else {
    Add(ComputeAtStep{input_, {sum_, "ci.o"}});
  }
  if (WeightsByChannels()) {
    Add(ComputeAtStep{weight_, {sum_, "c.o"}});
  } else if (plan_.weights != Residency::kRegion) {
    const bool beside = boxed() && !plan_.input_above && !parts_;
    Add(ComputeAtStep{weight_, {sum_, parts_ ? "c.w" : "ci.o"}, {beside ? input_ : ""}});
  }
}

void StepWriter::Tiles(const std::string& stage, const Names& axes, size_t channel, bool thin,
                       Rows rows, bool fused, const std::array<int64_t, 2>& repeat) {
  const std::string lane = thin ? axes[channel] : "lane";
  if (!thin) Add(SplitStep{stage, axes[channel], {block_}, "c.t", "lane", Tail::kPad});
  if (rows == Rows::kAll) Add(SplitStep{stage, axes[0], {config_.batch}, "n.t", "n.r", Tail::kPad});
  const std::string image = rows == Rows::kAll ? "n.r" : axes[0];
  Names order;
  for (size_t d = 0; d < axes.size(); ++d) {
    if (d == channel) {
      if (!thin) order.push_back("c.t");
    } else if (d != 0 || rows == Rows::kNone) {
      // Copies have the result's axes; the box of an input may have more.
      const size_t p = axes.size() > 4 ? 0 : PositionOf(axes.size(), d);
      const int64_t times = p >= 2 ? repeat[p - 2] : 1;
      // An operand of one row or column has no index along it.
      if (times > 1 && times < region_.shape[p]) {
        const std::string source = axes[d] + ".t", again = axes[d] + ".r";
        Add(SplitStep{stage, axes[d], {times}, source, again});
        order.insert(order.end(), {source, again});
      } else {
        order.push_back(axes[d]);
      }
    } else if (rows == Rows::kAll) {
      order.push_back("n.t");
    }
  }
  if (rows != Rows::kNone) order.push_back(image);
  order.push_back(lane);
  Add(ReorderStep{stage, order});
  tile_of_[stage] = rows == Rows::kNone ? lane : image;
  if (rows != Rows::kNone && fused) FuseRows(stage, image, lane);
}

void StepWriter::TilesOfTheMachine() {
  const size_t rank = region_.output->axes.size();
  Names axes, copies;
  for (size_t d = 0; d < rank; ++d) {
    axes.push_back(region_.output->axes[d].name());
    copies.push_back(fmt::format("i{}", d));
  }
  for (const Pass& pass : passes_) {
    if (pass.name == out_) continue;
    const bool copy = pass.step->loads();  // LOAD from memory
    Tiles(pass.name, axes, ChannelDim(rank), copy ? thin_ : ThinOnChip(),
          copy ? RowsInMemory() : RowsOnChip(), !RecordsAt(pass.name), pass.step->repeat);
  }
  if (anchored_) {
    Tiles(out_, axes, ChannelDim(rank), stays() ? ThinOnChip() : thin_, RowsOfResult(),
          !RecordsAt(out_));
  }
  for (const auto& [tensor, copy] : fetched_)
    Tiles(copy, copies, ChannelDim(rank), thin_, RowsInMemory());
  for (const auto& [stack, copy] : records_) {
    Add(SplitStep{copy, "i1", {block_}, "c.t", "lane", Tail::kPad});
    Add(ReorderStep{copy, {"c.t", "i0", "lane"}});
    Add(FuseStep{copy, "i0", "lane", "number"});
  }
  if (!table_.empty()) {
    Add(SplitStep{table_, "i0", {config_.TileBytes(isa::Memory::kTab)}, "t", "entry"});
  }
  if (!anchored_) return;
  const bool thin = MemoryLanes(ToShape4(a_.input.shape()), config_) < block_;
  if (boxed()) Tiles(input_, PitchedAxes(), input_channel_, thin, RowsInMemory());
  if (!contraction_) return;
  const auto [count, o, i] = WeightDims();
  const auto axis = [&](size_t d) {  // reindex has named the copy's axes
    return !weight_axes_.empty() ? weight_axes_[d] : fmt::format("i{}", d);
  };
  Names order{"o.t", "i.t"};
  for (size_t d = 0; d < count; ++d) {
    if (d != o && d != i) order.push_back(axis(d));
  }
  order.insert(order.end(), {"b", "l"});
  Add(SplitStep{weight_, axis(o), {block_}, "o.t", "b", Tail::kPad});
  Add(SplitStep{weight_, axis(i), {block_}, "i.t", "l", Tail::kPad});
  Add(ReorderStep{weight_, order});
  Add(FuseStep{weight_, "b", "l", "lane"});
}

std::string StepWriter::IntrinsicOf(const EpilogueStep& step) const {
  if (!step.loads()) return step.intrin->name;
  if (on_chip_.HaloOf(step.tensor) != nullptr) return "tile.copy";
  const bool result = &step == &region_.steps.back();
  return stays() && result ? "tile.load_inp" : "tile.load_out";
}

void StepWriter::Instructions() {
  const auto is = [&](const std::string& stage, Names intrinsics) {
    Add(TensorizeStep{stage, tile_of_.at(stage), std::move(intrinsics)});
  };
  if (anchored_) {
    if (boxed()) is(input_, {"tile.load_inp", "tile.fill_inp"});
    if (weighted_) {
      Names loads{"tile.load_wgt"};
      if (a_.weight_lies) loads.push_back("tile.fill_wgt");
      Add(TensorizeStep{weight_, "lane", loads});
    }
    is(sum_, {contraction_ ? "tile.gemm"
              : weighted_  ? "tile.window"
                           : fmt::format("tile.reduce_{}", isa::Text(a_.reduce))});
  }
  for (const auto& [stack, copy] : records_) Add(TensorizeStep{copy, "number", {"tile.load_prm"}});
  if (!table_.empty()) Add(TensorizeStep{table_, "entry", {"tile.load_tab"}});
  for (const auto& [tensor, copy] : fetched_) is(copy, {"tile.load_out"});
  for (const Pass& pass : passes_) is(pass.name, {IntrinsicOf(*pass.step)});
  if (!stays()) is(out_, {"tile.store"});
}

}  // namespace tessera::schedule::accel
