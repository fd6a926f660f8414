// SPDX-License-Identifier: Apache-2.0
//
// Schedules sums of products by matrix fragments. A window's taps and the input channels become one
// reduction (reindex); zeros fill its end up to whole fragments. A fragment is 16 output channels x
// 8 neighbouring points. No stage stores the sums of rows and columns behind the end.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/schedule/gpu_steps.h"
#include "compiler/target/cuda.h"

namespace tessera::schedule {
namespace {

using te::AxisRole;
using te::Role;

// Fragments cost more than they save if they compute more than this many times the products of the
// sum: a fragment does in one instruction the work of 4096 / 32 instructions of a thread.
constexpr int64_t kMostPadding = 16;

// The dimensions of the sum that tiles cut.
struct FragmentAxes {
  int c = -1;  // rows of a fragment
  int x = -1;  // columns of a fragment: the last dimension of several points, else of one point
  int y = -1;  // the dimension of several points before x; -1: none
};

std::optional<FragmentAxes> FindAxes(const te::Roles& roles) {
  FragmentAxes axes;
  int single = -1;
  for (size_t d = 0; d < roles.data.size(); ++d) {
    const AxisRole& a = roles.data[d];
    const int dim = static_cast<int>(d);
    if (a.role == Role::kOutputChannel) {
      if (a.group != 0 || axes.c >= 0) return {};
      axes.c = dim;
    } else if (a.role != Role::kChannelwise) {
      if (a.axis.extent == 1) {
        single = dim;
        continue;
      }
      axes.y = axes.x;
      axes.x = dim;
    }
  }
  if (axes.x < 0) axes.x = single;
  if (axes.c < 0 || axes.x < 0) return {};
  return axes;
}

// The greatest power of two whose square is at most |n|.
int64_t SquareUpTo(int64_t n) {
  int64_t side = 1;
  while (4 * side * side <= n) side *= 2;
  return side;
}

class FragmentGenerator {
 public:
  FragmentGenerator(GpuSteps& g, const std::string& anchor, const te::Roles& roles,
                    const std::set<std::string>& constants)
      : g_(g),
        s_(g.s),
        anchor_(anchor),
        fragment_(*FragmentOf(s_, *s_.Find(anchor))),
        axes_(*FindAxes(roles)),
        input_(roles.input->tensor->name),
        weight_((*roles.weight)->tensor->name),
        constants_(constants) {
    for (const ir::Axis& a : s_.Find(anchor)->axes) names_.push_back(a.name());
    for (const AxisRole& a : roles.reduced) {
      // Taps are the outer loops, channels the inner ones: a chunk of whole channels has one tap.
      // Sums of floats keep the order of the definition.
      const bool first = a.role == Role::kWindow && !IsFloat(fragment_.narrow);
      (first ? windows_ : channels_).push_back(a.axis.name());
      depth_ *= a.axis.extent;
    }
  }

  Result<std::string> Run() {
    TESSERA_TRY(Decisions());
    TESSERA_TRY(g_.InlineBehind(anchor_));
    const std::string output = s_.outputs()[0].name();
    home_ = output;
    staging_ = anchor_;
    if (!g_.OutputFollows(anchor_)) {
      home_ = anchor_;
      staging_ = anchor_ + ".s";
      TESSERA_TRY(s_.Apply(CacheWriteStep{home_, ir::Scope::kShared, staging_}));
    }
    acc_ = anchor_ + ".f";
    TESSERA_TRY(s_.Apply(CacheWriteStep{staging_, ir::Scope::kAcc, acc_}));
    if (staging_ == anchor_) TESSERA_TRY(s_.Apply(SetScopeStep{staging_, ir::Scope::kShared}));
    TESSERA_TRY(Home());
    TESSERA_TRY(Tiles(staging_, {}));
    TESSERA_TRY(s_.Apply(TensorizeStep{staging_, C() + ".e", {fragment_.store->name}}));
    TESSERA_TRY(Sums());
    TESSERA_TRY(Operand(input_, false));
    TESSERA_TRY(Operand(weight_, true));
    TESSERA_TRY(g_.InlineElementwise(
        {home_, staging_, acc_, input_ + ".s", weight_ + ".s", weight_ + ".k"}));
    return home_;
  }

