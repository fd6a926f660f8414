// SPDX-License-Identifier: Apache-2.0
//
// Contractions by the host's instructions for products: points x blocks of lanes of sums in
// registers, weights in the order in which they are read. Integers: dot products of four uint8 or
// two int16; these quads or pairs of input channels, or of taps along a row, are innermost. All of
// them are called quads here. Float32: one product a lane, whose quads have one element; sums keep
// the definition's order.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/bits.h"
#include "compiler/ir/layout.h"
#include "compiler/schedule/host_dots.h"
#include "compiler/schedule/host_steps.h"
#include "compiler/schedule/host_tile.h"

namespace tessera::schedule {
namespace {

using te::AxisRole;
using te::Role;

constexpr int64_t kMostUnrolled = 4;  // quads of a sum

class DotGenerator {
 public:
  DotGenerator(HostSteps& h, const std::string& anchor, const te::Roles& roles,
               const std::vector<Dot>& dots, const DotOptions& options)
      : h_(h),
        s_(h.s),
        options_(options),
        anchor_(anchor),
        roles_(roles),
        lane_(*roles.Find(Role::kOutputChannel)),
        point_(PointAxis(roles, lane_)),
        dots_(dots),
        tile_(BestTile()),
        dot_(tile_.dot),
        sketches_(Sketches()),
        quad_(QuadAxis()) {}

  const std::vector<std::string>& sketches() const { return sketches_; }

  Status Run() {
    DecideStep decide = DotDecision(anchor_, lane_);
    decide.value = Choice({dot_.intrin->name});
    TESSERA_TRY(s_.Apply(decide));
    if (options_.input) TESSERA_TRY(Input());
    TESSERA_ASSIGN(const auto sums, h_.SumsInRegisters(anchor_));
    const auto& [home, acc] = sums;
    TESSERA_TRY(Home(home, acc));
    TESSERA_TRY(Accumulator(home, acc));
    return Weights();
  }

 private:
  // The reduction of which four neighbours are a quad: the input channels, or the taps along a row,
  // if what they fill up is inside the row; the one that takes fewer quads is preferred. If both
  // take as many and channels do not fill quads, these are taps: the input needs no zeros between.
  std::vector<std::string> Sketches() const {
    if (floats_) return {"products"};
    const AxisRole& channel = *roles_.InputChannel();
    const char* const unit = dot_.quad == 2 ? "pairs" : "quads";
    std::vector<std::string> names{fmt::format("channel_{}", unit)};
    const AxisRole* const taps = Taps();
    if (taps == nullptr) return names;
    // Of all the sums of an element.
    const int64_t by_taps = QuadsOf(*taps) * channel.axis.extent,
                  by_channels = QuadsOf(channel) * taps->axis.extent;
    const std::string tap_quads = fmt::format("tap_{}", unit);
    const bool filled = channel.axis.extent % dot_.quad == 0;
    if (by_taps < by_channels || (by_taps == by_channels && !filled)) {
      names.insert(names.begin(), tap_quads);
    } else {
      names.push_back(tap_quads);
    }
    // A quarter more is never made up for.
    if (4 * std::max(by_taps, by_channels) > 5 * std::min(by_taps, by_channels)) names.resize(1);
    return names;
  }

  AxisRole QuadAxis() const {
    const std::string& name = options_.sketch.empty() ? sketches_.front() : options_.sketch;
    return name.starts_with("tap_") ? *Taps() : *roles_.InputChannel();
  }

  int64_t QuadsOf(const AxisRole& axis) const { return CeilDiv(axis.axis.extent, dot_.quad); }

  // Null: there are none that could be quads.
  const AxisRole* Taps() const {
    const auto last = static_cast<int>(roles_.input->args.size()) - 1;
    for (const AxisRole& tap : roles_.reduced) {
      if (tap.role != Role::kWindow || tap.coeff != 1 || tap.weight_dim < 0) continue;
      if (!point_ || tap.input_dim != last || point_->input_dim != last) continue;
      const int64_t reach = (point_->axis.extent - 1) * point_->coeff + dot_.quad * QuadsOf(tap);
      if (reach <= roles_.input->tensor->shape[static_cast<size_t>(last)]) return &tap;
    }
    return nullptr;
  }

