// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/host.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/check.h"
#include "compiler/ir/equal.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/host_steps.h"
#include "compiler/schedule/host_tile.h"

namespace tessera::schedule {
namespace {

using ir::Expr;
using ir::ExprKind;
using te::AxisRole;
using te::Role;

// Sketches of sums of products, beside those by the definition: by Winograd's transforms.
struct WinogradSketch {
  const char* name;
  int64_t results;  // along each side of a square
};
constexpr WinogradSketch kWinogradSketches[] = {
    {"winograd_2", 2}, {"winograd_4", 4}, {"winograd_6", 6}};

class Generator {
 public:
  explicit Generator(HostSteps& h) : h_(h), s_(h.s), options_(h.options) {}

  Status Run() {
    for (const auto& [tensor, layout] : options_.layouts)
      TESSERA_TRY(s_.Apply(LayoutStep{tensor, layout}));
    std::vector<std::string> anchors;
    for (const Stage& st : s_.stages()) {
      if (!st.reduce_axes.empty()) anchors.push_back(st.name);
    }
    TESSERA_TRY(InlineBehind(anchors));
    if (anchors.size() == 1 && s_.outputs().size() == 1) {
      TESSERA_TRY(ScheduleAnchor(anchors[0]));
    }
    for (const std::string& name : anchors) TESSERA_TRY(RowsInTurns(name));
    for (const std::string& name : StageNames()) {
      const Stage* st = s_.Find(name);
      if (st->attach == Attach::kRoot) TESSERA_TRY(h_.InMemoryOrder(name));
    }
    return {};
  }

 private:
  std::vector<std::string> StageNames() const {
    std::vector<std::string> names;
    for (const Stage& st : s_.stages()) {
      if (!st.placeholder && st.attach != Attach::kInline) names.push_back(st.name);
    }
    return names;
  }

  // Does |stage| depend on a reduction?
  bool Behind(const Stage& stage, const std::vector<std::string>& anchors) const {
    bool behind = false;
    ir::Visit(stage.body, [&](const Expr& e) {
      if (behind || e->kind != ExprKind::kTensorRead) return;
      const Stage* from = s_.Find(e->tensor->name);
      behind = std::find(anchors.begin(), anchors.end(), from->name) != anchors.end() ||
               (!from->placeholder && Behind(*from, anchors));
    });
    return behind;
  }

  // Whether |stage| takes a function or a quotient for each element, and others read it at more
  // places than it has elements: a row's root, say, which all elements of the row are divided by.
  bool ReadAgain(const Stage& stage) const {
    const bool dear = ir::Contains(stage.body, [](const Expr& e) {
      return e->kind == ExprKind::kCall ||
             (e->kind == ExprKind::kBin && e->bin() == ir::BinOp::kDiv && IsFloat(e.dtype()));
    });
    int64_t reads = 0;
    for (const Stage& other : s_.stages()) {
      if (other.placeholder || other.attach == Attach::kInline) continue;
      int64_t times = ElementsOf(other);
      for (const ir::Axis& a : other.reduce_axes) times *= a.extent;
      std::vector<Expr> seen;  // an element that one body reads twice is computed once
      ir::Visit(other.body, [&](const Expr& e) {
        if (e->kind != ExprKind::kTensorRead || e->tensor->name != stage.name) return;
        if (std::ranges::any_of(seen, [&](const Expr& s) { return ir::Equal(s, e); })) return;
        seen.push_back(e);
        reads += times;
      });
    }
    return dear && reads > ElementsOf(stage);
  }

  // Elementwise stages after the reduction, and chains of them without one, are part of the output.
  Status InlineBehind(const std::vector<std::string>& anchors) {
    for (const std::string& name : StageNames()) {
      const Stage* st = s_.Find(name);
      if (st->output || !st->reduce_axes.empty()) continue;
      if (!anchors.empty() && !Behind(*st, anchors)) continue;
      if (ReadAgain(*st)) continue;
      TESSERA_TRY(s_.Apply(InlineStep{name}));
    }
    return {};
  }

  // Whether there are weights, and the caller packs them as the schedule wants.
  bool PacksWeights(const te::Roles& roles) const {
    return roles.weight && !options_.activations.contains((*roles.weight)->tensor->name);
  }

