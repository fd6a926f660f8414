// SPDX-License-Identifier: Apache-2.0
//
// Convolutions by Winograd's transforms (steps/winograd.cc). The transforms run on vectors of
// channels, those of one square in registers; the products between them are
// a contraction for each of the (M + 2)^2 places, scheduled as others are. Bands of squares pass
// through all three where what they exchange then stays in the second cache, and its weights do not
// have to come too often; otherwise each of the three is done for all squares.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/schedule/host_steps.h"
#include "compiler/schedule/winograd.h"

namespace tessera::schedule {
namespace {

using te::AxisRole;
using te::Role;

// The axes along which the window of |roles| moves, the last two such; none: there are not two.
std::vector<const AxisRole*> MovingAxes(const te::Roles& roles) {
  std::vector<const AxisRole*> axes;
  for (const AxisRole& a : roles.data) {
    if (a.role == Role::kSpatial) axes.push_back(&a);
  }
  if (axes.size() != 2) axes.clear();
  return axes;
}

class WinogradGenerator {
 public:
  WinogradGenerator(HostSteps& h, const std::string& anchor, const te::Roles& roles,
                    int64_t results)
      : h_(h),
        s_(h.s),
        anchor_(anchor),
        roles_(roles),
        by_(results, !IsFloat(h.s.Find(anchor)->dtype)),
        factor_bytes_(SizeOf(roles.input.dtype())) {}

  Status Run() {
    const std::vector<const AxisRole*> axes = MovingAxes(roles_);
    const int64_t m = by_.results();
    rows_ = CeilDiv(axes[0]->axis.extent, m);
    columns_ = CeilDiv(axes[1]->axis.extent, m);
    y_ = DimOf(roles_.data, *axes[0]);
    x_ = DimOf(roles_.data, *axes[1]);
    channel_ = DimOf(roles_.data, *roles_.Find(Role::kOutputChannel));
    band_ = RowsInBand();
    TESSERA_TRY(
        s_.Apply(WinogradStep{anchor_, axes[0]->axis.name(), axes[1]->axis.name(), Amount{m}}));
    TESSERA_TRY(s_.Apply(PrepareStep{anchor_ + ".w.rows"}));
    TESSERA_TRY(s_.Apply(PrepareStep{anchor_ + ".w.tiles"}));
    TESSERA_TRY(Products());
    TESSERA_TRY(Results());
    return Input();
  }

 private:
  // Of a vector of |stage|.
  int64_t LanesOf(const std::string& stage) const {
    return std::max<int64_t>(s_.target().vector_bytes / SizeOf(s_.Find(stage)->dtype), 1);
  }

  // Of |stage|, whose first two dimensions are the place in a square and the last two the square:
  // squares outside, the places of each, then |channel|.
  Status LayOut(const std::string& stage, size_t channel) {
    const size_t rank = s_.Find(stage)->shape.size();
    std::string text;
    for (size_t d = 2; d < rank; ++d) {
      if (d != channel) text += fmt::format("{},", d);
    }
    TESSERA_TRY(s_.Apply(LayoutStep{stage, fmt::format("{}0,1,{}", text, channel)}));
    // A transform reads the places of a square, the products read squares beside each other.
    const int64_t places = by_.products() * by_.products();
    const int64_t bytes = SizeOf(s_.Find(stage)->dtype) * s_.Find(stage)->shape[channel];
    const auto inner = static_cast<int64_t>(rank) - 2;
    TESSERA_TRY(h_.SpreadRows(stage, inner, bytes, places));
    return h_.SpreadRows(stage, inner - 2, places * bytes, s_.target().vector_registers);
  }

  Status Products() {
    const std::string products = anchor_ + ".products";
    const Stage& stage = *s_.Find(products);
    const std::optional<te::Roles> roles = te::FindRoles(stage.axes, stage.reduce_axes, stage.body);
    TESSERA_CHECK(roles.has_value(), "{}", products);
    TESSERA_TRY(DotSchedule(h_, products, *roles, {.inner = Banded(), .input = false}));
    return LayOut(products, h_.DimensionOf(products, roles_.data[channel_].axis.name()));
  }

