// SPDX-License-Identifier: Apache-2.0
//
// What is tested: every cache line that iteration t of a loop reads of a tensor was asked for in
// iteration t - distance of it, by that loop or in shares by one inside, found by running through
// the loops and noting addresses; nothing outside of the buffer is asked for; the loops of boxes of
// several lines; the refusals that need bounds. Space: 60 windows over a matrix of random size,
// type, layout, splits and copies. Not
// tested here: when the step is legal (tests/compiler/schedule/prefetch_test), code (llvm).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/rng.h"
#include "compiler/ir/interp.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/print.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"
#include "compiler/lower/lower.h"

namespace tessera::lower::prefetch_test {
namespace {

using ir::Expr;
using Index = std::vector<Expr>;

// Runs through loops of constant bounds and notes the lines of |tensor| that each iteration of the
// loop called |axis| reads and asks for.
class Walker {
 public:
  struct Iteration {
    std::set<int64_t> read, asked;
  };

  Walker(std::string tensor, std::string axis)
      : tensor_(std::move(tensor)), axis_(std::move(axis)) {}

  void Walk(const ir::Stmt& s) {
    if (s->kind == ir::StmtKind::kFor) return Loop(s);
    if (s->kind == ir::StmtKind::kIf && Number(s->value) == 0) return;
    if (s->kind == ir::StmtKind::kPrefetch && now_ != nullptr)
      now_->asked.insert(LineOf(s->buffer, s->indices));
    if (s->kind == ir::StmtKind::kStore && now_ != nullptr) {
      ir::Visit(s->value, [&](const Expr& e) {
        if (e->kind == ir::ExprKind::kLoad && e->buffer->name == tensor_)
          now_->read.insert(LineOf(e->buffer, e->args));
      });
    }
    for (const ir::Stmt& b : s->body) Walk(b);
  }

  std::vector<std::vector<Iteration>> runs;  // of the loop, and their iterations

 private:
  int64_t Number(const Expr& e) const {
    const Result<int64_t> value = ir::EvalInt(ir::Substitute(e, vars_));
    EXPECT_TRUE(value);
    return *value;
  }

  int64_t LineOf(const ir::Buffer& buffer, const Index& indices) const {
    std::vector<int64_t> place;
    const std::vector<int64_t> limit = ir::PaddedShape(*buffer);
    for (size_t d = 0; d < indices.size(); ++d) {
      place.push_back(Number(indices[d]));
      EXPECT_TRUE(place[d] >= 0 && place[d] < limit[d]) << buffer->name << " " << place[d];
    }
    return ir::OffsetOf(*buffer, place) * static_cast<int64_t>(SizeOf(buffer->dtype)) / 64;
  }

  void Loop(const ir::Stmt& s) {
    const int64_t min = Number(s->min), extent = Number(s->extent);
    const bool counts = s->var->name == axis_ && now_ == nullptr;
    std::vector<Iteration> run(static_cast<size_t>(extent));
    for (int64_t i = 0; i < extent; ++i) {
      if (counts) now_ = &run[static_cast<size_t>(i)];
      vars_[s->var.get()] = Expr(min + i);
      Walk(s->body[0]);
    }
    if (!counts) return;
    now_ = nullptr;
    runs.push_back(std::move(run));
  }