 private:
  const std::string& C() const { return names_[static_cast<size_t>(axes_.c)]; }
  const std::string& X() const { return names_[static_cast<size_t>(axes_.x)]; }
  const std::string& Y() const { return names_[static_cast<size_t>(axes_.y)]; }
  int64_t Extent(int dim) const {
    return dim < 0 ? 1 : s_.Find(anchor_)->shape[static_cast<size_t>(dim)];
  }

  // All combinations of picks fit. A warp has at most as many tiles as the memory of sums holds. A
  // group has at most as many warps as leave a third of shared memory to chunks of both operands.
  // With 8 KiB for sums and 48 KiB of shared memory, these are 16 tiles and 2 x 2 warps.
  Status Decisions() {
    const auto bytes = [&](ir::Scope scope) { return s_.target().FindMemory(scope)->bytes; };
    const int64_t tile = fragment_.rows * fragment_.columns * SizeOf(fragment_.wide);
    const int64_t side = SquareUpTo(bytes(ir::Scope::kAcc) / tile);
    const int64_t warps = SquareUpTo(bytes(ir::Scope::kShared) / 3 * 2 / bytes(ir::Scope::kAcc));
    const int64_t channels = CeilDiv(Extent(axes_.c), fragment_.rows);
    const int64_t columns = CeilDiv(Extent(axes_.x), fragment_.columns);
    const int64_t rows = Extent(axes_.y);
    const auto up_to = [](int64_t n, int64_t limit) {
      return TileSize{PowerUpTo(n, limit), PowerUpTo(n, limit)};
    };
    TileSize c_warps = up_to(channels, warps), c_each = up_to(channels / c_warps.pick, side);
    TileSize x_each = up_to(columns, axes_.y < 0 ? side : side / 2);
    TileSize p_warps = up_to(axes_.y < 0 ? columns / x_each.pick : rows, warps);
    TileSize y_each = axes_.y < 0 ? TileSize{} : up_to(rows / p_warps.pick, 2);
    int64_t others = 1;
    for (size_t d = 0; d < names_.size(); ++d) {
      const int dim = static_cast<int>(d);
      if (dim != axes_.c && dim != axes_.x && dim != axes_.y) others *= Extent(dim);
    }
    const auto groups = [&] {
      const int64_t x_block = x_each.pick * (axes_.y < 0 ? p_warps.pick : 1);
      return others * CeilDiv(channels, c_warps.pick * c_each.pick) * CeilDiv(columns, x_block) *
             (axes_.y < 0 ? 1 : CeilDiv(rows, p_warps.pick * y_each.pick));
    };
    for (TileSize* size : {&y_each, &c_each, &x_each}) {
      while (groups() < s_.target().processors && size->pick > 1) size->pick /= 2;
    }
    const int64_t chunks = PowerUpTo(CeilDiv(depth_, fragment_.depth), 2);
    TESSERA_TRY(g_.Decide("c.warps", c_warps));
    TESSERA_TRY(g_.Decide("p.warps", p_warps));
    TESSERA_TRY(g_.Decide("c.each", c_each));
    TESSERA_TRY(g_.Decide("x.each", x_each));
    if (axes_.y >= 0) TESSERA_TRY(g_.Decide("y.each", y_each));
    return g_.Decide("chunk", {chunks, chunks}, fragment_.depth);
  }

  // Splits the axes of |stage| into loops over tiles: g over groups (one iteration inside a group),
  // w over warps, t over the tiles of a warp, e inside a tile. With Tail::kPad the stage computes
  // whole fragments.
  Status Split(const std::string& stage, Tail tail) {
    const auto split = [&](const std::string& a, const char* each, const Amount& warps) -> Status {
      TESSERA_TRY(s_.Apply(SplitStep{stage, a + ".q", Amount::Of(each), a + ".u", a + ".t"}));
      return s_.Apply(SplitStep{stage, a + ".u", warps, a + ".g", a + ".w"});
    };
    const Amount c = Amount::Of("c.warps"), p = Amount::Of("p.warps");
    TESSERA_TRY(g_.Split(stage, C(), fragment_.rows, ".q", ".e", tail));
    TESSERA_TRY(split(C(), "c.each", c));
    TESSERA_TRY(g_.Split(stage, X(), fragment_.columns, ".q", ".e", tail));
    TESSERA_TRY(split(X(), "x.each", axes_.y < 0 ? p : Amount(1)));
    if (axes_.y < 0) return {};
    TESSERA_TRY(g_.Split(stage, Y(), 1, ".q", ".e"));
    return split(Y(), "y.each", p);
  }

