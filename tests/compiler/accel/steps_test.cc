// SPDX-License-Identifier: Apache-2.0
//
// What is tested: programs of the accelerator that come from schedules in steps: a matrix product
// with its operands in inp and wgt, sums in acc, requantised into out; the program computes what
// the definition says, the static checker accepts it. Space: random sizes and tiles on both
// configurations. Not tested here: regions (region_test).
#include <gtest/gtest.h>

#include "compiler/driver/run_func.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/print.h"
#include "compiler/lower/lower.h"
#include "compiler/target/accelerator.h"
#include "sim/func/func_device.h"
#include "tests/compiler/accel/net.h"
#include "tests/compiler/lower/random_te.h"

namespace tessera::test {
namespace {

using ir::Expr;
using Index = std::vector<Expr>;

// y = requantised x w^T.
te::Tensor Product(int64_t m, int64_t n, int64_t k) {
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {m, k}),
                   w = te::Placeholder("w", DType::kInt8, {n, k});
  const te::Axis c = te::ReduceAxis("k", k);
  const auto wide = [](const Expr& e) { return ir::Cast(DType::kInt32, e); };
  const te::Tensor sum = te::Compute("sum", {m, n}, {"m", "n"}, [&](const Index& i) {
    return te::Sum(wide(x(i[0], c.var)) * wide(w(i[1], c.var)), {c});
  });
  const auto number = [](int64_t v) { return ir::Imm(DType::kInt32, v); };
  return te::Compute("y", {m, n}, {"m", "n"}, [&](const Index& i) {
    const Expr scaled = ir::Requant(sum(i), number(1518500250), number(-9), isa::Round::kEven);
    return ir::Cast(DType::kInt8, ir::ClampAdd(scaled, number(3), number(-120), number(127)));
  });
}

// The layout of a matrix in tiles of |rows| x |columns|.
std::string Tiled(int64_t rows, int64_t columns) {
  return rows == 1 ? fmt::format("0,1/{0},1%{0}", columns)
                   : fmt::format("0/{0},1/{1},0%{0},1%{1}", rows, columns);
}

// Tiles of |rows| x |columns| with |depth| of the reduction at a time, in elements.
std::string Steps(const isa::Config& config, int64_t rows, int64_t columns, int64_t depth) {
  const int64_t b = config.batch, o = config.block_out;
  std::string steps =
      "cache_write y out y.o\nset_scope sum acc\ncache_read x inp x.i sum\n"
      "cache_read w wgt w.i sum\n";
  for (const char* name : {"x", "x.i", "sum", "y.o", "y"})
    steps += fmt::format("layout {} {}\n", name, Tiled(b, o));
  for (const char* name : {"w", "w.i"}) steps += fmt::format("layout {} {}\n", name, Tiled(o, o));
  // The result by tiles of work, stored a tile at a time.
  steps += fmt::format(
      "tile y m n {2} {3} m.o n.o m.i n.i\ntile y m.i n.i {0} {1} m.t n.t b o\nfuse y b o lane\n"
      "compute_at y.o y n.o\ncompute_at sum y n.o\n"
      "tile y.o m n {0} {1} m.t n.t b o\nfuse y.o b o lane\n",
      b, o, rows, columns);
  // The sums, chunk by chunk of the reduction.
  steps += fmt::format(
      "split sum k {2} k.o k.i\nsplit sum k.i {1} k.t k.l\ntile sum m n {0} {1} m.t n.t b o\n"
      "reorder sum k.o m.t n.t k.t b o k.l\n"
      "compute_at x.i sum k.o\ncompute_at w.i sum k.o before x.i\n"
      "tile x.i i0 i1 {0} {1} m.t k.t b o\nfuse x.i b o lane\n"
      "tile w.i i0 i1 {1} {1} n.t k.t b o\nfuse w.i b o lane\n",
      b, o, depth);
  return steps +
         "tensorize x.i lane tile.load_inp\ntensorize w.i lane tile.load_wgt\n"
         "tensorize sum b tile.gemm\ntensorize y.o lane tile.requant\n"
         "tensorize y lane tile.store\n";
}

TEST(AcceleratorSteps, AMatrixProductIsExact) {
  for (const char* name : {"default", "tiny"}) {
    const isa::Config config = NamedConfig(name);
    const int64_t b = config.batch, o = config.block_out;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
      SCOPED_TRACE(::testing::Message() << name << " seed " << seed);
      Rng rng(seed);
      const int64_t rows = b * rng.Range(1, 4), columns = o * rng.Range(1, 2),
                    depth = o * rng.Range(1, 3);
      const te::Tensor y =
          Product(rows * rng.Range(1, 3), columns * rng.Range(1, 3), depth * rng.Range(1, 3));
      const auto trace = schedule::ParseTrace(Steps(config, rows, columns, depth));
      ASSERT_TRUE(trace) << trace.error().message;
      const auto s = schedule::Schedule::Replay({y}, *trace, target::Accelerator(config));
      ASSERT_TRUE(s) << s.error().message;
      te::Values values = RandomInputs(y, rng);
      ASSERT_TRUE(te::Evaluate({y}, &values));
      const auto device = sim::MakeFuncDevice(config, {});
      ASSERT_TRUE(device);
      std::vector<std::vector<uint8_t>> inputs;
      for (const te::Tensor& t : te::TopologicalOrder({y})) {
        if (t->placeholder) inputs.push_back(values.at(t.get()).bytes());
      }
      const auto run = compiler::RunScheduled(*s, **device, inputs);
      ASSERT_TRUE(run) << run.error().message;
      EXPECT_EQ(run->output, values.at(y.get()).bytes()) << ir::Print(*lower::Lower(*s, "f"));
    }
  }
}

}  // namespace
}  // namespace tessera::test