  // The first of those that cost least. Lanes that the channels do not fill have to gain a third:
  // of the widest vectors most processors start two instructions a cycle and some one, of narrower
  // ones all start two.
  DotTile BestTile() const {
    const int64_t extent = point_ ? point_->axis.extent : 1;
    std::optional<DotTile> best;
    for (const Dot& dot : dots_) {
      DotTile tile = TileFor(s_.target(), dot, extent, lane_.axis.extent, floats_);
      if (lane_.axis.extent % dot.lanes != 0) tile.cycles *= 4.0 / 3;
      if (!best || tile.cycles < best->cycles) best = std::move(tile);
    }
    return *best;
  }

  // Splits |loop| by a decision |name| of at most |most|.
  Status SplitByDecision(const std::string& name, int64_t pick, const Amount& most,
                         const LoopName& loop, const std::string& outer, const std::string& inner,
                         DomainKind kind = DomainKind::kFactors) {
    TESSERA_TRY(s_.Apply(
        DecideStep{.name = name,
                   .domain = {.kind = kind, .stage = loop.stage, .axis = loop.axis, .most = most},
                   .value = pick}));
    return s_.Apply(SplitStep{loop.stage, loop.axis, Amount::Of(name), outer, inner});
  }

  // Do windows step over so much of a stage that a copy for each place of theirs is smaller?
  bool StepsOver(const Stage& input) const {
    int64_t left = 1, read = 1;
    for (const int64_t extent : input.shape) left *= extent;
    for (const std::vector<AxisRole>* axes : {&roles_.data, &roles_.reduced}) {
      for (const AxisRole& a : *axes) read *= a.input_dim < 0 ? 1 : a.axis.extent;
    }
    return !input.placeholder && quad_.role == Role::kInputChannel && read < left;
  }

  // The input whole, or what the sums read of it, its quads innermost; what makes it is part of
  // the copy.
  Status Input() {
    std::string input = roles_.input->tensor->name;
    int dim = quad_.input_dim;
    if (StepsOver(*s_.Find(input))) {
      const std::string whole = input;
      input += ".read";
      TESSERA_TRY(s_.Apply(ReindexStep{.tensor = whole, .reader = anchor_, .name = input}));
      const std::vector<ir::Axis>& axes = s_.Find(input)->axes;
      dim = static_cast<int>(std::ranges::find(axes, quad_.axis.name(), &ir::Axis::name) -
                             axes.begin());
    }
    const Stage* stage = s_.Find(input);
    if (floats_ && stage->placeholder) return {};  // single elements may lie anywhere
    std::string layout = LastLayout(static_cast<int>(stage->shape.size()), dim);
    if (quad_.role == Role::kInputChannel && quad_.axis.extent % dot_.quad != 0)
      layout += fmt::format("/$dot.depth,{}%$dot.depth", dim);
    TESSERA_TRY(s_.Apply(LayoutStep{input, layout}));
    if (stage->placeholder) return {};
    const auto point = static_cast<int64_t>(stage->shape.size()) - 2;
    TESSERA_TRY(h_.SpreadRows(
        input, point, stage->shape[static_cast<size_t>(dim)] * SizeOf(stage->dtype), RowsRead()));
    return h_.InlineInto(input);
  }

  // Elements of the input beside each other's channels that a tile reads before it goes on to the
  // next channel.
  int64_t RowsRead() const {
    int64_t rows = 1;
    for (const AxisRole& tap : roles_.reduced) {
      if (tap.role != Role::kWindow) continue;
      const bool along = point_ && tap.input_dim == point_->input_dim;
      rows *= tap.axis.extent + (along ? (points_ - 1) * point_->coeff : 0);
    }
    return rows;
  }

  Status Home(const std::string& home, const std::string& acc) {
    const size_t lane_dim = DimOf(roles_.data, lane_);
    const std::string c = s_.Find(home)->axes[lane_dim].name();
    TESSERA_TRY(s_.Apply(SplitStep{home, c, Amount::Of("dot.lanes"), c + ".q", c + ".l"}));
    TESSERA_TRY(SplitByDecision("blocks", blocks_, Amount::Of("dot.sums"), {home, c + ".q"},
                                c + ".o", c + ".b"));
    std::vector<std::string> order, inner;
    for (size_t d = 0; d < roles_.data.size(); ++d) {
      const std::string name = s_.Find(home)->axes[d].name();
      if (d == lane_dim) {
        order.push_back(c + ".o");
        continue;
      }
      if (point_ && d == DimOf(roles_.data, *point_)) {
        const std::string inside = name + ".p";
        TESSERA_TRY(SplitByDecision("points", points_, Amount::Of("dot.sums"), {home, name},
                                    name + ".o", inside,
                                    floats_ ? DomainKind::kTiles : DomainKind::kFactors));
        TESSERA_TRY(s_.Apply(UnrollStep{home, inside}));  // sums stay in registers
        order.push_back(name + ".o");
        inner.push_back(inside);
      } else {
        order.push_back(name);
      }
    }
    TESSERA_TRY(s_.Apply(ReorderStep{home, Joined({order, inner, {c + ".b", c + ".l"}})}));
    TESSERA_ASSIGN(const std::string innermost, h_.Order("order", home, order));
    TESSERA_TRY(s_.Apply(UnrollStep{home, c + ".b"}));
    TESSERA_TRY(s_.Apply(VectorizeStep{home, c + ".l"}));
    if (!options_.inner) TESSERA_TRY(h_.Share(home, roles_.reduced));
    return s_.Apply(ComputeAtStep{acc, {home, innermost, ""}});
  }

