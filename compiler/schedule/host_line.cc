// SPDX-License-Identifier: Apache-2.0
//
// Channelwise sums by the host's dot products of four uint8, whose lanes are channels with inputs
// of their own. Four neighbours along a line of the input are a quad, which lies beside those of
// the other channels. Four results beside each other read the quads that begin at their first tap.
// Each has weights of its own for these quads, 0 where a quad has more than its taps; products with
// a whole quad of zeros are left out. Of a window of three with steps of one that is one product
// for two of the results, and two for the others.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/bits.h"
#include "compiler/schedule/host_dots.h"
#include "compiler/schedule/host_steps.h"
#include "compiler/te/product_form.h"

namespace tessera::schedule {
namespace {

using te::AxisRole;
using te::Role;

// Of |dots|, the instruction whose lanes so many |channels| fill best; of equals the widest.
const Dot& BestLanes(const std::vector<Dot>& dots, int64_t channels) {
  return *std::ranges::min_element(dots, {}, [&](const Dot& dot) {
    return std::pair(RoundUp(channels, dot.lanes), -dot.lanes);
  });
}

constexpr int64_t kCacheShare = 4;  // of the second cache, for the inputs of a band

class LineGenerator {
 public:
  LineGenerator(HostSteps& h, const std::string& anchor, const te::Roles& roles)
      : h_(h),
        s_(h.s),
        anchor_(anchor),
        roles_(roles),
        lane_(*roles.Find(Role::kChannelwise)),
        line_(*te::LineOf(roles)),
        dots_(DotsAlong(s_, anchor, lane_)),
        fills_(LanesFill(dots_, lane_)) {}

  Status Run() {
    DecideStep decide = DotDecision(anchor_, lane_);
    decide.value = Choice({BestLanes(dots_, lane_.axis.extent).intrin->name});
    TESSERA_TRY(s_.Apply(decide));
    TESSERA_TRY(Input());
    TESSERA_ASSIGN(const auto sums, h_.SumsInRegisters(anchor_));
    const auto& [home, acc] = sums;
    TESSERA_TRY(Weights(acc));
    TESSERA_TRY(Home(home, acc));
    return Sums(acc);
  }

 private:
  const std::string& taps() const { return line_.taps.axis.name(); }
  const std::string& input() const { return roles_.input->tensor->name; }

  // Quads of all channels beside each other; what makes the input is part of it.
  Status Input() {
    const Stage& stage = *s_.Find(input());
    const int along = line_.points.input_dim, channel = lane_.input_dim;
    std::string outer;
    std::vector<std::string> order;
    for (int d = 0; d < std::ssize(stage.shape); ++d) {
      if (d == along || d == channel) continue;
      outer += fmt::format("{},", d);
      order.push_back(stage.axes[static_cast<size_t>(d)].name());
    }
    const std::string x = stage.axes[static_cast<size_t>(along)].name(),
                      c = stage.axes[static_cast<size_t>(channel)].name();
    const std::string in = input(), quads = x + ".q", inner = x + ".i";
    TESSERA_TRY(h_.InlineInto(in));
    TESSERA_TRY(s_.Apply(
        LayoutStep{in, fmt::format("{0}{1}/{3},{2},{1}%{3}", outer, along, channel, te::kQuad)}));
    TESSERA_TRY(s_.Apply(SplitStep{in, x, Amount{te::kQuad}, quads, inner}));
    const std::string block = c + ".q", lanes = c + ".l";
    const int64_t vector = std::min(lane_.axis.extent, s_.target().vector_bytes);
    TESSERA_TRY(s_.Apply(SplitStep{in, c, Amount{vector}, block, lanes}));
    TESSERA_TRY(s_.Apply(ReorderStep{in, Joined({order, {quads, block, inner, lanes}})}));
    TESSERA_TRY(s_.Apply(UnrollStep{in, inner}));
    TESSERA_TRY(s_.Apply(VectorizeStep{in, lanes}));
    return h_.Share(in);
  }

