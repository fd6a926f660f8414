// SPDX-License-Identifier: Apache-2.0
#include "tools/docs/schedule_examples.h"

#include <fmt/format.h>

#include <vector>

#include "compiler/ir/intrin.h"

namespace tessera::compiler {

using ir::Expr;

namespace {

// The layout of a matrix in tiles of |rows| x |columns|.
std::string Tiled(int64_t rows, int64_t columns) {
  return rows == 1 ? fmt::format("0,1/{0},1%{0}", columns)
                   : fmt::format("0/{0},1/{1},0%{0},1%{1}", rows, columns);
}

// Cuts |threads| of the iterations of loop |axis| of y off, where there are to be any: they become
// loop |thread|. Returns the loop around.
std::string CutThreads(const std::string& axis, int64_t threads, const std::string& thread,
                       std::string* steps) {
  if (threads == 1) return axis;
  *steps += fmt::format("split y {0} {1} {0}.t {2}\n", axis, threads, thread);
  return axis + ".t";
}

// The buffers of a tile of work rotate; |box| is the input's.
std::string Rotation(const std::string& box, const Turns& turns, bool weights_stay) {
  if (!turns.double_buffer) return "";
  return fmt::format("double_buffer {}\n{}double_buffer sum\ndouble_buffer y.o\n", box,
                     weights_stay ? "" : "double_buffer w.i\n");
}

}  // namespace

te::Tensor ProductExample(int64_t m, int64_t n, int64_t k) {
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {m, k}),
                   w = te::Placeholder("w", DType::kInt8, {n, k});
  const te::Axis c = te::ReduceAxis("k", k);
  const auto wide = [](const Expr& e) { return ir::Cast(DType::kInt32, e); };
  const te::Tensor sum = te::Compute("sum", {m, n}, {"m", "n"}, [&](const std::vector<Expr>& i) {
    return te::Sum(wide(x(i[0], c.var)) * wide(w(i[1], c.var)), {c});
  });
  const auto number = [](int64_t v) { return ir::Imm(DType::kInt32, v); };
  return te::Compute("y", {m, n}, {"m", "n"}, [&](const std::vector<Expr>& i) {
    const Expr scaled = ir::Requant(sum(i), number(1518500250), number(-9), isa::Round::kEven);
    return ir::Cast(DType::kInt8, ir::ClampAdd(scaled, number(3), number(-128), number(127)));
  });
}

std::string ProductSteps(const isa::Config& config, const ProductTiles& tiles) {
  const int64_t b = config.batch, o = config.block_out;
  std::string steps =
      "# where everything is, in tiles of the machine\n"
      "cache_write y out y.o\nset_scope sum acc\ncache_read x inp x.i sum\n"
      "cache_read w wgt w.i sum\n";
  for (const char* name : {"x", "x.i", "sum", "y.o", "y"})
    steps += fmt::format("layout {} {}\n", name, Tiled(b, o));
  for (const char* name : {"w", "w.i"}) steps += fmt::format("layout {} {}\n", name, Tiled(o, o));
  steps += fmt::format(
      "# tiles of work, chunks of the reduction\n"
      "tile y m n {} {} m.o n.o m.i n.i\nsplit sum k {} k.o k.i\n",
      tiles.rows, tiles.columns, tiles.depth);
  const bool threads = tiles.turns.threads > 1;
  CutThreads("n.o", tiles.turns.threads, "thread", &steps);
  if (threads) steps += "vthread y thread\n";
  steps += fmt::format("compute_at y.o y {0}\ncompute_at sum y {0}\n", threads ? "thread" : "n.o");
  const std::string fetch = fmt::format("compute_at x.i sum {0}\n{1}", tiles.anew ? "k.t" : "k.o",
                                        tiles.weights_stay ? ""
                                        : tiles.anew       ? "compute_at w.i sum k.t before x.i\n"
                                                           : "compute_at w.i sum k.o before x.i\n");
  if (!tiles.anew) steps += fetch;
  steps += Rotation("x.i", tiles.turns, tiles.weights_stay);
  return steps + fmt::format(
                     "# tiles of the machine\n"
                     "tile y m.i n.i {0} {1} m.t n.t b o\nfuse y b o lane\n"
                     "tile y.o m n {0} {1} m.t n.t b o\nfuse y.o b o lane\n"
                     "split sum k.i {1} k.t l\ntile sum m n {0} {1} m.t n.t b o\n"
                     "reorder sum k.o m.t n.t k.t b o l\n{2}"
                     "tile x.i i0 i1 {0} {1} m.t k.t b o\nfuse x.i b o lane\n"
                     "tile w.i i0 i1 {1} {1} n.t k.t o l\nfuse w.i o l lane\n"
                     "# instructions\n"
                     "tensorize x.i lane tile.load_inp\ntensorize w.i lane tile.load_wgt\n"
                     "tensorize sum b tile.gemm\ntensorize y.o lane tile.requant\n"
                     "tensorize y lane tile.store\n",
                     b, o, tiles.anew ? fetch : "");
}