  Status ScheduleAnchor(const std::string& anchor) {
    const Stage* st = s_.Find(anchor);
    const std::optional<te::Roles> roles = te::FindRoles(st->axes, st->reduce_axes, st->body);
    if (!roles) return {};
    if (PacksWeights(*roles) && IsDot(s_, *st, *roles)) return ScheduleDot(*st, *roles);
    if (PacksWeights(*roles) && IsLine(s_, *st, *roles)) {
      h_.sketch.Among({"line_quads"});
      return LineSchedule(h_, anchor, *roles);
    }
    const AxisRole* lane = roles->Find(Role::kOutputChannel);
    if (!lane) lane = roles->Find(Role::kChannelwise);
    if (!lane) return {};
    const AxisRole* point = PointAxis(*roles, *lane);
    if (lane->role == Role::kChannelwise) {
      TESSERA_TRY(ChannelsLast(*st, *roles, *lane));
    } else {
      h_.sketch.Among({"vectors"});
    }

    TESSERA_ASSIGN(const auto sums, h_.SumsInRegisters(anchor));
    const auto& [home, acc] = sums;
    const size_t lane_dim = DimOf(roles->data, *lane);
    const int64_t block = lane->group > 0 ? lane->group : lane->axis.extent;
    TESSERA_ASSIGN(const int64_t lanes, DecideLanes(block, lane->axis.extent));
    const std::string c = s_.Find(home)->axes[lane_dim].name();
    TESSERA_TRY(s_.Apply(SplitStep{home, c, Amount::Of("lanes"), c + ".o", c + ".l"}));
    std::vector<std::string> order, inner;
    for (size_t d = 0; d < roles->data.size(); ++d) {
      const std::string name = s_.Find(home)->axes[d].name();
      if (d == lane_dim) {
        order.push_back(c + ".o");
      } else if (point && d == DimOf(roles->data, *point)) {
        TESSERA_TRY(DecidePoints(point->axis.extent));
        const std::string inside = name + ".p";
        TESSERA_TRY(s_.Apply(SplitStep{home, name, Amount::Of("points"), name + ".o", inside}));
        order.push_back(name + ".o");
        inner.push_back(inside);
        TESSERA_TRY(s_.Apply(UnrollStep{home, inside}));
      } else {
        order.push_back(name);
      }
    }
    inner.push_back(c + ".l");
    // Channels of a point are neighbours in memory. Without weights nothing is kept for the next
    // point, and where nothing was copied, points of one block of channels are far apart.
    if (lane->role == Role::kChannelwise && (!roles->weight || in_place_)) {
      const auto channels = std::ranges::find(order, c + ".o");
      std::rotate(channels, channels + 1, order.end());
    }
    TESSERA_TRY(s_.Apply(ReorderStep{home, Joined({order, inner})}));
    TESSERA_ASSIGN(const std::string innermost, h_.Order("order", home, order));
    TESSERA_TRY(s_.Apply(VectorizeStep{home, c + ".l"}));
    TESSERA_TRY(h_.Share(home, roles->reduced));
    TESSERA_TRY(s_.Apply(ComputeAtStep{acc, {home, innermost, ""}}));
    TESSERA_TRY(Accumulator(acc, *roles, point, lane_dim));
    return PackWeights(*roles, *lane, lanes);
  }

  Status ScheduleDot(const Stage& anchor, const te::Roles& roles) {
    std::vector<std::string> names = DotSketches(h_, anchor.name, roles);
    for (const WinogradSketch& w : kWinogradSketches) {
      if (IsFloat(anchor.dtype) && !options_.rounds) break;
      if (FitsWinograd(s_, anchor, roles, w.results)) names.emplace_back(w.name);
    }
    const std::string name = h_.sketch.Among(names);
    const auto* made = std::ranges::find(kWinogradSketches, name, &WinogradSketch::name);
    if (made == std::end(kWinogradSketches))
      return DotSchedule(h_, anchor.name, roles, {.sketch = name});
    return WinogradSchedule(h_, anchor.name, roles, made->results);
  }

