// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the tables of intrinsics are whole: names differ, each call has a meaning for the
// interpreter with the operands that the intrinsic gives it, and something that it emits. Not
// tested here: what they compute (behaviours_test; tests/compiler/lower, llvm, gpu, accel).
#include <gtest/gtest.h>

#include <set>

#include "compiler/ir/intrin.h"
#include "compiler/ir/visit.h"
#include "compiler/target/accelerator.h"
#include "compiler/target/cuda.h"
#include "compiler/target/tile_intrin.h"

namespace tessera::target::intrinsics_test {
namespace {

// How many tiles the behaviour reads.
size_t TilesRead(const TensorIntrin& intrin) {
  std::set<std::string> read;
  ir::Visit(intrin.behaviour->body, [&](const ir::Expr& e) {
    if (e->kind == ir::ExprKind::kTensorRead && e->tensor->name != intrin.updates)
      read.insert(e->tensor->name);
  });
  return read.size();
}

TEST(Intrinsics, EachHasAMeaningAndAnEmission) {
  size_t values = 0, tiles = 0;
  for (const auto& target : {Host(), Cuda(), Accelerator(isa::Config())}) {
    std::set<std::string> names;
    for (const TensorIntrin& intrin : target->intrinsics) {
      SCOPED_TRACE(target->name + " " + intrin.name);
      EXPECT_TRUE(names.insert(intrin.name).second);
      EXPECT_EQ(target->FindIntrinsic(intrin.name), &intrin);
      ASSERT_NE(target->FindCall(intrin.call), nullptr);
      const auto meaning = ir::FindTileIntrin(intrin.call);
      ASSERT_TRUE(meaning);
      EXPECT_EQ(meaning->operands.size(), 1 + TilesRead(intrin) + intrin.trailing.size());
      const TileCall* call = FindTileCall(intrin.call);
      EXPECT_NE(call != nullptr && call->emit != nullptr, intrin.emit != nullptr)
          << "one way to emit it";
      (intrin.emit ? values : tiles) += 1;
    }
  }
  EXPECT_EQ(values, 15u);  // eleven of the host, four of the GPU
  EXPECT_GE(tiles, 30u);
  EXPECT_EQ(Host()->FindCall("tile.gemm"), nullptr);
  EXPECT_EQ(FindTileCall("dot_u8s8x16"), nullptr);
}

}  // namespace
}  // namespace tessera::target::intrinsics_test