  // The axis of the rows of lines; null: there is one line for each channel.
  const AxisRole* RowsOf() const {
    const AxisRole* rows = nullptr;
    for (const AxisRole& a : roles_.data) {
      if (a.role == Role::kSpatial && a.input_dim != line_.points.input_dim && a.axis.extent > 1)
        rows = &a;
    }
    return rows;
  }

  // The most rows of results whose inputs leave room in the second cache; all, if they do.
  int64_t RowsInBand() const {
    if (rows_ == nullptr) return 1;
    const int64_t room = s_.target().caches[1].bytes / kCacheShare;
    int64_t taps = 1;
    for (const AxisRole& r : roles_.reduced) {
      if (r.input_dim == rows_->input_dim) taps = (r.axis.extent - 1) * r.coeff + 1;
    }
    const int64_t row = line_.reach() * lane_.axis.extent, all = rows_->axis.extent;
    const std::vector<int64_t> bands = Divisors(all, all);
    size_t most = bands.size() - 1;
    while (most > 0 && ((bands[most] - 1) * rows_->coeff + taps) * row > room) --most;
    return bands[most];
  }
  bool banded() const { return rows_ != nullptr && band_ < rows_->axis.extent; }

  // The weights of each result of a quad for the quads of inputs.
  Status Weights(const std::string& acc) {
    const std::string weight = (*roles_.weight)->tensor->name, quads = weight + ".quads";
    TESSERA_TRY(s_.Apply(AlignStep{acc, taps(), input(), Amount{te::kQuad}}));
    TESSERA_TRY(s_.Apply(ReindexStep{.tensor = weight, .reader = acc, .name = quads, .fill = 0}));
    TESSERA_TRY(s_.Apply(PrepareStep{quads}));
    TESSERA_TRY(s_.Apply(SkipStep{acc, taps()}));
    const size_t channel = h_.DimensionOf(quads, lane_.axis.name()),
                 tap = h_.DimensionOf(quads, taps()),
                 point = h_.DimensionOf(quads, line_.points.axis.name());
    std::string others;
    for (size_t d = 0; d < s_.Find(quads)->axes.size(); ++d) {
      if (d != channel && d != tap && d != point) others += fmt::format("{},", d);
    }
    return s_.Apply(
        LayoutStep{quads, fmt::format("{0}/$dot.lanes,{1}{2}/{4},{3},{0}%$dot.lanes,{2}%{4}",
                                      channel, others, tap, point, te::kQuad)});
  }

  Status Home(const std::string& home, const std::string& acc) {
    const std::string c = s_.Find(home)->axes[DimOf(roles_.data, lane_)].name(),
                      x = s_.Find(home)->axes[DimOf(roles_.data, line_.points)].name();
    const std::string inside = x + ".p", lanes = c + ".l";
    TESSERA_TRY(s_.Apply(SplitStep{home, c, Amount::Of("dot.lanes"), c + ".o", lanes}));
    TESSERA_TRY(s_.Decide("points", {te::kQuad, 2 * te::kQuad}, 0));
    TESSERA_TRY(s_.Apply(SplitStep{home, x, Amount::Of("points"), x + ".o", inside}));
    std::vector<std::string> order;
    for (const ir::Axis& a : s_.Find(home)->axes) {
      const bool split = a.name() == c || a.name() == x;
      order.push_back(split ? a.name() + ".o" : a.name());
    }
    if (banded()) {
      const std::string y = s_.Find(home)->axes[DimOf(roles_.data, *rows_)].name(), band = y + ".b";
      TESSERA_TRY(h_.DecideDivisor("band", rows_->axis.extent, band_));
      TESSERA_TRY(s_.Apply(SplitStep{home, y, Amount::Of("band"), band, y + ".i"}));
      *std::ranges::find(order, y) = y + ".i";
      order.insert(std::ranges::find(order, c + ".o"), band);
    }
    TESSERA_TRY(s_.Apply(ReorderStep{home, Joined({order, {inside, lanes}})}));
    TESSERA_ASSIGN(const std::string innermost, h_.Order("order", home, order));
    TESSERA_TRY(s_.Apply(UnrollStep{home, inside}));
    TESSERA_TRY(s_.Apply(VectorizeStep{home, lanes}));
    TESSERA_TRY(h_.Share(home, roles_.reduced));
    TESSERA_TRY(s_.Apply(ComputeAtStep{acc, {home, innermost, ""}}));
    if (!banded()) return {};
    return s_.Apply(ComputeAtStep{
        input(), {home, s_.Find(home)->axes[DimOf(roles_.data, *rows_)].name() + ".b", ""}});
  }

