// SPDX-License-Identifier: Apache-2.0
//
// Operands that the host packs in another layout than the one between regions: taps of windows as
// channels, and activations that are multiplied with each other.
#include <algorithm>

#include "base/check.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/accel/step_writer.h"

namespace tessera::schedule::accel {

using ir::Expr;

// The host packs the input with the taps of a window as channels, ordered (channel, y, x), and the
// weights likewise; the sum is over these. An axis that keeps its window keeps its dimension.
void StepWriter::TapsAsChannels() {
  const te::Tensor source = te::TensorOf(input_read_);
  const size_t rank = source.shape().size();
  Names moved{reduced_};
  std::vector<size_t> keep;
  for (size_t d = 0; d < rank; ++d) {
    const size_t position = PositionOf(rank, d);
    if (position < 2) continue;
    const auto tap = std::ranges::find_if(a_.stage->reduce_axes, [&](const ir::Axis& axis) {
      return axis.var.get() != channel_.get() && ir::UsesVar(input_read_->args[d], axis.var);
    });
    if ((a_.im2col >> (position - 2) & 1) == 0) {
      if (a_.window[position - 2].taps > 1) keep.push_back(d);
    } else {
      TESSERA_CHECK(tap != a_.stage->reduce_axes.end(), "{}", sum_);
      moved.push_back(tap->name());
    }
  }
  Names have, order;
  for (const ir::Axis& axis : a_.stage->reduce_axes) {
    have.push_back(axis.name());
    if (std::ranges::count(moved, axis.name()) == 0) order.push_back(axis.name());
  }
  taps_ = order;
  order.insert(order.end(), moved.begin(), moved.end());
  if (order != have) Add(ReorderStep{sum_, order});
  for (size_t k = 1; k < moved.size(); ++k) {
    const std::string fused = k + 1 == moved.size() ? "taps" : fmt::format("taps{}", k);
    Add(FuseStep{sum_, reduced_, moved[k], fused});
    reduced_ = fused;
  }
  prepared_ = Fresh(a_.input.name());
  Add(ReindexStep{source.name(), sum_, prepared_, {{keep.begin(), keep.end()}}});
  if (!source->placeholder) Add(InlineStep{source.name()});
  Add(PrepareStep{prepared_});
  // In the order of reindex: the sum's axes that choose an element, a kept dimension in its place.
  const auto kept = [&](size_t d) { return std::ranges::count(keep, d) > 0; };
  const auto chooses = [&](const Expr& var) {
    bool found = false;
    for (size_t d = 0; d < rank; ++d) found |= !kept(d) && ir::UsesVar(input_read_->args[d], var);
    return found;
  };
  for (const ir::Axis& axis : a_.stage->axes) {
    for (size_t d = 0; d < rank; ++d) {
      if (!kept(d) || !ir::UsesVar(input_read_->args[d], axis.var)) continue;
      std::string name = fmt::format("i{}", d);
      while (std::ranges::count(sum_axes_, name) + std::ranges::count(have, name) > 0) name += "k";
      input_axes_.push_back(name);
    }
    if (chooses(axis.var)) input_axes_.push_back(axis.name());
  }
  weight_axes_ = {sum_axes_[ChannelDim(sum_axes_.size())]};
  for (const ir::Axis& axis : a_.stage->reduce_axes) {
    if (std::ranges::count(taps_, axis.name()) == 0) continue;
    if (ir::UsesVar(weight_read_, axis.var)) weight_axes_.push_back(axis.name());
    if (chooses(axis.var)) input_axes_.push_back(axis.name());
  }
  weight_axes_.push_back(reduced_);
  input_channel_ = input_axes_.size();
  input_axes_.push_back(reduced_);

  packed_ = Fresh(a_.weight.name() + ".t");
  Add(ReindexStep{a_.weight.name(), sum_, packed_});
  Add(PrepareStep{packed_});
}

void StepWriter::PackActivations() {
  // Packs in the order of the sum: the sum's axes that choose an element, then a loop over terms.
  const auto pack = [&](const Expr& read, const Names& axes) {
    const std::string name = te::TensorOf(read).name(), packed = Fresh(name + ".p"),
                      term = Fresh(name + ".term");
    Add(SpreadStep{name, sum_, packed, term, {axes}});
    if (!a_.weight_lies) Add(PrepareStep{packed});
    taps_.push_back(term);
    return packed;
  };
  const auto axes_of = [&](const Expr& read, bool image) {
    Names names;
    for (const std::vector<ir::Axis>* axes : {&a_.stage->axes, &a_.stage->reduce_axes}) {
      for (const ir::Axis& axis : *axes) {
        const bool is_image = axes == &a_.stage->axes && axis.name() == LeaderAxis(0);
        if (ir::UsesVar(read, axis.var) && (image || !is_image)) names.push_back(axis.name());
      }
    }
    return names;
  };
  // On chip an image is a row of a tile; weights have no such rows.
  weight_axes_ = axes_of(weight_read_, a_.weight_by_image);
  packed_ = pack(weight_read_, weight_axes_);
  weight_axes_.push_back(taps_.back());
  if (a_.input_terms == 1) return;  // InputStage finds it
  input_axes_ = axes_of(input_read_, true);
  prepared_ = pack(input_read_, input_axes_);
  input_axes_.push_back(taps_.back());
  input_channel_ =
      static_cast<size_t>(std::ranges::find(input_axes_, reduced_) - input_axes_.begin());
}

}  // namespace tessera::schedule::accel
