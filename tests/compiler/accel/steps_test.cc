// SPDX-License-Identifier: Apache-2.0
//
// What is tested: programs of the accelerator made from schedules in steps: a matrix product with
// its operands in inp and wgt, sums in acc, requantised into out, and a window with pads. The
// program computes the definition, the static checker accepts it, and buffers have copies only
// where the schedule asks for them. Space: random sizes, tiles, threads and double buffers on both
// configurations. Not tested here: regions (region_test).
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "compiler/codegen/accel/emit/emit_func.h"
#include "compiler/ir/intrin.h"
#include "compiler/lower/lower.h"
#include "compiler/target/accelerator.h"
#include "isa/encoding.h"
#include "tests/compiler/accel/net.h"
#include "tests/compiler/accel/steps_run.h"
#include "tools/docs/schedule_examples.h"

namespace tessera::test::steps_test {
namespace {

using ir::Expr;

TEST(AcceleratorSteps, AMatrixProductIsExact) {
  for (const char* name : {"default", "tiny"}) {
    const isa::Config config = NamedConfig(name);
    const int64_t b = config.batch, o = config.block_out;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
      SCOPED_TRACE(::testing::Message() << name << " seed " << seed);
      Rng rng(seed);
      const int64_t rows = b * rng.Range(1, 4), columns = o * rng.Range(1, 2),
                    depth = o * rng.Range(1, 3);
      const int64_t across = rng.Range(1, 3), threads = rng.OneIn(2) ? across : 1;
      const bool stay = rng.OneIn(2);
      const te::Tensor y = compiler::ProductExample(rows * rng.Range(1, 3), columns * across,
                                                    depth * rng.Range(1, 3));
      ExpectExact(y,
                  compiler::ProductSteps(
                      config, {.rows = rows,
                               .columns = columns,
                               .depth = depth,
                               .weights_stay = stay,
                               .anew = !stay && rng.OneIn(2),
                               .turns = {.threads = threads,
                                         .double_buffer = threads <= 2 && rng.OneIn(2)}}),
                  config, rng);
    }
  }
}

// A buffer that the schedule does not let rotate has one place: a chunk's box has one place without
// double_buffer, one for each thread with threads, and more with double_buffer.
TEST(AcceleratorSteps, OnlyThreadsAndDoubleBufferMakeCopies) {
  const isa::Config config = NamedConfig("default");
  const te::Tensor y = compiler::ProductExample(16, 64, 64);
  const auto places = [&](const compiler::Turns& turns) {
    const std::string steps =
        compiler::ProductSteps(config, {.rows = 16, .columns = 16, .depth = 16, .turns = turns});
    const auto s =
        schedule::Schedule::Replay({y}, *schedule::ParseTrace(steps), target::Accelerator(config));
    EXPECT_TRUE(s.has_value()) << s.error().message;
    const Result<ir::Func> func = lower::Lower(*s, "f", {.guards = false});
    EXPECT_TRUE(func.has_value()) << func.error().message;
    std::vector<codegen::accel::BufferAddress> at;
    for (int64_t k = 0; k < std::ssize(func->params); ++k)
      at.push_back({true, k * 65536, isa::Segment::kArena});
    const auto image = codegen::accel::EmitFunc(*func, at, config);
    EXPECT_TRUE(image.has_value()) << image.error().message;
    std::map<isa::Memory, std::set<int64_t>> found;
    for (int64_t i = 0; i < image->insn_count(); ++i) {
      const Result<isa::Insn> insn = isa::Decode(image->Word(i));
      const auto* load = std::get_if<isa::Load>(&*insn);
      if (load != nullptr) found[static_cast<isa::Memory>(load->memory)].insert(load->sram_base);
    }
    return std::pair(found[isa::Memory::kInp].size(), found[isa::Memory::kWgt].size());
  };
  EXPECT_EQ(places({}), std::pair(size_t{1}, size_t{1}));
  EXPECT_EQ(places({.threads = 2}), std::pair(size_t{2}, size_t{2}));
  EXPECT_EQ(places({.threads = 4}), std::pair(size_t{4}, size_t{4}));
  EXPECT_EQ(places({.double_buffer = true}), std::pair(size_t{16}, size_t{16}))
      << "chunks in all, which have room side by side";
}

TEST(AcceleratorSteps, AWindowWithPadsIsExact) {
  for (const char* name : {"default", "tiny"}) {
    const isa::Config config = NamedConfig(name);
    if (config.batch != 1) continue;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
      SCOPED_TRACE(::testing::Message() << name << " seed " << seed);
      Rng rng(seed);
      compiler::WindowShape v{.channels = config.block_in * rng.Range(1, 2),
                              .outs = config.block_out * rng.Range(1, 2),
                              .height = rng.Range(5, 9),
                              .width = rng.Range(5, 9),
                              .taps = rng.OneIn(3) ? 1 : 3,
                              .stride = rng.Range(1, 2),
                              .pad = rng.Range(0, 1),
                              .value = rng.Range(-128, 127)};
      const auto divisor = [&](int64_t n) {
        int64_t d = rng.Range(1, n);
        while (n % d != 0) --d;
        return d;
      };
      compiler::WindowTiles tiles{.rows = divisor(v.out(v.height)),
                                  .columns = divisor(v.out(v.width)),
                                  .blocks = divisor(v.outs / config.block_out),
                                  .depth = divisor(v.channels / config.block_in),
                                  .channels_inside = rng.OneIn(2),
                                  .weights_stay = rng.OneIn(2)};
      tiles.row_threads = rng.OneIn(2) ? divisor(v.out(v.height) / tiles.rows) : 1;
      tiles.turns = {.threads = rng.OneIn(2) ? v.outs / config.block_out / tiles.blocks : 1,
                     .double_buffer = tiles.row_threads == 1 && rng.OneIn(2)};
      ExpectExact(compiler::WindowExample(v), compiler::WindowSteps(config, tiles), config, rng);
    }
  }
}

