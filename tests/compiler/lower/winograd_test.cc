// SPDX-License-Identifier: Apache-2.0
//
// What is tested: `winograd` computes the convolution of its definition. Exactly, where no value
// is rounded (M = 2, small integers); with random floats within the error that
// docs/rationale/floats.md states, against sums in double; which stages it refuses. Space: odd and
// even sizes, fewer results than a square has, a batch, M = 2, 4 and 6. Random programs have the
// step too (lower_passes_test). Not tested here: the code of the host's schedules with it
// (models_host_sketches_test).
#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "compiler/ir/interp.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/schedule.h"
#include "tests/compiler/lower/agree.h"

namespace tessera::lower::winograd_test {
namespace {

using Index = std::vector<ir::Expr>;

struct Shape {
  int64_t n = 1, in = 3, out = 2, h = 5, w = 7, taps = 3, step = 1;
};

te::Tensor Convolution(const Shape& s, DType type = DType::kFloat32) {
  const te::Tensor x = te::Placeholder("x", type, {s.n, s.in, s.h + 2, s.w + 2}),
                   w = te::Placeholder("w", type, {s.out, s.in, s.taps, s.taps});
  const te::Axis c = te::ReduceAxis("ci", s.in), ky = te::ReduceAxis("ky", s.taps),
                 kx = te::ReduceAxis("kx", s.taps);
  const int64_t h = (s.h + 2 - s.taps) / s.step + 1, wide = (s.w + 2 - s.taps) / s.step + 1;
  return te::Compute("y", {s.n, s.out, h, wide}, {"n", "c", "y", "x"}, [&](const Index& i) {
    return te::Sum(x(i[0], c.var, i[2] * s.step + ky.var, i[3] * s.step + kx.var) *
                       w(i[1], c.var, ky.var, kx.var),
                   {c, ky, kx});
  });
}

// Random values of the inputs; integers from -8 to 8, or numbers from -1 to 1.
te::Values ValuesFor(const te::Tensor& y, bool integers, uint64_t seed) {
  Rng rng(seed);
  te::Values values;
  for (const te::Tensor& t : te::Inputs(y)) {
    int64_t count = 1;
    for (const int64_t n : t.shape()) count *= n;
    ir::Array a(t.dtype(), count);
    for (int64_t i = 0; i < count; ++i) {
      const auto v = static_cast<float>(rng.Range(-32768, 32768));
      a.SetFloat(i, integers ? std::trunc(v / 4096) : v / 32768);
    }
    values[t.get()] = std::move(a);
  }
  return values;
}

// The largest difference of |y| by `winograd` with |m| from sums in double, beside the largest.
double ErrorOf(const Shape& shape, int64_t m, bool integers) {
  const te::Tensor y = Convolution(shape);
  schedule::Schedule s = *schedule::Schedule::Create({y});
  const Status applied = s.Apply("winograd y y x " + std::to_string(m));
  EXPECT_TRUE(applied) << applied.error().message;
  te::Values values = ValuesFor(y, integers, 11);
  EXPECT_TRUE(te::Evaluate({y}, &values));
  const Result<ir::Func> func = Lower(s, "f");
  EXPECT_TRUE(func) << func.error().message;
  if (!func) return INFINITY;
  std::vector<ir::Array> arrays = test::Arguments(*func, s, values);
  std::vector<ir::Array*> pointers;
  for (ir::Array& a : arrays) pointers.push_back(&a);
  EXPECT_TRUE(ir::Interpret(*func, pointers));
  const ir::Array &got = arrays.back(), &x = values.at(te::Inputs(y)[0].get()),
                  &w = values.at(te::Inputs(y)[1].get());
  double apart = 0, largest = 0;
  int64_t at = 0;
  for (int64_t n = 0; n < shape.n; ++n) {
    for (int64_t o = 0; o < shape.out; ++o) {
      for (int64_t r = 0; r < shape.h; ++r) {
        for (int64_t q = 0; q < shape.w; ++q, ++at) {
          double sum = 0;
          for (int64_t k = 0; k < shape.in * 9; ++k) {
            const int64_t c = k / 9, ky = k / 3 % 3, kx = k % 3;
            sum += double{x.Float(((n * shape.in + c) * (shape.h + 2) + r + ky) * (shape.w + 2) +
                                  q + kx)} *
                   double{w.Float(o * shape.in * 9 + k)};
          }
          apart = std::max(apart, std::abs(sum - double{got.Float(at)}));
          largest = std::max(largest, std::abs(sum));
        }
      }
    }
  }
  return apart / largest;
}

TEST(Winograd, IsExactWhereNothingIsRounded) {
  const Shape kShapes[] = {{},
                           {.n = 2, .h = 4, .w = 4},
                           {.in = 1, .out = 1, .h = 1, .w = 1},
                           {.h = 1, .w = 9},
                           {.h = 6, .w = 3}};
  for (const Shape& shape : kShapes) EXPECT_EQ(ErrorOf(shape, 2, true), 0);
}

TEST(Winograd, ErrorsAreThoseOfThePage) {
  const Shape kShapes[] = {{}, {.in = 64, .out = 4, .h = 12, .w = 12}, {.in = 1, .h = 2, .w = 1}};
  for (const Shape& shape : kShapes) {
    EXPECT_LT(ErrorOf(shape, 2, false), 1e-6);
    EXPECT_LT(ErrorOf(shape, 4, false), 1e-5);
    EXPECT_LT(ErrorOf(shape, 6, false), 5e-5);
  }
  // Not by the definition's order of sums.
  EXPECT_GT(ErrorOf(kShapes[1], 4, false), 0);
}

TEST(Winograd, RefusesOtherWindows) {
  struct Bad {
    Shape shape;
    const char *step, *message;
  };
  const Bad kBad[] = {
      {{.taps = 1}, "winograd y y x 2", "the window along y has 1 elements 1 apart"},
      {{.step = 2}, "winograd y y x 2", "moves by 2"},
      {{}, "winograd y y y 2", "y and y move along the same dimension"},
      {{}, "winograd y n x 2", "no window moves along n"},
      {{}, "winograd y q x 2", "q is none of its data axes"},
      {{}, "winograd y y x 3", "squares of 3 x 3 results have no transform here; 2, 4 and 6 have"},
      {{}, "winograd w y x 2", "'w' is an input"},
      {{}, "unroll y y\nwinograd y y x 2", "y has been scheduled; winograd comes first"},
      {{}, "cache_read x global y.in y\nwinograd y y x 2", "a stage 'y.in' exists already"},
      {{}, "cache_write y reg acc\nwinograd y y x 2", "y is no sum of products of two float32"},
  };
  for (const Bad& bad : kBad) {
    schedule::Schedule s = *schedule::Schedule::Create({Convolution(bad.shape)});
    const Status status = s.Apply(bad.step);
    ASSERT_FALSE(status) << bad.step;
    EXPECT_NE(status.error().message.find(bad.message), std::string::npos)
        << status.error().message;
  }
}

}  // namespace
}  // namespace tessera::lower::winograd_test
