// SPDX-License-Identifier: Apache-2.0
//
// Contractions by the host's dot products of four bytes: points x blocks of lanes of sums in
// registers, weights in the order in which they are read, quads of input channels, or of taps along
// a row, innermost.
#include <algorithm>

#include "base/bits.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/host_steps.h"

namespace tessera::schedule {
namespace {

using te::AxisRole;
using te::Role;

constexpr int64_t kQuad = 4;

// What a tile of |points| x |blocks| costs for each of its products, in units of a product: each
// needs an instruction, points + blocks loads, and sums that do not wait for themselves (latency 5,
// two products a cycle). What the epilogue knows of a channel is loaded once for all points.
double TileCost(int64_t points, int64_t blocks) {
  const auto n = static_cast<double>(points * blocks);
  return std::max({1.0, static_cast<double>(points + blocks) / n, 10 / n}) +
         0.1 * static_cast<double>(points + blocks) / n + 0.2 / static_cast<double>(points);
}

int64_t LanesFor(int64_t channels) { return channels % 16 == 0 ? 16 : channels % 8 == 0 ? 8 : 0; }

class DotGenerator {
 public:
  DotGenerator(HostSteps& h, const std::string& anchor, const te::Roles& roles)
      : h_(h),
        s_(h.s),
        anchor_(anchor),
        roles_(roles),
        lane_(*roles.Find(Role::kOutputChannel)),
        point_(PointAxis(roles, lane_)),
        quad_(QuadAxis()) {}

  Status Run() {
    lanes_ = LanesFor(lane_.axis.extent);
    TESSERA_TRY(DecideTile());
    TESSERA_TRY(Input());
    // |home| holds the result, |acc| the sums.
    const std::string output = s_.outputs()[0].name();
    std::string home = output, acc = anchor_;
    if (anchor_ == output || !ReadsInPlace(*s_.Find(output), anchor_)) {
      home = anchor_;
      acc = anchor_ + ".acc";
      TESSERA_TRY(h_.Do("cache_write {} reg {}", home, acc));
    } else {
      TESSERA_TRY(h_.Do("set_scope {} reg", acc));
    }
    TESSERA_TRY(Home(home, acc));
    TESSERA_TRY(Accumulator(acc));
    return Weights();
  }

 private:
  // The reduction of which four neighbours are a quad: the input channels, or, where those do not
  // fill quads, the taps along a row, if they waste less and what they fill up is inside the row.
  AxisRole QuadAxis() const {
    const AxisRole& channel = *roles_.InputChannel();
    const auto quads = [](const AxisRole& a) { return CeilDiv(a.axis.extent, kQuad); };
    if (!point_ || channel.axis.extent % kQuad == 0) return channel;
    const auto last = static_cast<int>(roles_.input->args.size()) - 1;
    for (const AxisRole& tap : roles_.reduced) {
      if (tap.role != Role::kWindow || tap.coeff != 1 || tap.weight_dim < 0) continue;
      if (tap.input_dim != last || point_->input_dim != last) continue;
      const int64_t reach = (point_->axis.extent - 1) * point_->coeff + kQuad * quads(tap);
      if (reach > roles_.input->tensor->shape[static_cast<size_t>(last)]) continue;
      if (quads(tap) * channel.axis.extent < quads(channel) * tap.axis.extent) return tap;
    }
    return channel;
  }

  Status DecideTile() {
    const int64_t most = h_.options.max_sums;
    const int64_t extent = point_ ? point_->axis.extent : 1;
    const std::vector<int64_t> points = Divisors(extent, most);
    const std::vector<int64_t> blocks = Divisors(lane_.axis.extent / lanes_, most);
    size_t best_p = 0, best_b = 0;
    for (size_t p = 0; p < points.size(); ++p) {
      for (size_t b = 0; b < blocks.size(); ++b) {
        // The sums, a block's weights and one input are in registers.
        const int64_t registers = points[p] * blocks[b] + blocks[b] + 1;
        if (points[p] * blocks[b] > most || registers > s_.target().vector_registers) continue;
        if (TileCost(points[p], blocks[b]) < TileCost(points[best_p], blocks[best_b]))
          best_p = p, best_b = b;
      }
    }
    if (point_) TESSERA_TRY(s_.Decide("points", points, static_cast<int>(best_p)));
    TESSERA_ASSIGN(blocks_, s_.Decide("blocks", blocks, static_cast<int>(best_b)));
    return {};
  }

  // The input whole, its quads innermost; what makes it is part of the copy.
  Status Input() {
    const std::string input = roles_.input->tensor->name;
    const Stage* stage = s_.Find(input);
    std::string layout = LastLayout(static_cast<int>(stage->shape.size()), quad_.input_dim);
    if (quad_.role == Role::kInputChannel && quad_.axis.extent % kQuad != 0)
      layout += fmt::format("/{0},{1}%{0}", kQuad, quad_.input_dim);
    TESSERA_TRY(h_.Do("layout {} {}", input, layout));
    if (stage->placeholder) return {};
    for (bool again = true; again;) {
      again = false;
      for (const Stage& from : s_.stages()) {
        if (from.placeholder || from.attach == Attach::kInline || !from.reduce_axes.empty() ||
            !s_.Find(input)->Reads(from.name) || s_.Consumers(from.name).size() != 1)
          continue;
        TESSERA_TRY(h_.Do("inline {}", std::string(from.name)));
        again = true;
        break;
      }
    }
    return {};
  }