  // Decides how many quads are summed between two requests for weights of a later block, and how
  // many blocks later: 0 if none are requested. Each position asks for its share of as many as the
  // later block will sum in its place, so that the weights come evenly, and from further than the
  // near cache nobody waits for them. |loop| is that of the quads.
  Status DecideAhead(const LoopName& loop) {
    const int64_t quads = CeilDiv(quad_.axis.extent, dot_.quad);
    const int64_t quad_bytes = dot_.quad * SizeOf(roles_.weight->dtype());
    int64_t positions = 1, bytes = lane_.axis.extent * quad_bytes * quads;
    for (size_t d = DimOf(roles_.data, lane_) + 1; d < roles_.data.size(); ++d) {
      const bool tiled = point_ && d == DimOf(roles_.data, *point_);
      positions *= CeilDiv(roles_.data[d].axis.extent, tiled ? points_ : 1);
    }
    for (const AxisRole& r : roles_.reduced)
      bytes *= r.axis.var.get() == quad_.axis.var.get() ? 1 : r.axis.extent;
    const bool one = lane_.axis.extent == dot_.lanes * blocks_;
    const int64_t block = bytes / lane_.axis.extent * dot_.lanes * blocks_;
    const std::vector<target::TargetCache>& caches = s_.target().caches;
    const bool near = one || positions == 1 || bytes <= caches[0].bytes;
    const bool evicts = 2 * block > caches[1].bytes;  // what is asked for takes this block's place
    const int64_t line = s_.target().line_bytes;
    const std::vector<int64_t> each = Divisors(quads, quads);
    size_t most = each.size();  // the most whose share is few enough lines
    while (most > 0 && CeilDiv(CeilDiv(each[most - 1] * blocks_ * dot_.lanes * quad_bytes, line),
                               positions) > s_.target().lines_ahead)
      --most;
    const bool none = near || evicts || most == 0;
    TESSERA_TRY(s_.Apply(
        DecideStep{.name = "ahead",
                   .domain = {.kind = DomainKind::kFactors, .stage = loop.stage, .axis = loop.axis},
                   .value = none ? quads : each[most - 1]}));
    return s_.Apply(
        DecideStep{.name = "distance", .domain = {.values = {0, 1, 2}}, .value = none ? 0 : 1});
  }

