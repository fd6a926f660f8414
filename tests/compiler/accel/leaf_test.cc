// SPDX-License-Identifier: Apache-2.0
//
// What is tested: solving of leaf nests (offsets, strides, pad ranges), folding of loops, and the
// cut into pieces of a limited number of loops, against enumeration of the nest. Space: directed
// nests and random strided boxes, seeded. Not tested here: the instructions of the pieces
// (region_test).
#include "compiler/target/leaf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/rng.h"
#include "compiler/codegen/accel/emit/execute.h"
#include "compiler/ir/intrin.h"
#include "compiler/target/tile_intrin.h"

namespace tessera::codegen::accel::leaf_test {
namespace {

using ir::Expr;
using ir::Stmt;
using target::Fold;
using target::ForPieces;
using target::LeafDim;
using target::LoopLimits;
using target::Solve;
using Strides = std::array<int64_t, target::kMostOperands>;

ir::Buffer OnChip(ir::Scope scope, std::vector<int64_t> shape) {
  ir::BufferNode node{"chip", DType::kInt8, std::move(shape)};
  node.scope = scope;
  node.rotates = true;
  return ir::MakeBuffer(node);
}

class LeafTest : public ::testing::Test {
 protected:
  LeafTest() { target::RegisterTileIntrinsics(); }
  ir::Buffer memory = ir::MakeBuffer({"memory", DType::kInt8, {4, 20, 20, 16}});
  ir::Buffer inp = OnChip(ir::Scope::kInp, {4, 10, 10, 16});
  Expr y = ir::Var("y"), x = ir::Var("x");

