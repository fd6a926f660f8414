// SPDX-License-Identifier: Apache-2.0
//
// What is tested: kernels made of schedules with grids and threads compute te::Evaluate's values,
// with threads in order, backwards and at random between barriers, groups likewise; no barrier is
// redundant: leaving out any one of a tiled product changes a result in some order; the text of
// that product's kernel; every refusal of LowerKernels. Space: 480 random expressions under random
// schedules (those that lower), and under the generator's. Not here: code (opencl_test).
#include "compiler/lower/gpu/kernels.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"
#include "compiler/ir/interp.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/print.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/gpu.h"
#include "tests/compiler/gpu/random_gpu.h"
#include "tests/compiler/gpu/simt.h"
#include "tests/compiler/lower/agree.h"
#include "tests/compiler/lower/random_schedule.h"

namespace tessera::lower::kernels_test {
namespace {

constexpr test::ThreadOrder kOrders[] = {test::ThreadOrder::kForward, test::ThreadOrder::kBackward,
                                         test::ThreadOrder::kRandom};

std::string Text(const KernelFunc& f) {
  std::string text = ir::Print(f.loops);
  for (const GpuKernel& k : f.kernels) text += ir::Print(ir::Func{k.name, k.params, k.body});
  return text;
}

// The output after a run in |order|.
Result<std::vector<uint8_t>> Outcome(const KernelFunc& f, const schedule::Schedule& s,
                                     const te::Values& values, test::ThreadOrder order, Rng& rng) {
  std::vector<ir::Array> arrays = test::Arguments(f.loops, s, values);
  std::vector<ir::Array*> pointers;
  for (ir::Array& a : arrays) pointers.push_back(&a);
  TESSERA_TRY(test::RunKernels(f, pointers, order, rng));
  return test::Logical(f.loops, s, arrays.size() - 1, arrays);
}

void ExpectSame(const schedule::Schedule& s, const KernelFunc& f, const te::Tensor& out, Rng& rng) {
  te::Values values = test::RandomInputs(out, rng);
  ASSERT_TRUE(te::Evaluate({out}, &values).has_value());
  for (const test::ThreadOrder order : kOrders) {
    const auto got = Outcome(f, s, values, order, rng);
    ASSERT_TRUE(got.has_value()) << got.error().message << "\n" << Text(f);
    ASSERT_EQ(*got, values.at(out.get()).bytes()) << static_cast<int>(order) << "\n" << Text(f);
  }
}

// Messages of LowerKernels and BuildLoops for steps that are legal one by one and together give no
// kernel for a GPU.
constexpr const char* kRefusals[] = {
    "is around or beside a grid loop",
    "is in global memory, but each group or thread computes its own",
    "is in shared memory, but each thread computes its own",
    "memory, which ends with a kernel, but all of it is computed before its readers",
    "but several threads touch an element of it",
    "groups of the grid touch each other's elements",
    "threads touch each other's elements inside loop",
    "inside another thread.",
    "threads in a group, gpu has at most 256",
    "bytes of shared memory",
    "which is computed inside a loop that does not contain",
    "which a later step took away",
    "which a condition skips; choose factors that divide them, leave 'skip' out, or attach further "
    "out",
    "some elements are computed twice",
    "is needed where it is computed, at ",
};

// "" if |program|'s kernels compute it with threads in any order. |lowered| counts the programs
// that lower.
std::string KernelDifference(const test::ScheduledProgram& program, bool refusals, int* lowered) {
  const Result<KernelFunc> f = LowerKernels(program.schedule, "f");
  if (!f) {
    const std::string& why = f.error().message;
    const bool known = refusals && std::ranges::any_of(kRefusals, [&](const char* words) {
                         return why.find(words) != std::string::npos;
                       });
    return known ? "" : "a refusal that is not known: " + why;
  }
  ++*lowered;
  Rng rng(7);
  for (const test::ThreadOrder order : kOrders) {
    const auto got = Outcome(*f, program.schedule, program.values, order, rng);
    if (!got) return got.error().message + "\n" + Text(*f);
    if (*got != program.values.at(program.output.get()).bytes())
      return fmt::format("order {} differs\n{}", static_cast<int>(order), Text(*f));
  }
  return "";
}

class GpuKernels : public ::testing::TestWithParam<uint64_t> {
 protected:
  // At least a fifth of all random schedules lower.
  static void TearDownTestSuite() { EXPECT_GE(lowered_ * 5, programs_); }
  static int lowered_, programs_;
};
int GpuKernels::lowered_ = 0, GpuKernels::programs_ = 0;

TEST_P(GpuKernels, AnyOrderOfThreadsGivesTheDefinition) {
  const test::SearchResult found = test::FindDifference(
      [&](const test::ScheduledProgram& p) { return KernelDifference(p, true, &lowered_); },
      {.seed = GetParam() * 1000,
       .programs = 40,
       .target = target::Gpu(),
       .schedule = test::RandomGpuSchedule});
  EXPECT_FALSE(found.difference.has_value()) << *found.difference;
  programs_ += static_cast<int>(found.programs);
}

// The kinds of steps in those schedules: all but those that a GPU does not use, or that have the
// effect of others on loops (tile, decide, lift).
TEST(GpuSearch, ProgramsHaveTheseKindsOfStep) {
  const std::set<std::string> wanted{
      "bind",      "cache_read",   "cache_write", "compute_at", "fuse",
      "in_place",  "inline",       "layout",      "reindex",    "reorder",
      "rfactor",   "set_scope",    "split",       "unroll",     "reverse_compute_at",
      "vectorize", "storage_align"};
  std::set<std::string> seen;
  std::set<ir::LoopKind> bound;
  for (uint64_t seed = 0; seed < 480; ++seed) {
    Rng rng(seed);
    const te::Tensor out = test::RandomExpression(rng);
    const schedule::Schedule s = test::RandomGpuSchedule(out, rng);
    for (const schedule::Step& step : s.trace()) {
      seen.insert(test::KindOf(step));
      if (const auto* bind = std::get_if<schedule::BindStep>(&step)) bound.insert(bind->kind);
    }
  }
  EXPECT_EQ(seen, wanted);
  EXPECT_EQ(bound.size(), 6u);
}

// The generator's schedules are never refused, whatever is picked.
TEST_P(GpuKernels, TheGeneratorsToo) {
  int lowered = 0;
  const test::SearchResult found = test::FindDifference(
      [&](const test::ScheduledProgram& p) { return KernelDifference(p, false, &lowered); },
      {.seed = GetParam() * 1000 + 500,
       .programs = 8,
       .target = target::Gpu(),
       .schedule = [](const te::Tensor& out, Rng&) {
         const Result<schedule::Schedule> s = schedule::GpuSchedule({out});
         TESSERA_CHECK(s.has_value(), "{}", s.error().message);
         return *s;
       }});
  EXPECT_FALSE(found.difference.has_value()) << *found.difference;
}

// y = clamp(x w) of 12 x 20 by 8 x 20, in blocks of 4 x 4: threads copy both operands to shared
// memory in chunks of 5, and keep the sums.
te::Tensor Product() {
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {12, 20});
  const te::Tensor w = te::Placeholder("w", DType::kInt8, {8, 20});
  const te::Axis k = te::ReduceAxis("k", 20);
  const auto wide = [](const ir::Expr& e) { return ir::Cast(DType::kInt32, e); };
  const te::Tensor sum = te::Compute("sum", {12, 8}, {"i", "j"}, [&](const auto& i) {
    return te::Sum(wide(x(i[0], k.var)) * wide(w(i[1], k.var)), {k});
  });
  return te::Compute("y", {12, 8}, {"i", "j"}, [&](const auto& i) {
    return ir::Cast(DType::kInt8, ir::Clamp(sum(i), -100, 100));
  });
}

constexpr const char* kBlocks =
    "tile y i j 4 4 i.g j.g i.t j.b\nsplit y j.b 2 j.t j.i\n"
    "bind y i.g grid.y\nbind y j.g grid.x\nbind y i.t thread.y\nbind y j.t thread.x\n"
    "set_scope sum reg\ncompute_at sum y j.g\nsplit sum k 5 k.o k.i\nsplit sum j 2 j.t j.i\n"
    "reorder sum k.o i j.t k.i j.i\nbind sum i thread.y\nbind sum j.t thread.x\n"
    "cache_read x shared x.s sum\ncompute_at x.s sum k.o\nbind x.s i0 thread.y\n"
    "cache_read w shared w.s sum\ncompute_at w.s sum k.o\nbind w.s i0 thread.y\n";

TEST(GpuBarriers, StandWhereElementsGoFromThreadToThread) {
  const te::Tensor out = Product();
  schedule::Schedule s = *schedule::Schedule::Create({out}, target::Gpu());
  const Status applied = s.Apply(kBlocks);
  ASSERT_TRUE(applied.has_value()) << applied.error().message;
  const Result<KernelFunc> f = LowerKernels(s, "f");
  ASSERT_TRUE(f.has_value()) << f.error().message;
  ASSERT_EQ(f->kernels.size(), 1u);
  const GpuKernel& k = f->kernels[0];
  EXPECT_EQ(k.groups, (std::array<int64_t, 3>{2, 3, 1}));
  EXPECT_EQ(k.threads, (std::array<int64_t, 3>{2, 4, 1}));
  EXPECT_EQ(Text(*f).substr(Text(*f).find("func f_0")), R"(func f_0(x: i8[12, 20] global,
     w: i8[8, 20] global,
     y: i8[12, 8] global) {
  alloc sum: i32[1, 2] reg {
    for j.i in [0, 2) {
      sum[0, j.i] = 0i32;
    }
    for k.o in [0, 4) {
      if (thread.x == 0) {
        for i1 in [0, 5) {
          x.s[thread.y, i1] = x[((group.y * 4) + thread.y), ((k.o * 5) + i1)];
        }
      }
      if (thread.x == 0) {
        for i1_1 in [0, 5) {
          w.s[thread.y, i1_1] = w[((group.x * 4) + thread.y), ((k.o * 5) + i1_1)];
        }
      }
      eval barrier();
      for k.i in [0, 5) {
        for j.i_1 in [0, 2) {
          sum[0, j.i_1] = (sum[0, j.i_1] + (i32(x.s[thread.y, k.i]) * i32(w.s[((thread.x * 2) + j.i_1), k.i])));
        }
      }
      eval barrier();
    }
    for j.i_2 in [0, 2) {
      y[((group.y * 4) + thread.y), (((group.x * 4) + (thread.x * 2)) + j.i_2)] = i8(clamp(sum[0, j.i_2], -100i32, 100i32));
    }
  }
}
)");
}