  // A sum or a greatest value of floats along a row waits for each of its steps, whose order the
  // definition fixes. Where nothing else schedules it, several rows take turns in registers.
  Status RowsInTurns(const std::string& name) {
    const Stage& stage = *s_.Find(name);
    const auto varies = [](const ir::Axis& a) { return a.extent > 1; };
    const auto last = std::ranges::find_if(stage.axes | std::views::reverse, varies);
    if (!IsFloat(stage.dtype) || stage.attach != Attach::kRoot || !stage.relations.empty() ||
        last == stage.axes.rend())
      return {};
    const std::string row = last->name(), inside = row + ".p", acc = name + ".acc";
    constexpr int64_t kRows = 8;  // a core starts two additions a cycle; each takes four cycles
    TESSERA_TRY(s_.Apply(CacheWriteStep{name, ir::Scope::kReg, acc}));
    TESSERA_TRY(s_.Apply(SplitStep{name, row, Amount{kRows}, row + ".o", inside}));
    TESSERA_TRY(s_.Apply(UnrollStep{name, inside}));
    TESSERA_TRY(s_.Apply(ComputeAtStep{acc, {name, row + ".o", ""}}));
    std::vector<std::string> order;
    const Stage& sums = *s_.Find(acc);
    for (const std::vector<ir::Axis>* axes : {&sums.axes, &sums.reduce_axes}) {
      for (const ir::Axis& a : *axes) {
        if (a.name() != row) order.push_back(a.name());
      }
    }
    TESSERA_TRY(s_.Apply(ReorderStep{acc, Joined({order, {row}})}));
    return s_.Apply(UnrollStep{acc, row});
  }

  // Lanes divide a group, so that a vector reads one input value; where no divisor is worth a
  // vector, a register's with a remainder. Two registers of sums a point keep both units at work.
  Result<int64_t> DecideLanes(int64_t group, int64_t channels) {
    const int64_t whole = s_.target().vector_bytes / 4, most = 2 * whole;  // of 32 bits
    std::vector<int64_t> domain = Divisors(group, most);
    size_t pick = domain.size() - 1;
    if (domain[pick] < whole / 2 && channels == group && channels > most) {
      domain.push_back(whole);
      pick = domain.size() - 1;
    }
    // Whole registers where they fit: of 16, 48 is 3 x 16 rather than 2 x 24.
    for (size_t i = 0; i < domain.size(); ++i) {
      if (domain[i] == whole && domain[pick] < most) pick = i;
    }
    return s_.Decide("lanes", domain, static_cast<int>(pick));
  }

  Status DecidePoints(int64_t extent) {
    std::vector<int64_t> domain = Divisors(extent, most_points_);
    size_t pick = domain.size() - 1;
    if (domain[pick] < 4 && extent > 4) {  // a prime row: the last tile is shorter
      domain.push_back(4);
      pick = domain.size() - 1;
    }
    TESSERA_TRY(s_.Decide("points", domain, static_cast<int>(pick)));
    return {};
  }

  // Reductions outside, points and lanes inside, lanes next to each other in registers.
  Status Accumulator(const std::string& acc, const te::Roles& roles, const AxisRole* point,
                     size_t lane_dim) {
    const Stage* st = s_.Find(acc);
    const int rank = static_cast<int>(st->axes.size());
    std::vector<std::string> order, sums;
    for (int d = 0; d < rank; ++d) {
      if (d != static_cast<int>(lane_dim) &&
          !(point && d == static_cast<int>(DimOf(roles.data, *point)))) {
        order.push_back(st->axes[d].name());
      }
    }
    for (const ir::Axis& a : st->reduce_axes) sums.push_back(a.name());
    order = Joined({order, sums});
    const std::string c = st->axes[lane_dim].name();
    std::string x;
    if (point) {
      x = st->axes[DimOf(roles.data, *point)].name();
      order.push_back(x);
    }
    order.push_back(c);
    if (st->leaves.size() > 1) TESSERA_TRY(s_.Apply(ReorderStep{acc, order}));
    // Floats are summed in the definition's order.
    if (!IsFloat(st->dtype)) TESSERA_TRY(h_.Order("sums", acc, sums));
    TESSERA_TRY(h_.SkipPads(acc, roles.reduced, point));
    if (point) TESSERA_TRY(s_.Apply(UnrollStep{acc, x}));
    TESSERA_TRY(s_.Apply(VectorizeStep{acc, c}));
    if (rank > 1)
      TESSERA_TRY(s_.Apply(LayoutStep{acc, LastLayout(rank, static_cast<int>(lane_dim))}));
    return {};
  }

  static int64_t ElementsOf(const Stage& stage) {
    int64_t elements = 1;
    for (const int64_t extent : stage.shape) elements *= extent;
    return elements;
  }

  // Is |stage| a tensor with pads around it whose channels, dimension |dim|, are innermost in
  // memory?
  bool PadsInPlace(const Stage& stage, int dim) const {
    if (stage.placeholder || !stage.reduce_axes.empty()) return false;
    const Expr& body = stage.body;
    if (body->kind != ExprKind::kSelect || body->args[1]->kind != ExprKind::kTensorRead ||
        body->args[2]->kind != ExprKind::kImm)
      return false;
    const std::vector<size_t> order = h_.MemoryOrder(body->args[1]->tensor->name);
    return !order.empty() && order.back() == static_cast<size_t>(dim);
  }