  std::string tensor_, axis_;
  ir::VarMap vars_;
  Iteration* now_ = nullptr;
};

class LowerPrefetch : public ::testing::TestWithParam<uint64_t> {};

TEST_P(LowerPrefetch, WhatIsReadLaterWasAskedFor) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Rng rng(GetParam());
  const DType dtype = std::vector{DType::kInt8, DType::kInt32, DType::kFloat32}[rng.Range(0, 2)];
  const int64_t h = rng.Range(3, 12), w = rng.Range(8, 200), taps = rng.Range(1, 3);
  const te::Tensor x = te::Placeholder("x", dtype, {h, w});
  const te::Axis k = te::ReduceAxis("k", taps);
  const te::Tensor y = te::Compute(
      "y", {h - taps + 1, w - taps + 1}, {"i", "j"},
      [&](const Index& i) { return te::Sum(x(i[0] + k.var, i[1] + Expr(taps - 1) - k.var), {k}); });
  std::string steps;
  if (rng.OneIn(2)) {
    const int64_t columns = int64_t{1} << rng.Range(1, 6);
    steps += rng.OneIn(2) ? fmt::format("layout x 1/{0},0,1%{0}\n", columns)
                          : fmt::format("layout x 1/{0},0/{1},1%{0},0%{1}\n", columns,
                                        int64_t{1} << rng.Range(1, 3));
  }
  // In shares all iterations have to run: splits divide.
  const bool shares = rng.OneIn(2);
  const auto factor = [&](int64_t extent) {
    int64_t n = rng.Range(1, extent);
    while (shares && extent % n != 0) --n;
    return n;
  };
  steps += fmt::format("split y j {} o n\nsplit y i {} u v\n", factor(w - taps + 1),
                       factor(h - taps + 1));
  std::vector<std::string> loops{"u", "v", "o", "n"};
  for (size_t n = loops.size(); n > 1; --n)
    std::swap(loops[n - 1], loops[static_cast<size_t>(rng.Range(0, static_cast<int64_t>(n) - 1))]);
  steps += fmt::format("reorder y {} {} {} {}\n", loops[0], loops[1], loops[2], loops[3]);
  if (rng.OneIn(2)) {
    steps += fmt::format("cache_read x local c y\ncompute_at c y {}\n",
                         loops[static_cast<size_t>(rng.Range(0, 3))]);
  }
  const std::string axis = loops[static_cast<size_t>(rng.Range(0, 3))];
  const int64_t distance = rng.Range(1, 3);
  std::string ask = fmt::format("prefetch x y {} {}", axis, distance);
  if (shares) {  // |axis| is looked ahead in, a loop inside of it asks
    const std::string inner =
        loops[static_cast<size_t>(rng.Range(std::ranges::find(loops, axis) - loops.begin(), 3))];
    ask = fmt::format("prefetch x y {} {} of y {}", inner, distance, axis);
  }
  Result<schedule::Schedule> s = schedule::Schedule::Create({y});
  const Status legal = s->Apply(steps + ask);
  if (!legal) {  // the copy is outside of that loop, which may have one iteration
    const std::string& why = legal.error().message;
    EXPECT_TRUE(why.find("nothing in it reads that") != std::string::npos ||
                why.find("reads the same of it each time") != std::string::npos)
        << why;
    return;
  }
  const Result<ir::Func> f = BuildLoops(*s, "f");
  ASSERT_TRUE(f) << f.error().message;
  SCOPED_TRACE(steps + ask + "\n" + ir::Print(ir::Simplify(*f)));
  for (const ir::Func& func : {*f, ResolveLayouts(HoistGuards(ir::Simplify(*f)))}) {
    Walker walker("x", axis);
    walker.Walk(func.body);
    for (const auto& run : walker.runs) {
      for (size_t t = static_cast<size_t>(distance); t < run.size(); ++t) {
        for (const int64_t line : run[t].read) {
          ASSERT_TRUE(run[t - static_cast<size_t>(distance)].asked.contains(line))
              << "line " << line << " of iteration " << t;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LowerPrefetch, ::testing::Range<uint64_t>(0, 60));

Result<ir::Func> Build(const te::Tensor& y, const std::string& steps) {
  Result<schedule::Schedule> s = schedule::Schedule::Create({y});
  const Status applied = s->Apply(steps);
  EXPECT_TRUE(applied) << applied.error().message;
  return BuildLoops(*s, "f");
}

// Of two rows of 40 floats, which begin in the middle of lines, four lines each, none behind the
// matrix; of half a panel of 16 lanes
// the line that it is in.
TEST(PrefetchLoops, BoxesOfSeveralLines) {
  const te::Tensor x = te::Placeholder("x", DType::kFloat32, {6, 40});
  const te::Tensor y = te::Compute("y", {6, 40}, {"i", "j"}, [&](const Index& i) { return x(i); });
  const Result<ir::Func> rows = Build(y, "split y i 2 o n\nprefetch x y o 1\n");
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(ir::Print(ir::Simplify(*rows)), R"(func f(x: f32[6, 40] global,
     y: f32[6, 40] global) {
  for o in [0, 3) {
    for p0 in [0, 2) {
      for p1 in [0, 4) {
        prefetch x[((min((o + 1), 2) * 2) + p0), min((p1 * 16), 39)];
      }
    }
    for n in [0, 2) {
      for j in [0, 40) {
        y[((o * 2) + n), j] = x[((o * 2) + n), j];
      }
    }
  }
}
)");
  const Result<ir::Func> panels =
      Build(y, "layout x 1/16,0,1%16\nsplit y j 8 o n\nreorder y o i n\nprefetch x y i 2\n");
  ASSERT_TRUE(panels) << panels.error().message;
  EXPECT_EQ(ir::Print(ir::Simplify(*panels)),
            R"(func f(x: f32[6, 40] global layout(1/16, 0, 1%16),
     y: f32[6, 40] global) {
  for o in [0, 5) {
    for i in [0, 6) {
      prefetch x[min((i + 2), 5), (o * 8)];
      for n in [0, 8) {
        y[i, ((o * 8) + n)] = x[i, ((o * 8) + n)];
      }
    }
  }
}
)");
}

// Two panels of 16 lanes by 4 are two lines, whatever they are called.
TEST(PrefetchLoops, PiecesThatShareALineAreAskedForOnce) {
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {32, 24});
  const te::Tensor y = te::Compute("y", {32, 24}, {"i", "j"}, [&](const Index& i) { return x(i); });
  const Result<ir::Func> panels =
      Build(y, "layout x 1/4,0/16,0%16,1%4\nsplit y j 4 o n\nreorder y o i n\nprefetch x y o 1\n");
  ASSERT_TRUE(panels) << panels.error().message;
  EXPECT_EQ(ir::Print(ir::Simplify(*panels)),
            R"(func f(x: i8[32, 24] global layout(1/4, 0/16, 0%16, 1%4),
     y: i8[32, 24] global) {
  for o in [0, 6) {
    for p0 in [0, 2) {
      prefetch x[(p0 * 16), (min((o + 1), 5) * 4)];
    }
    for i in [0, 32) {
      for n in [0, 4) {
        y[i, ((o * 4) + n)] = x[i, ((o * 4) + n)];
      }
    }
  }
}
)");
}

// Two iterations of i reach over a multiple of 3, or not: the box is all of x.
TEST(PrefetchLoops, WhatEveryIterationMayReadIsNotAskedFor) {
  const te::Tensor x = te::Placeholder("x", DType::kInt32, {3});
  const te::Tensor y = te::Compute(
      "y", {8}, {"i"}, [&](const Index& i) { return x(ir::FloorMod(i[0], ir::Expr(3))); });
  const Result<ir::Func> plain = Build(y, "split y i 2 o n\n"),
                         asks = Build(y, "split y i 2 o n\nprefetch x y o 1\n");
  ASSERT_TRUE(plain && asks);
  EXPECT_EQ(ir::Print(ir::Simplify(*asks)), ir::Print(ir::Simplify(*plain)));
}

TEST(PrefetchLoops, RefusalsThatNeedBounds) {
  const te::Tensor x = te::Placeholder("x", DType::kInt32, {4, 6});
  const te::Tensor a = te::Compute("a", {4, 6}, {"i", "j"}, [&](const Index& i) { return x(i); });
  const te::Tensor y =
      te::Compute("y", {6, 4}, {"i", "j"}, [&](const Index& i) { return a(i[1], i[0]); });
  const auto message = [&](const char* steps) {
    const Result<ir::Func> f = Build(y, steps);
    return f ? "ok" : f.error().message;
  };
  EXPECT_EQ(message("compute_at a y i\ncache_write y reg t\nprefetch a t i 1\n"),
            "a cannot be prefetched in loop i of t: it is computed elsewhere");
}

}  // namespace
}  // namespace tessera::lower::prefetch_test