// |s| without its |n|th barrier, counted from 0.
ir::Stmt WithoutBarrier(const ir::Stmt& s, int n, int* seen) {
  if (s->kind == ir::StmtKind::kEval) return (*seen)++ == n ? ir::Stmt() : s;
  return ir::MapParts(
      s, [](const ir::Expr& e) { return e; },
      [&](const ir::Stmt& b) { return WithoutBarrier(b, n, seen); });
}

TEST(GpuBarriers, EachIsNeeded) {
  const te::Tensor out = Product();
  schedule::Schedule s = *schedule::Schedule::Create({out}, target::Gpu());
  ASSERT_TRUE(s.Apply(kBlocks).has_value());
  Rng rng(7);
  te::Values values = test::RandomInputs(out, rng);
  ASSERT_TRUE(te::Evaluate({out}, &values).has_value());
  const KernelFunc f = *LowerKernels(s, "f");
  int barriers = 0;
  WithoutBarrier(f.kernels[0].body, -1, &barriers);
  ASSERT_EQ(barriers, 2);
  for (int n = -1; n < barriers; ++n) {
    KernelFunc less = f;
    int seen = 0;
    less.kernels[0].body = WithoutBarrier(f.kernels[0].body, n, &seen);
    bool right = true;
    for (const test::ThreadOrder order : kOrders) {
      const auto got = Outcome(less, s, values, order, rng);
      ASSERT_TRUE(got.has_value()) << got.error().message;
      right = right && *got == values.at(out.get()).bytes();
    }
    EXPECT_EQ(right, n < 0) << "without barrier " << n;
  }
}

