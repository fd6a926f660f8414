// SPDX-License-Identifier: Apache-2.0
//
// What is tested: products by matrix fragments in loop IR: kernels compute the definition with
// threads in order, backwards and at random between barriers; every refusal of a call that a warp
// makes. Not here: PTX (ptx_test), what PTX computes (tests/runtime/gpu).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "compiler/codegen/llvm/ptx.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/gpu.h"
#include "compiler/target/cuda.h"
#include "tests/compiler/gpu/gpu_cases.h"
#include "tests/compiler/gpu/simt.h"
#include "tests/compiler/lower/random_te.h"

namespace tessera::mma_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

void ExpectTheDefinition(const test::GpuCases& cases) {
  Rng rng(1);
  for (const test::GpuCase& c : cases) {
    for (const test::ThreadOrder order :
         {test::ThreadOrder::kForward, test::ThreadOrder::kBackward, test::ThreadOrder::kRandom}) {
      std::vector<ir::Array> arrays = test::Arguments(c.func.loops, c.schedule, c.values);
      std::vector<ir::Array*> pointers;
      for (ir::Array& a : arrays) pointers.push_back(&a);
      const Status ran = test::RunKernels(c.func, pointers, order, rng);
      ASSERT_TRUE(ran.has_value()) << c.name << ": " << ran.error().message;
      EXPECT_EQ(arrays.back().bytes(), c.values.at(c.out.get()).bytes()) << c.name;
    }
  }
}

TEST(Fragments, AnyOrderOfThreadsGivesTheDefinition) { ExpectTheDefinition(test::FragmentCases()); }

TEST(Fragments, ThatTheGeneratorChoosesToo) { ExpectTheDefinition(test::GeneratedFragments()); }

// Matrix instructions start at zero, so a sum that starts at a value uses none.
TEST(Fragments, AreNotChosenForASumThatStartsAtAValue) {
  const te::Tensor a = te::Placeholder("a", DType::kInt8, {32, 64}),
                   b = te::Placeholder("b", DType::kInt8, {64, 32}),
                   from = te::Placeholder("from", DType::kInt32, {32});
  const te::Axis k = te::ReduceAxis("k", 64);
  const auto wide = [](const ir::Expr& e) { return ir::Cast(DType::kInt32, e); };
  for (const bool starts : {false, true}) {
    const te::Tensor sum = te::Compute("sum", {32, 32}, {"i", "j"}, [&](const auto& i) {
      return te::Sum(wide(a(i[0], k.var)) * wide(b(k.var, i[1])), {k},
                     starts ? from(i[1]) : ir::Expr());
    });
    Rng rng(3);
    te::Values values = test::RandomInputs(sum, rng);
    auto s = schedule::GpuSchedule({sum}, target::Cuda());
    ASSERT_TRUE(s.has_value()) << s.error().message;
    const bool fragments = schedule::Print(s->trace()).find("mma.") != std::string::npos;
    EXPECT_EQ(fragments, !starts) << schedule::Print(s->trace());
    test::GpuCases cases;
    test::AddCase("a product from a value", sum, *s, std::move(values), &cases);
    ExpectTheDefinition(cases);
  }
}

// The distances, in elements, between the places of |buffer| in global memory that neighbouring
// threads of a warp read or store; each distance once.
std::set<int64_t> LanesApart(const lower::GpuKernel& k, const std::string& buffer) {
  std::set<int64_t> apart;
  const auto add = [&](const ir::Buffer& b, const std::vector<ir::Expr>& indices) {
    if (b->name != buffer) return;
    std::vector<ir::Expr> first;  // first lane of vectors
    for (const ir::Expr& i : indices) first.push_back(i.lanes() > 1 ? i->args[0] : i);
    const auto of = [&](int64_t thread) {
      return ir::ToLinear(
          ir::Substitute(ir::OffsetOf(*b, first), {{k.thread_ids[0].get(), ir::Expr(thread)}}),
          k.IdRanges());
    };
    const ir::Linear distance = ir::Add(of(1), of(0), -1);
    apart.insert(distance.IsConstant() ? distance.constant : -1);
  };
  ir::VisitStmts(k.body, [&](const ir::Stmt& s) {
    if (s->kind == ir::StmtKind::kStore) add(s->buffer, s->indices);
    for (const ir::Expr& e : ir::DirectExprs(s)) {
      ir::Visit(e, [&](const ir::Expr& x) {
        if (x->kind == ir::ExprKind::kLoad) add(x->buffer, x->args);
      });
    }
  });
  return apart;
}

// Threads read rows of both operands, four elements each along the summed axis, and write rows of
// the result.
TEST(Fragments, AreFetchedAndStoredAlongRows) {
  for (const bool turned : {false, true}) {
    const te::Tensor a = te::Placeholder("a", DType::kInt8, {64, 256}),
                     b = te::Placeholder(
                         "b", DType::kInt8,
                         turned ? std::vector<int64_t>{96, 256} : std::vector<int64_t>{256, 96});
    const te::Axis k = te::ReduceAxis("k", 256);
    const auto wide = [](const ir::Expr& e) { return ir::Cast(DType::kInt32, e); };
    const te::Tensor sum = te::Compute("sum", {64, 96}, {"i", "j"}, [&](const auto& i) {
      return te::Sum(wide(a(i[0], k.var)) * wide(turned ? b(i[1], k.var) : b(k.var, i[1])), {k});
    });
    const auto s = schedule::GpuSchedule({sum}, target::Cuda());
    ASSERT_TRUE(s.has_value()) << s.error().message;
    const auto f = lower::LowerKernels(*s, "f");
    ASSERT_TRUE(f.has_value()) << f.error().message;
    ASSERT_EQ(f->kernels.size(), 1u);
    EXPECT_THAT(LanesApart(f->kernels[0], "a"), ElementsAre(4)) << turned;
    EXPECT_THAT(LanesApart(f->kernels[0], "b"), ElementsAre(turned ? 4 : 1)) << turned;
    EXPECT_THAT(LanesApart(f->kernels[0], "sum"), ElementsAre(1)) << turned;
  }
}