  // The input of a channelwise reduction with its channels innermost, in a copy unless it is a
  // stage. Pads need no copy: points may ask whether they are inside. Without weights that is as
  // fast, and with them if the copy has many bytes for each result: of floats, or where windows
  // step over points, or pads are much of a small input.
  Status ChannelsLast(const Stage& anchor, const te::Roles& roles, const AxisRole& lane) {
    const std::string input = roles.input->tensor->name, reader = anchor.name;
    const int rank = static_cast<int>(roles.input->args.size());
    std::vector<std::string> sketches{"vectors"};
    const Stage& padded = *s_.Find(input);
    if (PadsInPlace(padded, lane.input_dim)) {
      const bool first =
          !roles.weight || 2 * ElementsOf(padded) * SizeOf(padded.dtype) >= 3 * ElementsOf(anchor);
      sketches.insert(first ? sketches.begin() : sketches.end(), "pads_in_place");
    }
    if (h_.sketch.Among(sketches) == "pads_in_place") {
      in_place_ = true;
      most_points_ /= 2;  // each asks whether it is a pad: as fast, and half of the code
      return s_.Apply(InlineStep{input});
    }
    std::string copy = input;
    const std::vector<size_t> order = h_.MemoryOrder(input);
    if (!order.empty() && order.back() == static_cast<size_t>(lane.input_dim)) return {};
    if (s_.Find(input)->placeholder) {
      copy = input + ".lanes";
      TESSERA_TRY(s_.Apply(CacheReadStep{input, ir::Scope::kGlobal, copy, {reader}}));
    }
    return s_.Apply(LayoutStep{copy, LastLayout(rank, lane.input_dim)});
  }

  Status PackWeights(const te::Roles& roles, const AxisRole& lane, int64_t lanes) {
    if (!PacksWeights(roles) || lanes == 1 || lane.weight_dim < 0) return {};
    const std::string name = (*roles.weight)->tensor->name;
    if (!s_.Find(name)->placeholder) return {};
    return s_.Apply(
        LayoutStep{name, BlockedLayout((*roles.weight)->args.size(),
                                       static_cast<size_t>(lane.weight_dim), "$lanes")});
  }

  HostSteps& h_;
  Schedule& s_;
  const HostOptions& options_;
  bool in_place_ = false;  // pads of the input are in no copy
  // Two registers a point: half of them are sums.
  int64_t most_points_ = s_.target().vector_registers / 4;
};

Result<Schedule> MakeHost(const std::vector<te::Tensor>& outputs, const HostOptions& options,
                          SketchChoice* choice) {
  TESSERA_ASSIGN(Schedule s, Schedule::Create(outputs, options.target));
  HostSteps h(std::move(s), options, choice);
  TESSERA_TRY(Generator(h).Run());
  return std::move(h.s);
}

}  // namespace

Result<Schedule> HostSchedule(const std::vector<te::Tensor>& outputs, const HostOptions& options) {
  SketchChoice preferred;
  return MakeHost(outputs, options, &preferred);
}

Result<std::vector<Sketch>> HostSketches(const te::Tensor& output, const HostOptions& options) {
  return SketchesBy(output,
                    [&](SketchChoice* choice) { return MakeHost({output}, options, choice); });
}

std::vector<HostFactor> HostFactors(const target::Target& target) {
  constexpr int64_t kLong = 1 << 10;  // points and channels: any tile fits
  std::vector<HostFactor> factors;
  for (const target::TensorIntrin& intrin : target.intrinsics) {
    const std::optional<target::ProductTile> tile = target::ProductsOf(intrin);
    if (!tile || tile->shape.size() != 1 || tile->right != DType::kInt8 ||
        tile->sums != DType::kInt32)
      continue;
    const Dot dot{&intrin, tile->shape[0], tile->depth};
    const double cycles = TileFor(target, dot, kLong, kLong, /*ragged=*/false).cycles;
    const auto known = std::ranges::find_if(factors, [&](const HostFactor& f) {
      return f.type == tile->left && f.channelwise == tile->own;
    });
    if (known == factors.end()) {
      factors.push_back({tile->left, cycles, tile->own});
    } else {
      known->cycles = std::min(known->cycles, cycles);
    }
  }
  std::ranges::stable_sort(factors, {}, &HostFactor::cycles);
  return factors;
}

}  // namespace tessera::schedule
