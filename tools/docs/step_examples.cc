// SPDX-License-Identifier: Apache-2.0
#include "tools/docs/step_examples.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <span>

#include "compiler/ir/intrin.h"

namespace tessera::lower {
namespace {

using ir::Expr;
using te::Tensor;
using Index = std::vector<Expr>;

// y = 2 x + 1 through a.
Tensor Elements() {
  const Tensor x = te::Placeholder("x", DType::kInt32, {4, 6});
  const Tensor a = te::Compute("a", {4, 6}, {"i", "j"}, [&](const Index& i) { return x(i) * 2; });
  return te::Compute("y", {4, 6}, {"i", "j"}, [&](const Index& i) { return a(i) + 1; });
}

// The same in one stage.
Tensor Doubled() {
  const Tensor x = te::Placeholder("x", DType::kInt32, {4, 6});
  return te::Compute("y", {4, 6}, {"i", "j"}, [&](const Index& i) { return x(i) * 2 + 1; });
}

// y = x - w.
Tensor Difference() {
  const Tensor x = te::Placeholder("x", DType::kInt32, {4, 6}),
               w = te::Placeholder("w", DType::kInt32, {4, 6});
  return te::Compute("y", {4, 6}, {"i", "j"}, [&](const Index& i) { return x(i) - w(i); });
}

// y = x plus its neighbour on the left, which is -1 for the first.
Tensor Neighbours() {
  const Tensor x = te::Placeholder("x", DType::kInt32, {4, 6});
  return te::Compute("y", {4, 6}, {"i", "j"}, [&](const Index& i) {
    return x(i) + ir::Select(ir::Le(1, i[1]), x(i[0], i[1] - 1), ir::Imm(DType::kInt32, -1));
  });
}

// The maximum of a row of int8 numbers.
Tensor Greatest() {
  const Tensor x = te::Placeholder("x", DType::kInt8, {4, 6});
  const te::Axis k = te::ReduceAxis("k", 6);
  return te::Compute("y", {4}, {"i"},
                     [&](const Index& i) { return te::MaxOf(x(i[0], k.var), {k}); });
}

// y = (x + bias) * factor; bias and factor are rows.
Tensor Affine() {
  const Tensor x = te::Placeholder("x", DType::kInt32, {4, 6}),
               bias = te::Placeholder("bias", DType::kInt32, {4}),
               factor = te::Placeholder("factor", DType::kInt32, {4});
  return te::Compute("y", {4, 6}, {"i", "j"},
                     [&](const Index& i) { return (x(i) + bias(i[0])) * factor(i[0]); });
}

// y = x w^T + 7 through sum.
Tensor Product() {
  const Tensor x = te::Placeholder("x", DType::kInt32, {4, 6}),
               w = te::Placeholder("w", DType::kInt32, {4, 6});
  const te::Axis k = te::ReduceAxis("k", 6);
  const Tensor sum = te::Compute("sum", {4, 4}, {"i", "j"}, [&](const Index& i) {
    return te::Sum(x(i[0], k.var) * w(i[1], k.var), {k});
  });
  return te::Compute("y", {4, 4}, {"i", "j"}, [&](const Index& i) { return sum(i) + 7; });
}

// y[i, j] = sum of x[i] w[j] of int8; x has the zero point 5.
Tensor ZeroPoint() {
  const Tensor x = te::Placeholder("x", DType::kInt8, {4, 6}),
               w = te::Placeholder("w", DType::kInt8, {4, 6});
  const te::Axis k = te::ReduceAxis("k", 6);
  const auto wide = [](const Expr& e) { return ir::Cast(DType::kInt32, e); };
  return te::Compute("y", {4, 4}, {"i", "j"}, [&](const Index& i) {
    return te::Sum((wide(x(i[0], k.var)) - ir::Imm(DType::kInt32, 5)) * wide(w(i[1], k.var)), {k});
  });
}

// A window of three taps over two channels, with stride two.
Tensor Window() {
  const Tensor x = te::Placeholder("x", DType::kInt32, {2, 9}),
               w = te::Placeholder("w", DType::kInt32, {3, 2, 3});
  const te::Axis ci = te::ReduceAxis("ci", 2), k = te::ReduceAxis("k", 3);
  return te::Compute("y", {3, 4}, {"c", "p"}, [&](const Index& i) {
    return te::Sum(x(ci.var, i[1] * 2 + k.var) * w(i[0], ci.var, k.var), {ci, k});
  });
}

// A 3x3 window of floats, whose values are integers.
Tensor RealWindow() {
  const Tensor a = te::Placeholder("a", DType::kInt8, {2, 6, 6}),
               b = te::Placeholder("b", DType::kInt8, {2, 2, 3, 3});
  const auto real = [](const char* name, const Tensor& of) {
    return te::Compute(name, of.shape(), {},
                       [&](const Index& i) { return ir::Cast(DType::kFloat32, of(i)); });
  };
  const Tensor x = real("x", a), w = real("w", b);
  const te::Axis c = te::ReduceAxis("ci", 2), ky = te::ReduceAxis("ky", 3),
                 kx = te::ReduceAxis("kx", 3);
  return te::Compute("s", {2, 4, 4}, {"c", "y", "x"}, [&](const Index& i) {
    return te::Sum(x(c.var, i[1] + ky.var, i[2] + kx.var) * w(i[0], c.var, ky.var, kx.var),
                   {c, ky, kx});
  });
}

// A window of three taps over a row with a pad of 0 at each end.
Tensor PaddedWindow() {
  const Tensor x = te::Placeholder("x", DType::kInt32, {6}),
               w = te::Placeholder("w", DType::kInt32, {3});
  const Tensor p = te::Compute("p", {8}, {"i"}, [&](const Index& i) {
    const Expr inside = ir::And(ir::Le(1, i[0]), ir::Lt(i[0], 7));
    return ir::Select(inside, x(i[0] - 1), ir::Imm(DType::kInt32, 0));
  });
  const te::Axis k = te::ReduceAxis("k", 3);
  return te::Compute("y", {6}, {"i"},
                     [&](const Index& i) { return te::Sum(p(i[0] + k.var) * w(k.var), {k}); });
}

// Two groups of three channels.
Tensor Groups() {
  const Tensor x = te::Placeholder("x", DType::kInt32, {6, 4}),
               w = te::Placeholder("w", DType::kInt32, {6, 3});
  const te::Axis ci = te::ReduceAxis("ci", 3);
  return te::Compute("y", {6, 4}, {"c", "p"}, [&](const Index& i) {
    return te::Sum(x(ir::FloorDiv(i[0], Expr(3)) * Expr(3) + ci.var, i[1]) * w(i[0], ci.var), {ci});
  });
}

constexpr const char* kDotRows = "dot.rows";
constexpr int64_t kRows = 2, kTaps = 3;

// out[b] = sum over i of p[b, i] * q[i], 2 x 3.
target::TensorIntrin DotRows() {
  static std::once_flag once;
  std::call_once(once, [] {
    using ir::OperandKind;
    ir::RegisterTileIntrin(
        {kDotRows,
         {OperandKind::kUpdate, OperandKind::kRead, OperandKind::kRead, OperandKind::kValue},
         [](std::span<ir::TileOperand> o) -> Status {
           if (!o[0].Holds(kRows) || !o[1].Holds(kRows * kTaps) || !o[2].Holds(kTaps))
             return Fail(Code::kOutOfRange, "{}: a tile leaves its buffer", kDotRows);
           for (int64_t b = 0; b < kRows; ++b) {
             int64_t sum = o[3].value != 0 ? 0 : o[0].array->Int(o[0].offset + b);
             for (int64_t i = 0; i < kTaps; ++i)
               sum +=
                   o[1].array->Int(o[1].offset + b * kTaps + i) * o[2].array->Int(o[2].offset + i);
             o[0].array->SetInt(o[0].offset + b, sum);
           }
           return {};
         }});
  });
  const Tensor p = te::Placeholder("p", DType::kInt32, {kRows, kTaps}),
               q = te::Placeholder("q", DType::kInt32, {kTaps});
  const te::Axis i = te::ReduceAxis("i", kTaps);
  return {kDotRows,
          kDotRows,
          te::Compute("out", {kRows}, {"b"},
                      [&](const Index& b) { return te::Sum(p(b[0], i.var) * q(i.var), {i}); }),
          {target::FirstStep()}};
}

// The examples of the first steps, in the order of Step.
std::vector<StepExample> FirstExamples() {
  return {
      {"decide", "A tile's columns are what the memory `acc` has room for beside two rows.",
       Elements(),
       "inline a\ndecide rows factors y i 2\ndecide columns factors y j room acc 4*$rows*$columns "
       "3\n"
       "tile y i j $rows $columns i.o j.o i.i j.i\n"},
      {"decide",
       "Where `a` is computed, of: root, y i, y j; and in which order its loops are, of: i j, j i. "
       "`compute_at` and `reorder` take what was picked.",
       Elements(),
       "decide place places a y i\ncompute_at a $place\ndecide order orders a j i\n"
       "reorder a $order\n"},
      {"decide",
       "The columns are outside. `a` is computed in the innermost of the two loops, whatever order "
       "is "
       "picked. Several processors share the columns; `none` and the rows are the other values.",
       Elements(),
       "decide order orders y j i\nreorder y $order\ncompute_at a y $order\n"
       "decide shared loops y j\nparallel y $shared\n"},
      {"decide",
       "Of at most four columns, sizes of tiles are 1 2 3: tiles of four would be as many as those "
       "of three.",
       Elements(), "inline a\ndecide columns tiles y j most 4 3\nsplit y j $columns j.o j.i\n"},
      {"split", "Four does not divide six: the last iterations are skipped by a condition.",
       Elements(), "inline a\nsplit y j 4 j.o j.i\n"},
      {"split",
       "Three taps in parts of two: the second begins a tap earlier, and the weight that it has in "
       "common with the first is zero there.",
       Window(), "split y k 2 k.o k.i overlap\nreindex w y w.t 0\n"},
      {"split",
       "Six products in blocks of four, without a condition: both layouts have room for two behind "
       "the end, where `w` is 0.",
       Product(), "layout x 0,1/4,1%4\nlayout w 0,1/4,1%4 0\nsplit sum k 4 k.o k.i pad\n"},
      {"fuse", "Two loops become one.", Elements(), "inline a\nfuse y i j f\n"},
      {"reorder", "The columns are the outer loop.", Elements(), "inline a\nreorder y j i\n"},
      {"tile", "Two splits and a reorder.", Elements(),
       "inline a\ntile y i j 2 3 i.o j.o i.i j.i\n"},
      {"compute_at", "A row of `a` at a time is computed where `y` needs it.", Elements(),
       "compute_at a y i\n"},
      {"compute_at",
       "Of two copies at one loop the one that is named last comes first: a unit that works in "
       "order fetches what it can have at once.",
       Product(),
       "cache_read x local x.l sum\ncache_read w local w.l sum\ncompute_at x.l sum i\n"
       "compute_at w.l sum i before x.l\n"},
      {"reverse_compute_at", "The drain of a product, in the last chunk of its reduction.",
       Product(),
       "split sum j 2 j.o j.i\nsplit sum k 3 k.o k.i\nreorder sum k.o j.o i j.i k.i\n"
       "reverse_compute_at y sum j.o\n"},
      {"inline", "`a` is computed where it is read.", Elements(), "inline a\n"},
      {"cache_read", "A row of `x` is copied near the processor.", Elements(),
       "inline a\ncache_read x local x.l y\ncompute_at x.l y i\n"},
      {"cache_write", "Two rows of the result are made in registers.", Elements(),
       "inline a\ncache_write y reg y.r\nsplit y i 2 i.o i.i\ncompute_at y.r y i.o\n"},
      {"cache_write",
       "A unit that compares 32-bit numbers finds the greatest of int8 numbers, which the copy "
       "makes narrow.",
       Greatest(), "cache_write y reg y.r i32\n"},
      {"lift",
       "Twice `x` is a stage of its own: what one instruction does of an expression that takes "
       "two.",
       Doubled(), "lift y 0 local y.l\n"},
      {"lift", "The factor of a row is a stage that has rows alone.", Affine(),
       "lift y 1 local f i\ncompute_at f y i\n"},
      {"rewrite", "A machine that only adds copies `x` as `x + 0`, which these loops show as `x`.",
       Doubled(), "rewrite y 0.0 plus_zero\nlift y 0.0 local y.l\n"},
      {"rewrite", "A machine that adds and multiplies subtracts.", Difference(),
       "rewrite y . negated\nlift y 1 local y.l\n"},
      {"stack", "Bias and factor of a channel are one record.", Affine(),
       "stack p y bias factor\ncache_read p local p.l y\ncompute_at p.l y i\n"},
      {"align",
       "Pairs of channels read pairs of channels: all that either of them needs, with zeros for "
       "what "
       "the other one needs.",
       Groups(), "align y ci x 2\nreindex w y w.g 0\n"},
      {"align",
       "Two results beside each other read the same pairs of a row, by weights of their own. Only "
       "the "
       "remainder of `i` by 2 chooses the weights, so there are two sets of them.",
       PaddedWindow(), "align y k p 2\nreindex w y w.q 0\n"},
  };
}

// The examples of the other steps.
std::vector<StepExample> OtherExamples() {
  return {
      {"skip",
       "Pads are 0, and so are products with them: the first tap and the last one do without.",
       PaddedWindow(), "inline p\nskip y k\n"},
      {"prepare", "The records are made by the caller, before the function.", Affine(),
       "stack p y bias factor\nprepare p\n"},
      {"in_place", "The result takes the place of the sums, in the caller's memory.", Product(),
       "reverse_compute_at y sum i\nin_place sum y\n"},
      {"reindex",
       "The window's taps become a dimension (im2col), and the window a product of matrices.",
       Window(), "fuse y ci k t\nreindex x y x.t\n"},
      {"reindex", "Its rows in the order in which the loops read them; columns stay as they are.",
       Window(), "reindex x y x.c keep 1\n"},
      {"reindex", "Six products in chunks of four: operands for the two behind the end are 0.",
       Product(), "split sum k 4 k.o k.i pad\nreindex x sum x.k 0\nreindex w sum w.k 0\n"},
      {"spread", "An element less 5 is the element and -5: two products for one, of int8 numbers.",
       ZeroPoint(), "spread x y x.t term\n"},
      {"rfactor", "Two partial sums, which are then added.", Product(),
       "split sum k 3 k.o k.i\nrfactor sum k.o part\n"},
      {"winograd", "Squares of 2 x 2 sums from 16 products instead of 36.", RealWindow(),
       "winograd s y x 2\ninline s.out.tiles\n"},
      {"storage_align", "Rows begin at odd multiples of four elements.", Elements(),
       "storage_align a 0 8 4\n"},
      {"storage_align", "Blocks of a column each begin at multiples of eight elements.", Elements(),
       "layout a 1/4,0,1%4\nstorage_align a 0 8 0\nstorage_align a 1 8 0\n"},
      {"set_scope", "`a` lives in a scratchpad.", Elements(), "set_scope a inp\n"},
      {"fold_storage",
       "The function before makes `x` in a scratchpad, three rows of it at a time; the last of "
       "them "
       "is the first of the next three. The loops are the same.",
       Elements(), "set_scope x inp\nfold_storage x 0 3 2\n"},
      {"fold_storage",
       "Columns are folded, four of them at a time, and two rows of `x` (the planes in front of "
       "them) are there at a time: the columns of the first two, then those of the other two.",
       Elements(), "set_scope x inp\nfold_storage x 1 4 2 2\n"},
      {"layout", "The columns of `a` are in blocks of four, the rest of the last one is -1.",
       Elements(), "layout a 1/4,0,1%4 -1\n"},
      {"layout",
       "In front of each row of `x` is a place that holds -1: the read needs no condition.",
       Neighbours(), "layout x 0,1+1+0 -1\n"},
      {"layout", "The columns of `a` are in blocks as wide as the tiles of `y`.", Elements(),
       "decide columns factors y j 3\nsplit y j $columns j.o j.i\n"
       "layout a 1/$columns,0,1%$columns\n"},
      {"vectorize", "The loop's iterations are lanes.", Elements(), "inline a\nvectorize y j\n"},
      {"unroll", "The loop's iterations are written one after the other.", Elements(),
       "inline a\nunroll y i\n"},
      {"parallel", "Rows are computed on several processors of a host, each row on one.",
       Elements(), "inline a\nparallel y i\n"},
      {"bind", "Rows are groups of threads, columns the threads of each.", Elements(),
       "inline a\nbind y i grid.x\nbind y j thread.x\n"},
      {"vthread",
       "Two threads: each has its own row of `x`, and one row is fetched before the other is read.",
       Product(),
       "cache_read x local x.l sum\nsplit sum i 2 i.o i.i\nvthread sum i.i\n"
       "compute_at x.l sum i.i\n"},
      {"double_buffer",
       "Each row of `x` is put where there is room behind the one before, and can be fetched while "
       "that one is read.",
       Product(), "cache_read x inp x.i sum\ncompute_at x.i sum i\ndouble_buffer x.i\n"},
      {"prefetch", "The next row of `x` is on its way while this one is worked on.", Elements(),
       "inline a\nprefetch x y i 1\n"},
      {"prefetch", "Each half of a row asks for half of the next row.", Elements(),
       "inline a\nsplit y j 3 j.o j.i\nprefetch x y j.o 1 of y i\n"},
      {"tensorize", "Two rows by three products are one call of `dot.rows`.", Product(),
       "layout x 1/3,0,1%3\nlayout sum 1,0\nsplit sum i 2 i.o i.i\nsplit sum k 3 k.o k.i\n"
       "reorder sum j i.o k.o i.i k.i\ntensorize sum i.i dot.rows\n"},
      {"tensorize",
       "The same with a decision, of which `dot.rows` is the only value. Splits follow it.",
       Product(),
       "decide dot intrinsics sum i dot.rows\nlayout x 1/$dot.depth,0,1%$dot.depth\n"
       "layout sum 1,0\nsplit sum i $dot.lanes i.o i.i\nsplit sum k $dot.depth k.o k.i\n"
       "reorder sum j i.o k.o i.i k.i\ntensorize sum i.i $dot\n"},
  };
}

}  // namespace

const std::vector<StepExample>& StepExamples() {
  static const std::vector<StepExample> examples = [] {
    std::vector<StepExample> all = FirstExamples();
    std::ranges::move(OtherExamples(), std::back_inserter(all));
    return all;
  }();
  return examples;
}

Result<schedule::Schedule> ScheduleOf(const StepExample& example) {
  target::Target target = *target::Interpreter();
  target.intrinsics = {DotRows()};
  for (target::TargetMemory& m : target.memories) {
    if (m.scope == ir::Scope::kAcc) m.bytes = 32;
  }
  TESSERA_ASSIGN(const schedule::Trace trace, schedule::ParseTrace(example.steps));
  return schedule::Schedule::Replay({example.output}, trace,
                                    std::make_shared<const target::Target>(std::move(target)));
}

}  // namespace tessera::lower