  std::vector<std::string> Rest() const {
    std::vector<std::string> rest;
    for (size_t d = 0; d < names_.size(); ++d) {
      const int dim = static_cast<int>(d);
      if (dim != axes_.c && dim != axes_.x && dim != axes_.y) rest.push_back(names_[d]);
    }
    return rest;
  }

  // The loops |part| of all tiled axes, rows of points before columns.
  std::vector<std::string> Parts(const char* part) const {
    std::vector<std::string> all{C() + part};
    if (axes_.y >= 0) all.push_back(Y() + part);
    all.push_back(X() + part);
    return all;
  }

  // Schedules the stage that stores: all threads of a group store its elements, one after another.
  Status Home() {
    TESSERA_TRY(Split(home_, Tail::kGuard));
    const std::vector<std::string> rest = Rest();
    std::vector<std::string> order = rest, inner;
    for (const std::string& loop : Parts(".g")) order.push_back(loop);
    std::vector<int> dims{axes_.c, axes_.y, axes_.x};
    std::ranges::sort(dims);  // neighbouring threads store neighbouring elements
    for (const int dim : dims) {
      for (const char* part : {".w", ".t", ".e"}) {
        if (dim >= 0) inner.push_back(names_[static_cast<size_t>(dim)] + part);
      }
    }
    TESSERA_TRY(s_.Apply(ReorderStep{home_, Joined({order, inner})}));
    // The outermost loop has all axes but rows and columns of points, which have a grid axis each.
    std::string all = order[0];
    for (size_t i = 1; i <= rest.size(); ++i) {
      TESSERA_TRY(s_.Apply(FuseStep{home_, all, order[i], all + "." + order[i]}));
      all += "." + order[i];
    }
    // Groups of one fragment are the most groups.
    int64_t most = CeilDiv(Extent(axes_.c), fragment_.rows);
    for (const std::string& name : rest)
      most *= Extent(static_cast<int>(std::ranges::find(names_, name) - names_.begin()));
    const auto grid =
        g_.GridAxes({CeilDiv(Extent(axes_.x), fragment_.columns), Extent(axes_.y), most});
    TESSERA_TRY(s_.Apply(BindStep{home_, all, grid[2]}));
    if (axes_.y >= 0) TESSERA_TRY(s_.Apply(BindStep{home_, Y() + ".g", grid[1]}));
    TESSERA_TRY(s_.Apply(BindStep{home_, X() + ".g", grid[0]}));
    for (const std::string& stage : {staging_, acc_})
      TESSERA_TRY(s_.Apply(ComputeAtStep{stage, {home_, X() + ".g"}}));
    std::string e = inner[0];
    for (size_t i = 1; i < inner.size(); ++i) {
      const std::string fused = i + 1 == inner.size() ? "e" : fmt::format("e.{}", i);
      TESSERA_TRY(s_.Apply(FuseStep{home_, e, inner[i], fused}));
      e = fused;
    }
    return ByAllThreads(home_, e);
  }

  // Divides |loop| of |stage| among a group's threads; threads of a warp take neighbours.
  Status ByAllThreads(const std::string& stage, const std::string& loop) {
    TESSERA_TRY(s_.Apply(SplitStep{stage, loop, target::kWarpThreads, "f.r", "f.x"}));
    TESSERA_TRY(s_.Apply(SplitStep{stage, "f.r", Amount::Of("p.warps"), "f.q", "f.y"}));
    TESSERA_TRY(s_.Apply(SplitStep{stage, "f.q", Amount::Of("c.warps"), "f.o", "f.z"}));
    TESSERA_TRY(s_.Apply(BindStep{stage, "f.z", ir::LoopKind::kThreadZ}));
    TESSERA_TRY(s_.Apply(BindStep{stage, "f.y", ir::LoopKind::kThreadY}));
    return s_.Apply(BindStep{stage, "f.x", ir::LoopKind::kThreadX});
  }