// Threads copy four channels of a tap to shared memory as one word.
TEST(Fragments, TakeFourChannelsOfAPointTogether) {
  for (const test::GpuCase& c : test::GeneratedFragments()) {
    if (!c.name.starts_with("64 channels")) continue;
    ir::VisitStmts(c.func.kernels[0].body, [&](const ir::Stmt& s) {
      if (s->kind != ir::StmtKind::kStore || !s->buffer->name.ends_with(".s")) return;
      EXPECT_EQ(s->value.lanes(), 4) << c.name;
    });
  }
}

// The message for the product's steps with each |from| replaced by |to|.
std::string Refusal(const std::string& from, const std::string& to) {
  const test::GpuCase c = test::FragmentCases()[0];
  std::string steps = schedule::Print(c.schedule.trace());
  for (size_t at = steps.find(from); at != std::string::npos; at = steps.find(from, at + to.size()))
    steps.replace(at, from.size(), to);
  auto s = schedule::Schedule::Create({c.out}, target::Cuda());
  if (const Status applied = s->Apply(steps); !applied) return applied.error().message;
  const auto func = lower::LowerKernels(*s, "f");
  return func ? "" : func.error().message;
}

TEST(FragmentRefusals, OfACallThatIsNoWholeWarps) {
  EXPECT_EQ(Refusal("bind sum.f j.w thread.z", "bind sum.f j.w thread.x"),
            "f: mma.s8 is done by the threads of thread.x together, but stands inside a loop of "
            "theirs; bind its stage to thread.y and thread.z");
  EXPECT_EQ(Refusal(" 32 f.r f.x", " 16 f.r f.x"), "");
  EXPECT_EQ(
      Refusal(" 32 e.r e.x", " 64 e.r e.x"),
      "f: a matrix intrinsic is done by 32 threads together, and thread.x has 64; bind a loop "
      "of 32 to thread.x, for instance of what brings its operands to shared memory");
}

TEST(FragmentRefusals, OfOtherCodeOnSums) {
  EXPECT_EQ(
      Refusal("tensorize sum i.e mma.store.i32\n", ""),
      "f: sum.f is in acc memory, the registers of a warp, which only matrix intrinsics touch; "
      "tensorize its stage and its readers");
}

TEST(FragmentRefusals, OfOperandsThatAreNotThere) {
  EXPECT_THAT(Refusal("set_scope sum shared", "set_scope sum local"),
              HasSubstr("out (sum) is in local, and may be in: shared"));
}

// A window moves along the rows element by element.
TEST(FragmentRefusals, OfATileBetweenWords) {
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {32 * 32 + 8});
  const te::Tensor w = te::Placeholder("w", DType::kInt8, {2, 8, 32});
  const te::Axis k = te::ReduceAxis("k", 32), t = te::ReduceAxis("t", 2);
  const auto wide = [](const ir::Expr& e) { return ir::Cast(DType::kInt32, e); };
  const te::Tensor sum = te::Compute("sum", {32, 8}, {"i", "j"}, [&](const auto& i) {
    return te::Sum(wide(x(i[0] * 32 + k.var + t.var)) * wide(w(t.var, i[1], k.var)), {t, k});
  });
  const te::Tensor y = te::Compute("y", {32, 8}, {"i", "j"},
                                   [&](const auto& i) { return ir::Cast(DType::kInt8, sum(i)); });
  auto s = schedule::Schedule::Create({y}, target::Cuda());
  const Status applied = s->Apply(
      "cache_write sum acc sum.f\nset_scope sum shared\n"
      "split y i 16 i.g i.b\nbind y i.g grid.x\nfuse y i.b j e\nsplit y e 32 e.o e.x\n"
      "bind y e.x thread.x\ncompute_at sum y i.g\nsplit sum i 16 i.g i.e\n"
      "tensorize sum i.e mma.store.i32\ncompute_at sum.f sum i.g\nreorder sum.f t i j k\n"
      "tensorize sum.f i mma.s8\ncache_read x shared x.s sum.f\ncompute_at x.s sum i.g\n"
      "cache_read w shared w.s sum.f\ncompute_at w.s sum i.g\n");
  ASSERT_TRUE(applied.has_value()) << applied.error().message;
  const auto func = lower::LowerKernels(*s, "f");
  ASSERT_TRUE(func.has_value()) << func.error().message;
  const auto text = codegen::PtxSource(func->kernels);
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().message,
            "f_0: a tile of x.s that does not begin at a multiple of 8 bytes has no code for this "
            "target");
}

}  // namespace
}  // namespace tessera::mma_test