// The oracle itself finds a barrier that only some threads reach.
TEST(GpuBarriers, ThatNotAllThreadsReachAreFound) {
  const te::Tensor out = Product();
  schedule::Schedule s = *schedule::Schedule::Create({out}, target::Gpu());
  ASSERT_TRUE(s.Apply(kBlocks).has_value());
  KernelFunc f = *LowerKernels(s, "f");
  GpuKernel& k = f.kernels[0];
  k.body = ir::If(ir::Lt(k.thread_ids[0], 1), k.body);
  Rng rng(7);
  const auto got = Outcome(f, s, test::RandomInputs(out, rng), test::ThreadOrder::kForward, rng);
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().message, "4 threads wait for 4 that have ended");
}

struct Refusal {
  const char* steps;
  const char* message;
};

// A schedule for no particular machine may have prefetches; kernels drop them.
TEST(GpuPrefetch, IsLeftOut) {
  const te::Tensor x = te::Placeholder("x", DType::kInt32, {4, 64});
  const te::Tensor y =
      te::Compute("y", {4, 64}, {"i", "j"}, [&](const auto& i) { return x(i) * 3; });
  Result<schedule::Schedule> s = schedule::Schedule::Create({y});
  ASSERT_TRUE(s->Apply("bind y i grid.x\nsplit y j 4 o n\nprefetch x y o 2\n"));
  const Result<KernelFunc> f = LowerKernels(*s, "f");
  ASSERT_TRUE(f) << f.error().message;
  EXPECT_EQ(Text(*f).find("prefetch"), std::string::npos) << Text(*f);
  Rng rng(1);
  ExpectSame(*s, *f, y, rng);
}