  Status Sums(const std::string& acc) {
    const size_t lane = DimOf(roles_.data, lane_);
    if (!fills_) {
      const auto starts = PaddedStarts(*s_.Find(acc), {.axis = s_.Find(acc)->axes[lane]});
      for (const LayoutStep& step : *starts) TESSERA_TRY(s_.Apply(step));
    }
    const Stage& stage = *s_.Find(acc);
    const std::string c = stage.axes[lane].name(),
                      x = stage.axes[DimOf(roles_.data, line_.points)].name();
    const std::string block = c + ".b", lanes = c + ".l", quads = taps() + ".o",
                      inner = taps() + ".i";
    std::vector<std::string> order;
    for (const ir::Axis& a : stage.axes) {
      if (a.name() != c && a.name() != x) order.push_back(a.name());
    }
    std::vector<std::string> window;
    for (const ir::Axis& a : stage.reduce_axes) {
      if (a.name() != taps()) window.push_back(a.name());
    }
    const auto rank = static_cast<int>(stage.axes.size());
    TESSERA_TRY(s_.Apply(SplitStep{acc, c, Amount::Of("dot.lanes"), block, lanes,
                                   fills_ ? Tail::kGuard : Tail::kPad}));
    TESSERA_TRY(s_.Apply(SplitStep{acc, taps(), Amount{te::kQuad}, quads, inner}));
    TESSERA_TRY(
        s_.Apply(ReorderStep{acc, Joined({order, window, {quads, x, block, lanes, inner}})}));
    for (const std::string& loop : Joined({window, {quads, x, block}}))
      TESSERA_TRY(s_.Apply(UnrollStep{acc, loop}));
    TESSERA_TRY(s_.Apply(VectorizeStep{acc, lanes}));
    TESSERA_TRY(s_.Apply(TensorizeStep{acc, lanes, {"$dot"}}));
    return s_.Apply(LayoutStep{acc, LastLayout(rank, static_cast<int>(lane))});
  }

  HostSteps& h_;
  Schedule& s_;
  const std::string anchor_;
  const te::Roles& roles_;
  const AxisRole lane_;
  const te::ChannelLine line_;
  const std::vector<Dot> dots_;
  const bool fills_;
  const AxisRole* const rows_ = RowsOf();
  const int64_t band_ = RowsInBand();
};

}  // namespace

bool IsLine(const Schedule& s, const Stage& anchor, const te::Roles& roles) {
  const std::optional<te::ChannelLine> line = te::LineOf(roles);
  if (!line || !ir::IsSum(anchor.body->reduce())) return false;
  const Stage& input = *s.Find(roles.input->tensor->name);
  const AxisRole& lane = *roles.Find(Role::kChannelwise);
  const std::vector<Dot> dots = DotsAlong(s, anchor.name, lane);
  if (input.placeholder || dots.empty()) return false;
  const int64_t lanes = std::ranges::max_element(dots, {}, &Dot::lanes)->lanes;
  return input.shape[static_cast<size_t>(line->points.input_dim)] >= line->reach() &&
         input.shape[static_cast<size_t>(lane.input_dim)] >= RoundUp(lane.axis.extent, lanes) &&
         (LanesFill(dots, lane) || PaddedStarts(anchor, lane));
}

Status LineSchedule(HostSteps& h, const std::string& anchor, const te::Roles& roles) {
  return LineGenerator(h, anchor, roles).Run();
}

}  // namespace tessera::schedule
