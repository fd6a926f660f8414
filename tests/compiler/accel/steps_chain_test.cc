// SPDX-License-Identifier: Apache-2.0
//
// What is tested: programs that no region of a network has yet, written as schedules alone: batches
// of products of two activations; two reductions in one program whose result between them stays on
// chip: a window by channel and a product, a window and a pool under it, whose cycles are counted;
// tiles of weights that LOAD fills.
// Space: random sizes. Not tested here: layers as networks have them (steps_test).
#include <gtest/gtest.h>

#include "compiler/ir/intrin.h"
#include "runtime/device/registry.h"
#include "tests/compiler/accel/net.h"
#include "tests/compiler/accel/steps_run.h"

namespace tessera::test::steps_chain_test {
namespace {

using ir::Expr;
using Place = std::vector<Expr>;

Expr Wide(const Expr& e) { return ir::Cast(DType::kInt32, e); }
Expr Number(int64_t v) { return ir::Imm(DType::kInt32, v); }
Expr Scaled(const Expr& sum, int64_t shift) {
  const Expr y = ir::Requant(sum, Number(1518500250), Number(shift), isa::Round::kEven);
  return ir::Cast(DType::kInt8, ir::ClampAdd(y, Number(3), Number(-128), Number(127)));
}

// y[.., m, n] = requantised sum over k of x[.., m, k] w[.., n, k], for up to three batch
// dimensions: tensors of rank five.
TEST(AcceleratorChains, BatchesOfProductsOfActivationsAreExact) {
  const isa::Config config = NamedConfig("default");
  const int64_t o = config.block_out;
  for (uint64_t seed = 1; seed <= 9; ++seed) {
    Rng rng(seed);
    const auto batches = static_cast<size_t>(seed % 3 + 1);
    SCOPED_TRACE(::testing::Message() << "seed " << seed << ", rank " << batches + 2);
    const int64_t m = rng.Range(1, 20), n = o * rng.Range(1, 2), depth = o * rng.Range(1, 3);
    std::vector<int64_t> x_shape, w_shape, y_shape;
    std::string dims, axes, copies;  // "0,1," and "b0 b1 " and "i0 i1 "
    std::vector<std::string> names;
    for (size_t d = 0; d < batches; ++d) {
      x_shape.push_back(rng.Range(1, 3));
      dims += fmt::format("{},", d);
      names.push_back(fmt::format("b{}", d));
      axes += names.back() + " ";
      copies += fmt::format("i{} ", d);
    }
    w_shape = y_shape = x_shape;
    x_shape.insert(x_shape.end(), {m, depth});
    w_shape.insert(w_shape.end(), {n, depth});
    y_shape.insert(y_shape.end(), {m, n});
    names.insert(names.end(), {"m", "n"});
    const te::Tensor x = te::Placeholder("x", DType::kInt8, x_shape),
                     w = te::Placeholder("w", DType::kInt8, w_shape);
    const te::Axis k = te::ReduceAxis("k", depth);
    const te::Tensor sum = te::Compute("sum", y_shape, names, [&](const Place& i) {
      Place of_x(i.begin(), i.end() - 1), of_w(i.begin(), i.end() - 2);
      of_x.push_back(k.var);
      of_w.insert(of_w.end(), {i.back(), k.var});
      return te::Sum(Wide(x(of_x)) * Wide(w(of_w)), {k});
    });
    const te::Tensor y =
        te::Compute("y", y_shape, names, [&](const Place& i) { return Scaled(sum(i), -9); });
    const size_t r = batches, c = batches + 1;  // rows and columns
    std::string steps =
        "cache_write y out y.o\nset_scope sum acc\ncache_read x inp x.i sum\n"
        "cache_read w wgt w.i sum\n";
    for (const char* name : {"x", "x.i", "sum", "y.o", "y"})
      steps += fmt::format("layout {0} {1}{3}/{4},{2},{3}%{4}\n", name, dims, r, c, o);
    for (const char* name : {"w", "w.i"})
      steps += fmt::format("layout {0} {1}{2}/{4},{3}/{4},{2}%{4},{3}%{4}\n", name, dims, r, c, o);
    const std::string at = names[batches - 1];
    steps += fmt::format(
        "split y n {0} n.t lane\nreorder y {1}n.t m lane\ncompute_at y.o y {2}\n"
        "compute_at sum y {2}\ncompute_at x.i y {2}\ncompute_at w.i y {2}\n"
        "split y.o n {0} n.t lane\nreorder y.o {1}n.t m lane\nsplit sum n {0} n.t o\n"
        "split sum k {0} k.t l\nreorder sum {1}n.t m k.t o l\nsplit x.i i{5} {0} k.t lane\n"
        "reorder x.i {3}k.t i{4} lane\nsplit w.i i{4} {0} n.t o\nsplit w.i i{5} {0} k.t l\n"
        "reorder w.i {3}n.t k.t o l\nfuse w.i o l lane\ntensorize x.i lane tile.load_inp\n"
        "tensorize w.i lane tile.load_wgt\ntensorize sum o tile.gemm\n"
        "tensorize y.o lane tile.requant\ntensorize y lane tile.store\n",
        o, axes, at, copies, r, c);
    ExpectExact(y, steps, config, rng);
  }
}

// Weights with a zero point, taken off as a second term: LOAD brings their tiles, and fills the
// others with one value.
TEST(AcceleratorChains, FilledTilesOfWeightsAreExact) {
  const isa::Config config = NamedConfig("default");
  const int64_t o = config.block_out;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed);
    const int64_t channels = o * rng.Range(1, 3), outs = o * rng.Range(1, 2);
    const te::Tensor x = te::Placeholder("x", DType::kInt8,
                                         {1, channels, rng.Range(1, 5), rng.Range(1, 5)}),
                     w = te::Placeholder("w", DType::kInt8, {outs, channels});
    const te::Axis c = te::ReduceAxis("ci", channels);
    const int64_t zero = rng.Range(-127, 127);
    const std::vector<int64_t> shape{1, outs, x.shape()[2], x.shape()[3]};
    const te::Tensor sum = te::Compute("sum", shape, {"n", "c", "y", "x"}, [&](const Place& i) {
      return te::Sum(Wide(x(i[0], c.var, i[2], i[3])) * (Wide(w(i[1], c.var)) - Number(zero)), {c});
    });
    const te::Tensor y = te::Compute("y", shape, {"n", "c", "y", "x"},
                                     [&](const Place& i) { return Scaled(sum(i), -10); });
    std::string steps =
        "cache_write y out y.o\nset_scope sum acc\ncache_read x inp x.i sum\n"
        "spread w sum w.p term\nset_scope w.p wgt\n";
    for (const char* name : {"x", "x.i", "sum", "y.o", "y"})
      steps += fmt::format("layout {0} 0,1/{1},2,3,1%{1}\n", name, o);
    steps +=
        fmt::format("layout w 0/{0},1/{0},0%{0},1%{0}\nlayout w.p 0/{0},1/{0},2,0%{0},1%{0}\n", o);
    for (const char* name : {"y", "y.o"})
      steps += fmt::format("split {0} c {1} c.t lane\nreorder {0} n c.t y x lane\n", name, o);
    steps += fmt::format(
        "compute_at y.o y c.t\ncompute_at sum y c.t\n"
        "split x.i i1 {0} c.t lane\nreorder x.i i0 c.t i2 i3 lane\n"
        "split sum c {0} c.t b\nsplit sum ci {0} ci.t l\nreorder sum n c.t y x ci.t term b l\n"
        "split w.p c {0} o.t b\nsplit w.p ci {0} i.t l\nreorder w.p o.t i.t term b l\n"
        "fuse w.p b l lane\ntensorize x.i lane tile.load_inp\n"
        "tensorize w.p lane tile.load_wgt tile.fill_wgt\ntensorize sum b tile.gemm\n"
        "tensorize y.o lane tile.requant\ntensorize y lane tile.store\n",
        o);
    ExpectExact(y, steps, config, rng);
  }
}