  // Schedules |stage| as tiles of sums; each warp computes its own, one after the other. |reduced|:
  // none, or three loops of the reduction: outside the warps, outside their tiles, in a tile.
  Status Tiles(const std::string& stage, const std::vector<std::string>& reduced) {
    TESSERA_TRY(Split(stage, Tail::kPad));
    const std::string& points = axes_.y < 0 ? X() : Y();
    std::vector<std::string> order = Rest();
    const auto add = [&](const std::vector<std::string>& loops) {
      order.insert(order.end(), loops.begin(), loops.end());
    };
    add(Parts(".g"));
    if (!reduced.empty()) add({reduced[0]});
    add(Parts(".w"));
    if (!reduced.empty()) add({reduced[1]});
    add(Parts(".t"));
    if (axes_.y >= 0) add({Y() + ".e"});
    add({C() + ".e", X() + ".e"});
    if (!reduced.empty()) add({reduced[2]});
    TESSERA_TRY(s_.Apply(ReorderStep{stage, order}));
    TESSERA_TRY(s_.Apply(BindStep{stage, C() + ".w", ir::LoopKind::kThreadZ}));
    TESSERA_TRY(s_.Apply(BindStep{stage, points + ".w", ir::LoopKind::kThreadY}));
    for (const std::string& loop : Parts(".t")) TESSERA_TRY(s_.Apply(UnrollStep{stage, loop}));
    std::vector<std::string> pieces;
    for (size_t d = 0; d < names_.size(); ++d) {
      const int dim = static_cast<int>(d);
      pieces.push_back(dim == axes_.c   ? fmt::format("{}/{}", d, fragment_.rows)
                       : dim == axes_.x ? fmt::format("{}/{}", d, fragment_.columns)
                                        : std::to_string(d));
    }
    return s_.Apply(LayoutStep{stage, fmt::format("{},{}%{},{}%{}", fmt::join(pieces, ","), axes_.c,
                                                  fragment_.rows, axes_.x, fragment_.columns)});
  }

  // Fuses the reduction into one loop, in chunks of whole fragments.
  Status Sums() {
    std::vector<std::string> order = windows_;
    order.insert(order.end(), channels_.begin(), channels_.end());
    if (order.size() > 1) TESSERA_TRY(s_.Apply(ReorderStep{acc_, order}));
    std::string k = order[0];
    for (size_t i = 1; i < order.size(); ++i) {
      TESSERA_TRY(s_.Apply(FuseStep{acc_, k, order[i], k + "." + order[i]}));
      k += "." + order[i];
    }
    TESSERA_TRY(s_.Apply(SplitStep{acc_, k, Amount::Of("chunk"), "k.o", "k.i", Tail::kPad}));
    const auto reindex = [&](const std::string& tensor, const char* as) {
      return s_.Apply(
          ReindexStep{.tensor = tensor, .reader = acc_, .name = tensor + as, .fill = 0});
    };
    TESSERA_TRY(reindex(input_, ".s"));
    const bool early = constants_.contains(weight_);
    TESSERA_TRY(reindex(weight_, early ? ".k" : ".s"));
    if (early) {
      TESSERA_TRY(s_.Apply(PrepareStep{weight_ + ".k"}));
      TESSERA_TRY(
          s_.Apply(CacheReadStep{weight_ + ".k", ir::Scope::kShared, weight_ + ".s", {acc_}}));
    }
    TESSERA_TRY(s_.Apply(SplitStep{acc_, "k.i", fragment_.depth, "k.m", "k.e"}));
    TESSERA_TRY(Tiles(acc_, {"k.o", "k.m", "k.e"}));
    TESSERA_TRY(s_.Apply(UnrollStep{acc_, "k.m"}));
    return s_.Apply(TensorizeStep{acc_, C() + ".e", {fragment_.product->name}});
  }