te::Tensor WindowExample(const WindowShape& v) {
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {1, v.channels, v.height, v.width}),
                   w = te::Placeholder("w", DType::kInt8, {v.outs, v.channels, v.taps, v.taps});
  const te::Tensor pad = te::Compute(
      "pad", {1, v.channels, v.height + 2 * v.pad, v.width + 2 * v.pad}, {"n", "c", "y", "x"},
      [&](const std::vector<Expr>& i) {
        const Expr row = i[2] - Expr(v.pad), column = i[3] - Expr(v.pad);
        const Expr inside = ir::And(ir::And(ir::Le(0, row), ir::Lt(row, Expr(v.height))),
                                    ir::And(ir::Le(0, column), ir::Lt(column, Expr(v.width))));
        return ir::Select(inside, x(i[0], i[1], row, column), ir::Imm(DType::kInt8, v.value));
      });
  const te::Axis c = te::ReduceAxis("ci", v.channels), ky = te::ReduceAxis("ky", v.taps),
                 kx = te::ReduceAxis("kx", v.taps);
  const std::vector<int64_t> shape{1, v.outs, v.out(v.height), v.out(v.width)};
  const auto wide = [](const Expr& e) { return ir::Cast(DType::kInt32, e); };
  const te::Tensor sum =
      te::Compute("sum", shape, {"n", "c", "y", "x"}, [&](const std::vector<Expr>& i) {
        const Expr at_y = i[2] * Expr(v.stride) + ky.var, at_x = i[3] * Expr(v.stride) + kx.var;
        return te::Sum(wide(pad(i[0], c.var, at_y, at_x)) * wide(w(i[1], c.var, ky.var, kx.var)),
                       {c, ky, kx});
      });
  const auto number = [](int64_t n) { return ir::Imm(DType::kInt32, n); };
  return te::Compute("y", shape, {"n", "c", "y", "x"}, [&](const std::vector<Expr>& i) {
    const Expr scaled = ir::Requant(sum(i), number(1518500250), number(-9), isa::Round::kTflite);
    return ir::Cast(DType::kInt8, ir::ClampAdd(scaled, number(-5), number(-128), number(100)));
  });
}

std::string WindowSteps(const isa::Config& config, const WindowTiles& tiles) {
  const int64_t o = config.block_out;
  std::string steps =
      "# where everything is, in tiles of the machine\n"
      "cache_write y out y.o\nset_scope sum acc\nset_scope pad inp\ncache_read w wgt w.i sum\n";
  for (const char* name : {"x", "pad", "sum", "y.o", "y"})
    steps += fmt::format("layout {0} 0,1/{1},2,3,1%{1}\n", name, o);
  for (const char* name : {"w", "w.i"})
    steps += fmt::format("layout {0} 0/{1},1/{1},2,3,0%{1},1%{1}\n", name, o);
  steps += fmt::format(
      "# tiles of work, chunks of the reduction\n"
      "tile y y x {1} {2} y.o x.o y.i x.i\nsplit y c {0} c.t lane\nsplit y c.t {3} c.o c.i\n"
      "split sum ci {0} ci.t l\nsplit sum ci.t {4} ci.o ci.i\n",
      o, tiles.rows, tiles.columns, tiles.blocks, tiles.depth);
  const int64_t columns = tiles.turns.threads, rows = tiles.row_threads;
  const bool both = columns > 1 && rows > 1, threads = columns > 1 || rows > 1;
  const char *of_columns = both ? "thread.c" : "thread", *of_rows = both ? "thread.y" : "thread";
  const std::string c = CutThreads("c.o", columns, of_columns, &steps),
                    y = CutThreads("y.o", rows, of_rows, &steps);
  std::string order = tiles.channels_inside ? y + " x.o " + c : c + " " + y + " x.o";
  if (columns > 1) order += std::string(" ") + of_columns;
  if (rows > 1) order += std::string(" ") + of_rows;
  steps += fmt::format("reorder y n {} c.i y.i x.i lane\n", order);
  if (both) steps += "fuse y thread.c thread.y thread\n";
  if (threads) steps += "vthread y thread\n";
  const char* loop = threads ? "thread" : tiles.channels_inside ? "c.o" : "x.o";
  steps +=
      fmt::format("compute_at y.o y {0}\ncompute_at sum y {0}\ncompute_at pad sum ci.o\n", loop);
  if (!tiles.weights_stay) steps += "compute_at w.i sum ci.o before pad\n";
  steps += Rotation("pad", tiles.turns, tiles.weights_stay);
  return steps + fmt::format(
                     "# tiles of the machine\n"
                     "split y.o c {0} c.t lane\nreorder y.o n c.t y x lane\n"
                     "split sum c {0} c.t o\nreorder sum n ci.o c.t y x ci.i ky kx o l\n"
                     "split pad c {0} c.t lane\nreorder pad n c.t y x lane\n"
                     "tile w.i i0 i1 {0} {0} o.t i.t o l\nreorder w.i o.t i.t i2 i3 o l\n"
                     "fuse w.i o l lane\n"
                     "# instructions\n"
                     "tensorize pad lane tile.load_inp tile.fill_inp\n"
                     "tensorize w.i lane tile.load_wgt\ntensorize sum o tile.gemm\n"
                     "tensorize y.o lane tile.requant\ntensorize y lane tile.store\n",
                     o);
}

}  // namespace tessera::compiler