  // Rows of squares for which the second cache exchanges the fewest bytes with the memory behind
  // it. Half of it keeps the weights from one band to the next, or the transformed input and the
  // products of a band. Otherwise each band brings the weights again, or these go to memory and
  // back.
  int64_t RowsInBand() const {
    const int64_t in = roles_.InputChannel()->axis.extent, out = roles_.data[channel_].axis.extent;
    const int64_t places = by_.products() * by_.products();
    const int64_t sum_bytes = SizeOf(s_.Find(anchor_)->dtype);
    const int64_t row = places * columns_ * (factor_bytes_ * in + sum_bytes * out),
                  weights = places * factor_bytes_ * in * out;
    const int64_t room = s_.target().caches[1].bytes / 2;
    const auto bytes = [&](int64_t n) {
      const int64_t bands = weights + n * row <= room ? 1 : rows_ / n;
      return bands * weights + (n * row <= room ? 0 : 2 * rows_ * row);
    };
    const std::vector<int64_t> all = Divisors(rows_, rows_);
    return *std::ranges::min_element(all, {}, bytes);
  }
  bool Banded() const { return band_ < rows_; }

  // Squares of results, from |home|'s loops; what is behind the sum is a part of them.
  Status Results() {
    const std::string output = s_.outputs()[0].name(), rows = anchor_ + ".out.rows";
    TESSERA_TRY(s_.Apply(InlineStep{anchor_ + ".out.tiles"}));
    std::string home = anchor_;
    if (anchor_ != output && ReadsInPlace(*s_.Find(output), anchor_)) {
      TESSERA_TRY(s_.Apply(InlineStep{anchor_}));
      home = output;
    }
    const std::vector<ir::Axis> axes = s_.Find(home)->axes;
    const std::string y = axes[y_].name(), x = axes[x_].name(), c = axes[channel_].name();
    const Amount m{by_.results()};
    TESSERA_TRY(s_.Apply(SplitStep{home, y, m, y + ".t", y + ".i"}));
    TESSERA_TRY(s_.Apply(SplitStep{home, x, m, x + ".t", x + ".i"}));
    TESSERA_TRY(s_.Apply(SplitStep{home, c, Amount{LanesOf(rows)}, c + ".o", c + ".l"}));
    std::vector<std::string> order;
    for (size_t d = 0; d < axes.size(); ++d) {
      if (d != y_ && d != x_ && d != channel_) order.push_back(axes[d].name());
    }
    if (Banded()) {
      TESSERA_TRY(h_.DecideDivisor("band", rows_, band_));
      TESSERA_TRY(s_.Apply(SplitStep{home, y + ".t", Amount::Of("band"), y + ".b", y + ".t"}));
      order.push_back(y + ".b");
    }
    TESSERA_TRY(s_.Apply(ReorderStep{
        home, Joined({order, {y + ".t", x + ".t", c + ".o", y + ".i", x + ".i", c + ".l"}})}));
    TESSERA_TRY(s_.Apply(UnrollStep{home, y + ".i"}));
    TESSERA_TRY(s_.Apply(UnrollStep{home, x + ".i"}));
    TESSERA_TRY(s_.Apply(VectorizeStep{home, c + ".l"}));
    TESSERA_TRY(h_.Share(home, roles_.reduced));
    TESSERA_TRY(InRegisters(rows, {home, c + ".o"}, roles_.data[channel_].axis.name()));
    if (!Banded()) return {};
    const LoopPlace band{home, y + ".b"};
    TESSERA_TRY(s_.Apply(ComputeAtStep{anchor_ + ".products", band}));
    return s_.Apply(ComputeAtStep{anchor_ + ".in.tiles", band});
  }