  // Copies a chunk of an operand into tiles of 32 bytes of the reduction. All threads copy, four
  // elements each. Neighbouring threads go along the reduction if it moves along the last dimension
  // of the tensor read, and along the rows of points or channels otherwise.
  Status Operand(const std::string& tensor, bool weight) {
    const std::string copy = tensor + ".s";
    const int tiled = weight ? axes_.c : axes_.x;
    const int64_t rows = weight ? fragment_.rows : fragment_.columns;
    const Stage& made = *s_.Find(copy);
    const ir::Expr read = ReadOf(made);
    // The dimensions of the copy: those of the sum that choose an element, then chunks and the
    // places in a chunk.
    const Stage& shape = read->tensor->name == tensor + ".k" ? *s_.Find(read->tensor->name) : made;
    std::vector<std::string> pieces, loops;
    size_t at = 0;
    for (size_t d = 0; d < shape.axes.size(); ++d) {
      loops.push_back(made.leaves[d].name);
      const bool in_tile = shape.axes[d].name() == names_[static_cast<size_t>(tiled)];
      if (in_tile) at = d;
      pieces.push_back(in_tile ? fmt::format("{}/{}", d, rows) : std::to_string(d));
    }
    const size_t k = loops.size() - 1;
    size_t last = read->args.size();
    while (last > 1 && read->tensor->shape[last - 1] == 1) --last;
    const ir::Expr& index = read->args[last - 1];
    const bool along =
        ir::UsesVar(index, made.leaves[k].var) && !ir::UsesVar(index, made.leaves[at].var);
    pieces[k] += fmt::format("/{}", fragment_.depth);
    TESSERA_TRY(s_.Apply(SetScopeStep{copy, ir::Scope::kShared}));
    TESSERA_TRY(s_.Apply(ComputeAtStep{copy, {acc_, "k.o"}}));
    TESSERA_TRY(s_.Apply(LayoutStep{copy, fmt::format("{},{}%{},{}%{}", fmt::join(pieces, ","), at,
                                                      rows, k, fragment_.depth)}));
    TESSERA_TRY(s_.Apply(SplitStep{copy, loops[k], 4, "k.q", "k.v"}));
    loops.pop_back();
    if (along) {
      loops.push_back("k.q");
    } else {
      loops.insert(loops.begin(), "k.q");
    }
    TESSERA_TRY(s_.Apply(ReorderStep{copy, Joined({loops, {"k.v"}})}));
    TESSERA_TRY(s_.Apply(VectorizeStep{copy, "k.v"}));
    TESSERA_ASSIGN(const std::string all, g_.FuseAll(copy, "k.v"));
    return ByAllThreads(copy, all);
  }

  // The only read of a copy.
  static ir::Expr ReadOf(const Stage& copy) {
    ir::Expr read;
    ir::Visit(copy.body, [&](const ir::Expr& e) {
      if (e->kind == ir::ExprKind::kTensorRead) read = e;
    });
    TESSERA_CHECK(read);
    return read;
  }

  GpuSteps& g_;
  Schedule& s_;
  const std::string anchor_;
  const Fragment fragment_;
  const FragmentAxes axes_;
  const std::string input_, weight_;
  const std::set<std::string>& constants_;
  std::vector<std::string> names_;               // of the sum's axes
  std::vector<std::string> windows_, channels_;  // of its reduction
  int64_t depth_ = 1;                            // products of a sum
  std::string home_, staging_, acc_;             // result, sums in shared memory, sums of a warp
};

}  // namespace

bool IsFragment(const Schedule& s, const Stage& anchor, const te::Roles& roles) {
  if (!ir::IsSum(anchor.body->reduce())) return false;
  const std::optional<Fragment> fragment = FragmentOf(s, anchor);
  if (!fragment) return false;
  if (roles.input->tensor->name == (*roles.weight)->tensor->name) return false;
  const std::optional<FragmentAxes> axes = FindAxes(roles);
  if (!axes || roles.reduced.empty()) return false;
  int64_t depth = 1;
  for (const AxisRole& a : roles.reduced) depth *= a.axis.extent;
  const int64_t c = roles.data[static_cast<size_t>(axes->c)].axis.extent,
                x = roles.data[static_cast<size_t>(axes->x)].axis.extent;
  const int64_t whole =
      RoundUp(c, fragment->rows) * RoundUp(x, fragment->columns) * RoundUp(depth, fragment->depth);
  return whole <= kMostPadding * c * x * depth;
}

Result<std::string> FragmentSchedule(GpuSteps& g, const std::string& anchor, const te::Roles& roles,
                                     const std::set<std::string>& constants) {
  return FragmentGenerator(g, anchor, roles, constants).Run();
}

}  // namespace tessera::schedule
