// SPDX-License-Identifier: Apache-2.0
//
// What is tested: functions that are composed of the scalar intrinsics, evaluated, against the same
// functions of double in the C library: within 1e-5 of the result in relative terms. Space: floats
// of both signs and all exponents inside each function's range, dense near 0, 1 and -1, and what
// lies at its ends. Not tested here: the intrinsics themselves (tests/compiler/ir).
#include "compiler/region/functions.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "compiler/te/te.h"

namespace tessera::te::functions_test {
namespace {

std::vector<float> Sweep() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> values{0.0f, -0.0f, 1, -1, 20, -20, kInfinity, -kInfinity, std::nanf("")};
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 1000003)
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  for (const float center : {-1.0f, 0.0f, 1.0f}) {
    for (int i = -500; i <= 500; ++i)
      values.push_back(center + static_cast<float>(i) * static_cast<float>(i * i) * 2e-9f);
  }
  for (int i = -2000; i <= 2000; ++i) values.push_back(static_cast<float>(i) * 0.05f);
  return values;
}

double SoftplusOf(double x) { return x > 30 ? x : std::log1p(std::exp(x)); }
double SigmoidOf(double x) { return 1 / (1 + std::exp(-x)); }

struct Composed {
  const char* name;
  Expr (*made)(const Expr&);
  double (*want)(double);
  double farthest = 1e40;  // |x| is at most this
};

TEST(ComposedFunctions, AreCloseToTheCLibrary) {
  const std::vector<float> x = Sweep();
  for (const Composed& f : {Composed{"tan", Tan, std::tan, 1e4},
                            {"asin", Asin, std::asin},
                            {"acos", Acos, std::acos},
                            {"sinh", Sinh, std::sinh},
                            {"cosh", Cosh, std::cosh},
                            {"tanh", Tanh, std::tanh},
                            {"asinh", Asinh, std::asinh},
                            {"acosh", Acosh, std::acosh},
                            {"atanh", Atanh, std::atanh},
                            {"sigmoid", Sigmoid, SigmoidOf, 87},
                            {"softplus", Softplus, SoftplusOf}}) {
    const Tensor in = Placeholder("x", DType::kFloat32, {std::ssize(x)});
    const Tensor out =
        Compute("y", in.shape(), {"i"}, [&](const std::vector<Expr>& i) { return f.made(in(i)); });
    Values values;
    ir::Array& array = values[in.get()] = ir::Array(DType::kFloat32, std::ssize(x));
    for (int64_t i = 0; i < array.size(); ++i) array.SetFloat(i, x[static_cast<size_t>(i)]);
    ASSERT_TRUE(Evaluate({out}, &values));
    for (int64_t i = 0; i < array.size(); ++i) {
      const float at = x[static_cast<size_t>(i)], got = values[out.get()].Float(i);
      const double want = f.want(static_cast<double>(at));
      if (std::isfinite(at) && std::abs(at) > f.farthest) continue;
      SCOPED_TRACE(testing::Message() << f.name << " of " << at << ": " << got);
      if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(got));
      } else if (!std::isfinite(static_cast<float>(want))) {
        EXPECT_EQ(got, static_cast<float>(want));
      } else {
        EXPECT_LE(std::abs(static_cast<double>(got) - want), std::abs(want) * 1e-5 + 0x1p-148);
      }
    }
  }
}

}  // namespace
}  // namespace tessera::te::functions_test