// A window of 3 x 3 with a pad around |x| of |channels|, over channels or channel by channel.
te::Tensor WindowOf(const te::Tensor& x, int64_t channels, bool by_channel) {
  const int64_t height = x.shape()[2], width = x.shape()[3];
  const te::Tensor pad = te::Compute(
      "pad", {1, x.shape()[1], height + 2, width + 2}, {"n", "c", "y", "x"}, [&](const Place& i) {
        const Expr row = i[2] - 1, column = i[3] - 1;
        return ir::Select(ir::And(ir::And(ir::Le(0, row), ir::Lt(row, Expr(height))),
                                  ir::And(ir::Le(0, column), ir::Lt(column, Expr(width)))),
                          x(i[0], i[1], row, column), ir::Imm(DType::kInt8, 5));
      });
  const te::Axis ky = te::ReduceAxis("ky", 3), kx = te::ReduceAxis("kx", 3);
  const std::vector<int64_t> shape{1, channels, height, width};
  if (by_channel) {
    const te::Tensor w = te::Placeholder("w", DType::kInt8, {channels, 3, 3});
    return te::Compute("sum", shape, {"n", "c", "y", "x"}, [&](const Place& i) {
      return te::Sum(
          Wide(pad(i[0], i[1], i[2] + ky.var, i[3] + kx.var)) * Wide(w(i[1], ky.var, kx.var)),
          {ky, kx});
    });
  }
  const te::Tensor w = te::Placeholder("w", DType::kInt8, {channels, x.shape()[1], 3, 3});
  const te::Axis c = te::ReduceAxis("ci", x.shape()[1]);
  return te::Compute("sum", shape, {"n", "c", "y", "x"}, [&](const Place& i) {
    return te::Sum(
        Wide(pad(i[0], c.var, i[2] + ky.var, i[3] + kx.var)) * Wide(w(i[1], c.var, ky.var, kx.var)),
        {c, ky, kx});
  });
}