// A group of seven elements is no box, and a follower computes the box around it: all sums stay
// until the last is complete.
TEST(GpuFollowers, OfLoopsThatShareABox) {
  const te::Tensor y = Product();
  schedule::Schedule s = *schedule::Schedule::Create({y}, target::Gpu());
  const Status applied = s.Apply("fuse sum i j f\nsplit sum f 7 g n\nreverse_compute_at y sum g");
  ASSERT_TRUE(applied.has_value()) << applied.error().message;
  const Result<KernelFunc> f = LowerKernels(s, "f");
  ASSERT_TRUE(f.has_value()) << f.error().message;
  Rng rng(1);
  ExpectSame(s, *f, y, rng);
}

TEST(GpuRefusals, NameStageMemoryAndWayOut) {
  const Refusal kRefused[] = {
      {"split y i 4 o n\nbind y n grid.x", "loop o is around or beside a grid loop"},
      {"compute_at sum y i\nbind y j grid.x", "loop i is around or beside a grid loop"},
      {"bind y i grid.x\ncompute_at sum y i",
       "sum is in global memory, but each group or thread computes its own; set_scope sum shared"},
      {"bind y i thread.x\nset_scope sum shared\ncompute_at sum y i",
       "sum is in shared memory, but each thread computes its own; set_scope sum local"},
      {"bind y i grid.x\nset_scope sum reg",
       "sum is in reg memory, which ends with a kernel, but all of it is computed before"},
      {"bind y i grid.x\nbind y j thread.x\nset_scope sum reg\ncompute_at sum y i",
       "sum is in reg memory, but several threads touch an element of it; set_scope sum shared"},
      {"fuse sum i j f\nsplit sum f 7 g n\nbind sum g grid.x\nreverse_compute_at y sum g",
       "sum: groups of the grid touch each other's elements; attach what reads or writes it "
       "outside"},
      {"fuse sum i j f\nsplit sum f 7 g n\nbind sum g thread.x\nreverse_compute_at y sum g",
       "sum: threads touch each other's elements inside loop g, where none can wait for another"},
      {"bind y i thread.x\nset_scope sum local\ncompute_at sum y i\nbind sum j thread.x",
       "loop j is thread.x inside another thread.x loop; the two are one thread"},
      {"bind y i thread.x\nbind y j thread.y",
       "12 x 8 x 1 = 96 threads in a group, toy has at most 64; schedule step 1 (bind y i "
       "thread.x), schedule step 2 (bind y j thread.y): split by smaller factors"},
      {"set_scope sum shared\nsplit y i 4 o n\nbind y o grid.x\ncompute_at sum y o\n"
       "bind sum i thread.z",
       "4 iterations of thread.z in a kernel, toy has at most 2; schedule step 5 (bind sum i "
       "thread.z): split by other factors, or bind to another dimension"},
      {"reorder sum j i\nbind sum j grid.y",
       "8 iterations of grid.y in a kernel, toy has at most 7; schedule step 2 (bind sum j "
       "grid.y)"},
      {"bind y i grid.x\nset_scope sum reg\ncompute_at sum y i\ncache_read x shared x.s sum\n"
       "compute_at x.s y i\ncache_read w shared w.s sum\ncompute_at w.s y i",
       "180 bytes of shared memory (x.s 20, w.s 160), toy has 100 for a group; schedule step 4 "
       "(cache_read x shared x.s sum), schedule step 6 (cache_read w shared w.s sum): attach them "
       "further"},
  };
  for (const Refusal& r : kRefused) {
    SCOPED_TRACE(r.steps);
    target::Target toy = *target::Gpu();
    toy.name = "toy";
    toy.max_threads = 64;
    toy.limits = {{ir::LoopKind::kThreadZ, 2}, {ir::LoopKind::kGridY, 7}};
    for (target::TargetMemory& m : toy.memories) m.bytes = m.scope == ir::Scope::kShared ? 100 : 0;
    schedule::Schedule s = *schedule::Schedule::Create(
        {Product()}, std::make_shared<const target::Target>(std::move(toy)));
    const Status applied = s.Apply(r.steps);
    ASSERT_TRUE(applied.has_value()) << applied.error().message;
    const Result<KernelFunc> f = LowerKernels(s, "f");
    ASSERT_FALSE(f.has_value());
    EXPECT_NE(f.error().message.find(r.message), std::string::npos) << f.error().message;
  }
}

