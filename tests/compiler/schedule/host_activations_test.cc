// SPDX-License-Identifier: Apache-2.0
//
// What is tested: a tensor that the caller does not pack, another layer's result or an input of the
// network, gets no layout as the second factor of a product; weights do. Space: float32 and int8,
// numbers of channels that lanes fill and that they do not. Not tested here: the values
// (provider/onnxruntime: ONNX's cases of Gemm and MatMul).
#include <gtest/gtest.h>

#include "compiler/schedule/host.h"
#include "compiler/target/host_level.h"
#include "compiler/te/te.h"

namespace tessera::schedule::host_activations_test {
namespace {

using Index = std::vector<ir::Expr>;

// y[n, c] = sum over k of x[n, k] * w[k, c].
te::Tensor Product(DType type, int64_t channels) {
  const te::Tensor x = te::Placeholder("x", type, {3, 8}),
                   w = te::Placeholder("w", type, {8, channels});
  const te::Axis k = te::ReduceAxis("k", 8);
  const DType sums = DType::kInt32;
  return te::Compute("y", {3, channels}, {"n", "c"}, [&](const Index& i) {
    const ir::Expr a = x(i[0], k.var), b = w(k.var, i[1]);
    if (type == DType::kFloat32) return te::Sum(a * b, {k});
    return te::Sum(ir::Cast(sums, a) * ir::Cast(sums, b), {k});
  });
}

TEST(HostActivations, LieAsTheyAre) {
  for (const DType type : {DType::kFloat32, DType::kInt8}) {
    for (const int64_t channels : {4, 18, 64, 1000}) {
      SCOPED_TRACE(channels);
      const te::Tensor y = Product(type, channels);
      HostOptions options{.target = target::Host(*target::FindHostLevel("x86-64-v4-vnni"))};
      const auto packs = [&] {
        const Result<Schedule> made = HostSchedule({y}, options);
        EXPECT_TRUE(made) << made.error().message;
        return Print(made->trace()).find("layout w ") != std::string::npos;
      };
      EXPECT_TRUE(packs());
      options.activations = {"x", "w"};
      EXPECT_FALSE(packs());
    }
  }
}

}  // namespace
}  // namespace tessera::schedule::host_activations_test