// Layouts of the tensors |names| in blocks of |o| channels, which are dimension 1 of four.
std::string Blocked(int64_t o, const std::vector<std::string>& names) {
  std::string steps;
  for (const std::string& name : names)
    steps += fmt::format("layout {0} 0,1/{1},2,3,1%{1}\n", name, o);
  return steps;
}
// The loops of |names| over the machine's tiles.
std::string Tiles(int64_t o, const std::vector<std::string>& names) {
  std::string steps;
  for (const std::string& name : names)
    steps += fmt::format("split {0} c {1} c.t lane\nreorder {0} n c.t y x lane\n", name, o);
  return steps;
}

// A window by channel, then a product over its channels: the tensor between them is in inp, one
// tile of work at a time.
TEST(AcceleratorChains, AWindowByChannelAndAProductStayOnChip) {
  const isa::Config config = NamedConfig("default");
  const int64_t o = config.block_out;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed);
    const int64_t channels = o * rng.Range(1, 3), outs = o * rng.Range(1, 2);
    const te::Tensor x = te::Placeholder("x", DType::kInt8,
                                         {1, channels, rng.Range(3, 9), rng.Range(3, 9)}),
                     v = te::Placeholder("v", DType::kInt8, {outs, channels});
    const te::Tensor first = WindowOf(x, channels, true);
    const te::Tensor q = te::Compute("q", first.shape(), {"n", "c", "y", "x"},
                                     [&](const Place& i) { return Scaled(first(i), -8); });
    const te::Axis c = te::ReduceAxis("ci", channels);
    const std::vector<int64_t> shape{1, outs, x.shape()[2], x.shape()[3]};
    const te::Tensor second =
        te::Compute("product", shape, {"n", "c", "y", "x"}, [&](const Place& i) {
          return te::Sum(Wide(q(i[0], c.var, i[2], i[3])) * Wide(v(i[1], c.var)), {c});
        });
    const te::Tensor y = te::Compute("y", shape, {"n", "c", "y", "x"},
                                     [&](const Place& i) { return Scaled(second(i), -10); });
    ExpectExact(
        y,
        "cache_write y out y.o\nset_scope product acc\nset_scope sum acc\nset_scope q inp\n"
        "set_scope pad inp\ncache_read v wgt v.i product\n"
        "fuse sum ky kx taps\nreindex w sum t\nsplit sum taps 3 ky kx\nprepare t\n"
        "cache_read t wgt t.i sum\n" +
            Blocked(o, {"x", "pad", "sum", "q", "product", "y.o", "y"}) +
            fmt::format(
                "layout v 0/{0},1/{0},0%{0},1%{0}\nlayout v.i 0/{0},1/{0},0%{0},1%{0}\n"
                "layout t 0/{0},1/{0},0%{0},1%{0}\nlayout t.i 0/{0},1/{0},0%{0},1%{0}\n"
                "split y y {1} y.o y.i\nsplit y c {0} c.t lane\nreorder y n y.o c.t y.i x lane\n",
                o, rng.Range(1, 4)) +
            "compute_at y.o y y.o\ncompute_at product y y.o\ncompute_at q y y.o\n"
            "compute_at sum y y.o\ncompute_at pad y y.o\n" +
            Tiles(o, {"y.o", "q", "pad"}) +
            fmt::format(
                "split product c {0} c.t b\nsplit product ci {0} ci.t l\n"
                "reorder product n c.t y x ci.t b l\n"
                "split sum c {0} c.t lane\nreorder sum n c.t y x lane ky kx\n"
                "tile v.i i0 i1 {0} {0} o.t i.t b l\nfuse v.i b l lane\n"
                "split t.i c {0} o.t b\nsplit t.i taps {0} i.t l pad\nreorder t.i o.t i.t b l\n"
                "fuse t.i b l lane\n",
                o) +
            "tensorize pad lane tile.load_inp tile.fill_inp\ntensorize t.i lane tile.load_wgt\n"
            "tensorize v.i lane tile.load_wgt\ntensorize sum lane tile.window\n"
            "tensorize q lane tile.requant\ntensorize product b tile.gemm\n"
            "tensorize y.o lane tile.requant\ntensorize y lane tile.store\n",
        config, rng);
  }
}

