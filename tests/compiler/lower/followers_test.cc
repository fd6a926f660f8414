// SPDX-License-Identifier: Apache-2.0
//
// What is tested: an epilogue of several stages that follows a product's loops, output included:
// the loops as text, where each buffer is and how large, what is refused. Space: directed. Not
// tested here: one follower (passes_test), that random programs compute the same (passes_test).
#include <gtest/gtest.h>

#include "compiler/ir/print.h"
#include "compiler/ir/simplify.h"
#include "compiler/lower/lower.h"

namespace tessera::lower::followers_test {
namespace {

// y = (x w' + r) * 2 + 7, in stages: the sum, b and y.
schedule::Schedule Product() {
  const te::Tensor x = te::Placeholder("x", DType::kInt32, {4, 6}),
                   w = te::Placeholder("w", DType::kInt32, {4, 6}),
                   r = te::Placeholder("r", DType::kInt32, {4, 4});
  const te::Axis k = te::ReduceAxis("k", 6);
  const te::Tensor sum = te::Compute("sum", {4, 4}, {"i", "j"}, [&](const auto& i) {
    return te::Sum(x(i[0], k.var) * w(i[1], k.var), {k});
  });
  const te::Tensor b =
      te::Compute("b", {4, 4}, {"i", "j"}, [&](const auto& i) { return sum(i) + r(i); });
  const te::Tensor y =
      te::Compute("y", {4, 4}, {"i", "j"}, [&](const auto& i) { return b(i) * 2 + 7; });
  return *schedule::Schedule::Create({y});
}

constexpr const char* kTiles =
    "split sum i 2 i.o i.i\nsplit sum j 3 j.o j.i\nsplit sum k 3 k.o k.i\n"
    "reorder sum i.o k.o j.o i.i j.i k.i\n";

// The sum leads: b, the copy of r that only b reads, and the output run behind the last chunk of a
// part. The sum's buffer is a tile's, inside of the loop over tiles; b's and the copy's a part's.
TEST(LowerFollow, AWholeEpilogueRunsInTheLastChunk) {
  schedule::Schedule s = Product();
  const Status applied = s.Apply(std::string("cache_read r local r.l b\n") + kTiles +
                                 "reverse_compute_at b sum j.o\nreverse_compute_at y sum j.o\n"
                                 "compute_at r.l sum j.o\n");
  ASSERT_TRUE(applied) << applied.error().message;
  const Result<ir::Func> f = BuildLoops(s, "f");
  ASSERT_TRUE(f) << f.error().message;
  EXPECT_EQ(ir::Print(ir::Simplify(*f)), R"(func f(x: i32[4, 6] global,
     w: i32[4, 6] global,
     r: i32[4, 4] global,
     y: i32[4, 4] global) {
  for i.o in [0, 2) {
    alloc sum: i32[2, 4] global {
      for j.o in [0, 2) {
        for i.i in [0, 2) {
          for j.i in [0, 3) {
            if (((j.o * 3) + j.i) < 4) {
              sum[i.i, ((j.o * 3) + j.i)] = 0i32;
            }
          }
        }
      }
      for k.o in [0, 2) {
        for j.o_1 in [0, 2) {
          for i.i_1 in [0, 2) {
            for j.i_1 in [0, 3) {
              if (((j.o_1 * 3) + j.i_1) < 4) {
                for k.i in [0, 3) {
                  sum[i.i_1, ((j.o_1 * 3) + j.i_1)] = (sum[i.i_1, ((j.o_1 * 3) + j.i_1)] + (x[((i.o * 2) + i.i_1), ((k.o * 3) + k.i)] * w[((j.o_1 * 3) + j.i_1), ((k.o * 3) + k.i)]));
                }
              }
            }
          }
          if (k.o == 1) {
            alloc r.l: i32[2, 3] local {
              alloc b: i32[2, 3] global {
                for i0 in [0, 2) {
                  for i1 in [0, 3) {
                    if (((j.o_1 * 3) + i1) < 4) {
                      r.l[i0, i1] = r[((i.o * 2) + i0), ((j.o_1 * 3) + i1)];
                    }
                  }
                }
                for i in [0, 2) {
                  for j in [0, 3) {
                    if (((j.o_1 * 3) + j) < 4) {
                      b[i, j] = (sum[i, ((j.o_1 * 3) + j)] + r.l[i, j]);
                    }
                  }
                }
                for i_1 in [0, 2) {
                  for j_1 in [0, 3) {
                    if (((j.o_1 * 3) + j_1) < 4) {
                      y[((i.o * 2) + i_1), ((j.o_1 * 3) + j_1)] = ((b[i_1, j_1] * 2i32) + 7i32);
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}
)");
}

// In place of the sum b has no buffer; of a part that is not whole only what the sum has is read.
TEST(LowerFollow, WhatIsInPlaceOfTheLeaderIsWhereItIs) {
  schedule::Schedule s = Product();
  const Status applied =
      s.Apply(std::string(kTiles) +
              "reverse_compute_at b sum j.o\nreverse_compute_at y sum j.o\nin_place sum b\n");
  ASSERT_TRUE(applied) << applied.error().message;
  const Result<ir::Func> f = BuildLoops(s, "f");
  ASSERT_TRUE(f) << f.error().message;
  const std::string text = ir::Print(ir::Simplify(*f));
  EXPECT_NE(text.find("alloc sum: i32[2, 4] global"), std::string::npos) << text;
  EXPECT_EQ(text.find("alloc b"), std::string::npos) << text;
  EXPECT_NE(text.find("(((j.o_1 * 3) + j) < 4)"), std::string::npos) << text;
}

// The product's buffer is an element's; what follows a loop further out still has a row.
TEST(LowerFollow, AFollowerFurtherOutHasAllThatTheLoopsInsideMake) {
  schedule::Schedule s = Product();
  ASSERT_TRUE(s.Apply("reverse_compute_at b sum j\nreverse_compute_at y sum i\n"));
  const Result<ir::Func> f = BuildLoops(s, "f");
  ASSERT_TRUE(f) << f.error().message;
  const std::string text = ir::Print(ir::Simplify(*f));
  EXPECT_NE(text.find("alloc sum: i32[1, 1] global"), std::string::npos) << text;
  EXPECT_NE(text.find("y[i, j_1] = "), std::string::npos) << text;
  EXPECT_EQ(text.find("if"), std::string::npos) << text;
}

// A stage that reads all of the product keeps its buffer around all loops.
TEST(LowerFollow, AReaderThatDoesNotFollowNeedsTheWholeBuffer) {
  schedule::Schedule s = Product();
  ASSERT_TRUE(s.Apply(std::string(kTiles) + "reverse_compute_at b sum j.o\n"));
  const Result<ir::Func> f = BuildLoops(s, "f");
  ASSERT_TRUE(f) << f.error().message;
  const std::string text = ir::Print(ir::Simplify(*f));
  EXPECT_EQ(text.find("alloc b: i32[4, 4] global"), text.find("alloc")) << text;
  EXPECT_NE(text.find("alloc sum: i32[2, 4] global"), std::string::npos) << text;
}

// Elements of several iterations in one box have to stay until the last of them has run.
TEST(LowerFollow, BoxesThatShareElementsKeepTheWholeBuffer) {
  for (const char* steps :
       {"fuse sum i j f\nsplit sum f 3 f.o f.i\nreverse_compute_at b sum f.o\n"
        "reverse_compute_at y sum f.o\n",
        "split sum i 2 i.o i.i\nreorder sum i.i i.o\nreverse_compute_at b sum i.i\n"
        "reverse_compute_at y sum i.i\n"}) {
    schedule::Schedule s = Product();
    const Status applied = s.Apply(steps);
    ASSERT_TRUE(applied) << applied.error().message;
    const Result<ir::Func> f = BuildLoops(s, "f");
    ASSERT_TRUE(f) << f.error().message;
    const std::string text = ir::Print(ir::Simplify(*f));
    EXPECT_EQ(text.find("alloc sum: i32[4, 4] global"), text.find("alloc")) << text;
  }
}

// Behind sum's loop j it computes one element: a loop of one iteration has nobody to race with.
TEST(LowerFollow, AParallelLoopOfOneIterationIsLegal) {
  schedule::Schedule s = Product();
  const Status applied = s.Apply("parallel b j\nreverse_compute_at b sum j\n");
  ASSERT_TRUE(applied) << applied.error().message;
  const Result<ir::Func> f = BuildLoops(s, "f");
  EXPECT_TRUE(f) << f.error().message;
}

// A chain is followed in the order of who reads whom.
TEST(LowerFollow, AFollowerOfWhatDoesNotFollowIsRefused) {
  schedule::Schedule s = Product();
  ASSERT_TRUE(s.Apply(kTiles));
  const Status status = s.Apply("reverse_compute_at y sum j.o");
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("y does not read sum element by element, so it cannot "
                                        "follow its loops"),
            std::string::npos)
      << status.error().message;
}

}  // namespace
}  // namespace tessera::lower::followers_test