// A layer as networks have them: a window with a record of each channel, and a residual sum.
struct Layer {
  int64_t outs, height, width;
  bool residual;
};

Expr Number(int64_t v) { return ir::Imm(DType::kInt32, v); }

te::Tensor LayerOf(const Layer& v, int64_t channels) {
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {1, channels, v.height, v.width}),
                   w = te::Placeholder("w", DType::kInt8, {v.outs, channels, 3, 3}),
                   bias = te::Placeholder("bias", DType::kInt32, {v.outs}),
                   multiplier = te::Placeholder("multiplier", DType::kInt32, {v.outs}),
                   shift = te::Placeholder("shift", DType::kInt32, {v.outs});
  const std::vector<int64_t> shape{1, v.outs, v.height, v.width};
  const te::Tensor pad = te::Compute(
      "pad", {1, channels, v.height + 2, v.width + 2}, {"n", "c", "y", "x"},
      [&](const std::vector<Expr>& i) {
        const Expr row = i[2] - 1, column = i[3] - 1;
        const Expr inside = ir::And(ir::And(ir::Le(0, row), ir::Lt(row, Expr(v.height))),
                                    ir::And(ir::Le(0, column), ir::Lt(column, Expr(v.width))));
        return ir::Select(inside, x(i[0], i[1], row, column), ir::Imm(DType::kInt8, -7));
      });
  const te::Axis c = te::ReduceAxis("ci", channels), ky = te::ReduceAxis("ky", 3),
                 kx = te::ReduceAxis("kx", 3);
  const auto wide = [](const Expr& e) { return ir::Cast(DType::kInt32, e); };
  const std::vector<std::string> axes{"n", "c", "y", "x"};
  const te::Tensor sum = te::Compute("sum", shape, axes, [&](const std::vector<Expr>& i) {
    return te::Sum(
        wide(pad(i[0], c.var, i[2] + ky.var, i[3] + kx.var)) * wide(w(i[1], c.var, ky.var, kx.var)),
        {c, ky, kx});
  });
  const auto narrow = [&](const Expr& y, int64_t zero, int64_t lo) {
    return ir::Cast(DType::kInt8, ir::ClampAdd(y, Number(zero), Number(lo), Number(127)));
  };
  const auto first = [&](const std::vector<Expr>& i) {
    return narrow(
        ir::Requant(sum(i) + bias(i[1]), multiplier(i[1]), shift(i[1]), isa::Round::kEven), 3, -90);
  };
  if (!v.residual) return te::Compute("y", shape, axes, first);
  const te::Tensor q = te::Compute("q", shape, axes, first),
                   r = te::Placeholder("r", DType::kInt8, shape);
  return te::Compute("y", shape, axes, [&](const std::vector<Expr>& i) {
    const auto shifted = [&](const Expr& e, int64_t zero, int64_t by) {
      return ir::Bin(ir::BinOp::kShl, wide(e) - Number(zero), Number(by));
    };
    const Expr other =
        ir::Requant(shifted(r(i), -4, 20), Number(1234567890), Number(1), isa::Round::kTflite);
    return narrow(ir::Requant(shifted(q(i), 3, 19) + other, Number(1334567890), Number(-18),
                              isa::Round::kTflite),
                  -2, -128);
  });
}