  Stmt Load(Expr from_y, Expr from_x, int64_t bytes = 16) const {
    return ir::Eval(ir::TileCall(
        target::kTileLoad,
        {ir::Load(inp, {Expr(0), y, x, Expr(0)}),
         ir::Load(memory, {Expr(1), from_y, from_x, Expr(0)}), Expr(bytes), Expr(16)}));
  }
  Stmt Fill(int64_t value) const {
    return ir::Eval(ir::TileCall(target::kTileFill,
                                 {ir::Load(inp, {Expr(0), y, x, Expr(0)}), Expr(16), Expr(value)}));
  }
  Stmt Nest(Stmt body, int64_t extent) const {
    return ir::For(y, Expr(0), Expr(extent), ir::LoopKind::kSerial,
                   ir::For(x, Expr(0), Expr(extent), ir::LoopKind::kSerial, body));
  }
  // Number of instructions that |s| becomes.
  Result<int64_t> Emit(const Stmt& s) {
    const isa::Config config;
    jit::ProgramBuilder builder(config);
    LeafEmitter emitter(config, &builder);
    emitter.Place(memory, {true, 0, isa::Segment::kArena});
    emitter.Place(inp, {false, 0, {}});
    Rings rings(config);
    TESSERA_TRY(Execute(s, emitter, rings));
    return builder.stats().instructions;
  }
  // The error of emitting |s|, or "".
  std::string EmitError(const Stmt& s) {
    const Result<int64_t> emitted = Emit(s);
    return emitted ? "" : emitted.error().message;
  }
};

TEST_F(LeafTest, PadsBecomeRangesOfEachLoop) {
  const Expr at = y * Expr(2) - Expr(3);
  const Stmt s =
      Nest(ir::If(ir::And(ir::Le(Expr(0), at), ir::Lt(x, Expr(4))), Load(at, x), Fill(7)), 6);
  const auto leaf = MatchLeaf(s);
  ASSERT_TRUE(leaf.has_value());
  Env env;
  const auto solved = Solve(*leaf, env);
  ASSERT_TRUE(solved.has_value());
  ASSERT_EQ(solved->dims.size(), 2u);
  EXPECT_EQ(solved->dims[0].strides, (Strides{10 * 16, 2 * 20 * 16}));
  EXPECT_EQ(solved->dims[1].strides, (Strides{16, 16}));
  EXPECT_EQ(solved->dims[0].first, 2);
  EXPECT_EQ(solved->dims[0].last, 6);
  EXPECT_EQ(solved->dims[1].first, 0);
  EXPECT_EQ(solved->dims[1].last, 4);
  EXPECT_EQ(solved->operands[1].base, (20 * 20 - 3 * 20) * 16);
}

// for y: if y > 0: for x: if x < 3: load
TEST_F(LeafTest, GuardsCutTheLoopsOfACopy) {
  const Stmt s =
      ir::For(y, Expr(0), Expr(5), ir::LoopKind::kSerial,
              ir::If(ir::Lt(Expr(0), y), ir::For(x, Expr(0), Expr(6), ir::LoopKind::kSerial,
                                                 ir::If(ir::Lt(x, Expr(3)), Load(y, x)))));
  const auto leaf = MatchLeaf(s);
  ASSERT_TRUE(leaf.has_value());
  Env env;
  const auto solved = Solve(*leaf, env);
  ASSERT_TRUE(solved.has_value());
  ASSERT_EQ(solved->dims.size(), 2u);
  EXPECT_EQ(solved->dims[0].extent, 4);
  EXPECT_EQ(solved->dims[1].extent, 3);
  EXPECT_TRUE(solved->dims[0].whole() && solved->dims[1].whole());
  EXPECT_EQ(solved->operands[0].base, 10 * 16);
  EXPECT_EQ(solved->operands[1].base, (20 * 20 + 20) * 16);
  const Stmt never = Nest(ir::If(ir::Lt(x, Expr(0)), Load(y, x)), 4);
  const auto empty = Solve(*MatchLeaf(never), env);
  ASSERT_TRUE(empty.has_value());
  EXPECT_TRUE(empty->empty);
}

// In a copy with pads, the iterations that a guard excludes become pads: the box stays one.
TEST_F(LeafTest, GuardsOfABoxWithPadsArePads) {
  const Stmt s =
      Nest(ir::If(ir::Lt(y, Expr(5)), ir::If(ir::Lt(Expr(0), x), Load(y, x), Fill(7))), 6);
  Env env;
  const auto solved = Solve(*MatchLeaf(s), env);
  ASSERT_TRUE(solved.has_value());
  EXPECT_EQ(solved->dims[0].extent, 6);
  EXPECT_EQ(solved->dims[0].last, 5);
  EXPECT_EQ(solved->dims[1].first, 1);
  EXPECT_EQ(solved->dims[1].last, 6);
}

// The start of a reduction is known only in the uncut loop: each iteration becomes an instruction.
TEST_F(LeafTest, AReductionThatAGuardCutsAtItsStartIsTakenApart) {
  const ir::Buffer acc = ir::MakeBuffer(
      {.name = "acc", .dtype = DType::kInt32, .shape = {4, 16}, .scope = ir::Scope::kAcc});
  const auto sum = [&](const Expr& guard) {
    const Stmt one =
        ir::Eval(ir::TileCall(target::kTileAlu, {ir::Load(acc, {Expr(0), Expr(0)}),
                                                 ir::Load(inp, {Expr(0), y, x, Expr(0)}), Expr(0),
                                                 Expr(0), Expr(0), Expr(16)}));
    return ir::Alloc(acc, Nest(ir::If(guard, one), 4));
  };
  EXPECT_EQ(Emit(sum(ir::Lt(x, Expr(3)))), 1);
  EXPECT_EQ(Emit(sum(ir::Lt(Expr(0), x))), 4 * 3);
}

// Guards around the two innermost loops of a box with pads cut the box.
TEST_F(LeafTest, GuardsAroundABoxWithPadsCutIt) {
  const Expr z = ir::Var("z");
  const Stmt copy = ir::Eval(
      ir::TileCall(target::kTileLoad, {ir::Load(inp, {z, y, x, Expr(0)}),
                                       ir::Load(memory, {z, y, x, Expr(0)}), Expr(16), Expr(16)}));
  const Stmt fill = ir::Eval(
      ir::TileCall(target::kTileFill, {ir::Load(inp, {z, y, x, Expr(0)}), Expr(16), Expr(7)}));
  const auto over_z = [&](const Expr& guard) {
    return ir::For(z, Expr(0), Expr(4), ir::LoopKind::kSerial,
                   ir::If(guard, Nest(ir::If(ir::Lt(Expr(0), x), copy, fill), 5)));
  };
  Env env;
  const auto solved = Solve(*MatchLeaf(over_z(ir::Lt(z, Expr(3)))), env);
  ASSERT_TRUE(solved.has_value());
  EXPECT_EQ(solved->dims[0].extent, 3);
  EXPECT_TRUE(solved->dims[0].whole());
  EXPECT_EQ(solved->dims[2].first, 1);
  // A box cut at its start becomes one box for each iteration: five rows in each of three
  // iterations, as above.
  EXPECT_EQ(Emit(over_z(ir::Lt(z, Expr(3)))), 3 * 5);
  EXPECT_EQ(Emit(over_z(ir::Lt(Expr(0), z))), 3 * 5);
}

// Loops that no instruction can have become one leaf in each iteration of the outer loop.
TEST_F(LeafTest, AnIndexThatIsNotAffineIsTakenApart) {
  EXPECT_EQ(Emit(Nest(Load(y * y, x), 4)), 4);
  EXPECT_EQ(Emit(Nest(Load(y, x * x), 4)), 16);
}

TEST_F(LeafTest, AConditionOverTwoLoopsIsOfOneInsideTheOther) {
  EXPECT_EQ(Emit(Nest(ir::If(ir::Lt(x + y, Expr(4)), Load(y, x), Fill(7)), 4)), 4);
}

TEST_F(LeafTest, AConditionWithAGapIsTakenApart) {
  EXPECT_EQ(Emit(Nest(ir::If(ir::Lt(Expr(2), x), Load(y, x), Fill(7)), 4)), 4);  // rows
  EXPECT_EQ(Emit(Nest(ir::If(ir::Eq(ir::FloorMod(x, Expr(2)), Expr(0)), Load(y, x), Fill(7)), 4)),
            16);
}

TEST_F(LeafTest, PadsThatAreNoTilesOfTheCopyAreRefused_bad) {
  const Stmt store = ir::Eval(
      ir::TileCall(target::kTileStore, {ir::Load(memory, {Expr(0), Expr(0), Expr(0), Expr(0)}),
                                        ir::Load(inp, {Expr(0), y, x, Expr(0)}), Expr(16)}));
  EXPECT_THAT(EmitError(Nest(ir::If(ir::Lt(x, Expr(3)), Load(y, x), store), 4)),
              ::testing::HasSubstr("pads that are not tiles of the copy"));
  EXPECT_EQ(EmitError(Nest(ir::If(ir::Lt(x, Expr(3)), Load(y, x, 12), Fill(8)), 4)), "");
}

TEST_F(LeafTest, AStoreOfScalarsIsRefused_bad) {
  EXPECT_THAT(
      EmitError(ir::Store(memory, {Expr(0), Expr(0), Expr(0), Expr(0)}, ir::Imm(DType::kInt8, 1))),
      ::testing::HasSubstr("no tile of work"));
}

TEST_F(LeafTest, MoreThanTheScratchpadHoldsIsRefused_bad) {
  const ir::Buffer big = OnChip(ir::Scope::kInp, {3000, 16});
  EXPECT_THAT(EmitError(ir::Alloc(big, Nest(Load(y, x), 2))),
              ::testing::HasSubstr("3000 tiles of inp"));
}

class PiecesProperty : public ::testing::TestWithParam<uint64_t> {};

TEST_P(PiecesProperty, FoldingAndCuttingVisitTheSameElements) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Rng rng(GetParam());
  std::vector<LeafDim> dims(static_cast<size_t>(rng.Range(0, 4)));
  for (LeafDim& d : dims) {
    d.extent = rng.Range(2, 5);
    d.last = d.extent;
    d.strides = {rng.Range(0, 12), rng.Range(0, 12)};
  }
  // Some loops continue each other.
  for (size_t k = dims.size(); k-- > 1;) {
    if (rng.Range(0, 1) == 0) continue;
    for (size_t op = 0; op < 2; ++op)
      dims[k - 1].strides[op] = dims[k].strides[op] * dims[k].extent;
  }
  const auto enumerate = [](const std::vector<LeafDim>& loops, std::array<int64_t, 2> base,
                            auto&& f) {
    const std::function<void(size_t, std::array<int64_t, 2>)> visit =
        [&](size_t k, std::array<int64_t, 2> at) {
          if (k == loops.size()) return f(at);
          for (int64_t i = 0; i < loops[k].extent; ++i) {
            visit(k + 1, {at[0] + i * loops[k].strides[0], at[1] + i * loops[k].strides[1]});
          }
        };
    visit(0, base);
  };
  std::multiset<std::array<int64_t, 2>> want, got;
  enumerate(dims, {0, 0}, [&](std::array<int64_t, 2> at) { want.insert(at); });

  Fold(dims, rng.Range(0, 1) != 0);
  LoopLimits limits{
      static_cast<size_t>(rng.Range(0, 3)), rng.Range(1, 6), {rng.Range(0, 20), rng.Range(0, 20)}};
  const Status status =
      ForPieces(dims, limits, 2,
                [&](std::span<const int64_t> offsets, std::span<const LeafDim> loops) -> Status {
                  EXPECT_LE(loops.size(), limits.loops);
                  for (const LeafDim& d : loops) {
                    EXPECT_LE(d.extent, limits.extent);
                    for (size_t op = 0; op < 2; ++op) EXPECT_LE(d.strides[op], limits.strides[op]);
                  }
                  enumerate({loops.begin(), loops.end()}, {offsets[0], offsets[1]},
                            [&](std::array<int64_t, 2> at) { got.insert(at); });
                  return {};
                });
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(got, want);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PiecesProperty, ::testing::Range(uint64_t{0}, uint64_t{200}));

}  // namespace
}  // namespace tessera::codegen::accel::leaf_test