// A window of |taps| x |taps| over the rows and columns of q: its greatest value, or its average.
struct Pool {
  const char* name;
  bool most;
  int64_t taps, stride;  // taps 0: all of them
};

// y, requantised from |pool| of |q|.
te::Tensor Pooled(const te::Tensor& q, const Pool& pool) {
  const int64_t rows = pool.taps == 0 ? q.shape()[2] : pool.taps,
                columns = pool.taps == 0 ? q.shape()[3] : pool.taps;
  const te::Axis py = te::ReduceAxis("py", rows), px = te::ReduceAxis("px", columns);
  const std::vector<int64_t> shape{1, q.shape()[1], (q.shape()[2] - rows) / pool.stride + 1,
                                   (q.shape()[3] - columns) / pool.stride + 1};
  const te::Tensor all = te::Compute("all", shape, {"n", "c", "y", "x"}, [&](const Place& i) {
    const Expr e =
        Wide(q(i[0], i[1], i[2] * Expr(pool.stride) + py.var, i[3] * Expr(pool.stride) + px.var));
    return pool.most ? te::MaxOf(e, {py, px}) : te::Sum(e, {py, px});
  });
  return te::Compute("y", shape, {"n", "c", "y", "x"},
                     [&](const Place& i) { return Scaled(all(i), pool.most ? -1 : -4); });
}

// The requantised sum over the window and all channels: q, as an output or for |pool|.
te::Tensor WindowResult(const te::Tensor& x, int64_t outs) {
  const te::Tensor first = WindowOf(x, outs, false);
  return te::Compute("q", first.shape(), {"n", "c", "y", "x"},
                     [&](const Place& i) { return Scaled(first(i), -10); });
}

// The steps of the parts. The loop over blocks of |out| contains the buffers of a block, two of
// each: VECTOR pools a block while the array computes the next.
std::string WindowOperands(int64_t o) {
  return "set_scope sum acc\nset_scope pad inp\ncache_read w wgt w.i sum\n" +
         Blocked(o, {"x", "pad", "sum"}) +
         fmt::format(
             "layout w 0/{0},1/{0},2,3,0%{0},1%{0}\nlayout w.i 0/{0},1/{0},2,3,0%{0},1%{0}\n", o);
}
std::string WindowTilesOf(int64_t o) {
  return Tiles(o, {"pad"}) +
         fmt::format(
             "split sum c {0} c.t b\nsplit sum ci {0} ci.t l\nreorder sum n c.t y x "
             "ci.t ky kx b l\ntile w.i i0 i1 {0} {0} o.t i.t b l\n"
             "reorder w.i o.t i.t i2 i3 b l\nfuse w.i b l lane\n",
             o) +
         "tensorize pad lane tile.load_inp tile.fill_inp\ntensorize w.i lane tile.load_wgt\n"
         "tensorize sum b tile.gemm\ndouble_buffer sum\n";
}
std::string ResultOf(int64_t o, const std::string& out) {
  return fmt::format("cache_write {0} out {0}.o\n", out) + Blocked(o, {out, out + ".o"}) +
         fmt::format(
             "split {1} c {0} c.t lane\nreorder {1} n c.t y x lane\n"
             "compute_at {1}.o {1} c.t\n",
             o, out) +
         Tiles(o, {out + ".o"}) +
         fmt::format(
             "tensorize {0}.o lane tile.requant\ntensorize {0} lane tile.store\n"
             "double_buffer {0}.o\n",
             out);
}
std::string PoolTiles(int64_t o, const Pool& pool) {
  return fmt::format("split all c {0} c.t lane\nreorder all n c.t y x py px lane\n", o) +
         fmt::format("tensorize all lane tile.reduce_{}\ndouble_buffer all\n",
                     pool.most ? "max" : "add");
}
std::string TogetherSteps(int64_t o, const Pool& pool) {
  return "set_scope all acc\nset_scope q inp\n" + WindowOperands(o) + ResultOf(o, "y") +
         Blocked(o, {"q", "all"}) +
         "compute_at all y c.t\ncompute_at q y c.t\ncompute_at sum y c.t\n" + Tiles(o, {"q"}) +
         WindowTilesOf(o) + "tensorize q lane tile.requant\ndouble_buffer q\n" + PoolTiles(o, pool);
}

