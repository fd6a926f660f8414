// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the generator of GPU schedules respects the target's limit for each dimension of
// grids and groups, and puts rows of shared memory in different banks; a bind beyond a limit is
// refused. Space: products of float matrices. Not here: values (kernels_test, opencl_test).
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>

#include "compiler/ir/layout.h"
#include "compiler/ir/print.h"
#include "compiler/ir/visit.h"
#include "compiler/lower/gpu/kernels.h"
#include "compiler/schedule/gpu.h"
#include "tests/compiler/gpu/random_gpu.h"

namespace tessera::lower::generator_test {
namespace {

// y = x w of floats, |rows| x 64 by |columns| x 64.
te::Tensor FloatProduct(int64_t rows, int64_t columns) {
  const te::Tensor x = te::Placeholder("x", DType::kFloat32, {rows, 64});
  const te::Tensor w = te::Placeholder("w", DType::kFloat32, {columns, 64});
  const te::Axis k = te::ReduceAxis("k", 64);
  return te::Compute("y", {rows, columns}, {"i", "j"},
                     [&](const auto& i) { return te::Sum(x(i[0], k.var) * w(i[1], k.var), {k}); });
}

// An output's loops have their final extents; another stage's loops may still shrink when it is
// attached.
TEST(GpuRefusals, OfALoopThatItsDimensionDoesNotTake) {
  schedule::Schedule s = *schedule::Schedule::Create({FloatProduct(8, 65)}, target::Gpu());
  const Status bound = s.Apply("bind y j thread.z");
  ASSERT_FALSE(bound.has_value());
  EXPECT_NE(bound.error().message.find("loop j of y has 65 iterations, and gpu takes 64 of "
                                       "thread.z at most; split it, and bind a part of it"),
            std::string::npos)
      << bound.error().message;
}

// One point leaves all threads of a group to channels, which are along z.
TEST(GpuGenerator, KeepsToTheLimitOfEachDimension) {
  const te::Tensor dense = FloatProduct(1, 512);
  for (uint64_t seed = 0; seed < 16; ++seed) {
    Rng rng(seed);
    const Result<KernelFunc> f = LowerKernels(test::RandomGpuPicks(dense, rng), "f");
    ASSERT_TRUE(f.has_value()) << f.error().message;
    EXPECT_LE(f->kernels[0].threads[2], 64);
  }
  // Blocks of channels go along z, unless they are more than the limit of z.
  for (const auto& [most, along] : {std::pair{128, 2}, std::pair{127, 0}}) {
    target::Target toy = *target::Gpu();
    toy.limits = {{ir::LoopKind::kGridZ, most}};
    const te::Tensor product = FloatProduct(8, 128);
    const auto s =
        schedule::GpuSchedule({product}, std::make_shared<const target::Target>(std::move(toy)));
    ASSERT_TRUE(s.has_value()) << s.error().message;
    const Result<KernelFunc> f = LowerKernels(*s, "f");
    ASSERT_TRUE(f.has_value()) << f.error().message;
    EXPECT_GT(f->kernels[0].groups[static_cast<size_t>(along)], 1) << most;
    EXPECT_EQ(f->kernels[0].groups[static_cast<size_t>(2 - along)], 1) << most;
  }
}

// The banks of shared memory are 32 words. Threads of a warp that read one word read it together.
TEST(GpuGenerator, RowsOfSharedMemoryAreInDifferentBanks) {
  const te::Tensor product = FloatProduct(64, 64);
  const auto s = schedule::GpuSchedule({product});
  ASSERT_TRUE(s.has_value()) << s.error().message;
  const KernelFunc f = *LowerKernels(*s, "f");
  ASSERT_EQ(f.kernels.size(), 1u);
  const GpuKernel& k = f.kernels[0];
  int reads = 0;
  const auto visit = [&](const ir::Expr& e) {
    if (e->kind != ir::ExprKind::kLoad || e->buffer->scope != ir::Scope::kShared) return;
    std::map<int64_t, std::set<int64_t>> words;  // by bank
    for (int64_t t = 0; t < 32; ++t) {
      ir::VarMap at;
      int64_t id = t;
      for (size_t d = 0; d < 3; ++d) {
        if (k.thread_ids[d]) at[k.thread_ids[d].get()] = ir::Expr(id % k.threads[d]);
        id /= k.threads[d];
      }
      const ir::Linear place =
          ir::ToLinear(ir::Substitute(ir::OffsetOf(*e->buffer, e->args), at), ir::Ranges());
      words[place.constant % 32].insert(place.constant);  // in one iteration of the loops
    }
    for (const auto& [bank, all] : words) EXPECT_EQ(all.size(), 1u) << ir::Print(e) << bank;
    ++reads;
  };
  ir::VisitStmts(k.body, [&](const ir::Stmt& at) {
    for (const ir::Expr& e : ir::DirectExprs(at)) ir::Visit(e, visit);
  });
  EXPECT_GT(reads, 0);
}

}  // namespace
}  // namespace tessera::lower::generator_test