// Tiles of |rows| x |columns| positions and |blocks| of output channels, which need not divide the
// layer. A result with less than a block of channels takes only its own bytes in memory.
std::string LayerSteps(const Layer& v, int64_t o, int64_t rows, int64_t columns, int64_t blocks) {
  const bool thin = v.outs < o;
  const std::string q = v.residual ? "q" : "y.o", tiles = fmt::format(" 0,1/{0},2,3,1%{0}\n", o);
  std::string steps = fmt::format(
      "cache_write y out y.o\nset_scope sum acc\nset_scope pad inp\ncache_read w wgt w.i sum\n"
      "stack p {} bias multiplier shift\nprepare p\ncache_read p prm p.i {}\n",
      q, q);
  std::vector<std::string> pieces{"y.o", "sum"};
  if (v.residual) {
    steps += "set_scope q out\nlift y.o 0.0.0.1 acc r.a\ncache_read r out r.i r.a\n";
    pieces = {"y.o", "q", "sum", "r.a", "r.i"};
  }
  for (const std::string& name : pieces) steps += "layout " + name + tiles;
  for (const char* name : {"x", "pad"}) steps += std::string("layout ") + name + tiles;
  std::vector<std::string> outside{"y"};
  if (v.residual) outside.push_back("r");
  for (const std::string& name : outside) steps += "layout " + name + (thin ? " 0,2,3,1\n" : tiles);
  for (const char* name : {"w", "w.i"})
    steps += fmt::format("layout {0} 0/{1},1/{1},2,3,0%{1},1%{1}\n", name, o);
  for (const char* name : {"p", "p.i"}) steps += fmt::format("layout {0} 1/{1},0,1%{1}\n", name, o);
  // A tile of the machine's lanes, innermost.
  const auto lanes = [&](const std::string& stage) {
    const bool copy = stage == "r.i";
    const std::string c = copy ? "i1" : "c", rest = copy ? "i2 i3" : "y x", n = copy ? "i0" : "n";
    return thin ? fmt::format("reorder {} {} {} {}\n", stage, n, rest, c)
                : fmt::format("split {0} {1} {2} c.t lane pad\nreorder {0} {3} c.t {4} lane\n",
                              stage, c, o, n, rest);
  };
  steps += fmt::format("tile y y x {} {} y.o x.o y.i x.i\n", rows, columns);
  if (thin) {
    steps += "reorder y n y.o x.o y.i x.i c\n";
  } else {
    steps += fmt::format("split y c {} c.t lane pad\nsplit y c.t {} c.o c.i\n", o, blocks) +
             "reorder y n y.o x.o c.o c.i y.i x.i lane\n";
  }
  const char* at = thin ? "x.o" : "c.o";
  for (const std::string& name : pieces) steps += fmt::format("compute_at {} y {}\n", name, at);
  steps += fmt::format("compute_at p.i y {}\n", at);
  if (v.residual) steps += "in_place q y.o\n";
  for (const std::string& name : pieces) steps += name == "sum" ? "" : lanes(name);
  steps += fmt::format(
      "split sum ci {0} ci.t l\nsplit sum c {0} c.t o pad\nreorder sum n c.t y x ci.t ky kx o l\n"
      "split pad c {0} c.t lane\nreorder pad n c.t y x lane\ncompute_at pad sum n\n"
      "split w.i i0 {0} o.t o pad\nsplit w.i i1 {0} i.t l\nreorder w.i o.t i.t i2 i3 o l\nfuse w.i "
      "o l lane\n"
      "split p.i i1 {0} c.t lane pad\nreorder p.i c.t i0 lane\nfuse p.i i0 lane number\n",
      o);
  const std::string lane = thin ? "c" : "lane";
  steps +=
      "tensorize pad lane tile.load_inp tile.fill_inp\ntensorize w.i lane tile.load_wgt\n"
      "tensorize p.i number tile.load_prm\ntensorize sum o tile.gemm\n" +
      fmt::format("tensorize {} {} tile.requant_prm\ntensorize y {} tile.store\n", q, lane, lane);
  if (v.residual) {
    steps += fmt::format(
        "tensorize r.i {1} tile.load_out\ntensorize r.a {0} tile.requant.i8.i32\n"
        "tensorize y.o {0} tile.add\n",
        lane, thin ? "i1" : lane);
  }
  return steps;
}

TEST(AcceleratorSteps, ALayerWithRecordsAResidualAndTailsIsExact) {
  const isa::Config config = NamedConfig("default");
  const int64_t o = config.block_out;
  for (uint64_t seed = 1; seed <= 24; ++seed) {
    Rng rng(seed);
    const Layer v{.outs = std::vector<int64_t>{5, 10, o, 20, 3 * o}[rng.Range(0, 4)],
                  .height = rng.Range(2, 9),
                  .width = rng.Range(2, 9),
                  .residual = rng.OneIn(2)};
    SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << v.outs << " channels of "
                                      << v.height << " x " << v.width);
    const te::Tensor y = LayerOf(v, o * rng.Range(1, 2));
    ExpectExact(y, LayerSteps(v, o, rng.Range(1, v.height), rng.Range(1, v.width), rng.Range(1, 2)),
                config, rng);
  }
}

}  // namespace
}  // namespace tessera::test::steps_test