class PoolUnderWindow : public ::testing::TestWithParam<Pool> {};

TEST_P(PoolUnderWindow, IsExact) {
  const isa::Config config = NamedConfig("default");
  const int64_t o = config.block_out;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed);
    const int64_t channels = o * rng.Range(1, 2), outs = o * rng.Range(1, 3);
    const te::Tensor x =
        te::Placeholder("x", DType::kInt8, {1, channels, rng.Range(3, 7), rng.Range(3, 7)});
    ExpectExact(Pooled(WindowResult(x, outs), GetParam()), TogetherSteps(o, GetParam()), config,
                rng);
  }
}

// On the cycle model, with 16 blocks of channels: the pool of all but the last block runs under the
// window, and both together take less than the window alone with its result stored.
TEST_P(PoolUnderWindow, TakesNoMoreThanTheWindow) {
  const isa::Config config = NamedConfig("default");
  const int64_t o = config.block_out, outs = 16 * o;
  const Pool& pool = GetParam();
  const auto cycles = [&](const te::Tensor& y, const std::string& steps) {
    Rng rng(1);
    const auto device = OpenDevice("cycle", config);
    EXPECT_TRUE(device) << device.error().message;
    return device ? static_cast<double>(ExpectExactOn(**device, y, steps, rng)) : 0.0;
  };
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {1, o, 14, 14}),
                   stored = te::Placeholder("q", DType::kInt8, {1, outs, 14, 14});
  const double window =
      cycles(WindowResult(x, outs),
             WindowOperands(o) + ResultOf(o, "q") + "compute_at sum q c.t\n" + WindowTilesOf(o));
  const double alone =
      cycles(Pooled(stored, pool),
             "set_scope all acc\ncache_read q inp q.i all\n" + ResultOf(o, "y") +
                 Blocked(o, {"q", "q.i", "all"}) + "compute_at all y c.t\ncompute_at q.i y c.t\n" +
                 fmt::format("split q.i i1 {} c.t lane\nreorder q.i i0 c.t i2 i3 lane\n", o) +
                 "tensorize q.i lane tile.load_inp\ndouble_buffer q.i\n" + PoolTiles(o, pool));
  const double together = cycles(Pooled(WindowResult(x, outs), pool), TogetherSteps(o, pool));
  // With one copy of each buffer the next block waits for the pool.
  std::string single = TogetherSteps(o, pool);
  for (size_t at; (at = single.find("double_buffer ")) != std::string::npos;)
    single.erase(at, single.find('\n', at) + 1 - at);
  const double apart = cycles(Pooled(WindowResult(x, outs), pool), single);
  const std::string all = fmt::format("{} and {} cycles, together {}, with one copy {}", window,
                                      alone, together, apart);
  RecordProperty("cycles", all);
  EXPECT_GT(alone, 0.15 * window) << "too little to hide: " << all;
  EXPECT_LT(together, window) << all;
  EXPECT_GT(apart, together + 0.4 * alone) << all;
}

INSTANTIATE_TEST_SUITE_P(Pools, PoolUnderWindow,
                         ::testing::Values(Pool{"average", false, 0, 1}, Pool{"most", true, 3, 2}),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace tessera::test::steps_chain_test