  Status Home(const std::string& home, const std::string& acc) {
    const size_t lane_dim = DimOf(roles_.data, lane_);
    const std::string c = s_.Find(home)->axes[lane_dim].name();
    TESSERA_TRY(h_.Do("split {} {} {} {}.q {}.l", home, c, lanes_, c, c));
    TESSERA_TRY(h_.Do("split {} {}.q $blocks {}.o {}.b", home, c, c, c));
    std::string order, inner = fmt::format("{0}.b {0}.l", c), at = c + ".o";
    for (size_t d = 0; d < roles_.data.size(); ++d) {
      const std::string name = s_.Find(home)->axes[d].name();
      if (d == lane_dim) {
        order += " " + at;
        continue;
      }
      if (point_ && d == DimOf(roles_.data, *point_)) {
        TESSERA_TRY(h_.Do("split {0} {1} $points {1}.o {1}.p", home, name));
        TESSERA_TRY(h_.Do("unroll {} {}.p", home, name));
        order += fmt::format(" {}.o", name);
        inner = fmt::format("{}.p {}", name, inner);
      } else {
        order += " " + name;
      }
    }
    at = order.substr(order.rfind(' ') + 1);
    TESSERA_TRY(h_.Do("reorder {}{} {}", home, order, inner));
    TESSERA_TRY(h_.Do("unroll {} {}.b", home, c));
    TESSERA_TRY(h_.Do("vectorize {} {}.l", home, c));
    TESSERA_TRY(h_.Share(home, roles_.reduced));
    return h_.Do("compute_at {} {} {}", acc, home, at);
  }

  Status Accumulator(const std::string& acc) {
    const Stage* st = s_.Find(acc);
    const size_t lane_dim = DimOf(roles_.data, lane_);
    const std::string c = st->axes[lane_dim].name();
    const bool whole = quad_.axis.extent % kQuad == 0;
    std::string ci, order, x;
    for (size_t d = 0; d < st->axes.size(); ++d) {
      if (d == lane_dim) continue;
      if (point_ && d == DimOf(roles_.data, *point_)) {
        x = st->axes[d].name();
      } else {
        order += " " + st->axes[d].name();
      }
    }
    for (size_t d = 0; d < st->reduce_axes.size(); ++d) {
      if (d == DimOf(roles_.reduced, quad_)) {
        ci = st->reduce_axes[d].name();
      } else {
        order += " " + st->reduce_axes[d].name();
      }
    }
    TESSERA_TRY(h_.Do("split {0} {1} {2} {1}.b {1}.l", acc, c, lanes_));
    TESSERA_TRY(h_.Do("split {0} {1} {2} {1}.o {1}.i{3}", acc, ci, kQuad, whole ? "" : " pad"));
    order += fmt::format(" {}.o", ci);
    if (!x.empty()) {
      order += " " + x;
      TESSERA_TRY(h_.Do("unroll {} {}", acc, x));
    }
    TESSERA_TRY(h_.Do("reorder {0}{1} {2}.b {2}.l {3}.i", acc, order, c, ci));
    TESSERA_TRY(h_.Do("unroll {} {}.b", acc, c));
    TESSERA_TRY(h_.Do("vectorize {} {}.l", acc, c));
    TESSERA_TRY(h_.Do("tensorize {} {}.l dot_u8s8x{}", acc, c, lanes_));
    return h_.Do("layout {} {}", acc,
                 LastLayout(static_cast<int>(roles_.data.size()), static_cast<int>(lane_dim)));
  }

  Status Weights() {
    const int o = lane_.weight_dim, i = quad_.weight_dim;
    const auto rank = static_cast<int>((*roles_.weight)->args.size());
    std::string layout = fmt::format("{}/{}", o, lanes_ * blocks_);
    for (int d = 0; d < rank; ++d) {
      if (d != o && d != i) layout += fmt::format(",{}", d);
    }
    layout += fmt::format(",{}/{}", i, kQuad);
    if (blocks_ > 1) layout += fmt::format(",{}/{}%{}", o, lanes_, blocks_);
    layout += fmt::format(",{}%{},{}%{}", o, lanes_, i, kQuad);
    return h_.Do("layout {} {}", (*roles_.weight)->tensor->name, layout);
  }

  HostSteps& h_;
  Schedule& s_;
  const std::string anchor_;
  const te::Roles& roles_;
  const AxisRole lane_;
  const AxisRole* point_;
  const AxisRole quad_;
  int64_t lanes_ = 0, blocks_ = 1;
};

}  // namespace

bool IsDot(const Schedule& s, const Stage& anchor, const te::Roles& roles) {
  if (anchor.body->reduce() != ir::ReduceOp::kSum || !roles.weight) return false;
  const AxisRole* lane = roles.Find(Role::kOutputChannel);
  if (!lane || lane->group != 0 || LanesFor(lane->axis.extent) == 0) return false;
  const Stage *input = s.Find(roles.input->tensor->name),
              *w = s.Find((*roles.weight)->tensor->name);
  const AxisRole* channel = roles.InputChannel();
  return input->dtype == DType::kUint8 && w->dtype == DType::kInt8 && w->placeholder &&
         anchor.dtype == DType::kInt32 && channel && channel->weight_dim >= 0 &&
         std::ranges::count(roles.data, Role::kOutputChannel, &AxisRole::role) == 1;
}

Status DotSchedule(HostSteps& h, const std::string& anchor, const te::Roles& roles) {
  return DotGenerator(h, anchor, roles).Run();
}

}  // namespace tessera::schedule