  // Computes |stage|, one pass of a transform, at |place|, for the vector of |channels| there.
  Status InRegisters(const std::string& stage, const LoopPlace& place,
                     const std::string& channels) {
    TESSERA_TRY(s_.Apply(SetScopeStep{stage, ir::Scope::kReg}));
    TESSERA_TRY(s_.Apply(ComputeAtStep{stage, place}));
    const std::vector<ir::Axis> axes = s_.Find(stage)->axes;
    const size_t c = h_.DimensionOf(stage, channels);
    std::vector<std::string> order;
    for (size_t d = 2; d < axes.size(); ++d) {
      if (d != c) order.push_back(axes[d].name());
    }
    order.insert(order.end(), {axes[0].name(), axes[1].name(), axes[c].name()});
    TESSERA_TRY(s_.Apply(ReorderStep{stage, order}));
    TESSERA_TRY(s_.Apply(UnrollStep{stage, axes[0].name()}));
    TESSERA_TRY(s_.Apply(UnrollStep{stage, axes[1].name()}));
    TESSERA_TRY(s_.Apply(VectorizeStep{stage, axes[c].name()}));
    return s_.Apply(
        LayoutStep{stage, LastLayout(static_cast<int>(axes.size()), static_cast<int>(c))});
  }

  Status Input() {
    const std::string in = anchor_ + ".in", tiles = in + ".tiles";
    const AxisRole& channel = *roles_.InputChannel();
    TESSERA_TRY(h_.InlineInto(in));
    TESSERA_TRY(s_.Apply(LayoutStep{
        in, LastLayout(static_cast<int>(s_.Find(in)->shape.size()), channel.input_dim)}));
    const std::vector<ir::Axis> axes = s_.Find(tiles)->axes;
    const size_t dim = h_.DimensionOf(tiles, channel.axis.name());
    const std::string c = axes[dim].name(), a = axes[0].name(), b = axes[1].name();
    std::vector<std::string> order;
    for (size_t d = 2; d < axes.size(); ++d) {
      if (d != dim) order.push_back(axes[d].name());
    }
    TESSERA_TRY(s_.Apply(SplitStep{tiles, c, Amount{LanesOf(tiles)}, c + ".o", c + ".l"}));
    TESSERA_TRY(s_.Apply(ReorderStep{tiles, Joined({order, {c + ".o", a, b, c + ".l"}})}));
    TESSERA_TRY(s_.Apply(UnrollStep{tiles, a}));
    TESSERA_TRY(s_.Apply(UnrollStep{tiles, b}));
    TESSERA_TRY(s_.Apply(VectorizeStep{tiles, c + ".l"}));
    if (!Banded()) TESSERA_TRY(h_.Share(tiles));
    TESSERA_TRY(InRegisters(in + ".rows", {tiles, c + ".o"}, channel.axis.name()));
    return LayOut(tiles, dim);
  }

  HostSteps& h_;
  Schedule& s_;
  const std::string anchor_;
  const te::Roles& roles_;
  const Winograd by_;
  const int64_t factor_bytes_;          // of the input and of weights, transformed
  int64_t rows_ = 1, columns_ = 1;      // of squares
  int64_t band_ = 1;                    // rows of squares that pass through all three stages
  size_t y_ = 0, x_ = 0, channel_ = 0;  // dimensions of the result
};

}  // namespace

bool FitsWinograd(const Schedule& s, const Stage& anchor, const te::Roles& roles, int64_t results) {
  const std::vector<const AxisRole*> axes = MovingAxes(roles);
  const int64_t lanes = std::max<int64_t>(s.target().vector_bytes / SizeOf(roles.input.dtype()), 1);
  if (axes.empty() || !IsDot(s, anchor, roles) || roles.InputChannel()->axis.extent % lanes != 0 ||
      roles.Find(Role::kOutputChannel)->axis.extent % lanes != 0)
    return false;
  Schedule trial = s;
  return trial
      .Apply(WinogradStep{anchor.name, axes[0]->axis.name(), axes[1]->axis.name(), Amount{results}})
      .has_value();
}

Status WinogradSchedule(HostSteps& h, const std::string& anchor, const te::Roles& roles,
                        int64_t results) {
  return WinogradGenerator(h, anchor, roles, results).Run();
}

}  // namespace tessera::schedule
