// SPDX-License-Identifier: Apache-2.0
//
// Layouts, tiles of work, what each of them computes and fetches, tiles of the machine.
#include <fmt/ranges.h>

#include <algorithm>

#include "base/check.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/accel/step_writer.h"

namespace tessera::schedule::accel {

using isa::VectorMemory;

std::string StepWriter::AxisAt(size_t position) const {
  const size_t rank = region_.output->axes.size();
  for (size_t d = 0; d < rank; ++d) {
    if (PositionOf(rank, d) == position) return region_.output->axes[d].name();
  }
  return "";
}

std::string StepWriter::Blocked(size_t rank, size_t channel) const {
  Names pieces;
  for (size_t d = 0; d < rank; ++d) {
    if (d != channel) pieces.push_back(std::to_string(d));
  }
  const size_t batch = channel == 0 ? 0 : 1;
  pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(batch),
                fmt::format("{}/{}", channel, block_));
  pieces.push_back(fmt::format("{}%{}", channel, block_));
  return fmt::format("{}", fmt::join(pieces, ","));
}

size_t StepWriter::ChannelDim(size_t rank) const {
  for (size_t d = 0; d < rank; ++d) {
    if (PositionOf(rank, d) == 1) return d;
  }
  TESSERA_CHECK(false, "rank {}", rank);
}

void StepWriter::Layouts() {
  Say("# where elements are, in tiles of the machine");
  const size_t rank = region_.output->axes.size();
  const std::string pieces = Blocked(rank, ChannelDim(rank));
  for (const Pass& pass : passes_) {
    if (pass.name != out_) Say("layout {} {}", pass.name, pieces);
  }
  for (const auto& [tensor, copy] : fetched_) Say("layout {} {}", copy, pieces);
  for (const auto& [stack, copy] : records_) {
    for (const std::string& name : {stack, copy})
      Say("layout {} 1/{},0,1%{}", name, block_, block_);
  }
  if (!anchored_) return;
  Say("layout {} {}", sum_, pieces);
  if (boxed()) Say("layout {} {}", input_, Blocked(input_axes_.size(), input_channel_));
  if (!contraction_) return WindowLayouts();
  Names weights;
  const auto [o, i] = WeightDims();
  for (size_t d = 0; d < weight_read_->args.size(); ++d) {
    weights.push_back(d == o || d == i ? fmt::format("{}/{}", d, block_) : std::to_string(d));
  }
  std::stable_partition(weights.begin(), weights.end(), [&](const std::string& piece) {
    return piece.starts_with(std::to_string(o) + "/");
  });
  for (const std::string& name : {a_.weight.name(), weight_}) {
    Say("layout {} {},{}%{},{}%{}", name, fmt::join(weights, ","), o, block_, i, block_);
  }
}

std::pair<size_t, size_t> StepWriter::WeightDims() const {
  size_t o = 0, i = 0;
  const size_t rank = a_.stage->axes.size();
  for (size_t d = 0; d < weight_read_->args.size(); ++d) {
    if (ir::UsesVar(weight_read_->args[d], channel_)) i = d;
    if (ir::UsesVar(weight_read_->args[d], a_.stage->axes[ChannelDim(rank)].var)) o = d;
  }
  return {o, i};
}

std::string StepWriter::LeaderAxis(size_t position) const {
  if (!anchored_) return AxisAt(position);
  const size_t rank = sum_axes_.size();
  for (size_t d = 0; d < rank; ++d) {
    if (PositionOf(rank, d) == position) return sum_axes_[d];
  }
  return "";
}

void StepWriter::Cut(const std::string& stage, const std::string& axis, const char* name,
                     int64_t tile, const std::string& outer, const std::string& inner) {
  Say("decide {} tiles {} {} {}", name, stage, axis, tile);
  Say("split {} {} ${} {} {}", stage, axis, name, outer, inner);
}

