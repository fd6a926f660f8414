// SPDX-License-Identifier: Apache-2.0
//
// What is tested: how virtual threads take turns, as text: what has a copy for each, what they
// share, which loops stay around them; the room that double_buffer asks for. Space: directed. Not
// tested here: that random programs compute the same (passes_test), programs of the accelerator
// (tests/compiler/accel).
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/ir/parse.h"
#include "compiler/ir/print.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/verify.h"
#include "compiler/lower/lower.h"

namespace tessera::lower::vthread_test {
namespace {

std::string Interleaved(const std::string& text, int64_t max_statements = 4096) {
  const Result<ir::Func> f = ir::ParseFunc(text);
  EXPECT_TRUE(f.has_value()) << f.error().message;
  const ir::Func threads = InterleaveThreads(*f, max_statements);
  const Status sound = ir::Verify(threads);
  EXPECT_TRUE(sound.has_value()) << sound.error().message;
  return ir::Print(ir::Simplify(threads));
}

// A product by rows: the threads share the loop over k and take turns inside, at the product, which
// waits for the two copies, and behind it.
TEST(VirtualThreads, TakeTurnsInTheLoopsThatTheyShare) {
  EXPECT_EQ(Interleaved(R"(func f(x: i32[4, 6] global, w: i32[6] global, y: i32[4] global) {
  for i in [0, 2) {
    for v in [0, 2) vthread {
      alloc s: i32[1] acc {
        s[0] = 0i32;
        for k in [0, 3) {
          alloc a: i32[2] inp rotates {
            alloc b: i32[2] wgt {
              for j in [0, 2) { a[j] = x[((i * 2) + v), ((k * 2) + j)]; }
              for j_1 in [0, 2) { b[j_1] = w[((k * 2) + j_1)]; }
              for j_2 in [0, 2) { s[0] = (s[0] + (a[j_2] * b[j_2])); }
            }
          }
        }
        if (i < 2) { y[((i * 2) + v)] = s[0]; }
      }
    }
  }
}
)"),
            R"(func f(x: i32[4, 6] global,
     w: i32[6] global,
     y: i32[4] global) {
  for i in [0, 2) {
    alloc s: i32[1] acc {
      alloc s_1: i32[1] acc {
        s[0] = 0i32;
        s_1[0] = 0i32;
        for k in [0, 3) {
          alloc a: i32[2] inp rotates {
            alloc a_1: i32[2] inp rotates {
              alloc b: i32[2] wgt {
                alloc b_1: i32[2] wgt {
                  for j in [0, 2) {
                    a[j] = x[(i * 2), ((k * 2) + j)];
                  }
                  for j_1 in [0, 2) {
                    b[j_1] = w[((k * 2) + j_1)];
                  }
                  for j_2 in [0, 2) {
                    a_1[j_2] = x[((i * 2) + 1), ((k * 2) + j_2)];
                  }
                  for j_1_1 in [0, 2) {
                    b_1[j_1_1] = w[((k * 2) + j_1_1)];
                  }
                  for j_2_1 in [0, 2) {
                    s[0] = (s[0] + (a[j_2_1] * b[j_2_1]));
                  }
                  for j_2_2 in [0, 2) {
                    s_1[0] = (s_1[0] + (a_1[j_2_2] * b_1[j_2_2]));
                  }
                }
              }
            }
          }
        }
        y[(i * 2)] = s[0];
        y[((i * 2) + 1)] = s_1[0];
      }
    }
  }
}
)");
}

// Where what runs, or how often, depends on the thread, by its number or by what it has computed.
TEST(VirtualThreads, ThatTakeDifferentWaysDoSoOneByOne) {
  EXPECT_EQ(Interleaved(R"(func f(x: i32[8] global, y: i32[8] global) {
  for v in [0, 2) vthread {
    alloc n: i32[1] local {
      n[0] = 0i32;
      if (v < 1) {
        n[0] = (n[0] + 1i32);
        y[0] = n[0];
      }
      for i in [v, + (v + 2)) {
        n[0] = (n[0] + 1i32);
        y[(i + 1)] = (n[0] + x[i]);
      }
      if (n[0] == 1i32) {
        n[0] = 0i32;
        y[(v + 4)] = n[0];
      }
    }
  }
}
)"),
            R"(func f(x: i32[8] global,
     y: i32[8] global) {
  alloc n: i32[1] local {
    alloc n_1: i32[1] local {
      n[0] = 0i32;
      n_1[0] = 0i32;
      n[0] = (n[0] + 1i32);
      y[0] = n[0];
      for i in [0, 2) {
        n[0] = (n[0] + 1i32);
        y[(i + 1)] = (n[0] + x[i]);
      }
      for i_1 in [1, 4) {
        n_1[0] = (n_1[0] + 1i32);
        y[(i_1 + 1)] = (n_1[0] + x[i_1]);
      }
      if (n[0] == 1i32) {
        n[0] = 0i32;
        y[4] = n[0];
      }
      if (n_1[0] == 1i32) {
        n_1[0] = 0i32;
        y[5] = n_1[0];
      }
    }
  }
}
)");
}