  Status Accumulator(const std::string& home, const std::string& acc) {
    const Stage* st = s_.Find(acc);
    const size_t lane_dim = DimOf(roles_.data, lane_);
    const std::string c = st->axes[lane_dim].name();
    const bool whole = quad_.axis.extent % dot_.quad == 0;
    std::string ci, x;
    std::vector<std::string> order, taps;
    for (size_t d = 0; d < st->axes.size(); ++d) {
      if (d == lane_dim) continue;
      if (point_ && d == DimOf(roles_.data, *point_)) {
        x = st->axes[d].name();
      } else {
        order.push_back(st->axes[d].name());
      }
    }
    for (size_t d = 0; d < st->reduce_axes.size(); ++d) {
      if (d == DimOf(roles_.reduced, quad_)) {
        ci = st->reduce_axes[d].name();
      } else {
        taps.push_back(st->reduce_axes[d].name());
      }
    }
    TESSERA_TRY(h_.SkipPads(acc, roles_.reduced, point_));
    const bool fills = LanesFill(dots_, lane_);
    if (!fills) {
      const AxisRole lane{.axis = st->axes[lane_dim]};
      const auto starts = PaddedStarts(*st, lane);
      for (const LayoutStep& step : *starts) TESSERA_TRY(s_.Apply(step));
      st = s_.Find(acc);
    }
    TESSERA_TRY(s_.Apply(SplitStep{acc, c, Amount::Of("dot.lanes"), c + ".b", c + ".l",
                                   fills ? Tail::kGuard : Tail::kPad}));
    TESSERA_TRY(s_.Apply(SplitStep{acc, ci, Amount::Of("dot.depth"), ci + ".o", ci + ".i",
                                   whole ? Tail::kGuard : Tail::kPad}));
    const std::string asks = ci + ".t", quads = ci + ".o", unrolled = ci + ".u";
    TESSERA_TRY(DecideAhead({acc, quads}));
    TESSERA_TRY(s_.Apply(SplitStep{acc, quads, Amount::Of("ahead"), asks, quads}));
    // Channels come first in the definition's order, which floats keep.
    const std::vector<std::string> channels{asks, quads};
    const std::vector<std::string> sums =
        floats_ ? Joined({channels, taps}) : Joined({taps, channels});
    TESSERA_TRY(
        SplitByDecision("unroll", 1, kMostUnrolled, {acc, sums.back()}, sums.back(), unrolled));
    std::vector<std::string> inner{unrolled};
    TESSERA_TRY(s_.Apply(UnrollStep{acc, unrolled}));
    if (!x.empty()) {
      inner.push_back(x);
      TESSERA_TRY(s_.Apply(UnrollStep{acc, x}));
    }
    TESSERA_TRY(
        s_.Apply(ReorderStep{acc, Joined({order, sums, inner, {c + ".b", c + ".l", ci + ".i"}})}));
    if (!floats_) TESSERA_TRY(h_.Order("sums", acc, sums));
    TESSERA_TRY(s_.Apply(UnrollStep{acc, c + ".b"}));
    TESSERA_TRY(s_.Apply(VectorizeStep{acc, c + ".l"}));
    TESSERA_TRY(s_.Apply(TensorizeStep{acc, c + ".l", {"$dot"}}));
    TESSERA_TRY(s_.Apply(PrefetchStep{
        (*roles_.weight)->tensor->name, acc, asks, Amount::Of("distance"), {home, c + ".o"}}));
    const auto rank = static_cast<int>(roles_.data.size());
    return s_.Apply(LayoutStep{acc, LastLayout(rank, static_cast<int>(lane_dim))});
  }

  Status Weights() {
    const int o = lane_.weight_dim, i = quad_.weight_dim;
    const auto rank = static_cast<int>((*roles_.weight)->args.size());
    std::string taps;
    for (int d = 0; d < rank; ++d) {
      if (d != o && d != i) taps += fmt::format("{},", d);
    }
    const std::string channels = fmt::format("{}/$dot.depth,", i);
    const std::string layout = fmt::format(
        "{0}/$dot.lanes*$blocks,{2}{0}/$dot.lanes%$blocks,{0}%$dot.lanes,{1}%$dot.depth", o, i,
        floats_ ? channels + taps : taps + channels);
    return s_.Apply(LayoutStep{(*roles_.weight)->tensor->name, layout});
  }

  HostSteps& h_;
  Schedule& s_;
  const DotOptions options_;
  const std::string anchor_;
  const te::Roles& roles_;
  const AxisRole lane_;
  const AxisRole* point_;
  const bool floats_ = IsFloat(s_.Find(anchor_)->dtype);
  const std::vector<Dot> dots_;
  const DotTile tile_;
  const Dot& dot_;  // of tile_
  const std::vector<std::string> sketches_;
  const AxisRole quad_;
  // By default.
  const int64_t points_ = tile_.points[tile_.point], blocks_ = tile_.blocks[tile_.block];
};

}  // namespace

bool IsDot(const Schedule& s, const Stage& anchor, const te::Roles& roles) {
  return !DotsOf(s, anchor, roles).empty();
}

std::vector<std::string> DotSketches(HostSteps& h, const std::string& anchor,
                                     const te::Roles& roles) {
  return DotGenerator(h, anchor, roles, DotsOf(h.s, *h.s.Find(anchor), roles), {}).sketches();
}

Status DotSchedule(HostSteps& h, const std::string& anchor, const te::Roles& roles,
                   const DotOptions& options) {
  return DotGenerator(h, anchor, roles, DotsOf(h.s, *h.s.Find(anchor), roles), options).Run();
}

}  // namespace tessera::schedule
