// SPDX-License-Identifier: Apache-2.0
//
// What is tested: `winograd` computes the convolution of its definition. Exactly, where no value is
// rounded (M = 2, small integers); with random floats within the error that
// docs/rationale/floats.md states, against sums in double; which stages it refuses. Space: odd and
// even sizes, fewer results than a square has, a batch, M = 2, 4 and 6. Random programs have the
// step too (lower_passes_test). Of integers all values, at the greatest sums too. The host's
// sketches with it, pads and an addition behind the sum. Not tested here: their machine code.
#include "compiler/schedule/winograd.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "compiler/ir/interp.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/host.h"
#include "compiler/schedule/schedule.h"
#include "compiler/target/host_level.h"
#include "tests/compiler/lower/agree.h"
#include "tests/compiler/lower/random_te.h"
#include "tests/compiler/lower/window_te.h"

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
te::Values ValuesFor(const std::vector<te::Tensor>& tensors, bool integers, uint64_t seed) {
  Rng rng(seed);
  te::Values values;
  for (const te::Tensor& t : tensors) {
    if (!t->placeholder) continue;
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

// The result of |s|, whose last parameter it is.
ir::Array ResultOf(const schedule::Schedule& s, const te::Values& values) {
  const Result<ir::Func> func = Lower(s, "f");
  EXPECT_TRUE(func) << func.error().message;
  std::vector<ir::Array> arrays = test::Arguments(*func, s, values);
  std::vector<ir::Array*> pointers;
  for (ir::Array& a : arrays) pointers.push_back(&a);
  EXPECT_TRUE(ir::Interpret(*func, pointers));
  return ir::Array(s.outputs()[0].dtype(),
                   test::Logical(*func, s, func->params.size() - 1, arrays));
}

// The largest difference of |y| by `winograd` with |m| from sums in double, beside the largest.
double ErrorOf(const Shape& shape, int64_t m, bool integers) {
  const te::Tensor y = Convolution(shape);
  schedule::Schedule s = *schedule::Schedule::Create({y});
  const Status applied = s.Apply("winograd y y x " + std::to_string(m));
  EXPECT_TRUE(applied) << applied.error().message;
  te::Values values = ValuesFor(te::Inputs(y), integers, 11);
  EXPECT_TRUE(te::Evaluate({y}, &values));
  const ir::Array got = ResultOf(s, values);
  const ir::Array &x = values.at(te::Inputs(y)[0].get()), &w = values.at(te::Inputs(y)[1].get());
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
    for (const int64_t m : {2, 4, 6})
      EXPECT_LT(ErrorOf(shape, m, false), schedule::Winograd(m).error()) << m;
  }
  EXPECT_EQ(schedule::Winograd(2).error(), 1e-6);
  EXPECT_EQ(schedule::Winograd(4).error(), 1e-5);
  EXPECT_EQ(schedule::Winograd(6).error(), 5e-5);
  // Not by the definition's order of sums.
  EXPECT_GT(ErrorOf(kShapes[1], 4, false), 0);
}

TEST(Winograd, SketchesOfTheHostComputeTheConvolution) {
  const te::Tensor x = te::Placeholder("image", DType::kFloat32, {2, 16, 7, 10}),
                   w = te::Placeholder("w", DType::kFloat32, {16, 16, 3, 3}),
                   other = te::Placeholder("other", DType::kFloat32, {2, 16, 7, 10});
  const te::Tensor padded = te::Compute("x", {2, 16, 9, 12}, {}, [&](const Index& i) {
    const ir::Expr y = i[2] - 1, q = i[3] - 1;
    const ir::Expr inside = ir::And(ir::And(ir::Le(0, y), ir::Lt(y, 7)),  //
                                    ir::And(ir::Le(0, q), ir::Lt(q, 10)));
    return ir::Select(inside, x(i[0], i[1], y, q), ir::ImmF32(0));
  });
  const te::Axis c = te::ReduceAxis("ci", 16), ky = te::ReduceAxis("ky", 3),
                 kx = te::ReduceAxis("kx", 3);
  const te::Tensor sum =
      te::Compute("sum", {2, 16, 7, 10}, {"n", "c", "y", "x"}, [&](const Index& i) {
        return te::Sum(
            padded(i[0], c.var, i[2] + ky.var, i[3] + kx.var) * w(i[1], c.var, ky.var, kx.var),
            {c, ky, kx});
      });
  const te::Tensor y = te::Compute("y", sum.shape(), {"n", "c", "y", "x"}, [&](const Index& i) {
    return ir::Max(sum(i) + other(i), ir::ImmF32(0));
  });
  te::Values values = ValuesFor(te::TopologicalOrder({y}), false, 5);
  ASSERT_TRUE(te::Evaluate({y}, &values));
  const ir::Array& want = values.at(y.get());
  std::vector<std::string> names;
  for (const char* level : {"x86-64-v3", "x86-64-v4-vnni"}) {
    const auto target = target::Host(*target::FindHostLevel(level));
    const auto sketches = schedule::HostSketches(y, {.target = target});
    ASSERT_TRUE(sketches) << sketches.error().message;
    names.clear();
    for (const schedule::Sketch& sketch : *sketches) {
      SCOPED_TRACE(sketch.name + "\n" + schedule::Print(sketch.trace));
      names.push_back(sketch.name);
      const auto s = schedule::Schedule::Replay({y}, sketch.trace, target);
      ASSERT_TRUE(s) << s.error().message;
      const ir::Array got = ResultOf(*s, values);
      ASSERT_EQ(got.size(), want.size());
      for (int64_t i = 0; i < got.size(); ++i) {
        EXPECT_NEAR(got.Float(i), want.Float(i), sketch.name == "products" ? 0 : 1e-3);
      }
    }
    EXPECT_EQ(names,
              (std::vector<std::string>{"products", "winograd_2", "winograd_4", "winograd_6"}));
  }
}

// A convolution of int16, which are int8 values if |bytes|, by int8. It starts at |start|.
te::Tensor OfIntegers(const Shape& s, bool bytes = true, int64_t start = 0) {
  const te::Tensor a = te::Placeholder("a", bytes ? DType::kInt8 : DType::kInt16,
                                       {s.n, s.in, s.h + 2, s.w + 2}),
                   w = te::Placeholder("w", DType::kInt8, {s.out, s.in, 3, 3});
  const te::Tensor x = te::Compute("x", a.shape(), {}, [&](const Index& i) {
    return bytes ? ir::Cast(DType::kInt16, a(i)) : a(i);
  });
  const te::Axis c = te::ReduceAxis("ci", s.in), ky = te::ReduceAxis("ky", 3),
                 kx = te::ReduceAxis("kx", 3);
  const auto wide = [](const ir::Expr& e) { return ir::Cast(DType::kInt32, e); };
  return te::Compute("y", {s.n, s.out, s.h, s.w}, {"n", "c", "y", "x"}, [&](const Index& i) {
    const ir::Expr product =
        wide(x(i[0], c.var, i[2] + ky.var, i[3] + kx.var)) * wide(w(i[1], c.var, ky.var, kx.var));
    return start == 0 ? te::Sum(product, {c, ky, kx})
                      : te::Sum(product, {c, ky, kx}, ir::Imm(DType::kInt32, start));
  });
}

// Integers are those of the definition, at the greatest sums too: 227 channels of -128 x -128.
TEST(Winograd, OfIntegersIsExact) {
  const Shape kShapes[] = {{}, {.n = 2, .in = 5, .h = 4, .w = 8}, {.in = 227, .out = 1, .h = 3}};
  for (const Shape& shape : kShapes) {
    for (const int64_t m : {2, 4}) {
      for (const int64_t start : {0, -12345}) {
        const te::Tensor y = OfIntegers(shape, true, start);
        for (const bool extreme : {false, true}) {
          Rng rng(7);
          te::Values values = test::RandomInputs(y, rng);
          for (auto& [tensor, array] : values) {
            if (extreme) std::ranges::fill(array.bytes(), uint8_t{0x80});
          }
          ASSERT_TRUE(te::Evaluate({y}, &values));
          schedule::Schedule s = *schedule::Schedule::Create({y});
          const Status applied = s.Apply("winograd y y x " + std::to_string(m));
          ASSERT_TRUE(applied) << applied.error().message;
          EXPECT_EQ(ResultOf(s, values), values.at(y.get())) << shape.in << " by " << m;
        }
      }
    }
  }
}

TEST(Winograd, RefusesIntegersThatNeedMoreBits) {
  struct Bad {
    Shape shape;
    bool bytes;
    const char *step, *message;
  };
  const Bad kBad[] = {
      {{.in = 228, .out = 1},
       true,
       "winograd y y x 4",
       "y: its 2052 products may sum up to 33619968, and squares of 4 results leave 26 bits"},
      {{},
       false,
       "winograd y y x 2",
       "y: its factors may be 131072, of squares of 2 results, and int16 has to hold them"},
      {{},
       true,
       "winograd y y x 6",
       "squares of 6 x 6 results have fractions in their transform; integers have 2 and 4"},
  };
  for (const Bad& bad : kBad) {
    schedule::Schedule s = *schedule::Schedule::Create({OfIntegers(bad.shape, bad.bytes)});
    const Status status = s.Apply(bad.step);
    ASSERT_FALSE(status) << bad.step;
    EXPECT_NE(status.error().message.find(bad.message), std::string::npos)
        << status.error().message;
  }
}

// Pads that hold a value, a bias, requantisation; rows and columns that squares do not divide.
TEST(Winograd, SketchesOfIntegersAreExact) {
  const te::Tensor given = test::WindowExpression(
      {.name = "w", .in_channels = 32, .out_channels = 16, .size = 9, .kernel = 3, .pad = 1});
  Rng rng(3);
  te::Values values = test::RandomInputs(given, rng);
  const te::Tensor y = test::ProductOutput(given, &values, DType::kInt16);
  ASSERT_TRUE(te::Evaluate({given}, &values));
  for (const char* level : {"x86-64-v2", "x86-64-v3"}) {
    const auto target = target::Host(*target::FindHostLevel(level));
    const auto sketches = schedule::HostSketches(y, {.target = target, .rounds = false});
    ASSERT_TRUE(sketches) << sketches.error().message;
    std::vector<std::string> names;
    for (const schedule::Sketch& sketch : *sketches) {
      SCOPED_TRACE(sketch.name + "\n" + schedule::Print(sketch.trace));
      names.push_back(sketch.name);
      const auto s = schedule::Schedule::Replay({y}, sketch.trace, target);
      ASSERT_TRUE(s) << s.error().message;
      EXPECT_EQ(ResultOf(*s, values), values.at(given.get()));
    }
    EXPECT_EQ(names, (std::vector<std::string>{"channel_pairs", "winograd_2", "winograd_4"}));
  }
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
      {{},
       "cache_write y reg acc\nwinograd y y x 2",
       "y is no sum of products of two float32 elements, or of int16 and int8"},
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