TEST(VirtualThreads, InsideOthersAreThoseTimesThese) {
  EXPECT_EQ(Interleaved(R"(func f(y: i64[4] global) {
  for v in [0, 2) vthread {
    for u in [0, 2) vthread {
      alloc a: i64[1] local {
        a[0] = ((v * 2) + u);
        y[((v * 2) + u)] = a[0];
      }
    }
  }
}
)"),
            R"(func f(y: i64[4] global) {
  alloc a: i64[1] local {
    alloc a_1: i64[1] local {
      alloc a_2: i64[1] local {
        alloc a_3: i64[1] local {
          a[0] = 0;
          a_2[0] = 1;
          a_1[0] = 2;
          a_3[0] = 3;
          y[0] = a[0];
          y[2] = a_1[0];
          y[1] = a_2[0];
          y[3] = a_3[0];
        }
      }
    }
  }
}
)");
}

TEST(VirtualThreads, ThatWouldBeTooManyStatementsAreALoop) {
  const char* kText =
      "func f(y: i64[4] global) {\n  for v in [0, 4) vthread {\n    y[v] = v;\n  }\n}\n";
  EXPECT_EQ(Interleaved(kText, 3),
            "func f(y: i64[4] global) {\n  for v in [0, 4) {\n    y[v] = v;\n  }\n}\n");
}

// inp has 64 bytes, acc 64 in banks of 16.
target::Target Small() {
  return {.name = "small",
          .memories = {{.scope = ir::Scope::kGlobal},
                       {.scope = ir::Scope::kInp, .bytes = 64, .rotates = true},
                       {.scope = ir::Scope::kAcc, .bytes = 64, .banks = 4, .rotates = true}}};
}

TEST(Room, TwoCopiesOfWhatRotatesHaveToFit_bad) {
  const auto error = [](const std::string& allocs) {
    const Result<ir::Func> f =
        ir::ParseFunc("func f(x: i8[4] global) {\n" + allocs + "\nx[0] = 1i8; }" +
                      std::string(static_cast<size_t>(std::ranges::count(allocs, '{')), '}'));
    EXPECT_TRUE(f.has_value()) << f.error().message;
    const Status status = CheckRoom(*f, Small());
    if (status) return std::string();
    EXPECT_EQ(status.error().code, Code::kOutOfRange);
    return status.error().message;
  };
  EXPECT_EQ(error("alloc a: i8[32] inp rotates {"), "");
  EXPECT_EQ(error("alloc a: i8[33] inp rotates {"),
            "double_buffer a: two copies are 66 bytes of inp, beside 0 of what is there with them; "
            "inp has 64; choose a smaller tile of work, or leave the step out");
  EXPECT_EQ(error("alloc a: i8[1] inp { alloc b: i8[32] inp rotates {"),
            "double_buffer b: two copies are 64 bytes of inp, beside 1 of what is there with them; "
            "inp has 64; choose a smaller tile of work, or leave the step out");
  EXPECT_EQ(error("alloc a: i8[16] inp rotates { alloc b: i8[24] inp rotates {"), "");
  EXPECT_NE(error("alloc a: i8[16] inp rotates { alloc b: i8[25] inp rotates {")
                .find("double_buffer b: two copies are 50 bytes of inp, beside 16 of"),
            std::string::npos);
  EXPECT_NE(error("alloc a: i8[30] inp rotates { alloc b: i8[5] inp {")
                .find("double_buffer a: two copies are 60 bytes of inp, beside 5 of"),
            std::string::npos);
  EXPECT_EQ(error("alloc a: i32[8] acc rotates {"), "");
  EXPECT_NE(error("alloc a: i32[9] acc rotates {"), "") << "three banks each";
  EXPECT_EQ(error("alloc a: i8[1000] global rotates {"), "") << "not counted";
}

}  // namespace
}  // namespace tessera::lower::vthread_test