TEST(GpuRefusals, InstructionsOfAnotherMachine) {
  const te::Tensor x = te::Placeholder("x", DType::kInt32, {4, 6});
  const te::Tensor y =
      te::Compute("y", {4, 6}, {"i", "j"}, [&](const auto& i) { return x(i) * 3; });
  schedule::Schedule s = *schedule::Schedule::Create({y}, test::CopyingTarget());
  ASSERT_TRUE(
      s.Apply("cache_read x local c y\ncompute_at c y i\nbind y i grid.x\n"
              "tensorize c i1 copy_i32"));
  const Result<KernelFunc> f = LowerKernels(s, "f");
  ASSERT_FALSE(f.has_value());
  EXPECT_EQ(f.error().message, "f: a call of copy_i32 has no code here");
}

// A vector is as wide as divides its loop. A condition that holds in all lanes does not split a
// vector into single lanes.
TEST(GpuVectors, FitTheirLoops) {
  const te::Tensor x = te::Placeholder("x", DType::kFloat32, {24});
  const te::Tensor y = te::Compute("y", {30}, {"i"}, [&](const auto& i) {
    return ir::Select(ir::Lt(i[0], 24), x(i[0]), ir::Const(DType::kFloat32, 0));
  });
  for (const auto& [factor, lanes] :
       {std::pair{12, 4}, std::pair{6, 2}, std::pair{2, 2}, std::pair{5, 0}}) {
    schedule::Schedule s = *schedule::Schedule::Create({y}, target::Gpu());
    ASSERT_TRUE(s.Apply(fmt::format("split y i {} o v\nbind y o grid.x\nvectorize y v", factor)));
    const Result<KernelFunc> f = LowerKernels(s, "f");
    ASSERT_TRUE(f.has_value()) << f.error().message;
    std::set<int> stored;
    ir::VisitStmts(f->kernels[0].body, [&](const ir::Stmt& at) {
      if (at->kind == ir::StmtKind::kStore) stored.insert(at->value.lanes());
    });
    const bool vectors = 30 % factor == 0 && lanes > 0;
    EXPECT_EQ(stored.contains(lanes), vectors) << factor << "\n" << Text(*f);
    Rng rng(1);
    ExpectSame(s, *f, y, rng);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, GpuKernels, ::testing::Range<uint64_t>(0, 12));

}  // namespace
}  // namespace tessera::lower::kernels_test