void StepWriter::TilesOfWork() {
  Say("# tiles of work");
  const std::string leader = anchored_ ? sum_ : out_;
  const std::string n = LeaderAxis(0), c = LeaderAxis(1), y = LeaderAxis(2), x = LeaderAxis(3);
  const bool lanes = contraction_ || !thin_;  // the array has a block of them, always
  Names channels, positions, inside;
  if (lanes) {
    Say("split {} {} {} c.t lane pad", leader, c, block_);
    Cut(leader, "c.t", "channels", plan_.channel_tile, "c.o", "c.r");
    channels.push_back("c.o");
    parts_ = plan_.channel_part < plan_.channel_tile;
    if (parts_) Cut(leader, "c.r", "part", plan_.channel_part, "c.w", "c.i");
    inside.push_back(parts_ ? "c.i" : "c.r");
  }
  if (!n.empty()) positions.push_back(n);
  const auto position = [&](const std::string& axis, const char* name, int64_t tile) {
    if (axis.empty()) return;
    Cut(leader, axis, name, tile, axis + ".o", axis + ".i");
    positions.push_back(axis + ".o");
    inside.push_back(axis + ".i");
  };
  position(y, "rows", plan_.y_tile);
  position(x, "columns", plan_.x_tile);
  Names order = plan_.spatial_outside ? positions : channels;
  const Names& second = plan_.spatial_outside ? channels : positions;
  order.insert(order.end(), second.begin(), second.end());
  position_loop_ = positions.empty() ? "" : positions.back();
  work_loop_ = order.back();
  const std::string lane = lanes ? "lane" : c;
  if (contraction_) {
    // Chunks of the reduction around parts of the channels: a part is done when its last chunk is.
    Say("split {} {} {} ci.t l{}", sum_, channel_->name, block_, Pad(a_.in_channels));
    Cut(sum_, "ci.t", "inputs", plan_.input_tile, "ci.o", "ci.i");
    order.push_back("ci.o");
    if (parts_) order.push_back(work_loop_ = "c.w");
    order.insert(order.end(), inside.begin(), inside.end());
    order.push_back("ci.i");
    order.insert(order.end(), taps_.begin(), taps_.end());
    order.insert(order.end(), {"lane", "l"});
  } else if (anchored_) {
    order.insert(order.end(), ones_.begin(), ones_.end());
    order.insert(order.end(), inside.begin(), inside.end());
    if (weighted_) order.push_back(lane);
    order.insert(order.end(), window_taps_.begin(), window_taps_.end());
    if (!weighted_) order.push_back(lane);
  } else {
    order.insert(order.end(), inside.begin(), inside.end());
    order.push_back(lane);
  }
  Say("reorder {} {}", leader, fmt::join(order, " "));
}

void StepWriter::Attach() {
  Say("# what a tile of work computes, and what it fetches");
  const std::string leader = anchored_ ? sum_ : out_;
  // What needs the sum follows it, producers first; the rest is computed for that, readers first.
  const auto follows = [&](const Pass& pass) {
    bool reads = false;
    ir::Visit(pass.step->value, [&](const ir::Expr& e) {
      reads |= anchored_ && e->kind == ir::ExprKind::kTensorRead && te::TensorOf(e) == a_.stage;
    });
    return reads;
  };
  for (size_t k = passes_.size(); k-- > 0;) {
    if (passes_[k].name != out_ && follows(passes_[k]))
      Say("reverse_compute_at {} {} {}", passes_[k].name, sum_, work_loop_);
  }
  if (anchored_) Say("reverse_compute_at {} {} {}", out_, sum_, work_loop_);
  for (const Pass& pass : passes_) {
    if (pass.name != out_ && !follows(pass))
      Say("compute_at {} {} {}", pass.name, leader, work_loop_);
  }
  for (const auto& [tensor, copy] : fetched_) Say("compute_at {} {} {}", copy, leader, work_loop_);
  if (plan_.params != Residency::kRegion) {
    for (const auto& [stack, copy] : records_) Say("compute_at {} {} {}", copy, leader, work_loop_);
  }
  if (contraction_) AttachOperands();
  if (anchored_ && !contraction_) AttachWindow();
  for (const Pass& pass : passes_) {
    if (!pass.changes.empty()) Say("in_place {} {}", pass.changes, pass.name);
  }
}

void StepWriter::AttachOperands() {
  if (!boxed()) {
    // It is there.
  } else if (plan_.input_above && !position_loop_.empty()) {
    Say("compute_at {} {} {}", input_, sum_, position_loop_);
  } else {
    Say("compute_at {} {} ci.o", input_, sum_);
  }
  // A channel tile's weights that one tile of work uses come part by part.
  const Extents e = ExtentsOf(region_, config_);
  const bool once = e.batches == 1 && plan_.y_tile >= e.out_y && plan_.x_tile >= e.out_x;
  if (plan_.weights == Residency::kChannel && !once) {
    Say("compute_at {} {} c.o", weight_, sum_);
  } else if (plan_.weights != Residency::kRegion) {
    const bool beside = boxed() && !plan_.input_above && !parts_;
    Say("compute_at {} {} {}{}", weight_, sum_, parts_ ? "c.w" : "ci.o",
        beside ? " before " + input_ : "");
  }
}

