// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/host_steps.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ranges>

#include "base/check.h"
#include "compiler/ir/affine.h"
#include "compiler/ir/visit.h"

namespace tessera::schedule {

using ir::Expr;
using ir::ExprKind;

namespace {

// Of a loop to other processors, in the time of Target::least_shared_work.
constexpr double kHandovers = 5;

}  // namespace

std::vector<int64_t> Divisors(int64_t n, int64_t most) {
  std::vector<int64_t> all;
  for (int64_t d = 1; d <= std::min(n, most); ++d) {
    if (n % d == 0) all.push_back(d);
  }
  return all;
}

bool ReadsInPlace(const Stage& reader, const std::string& tensor) {
  bool same = true, any = false;
  ir::Visit(reader.body, [&](const Expr& e) {
    if (e->kind != ExprKind::kTensorRead || e->tensor->name != tensor) return;
    any = true;
    same = same && e->args.size() == reader.axes.size();
    for (size_t d = 0; same && d < e->args.size(); ++d)
      same = e->args[d].get() == reader.axes[d].var.get();
  });
  return any && same;
}

std::string LastLayout(int rank, int dim) {
  std::string text;
  for (int d = 0; d < rank; ++d) {
    if (d != dim) text += fmt::format("{},", d);
  }
  return text + std::to_string(dim);
}

std::string BlockedLayout(size_t rank, size_t dim, const char* size) {
  std::string text;
  for (size_t d = 0; d < rank; ++d)
    text += d == dim ? fmt::format("{}/{},", d, size) : fmt::format("{},", d);
  return text + fmt::format("{}%{}", dim, size);
}

size_t DimOf(const std::vector<te::AxisRole>& axes, const te::AxisRole& of) {
  for (size_t d = 0; d < axes.size(); ++d) {
    if (axes[d].axis.var.get() == of.axis.var.get()) return d;
  }
  TESSERA_CHECK(false);
}

const te::AxisRole* PointAxis(const te::Roles& roles, const te::AxisRole& lane) {
  const te::AxisRole* point = nullptr;
  for (const te::AxisRole& a : roles.data) {
    if (a.axis.var.get() != lane.axis.var.get() && a.axis.extent > 1) point = &a;
  }
  return point;
}

std::vector<size_t> HostSteps::MemoryOrder(const std::string& tensor) const {
  const Stage& stage = *s.Find(tensor);
  std::vector<size_t> order;
  if (stage.layout.empty()) {
    for (size_t d = 0; d < stage.shape.size(); ++d) order.push_back(d);
    return order;
  }
  // Pieces of one dimension beside each other, the larger first, are that dimension.
  int64_t piece = 1;
  for (const LayoutDim& d : stage.layout.dims) {
    const auto dim = static_cast<size_t>(d.dim);
    const bool same = !order.empty() && order.back() == dim && d.div * d.mod == piece;
    if (!same && (d.mod != 0 || std::ranges::count(order, dim) != 0)) return {};
    if (!same) order.push_back(dim);
    piece = d.div;
  }
  return order;
}

Result<std::string> HostSteps::Order(const std::string& name, const std::string& of,
                                     const std::vector<std::string>& loops) {
  const Stage& stage = *s.Find(of);
  const auto iterations = stage.Iterations(stage.shape);
  std::vector<std::string> varied;
  for (const std::string& loop : loops) {
    Expr axis = stage.leaves[static_cast<size_t>(stage.LeafIndex(loop))].var;
    for (const Relation& r : stage.relations | std::views::reverse) {
      if (axis.get() == r.outer.get() || axis.get() == r.inner.get()) axis = r.parent;
    }
    if (iterations.at(axis.get()) > 1) varied.push_back(loop);
  }
  if (varied.size() < 2) return loops.back();
  if (varied.size() > kMostOrdered) varied.erase(varied.begin(), varied.end() - kMostOrdered);
  TESSERA_TRY(s.Apply(DecideStep{.name = name,
                                 .domain = {.kind = DomainKind::kOrders, .stage = of},
                                 .value = Choice(varied)}));
  TESSERA_TRY(s.Apply(ReorderStep{of, {"$" + name}}));
  return "$" + name;
}

Result<HostSteps::Sums> HostSteps::SumsInRegisters(const std::string& anchor) {
  const std::string output = s.outputs()[0].name();
  if (anchor == output || !ReadsInPlace(*s.Find(output), anchor)) {
    Sums sums{.home = anchor, .acc = anchor + ".acc"};
    TESSERA_TRY(s.Apply(CacheWriteStep{sums.home, ir::Scope::kReg, sums.acc}));
    return sums;
  }
  TESSERA_TRY(s.Apply(SetScopeStep{anchor, ir::Scope::kReg}));
  return Sums{.home = output, .acc = anchor};
}

size_t HostSteps::DimensionOf(const std::string& stage, const std::string& axis) const {
  const std::vector<ir::Axis>& axes = s.Find(stage)->axes;
  const auto at = std::ranges::find(axes, axis, [](const ir::Axis& a) { return a.name(); });
  TESSERA_CHECK(at != axes.end(), "{} of {}", axis, stage);
  return static_cast<size_t>(at - axes.begin());
}

Status HostSteps::DecideDivisor(const std::string& name, int64_t n, int64_t value) {
  const std::vector<int64_t> domain = Divisors(n, n);
  const auto pick = std::ranges::find(domain, value) - domain.begin();
  TESSERA_TRY(s.Decide(name, domain, static_cast<int>(pick)));
  return {};
}

Status HostSteps::InlineInto(const std::string& stage) {
  for (bool again = true; again;) {
    again = false;
    for (const Stage& from : s.stages()) {
      if (from.placeholder || from.attach == Attach::kInline || !from.reduce_axes.empty() ||
          !s.Find(stage)->Reads(from.name) || s.Consumers(from.name).size() != 1)
        continue;
      TESSERA_TRY(s.Apply(InlineStep{from.name}));
      again = true;
      break;
    }
  }
  return {};
}

Status HostSteps::Share(const std::string& name, const std::vector<te::AxisRole>& reduced) {
  const int64_t enough = 2 * s.target().processors;  // so that one that comes late does less
  const Stage& stage = *s.Find(name);
  std::vector<int64_t> counts;
  int64_t work = 1;
  for (const ir::Axis& a : stage.axes) {
    counts.push_back(a.extent);
    work *= a.extent;
  }
  for (const te::AxisRole& r : reduced) work *= r.axis.extent;
  if (work < s.target().least_shared_work) return {};
  const double handed = static_cast<double>(s.target().least_shared_work) / kHandovers;
  const auto iterations = stage.Iterations(counts);
  const LoopAxis* best = nullptr;
  // The work of the last processor to end, with that of handing over the loop each time it begins.
  double least = static_cast<double>(work), times = 1;
  for (const LoopAxis& leaf : stage.leaves) {
    if (leaf.reduce || leaf.kind != ir::LoopKind::kSerial) break;
    const int64_t n = iterations.at(leaf.var.get()), all = s.target().processors;
    const auto parts = static_cast<double>(std::min(n, enough));
    const double share = std::ceil(parts / static_cast<double>(all)) / parts;
    const double takes = static_cast<double>(work) * share + times * handed;
    if (n > 1 && takes < least) {
      best = &leaf;
      least = takes;
    }
    times *= static_cast<double>(n);
  }
  if (!best) return {};
  const std::string decision = shared_ == 0 ? "shared" : fmt::format("shared.{}", shared_);
  ++shared_;
  TESSERA_TRY(s.Apply(DecideStep{.name = decision,
                                 .domain = {.kind = DomainKind::kLoops, .stage = name},
                                 .value = Choice({best->name})}));
  return s.Apply(ParallelStep{name, "$" + decision});
}

Status HostSteps::SpreadRows(const std::string& stage, int64_t dim, int64_t bytes, int64_t rows) {
  const target::TargetCache& cache = s.target().caches[0];
  const int64_t line = cache.line_bytes / SizeOf(s.Find(stage)->dtype);
  const int64_t at_one_place = cache.bytes / cache.way_bytes;
  const int64_t places =
      cache.way_bytes / std::gcd(std::max(bytes, cache.line_bytes), cache.way_bytes);
  if (2 * rows <= places * at_one_place) return {};
  return s.Apply(StorageAlignStep{stage, dim, Amount{2 * line}, line});
}

Status HostSteps::SkipPads(const std::string& stage, const std::vector<te::AxisRole>& reduced,
                           const te::AxisRole* point) {
  for (const te::AxisRole& tap : reduced) {
    if (tap.role != te::Role::kWindow || (point && tap.input_dim == point->input_dim)) continue;
    const Stage& sum = *s.Find(stage);
    const ir::Axis axis = sum.reduce_axes[DimOf(reduced, tap)];
    if (s.NothingUnless(sum, axis).empty()) continue;
    TESSERA_TRY(s.Apply(SkipStep{stage, axis.name()}));
  }
  return {};
}

Status HostSteps::InMemoryOrder(const std::string& name) {
  const std::vector<size_t> order = MemoryOrder(name);
  const Stage* stage = s.Find(name);
  if (!stage->relations.empty() || stage->axes.empty() || order.empty()) return {};
  std::vector<std::string> loops;
  for (const size_t d : order) loops.push_back(stage->axes[d].name());
  if (!stage->layout.empty()) TESSERA_TRY(s.Apply(ReorderStep{name, loops}));
  if (!stage->reduce_axes.empty()) return {};
  stage = s.Find(name);
  const ir::Axis last = stage->axes[order.back()];
  bool neighbours = last.extent > 1;
  ir::Ranges ranges;
  for (const ir::Axis& a : stage->axes) ranges.Set(a);
  ir::Visit(stage->body, [&](const Expr& e) {
    if (e->kind != ExprKind::kTensorRead) return;
    const std::vector<size_t> from = MemoryOrder(e->tensor->name);
    for (size_t d = 0; d < e->args.size(); ++d) {
      if (!ir::UsesVar(e->args[d], last.var)) continue;
      const ir::Linear form = ir::ToLinear(e->args[d], ranges);
      neighbours = neighbours && form.IsAffineIn({last.var}) && !from.empty() && d == from.back() &&
                   form.CoeffOf(last.var) == 1;
    }
  });
  if (neighbours) TESSERA_TRY(s.Apply(VectorizeStep{name, last.name()}));
  return Share(name);
}

}  // namespace tessera::schedule