void StepWriter::Tiles(const std::string& stage, const Names& axes, size_t channel, bool thin) {
  Names order;
  if (thin) {
    for (size_t d = 0; d < axes.size(); ++d) {
      if (d != channel) order.push_back(axes[d]);
    }
    order.push_back(axes[channel]);
  } else {
    Say("split {} {} {} c.t lane pad", stage, axes[channel], block_);
    for (size_t d = 0; d < axes.size(); ++d) order.push_back(d == channel ? "c.t" : axes[d]);
    order.push_back("lane");
  }
  Say("reorder {} {}", stage, fmt::join(order, " "));
}

void StepWriter::TilesOfTheMachine() {
  Say("# tiles of the machine");
  const size_t rank = region_.output->axes.size();
  Names axes, copies;
  for (size_t d = 0; d < rank; ++d) {
    axes.push_back(region_.output->axes[d].name());
    copies.push_back(fmt::format("i{}", d));
  }
  for (const Pass& pass : passes_) {
    if (pass.name != out_) Tiles(pass.name, axes, ChannelDim(rank), thin_);
  }
  if (anchored_) Tiles(out_, axes, ChannelDim(rank), thin_);
  for (const auto& [tensor, copy] : fetched_) Tiles(copy, copies, ChannelDim(rank), thin_);
  for (const auto& [stack, copy] : records_) {
    Say("split {0} i1 {1} c.t lane pad\nreorder {0} c.t i0 lane\nfuse {0} i0 lane number", copy,
        block_);
  }
  if (!anchored_) return;
  if (boxed()) Tiles(input_, PitchedAxes(), input_channel_, a_.in_channels < block_);
  if (!contraction_) return;
  const auto [o, i] = WeightDims();
  Names order{"o.t", "i.t"};
  for (size_t d = 0; d < weight_read_->args.size(); ++d) {
    if (d != o && d != i) order.push_back(fmt::format("i{}", d));
  }
  Say("split {0} i{1} {3} o.t b pad\nsplit {0} i{2} {3} i.t l pad", weight_, o, i, block_);
  Say("reorder {0} {1} b l\nfuse {0} b l lane", weight_, fmt::join(order, " "));
}

std::string StepWriter::IntrinsicsOf(const EpilogueStep& s) const {
  const bool wide = s.dst.memory == VectorMemory::kAcc,
             narrow_source = s.src.memory == VectorMemory::kOut;
  const char* suffix = wide ? ".i32" : "";
  switch (s.kind) {
    case EpilogueStepKind::kAdd:
      return fmt::format("tile.add{}", suffix);
    case EpilogueStepKind::kAlu:
      return fmt::format("tile.alu_{}{}", isa::Text(s.op),
                         s.use_imm ? ".imm" : (narrow_source ? ".i8" : ""));
    case EpilogueStepKind::kRequant:
      if (s.table >= 0) return fmt::format("tile.requant_prm{}", suffix);
      return fmt::format("tile.requant{}{}{}", narrow_source ? ".i8" : "", suffix,
                         wide == narrow_source ? (wide ? " tile.widen" : " tile.narrow") : "");
    case EpilogueStepKind::kFetch:
      return "tile.copy";
  }
  TESSERA_CHECK(false);
}

void StepWriter::Instructions() {
  Say("# instructions");
  const size_t rank = region_.output->axes.size();
  const std::string c = AxisAt(1), lane = thin_ ? c : "lane";
  if (anchored_) {
    if (boxed()) {
      Say("tensorize {} {} tile.load_inp tile.fill_inp", input_,
          a_.in_channels < block_ ? input_axes_[input_channel_] : "lane");
    }
    if (weighted_) Say("tensorize {} lane tile.load_wgt", weight_);
    if (contraction_) {
      Say("tensorize {} lane tile.gemm", sum_);
    } else {
      Say("tensorize {} {} {}", sum_, lane,
          weighted_ ? "tile.window" : fmt::format("tile.reduce_{}", isa::Text(a_.reduce)));
    }
  }
  for (const auto& [stack, copy] : records_) Say("tensorize {} number tile.load_prm", copy);
  for (const auto& [tensor, copy] : fetched_) {
    Say("tensorize {} {} tile.load_out", copy,
        thin_ ? fmt::format("i{}", ChannelDim(rank)) : "lane");
  }
  for (const Pass& pass : passes_)
    Say("tensorize {} {} {}", pass.name, lane, IntrinsicsOf(*pass.step));
  if (!stays()) Say("tensorize {} {} tile.store", out_, lane);
}

}  // namespace tessera::schedule::accel
