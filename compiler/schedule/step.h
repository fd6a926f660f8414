// SPDX-License-Identifier: Apache-2.0
//
// The steps of a schedule, a type for each, and their text. steps/NAME.cc has the effect of a step.
// A new step needs a type here or in loop_steps.h, a place in AnyStep and such a file. Depends on:
// compiler/ir, domain.h. Used by: schedule.h, the generators, the command's --dump schedule.
//
// In the text a step is a line of words, its name first; # begins a comment. AXIS is a loop of the
// stage. N is a number or $NAME, the value of an earlier decision; of an intrinsic $NAME.lanes,
// $NAME.depth or $NAME.sums (Editor::Value). DOMAIN is one of
//   {A B C}, `factors STAGE AXIS` or `tiles STAGE AXIS`, the last two also with `most N` and
//     `room MEMORY BUFFERS`: VALUE is a number;
//   `places STAGE`, for compute_at: VALUE is `root` or CONSUMER AXIS;
//   `orders STAGE`, for reorder: VALUE is the loops in the order picked;
//   `loops STAGE`, for parallel: VALUE is `none` or AXIS;
//   `intrinsics STAGE AXIS`, for tensorize: VALUE is INTRINSIC.
#ifndef TESSERA_COMPILER_SCHEDULE_STEP_H_
#define TESSERA_COMPILER_SCHEDULE_STEP_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "base/error.h"
#include "compiler/ir/ir.h"
#include "compiler/schedule/domain.h"
#include "compiler/schedule/loop_steps.h"
#include "compiler/schedule/step_fields.h"

namespace tessera::schedule {

// A choice; $NAME in a later step stands for its value.
struct DecideStep {
  static constexpr const char* kName = "decide";
  static constexpr const char* kUsage = "decide NAME DOMAIN VALUE";
  std::string name;
  Domain domain;
  Choice value;  // a value of the domain
  bool operator==(const DecideStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.name, s.domain, s.value); }
};

// AXIS = OUTER * N + INNER.
struct SplitStep {
  static constexpr const char* kName = "split";
  static constexpr const char* kUsage = "split STAGE AXIS N OUTER INNER [pad|overlap]";
  std::string stage, axis;
  Amount factor;
  std::string outer, inner;
  Tail tail = Tail::kGuard;
  bool operator==(const SplitStep&) const = default;
  static auto Fields(auto& s) {
    return std::tie(s.stage, s.axis, s.factor, s.outer, s.inner, s.tail);
  }
};

// Fuses two neighbouring loops.
struct FuseStep {
  static constexpr const char* kName = "fuse";
  static constexpr const char* kUsage = "fuse STAGE OUTER INNER FUSED";
  std::string stage, outer, inner, fused;
  bool operator==(const FuseStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.outer, s.inner, s.fused); }
};

// Puts these loops in this order, in the places that they hold. $NAME is a decision's order.
struct ReorderStep {
  static constexpr const char* kName = "reorder";
  static constexpr const char* kUsage = "reorder STAGE AXIS AXIS ...";
  std::string stage;
  std::vector<std::string> axes;
  bool operator==(const ReorderStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.axes); }
};

// Two splits and a reorder: A and B become AO BO AI BI.
struct TileStep {
  static constexpr const char* kName = "tile";
  static constexpr const char* kUsage = "tile STAGE A B NA NB AO BO AI BI";
  std::string stage, a, b;
  Amount a_factor, b_factor;
  std::string a_outer, b_outer, a_inner, b_inner;
  bool operator==(const TileStep&) const = default;
  static auto Fields(auto& s) {
    return std::tie(s.stage, s.a, s.b, s.a_factor, s.b_factor, s.a_outer, s.b_outer, s.a_inner,
                    s.b_inner);
  }
};

// Computes STAGE inside that loop of CONSUMER, on the box that is needed there; at the root, all of
// it. OTHER, attached to the same loop, comes after STAGE. For AXIS, $NAME is the innermost loop of
// a decision's order.
struct ComputeAtStep {
  static constexpr const char* kName = "compute_at";
  static constexpr const char* kUsage = "compute_at STAGE CONSUMER AXIS|root|$NAME [before OTHER]";
  std::string stage;
  LoopPlace place;
  Successor before;
  bool operator==(const ComputeAtStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.place, s.before); }
};

// Computes CONSUMER, which reads STAGE element by element, inside that loop of STAGE, after the
// loop's statements, on the elements that are complete there: under an outer reduction in its last
// iteration only. Choose the place of STAGE first.
struct ReverseComputeAtStep {
  static constexpr const char* kName = "reverse_compute_at";
  static constexpr const char* kUsage = "reverse_compute_at CONSUMER STAGE AXIS";
  std::string consumer, stage, axis;
  bool operator==(const ReverseComputeAtStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.consumer, s.stage, s.axis); }
};

// Substitutes STAGE into its consumers.
struct InlineStep {
  static constexpr const char* kName = "inline";
  static constexpr const char* kUsage = "inline STAGE";
  std::string stage;
  bool operator==(const InlineStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage); }
};

// Makes a copy NAME of TENSOR in SCOPE for these readers.
struct CacheReadStep {
  static constexpr const char* kName = "cache_read";
  static constexpr const char* kUsage = "cache_read TENSOR SCOPE NAME READER ...";
  std::string tensor;
  ir::Scope scope = ir::Scope::kGlobal;
  std::string name;
  std::vector<std::string> readers;
  bool operator==(const CacheReadStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.tensor, s.scope, s.name, s.readers); }
};

// Computes STAGE in NAME and copies it out; comes before any other step on STAGE. With TYPE, STAGE
// must be a maximum or minimum of int8 values: NAME computes it in TYPE, and the copy narrows it.
struct CacheWriteStep {
  static constexpr const char* kName = "cache_write";
  static constexpr const char* kUsage = "cache_write STAGE SCOPE NAME [TYPE]";
  std::string stage;
  ir::Scope scope = ir::Scope::kGlobal;
  std::string name;
  std::optional<DType> type;
  bool operator==(const CacheWriteStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.scope, s.name, s.type); }
};

// Makes an operand of STAGE's expression a stage NAME with these axes, or with all. OPERAND is the
// path to it: 0.1 is the second operand of the first. Operands of a select are its condition and
// two values.
struct LiftStep {
  static constexpr const char* kName = "lift";
  static constexpr const char* kUsage = "lift STAGE OPERAND SCOPE NAME [AXIS ...]";
  std::string stage, operand;
  ir::Scope scope = ir::Scope::kGlobal;
  std::string name;
  AxisChoice axes;
  bool operator==(const LiftStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.operand, s.scope, s.name, s.axes); }
};

// Rewrites an operand of STAGE's integer expression in the form of an instruction, with the same
// value: under `negated` a - b as a + b * -1, under `plus_zero` a as a + 0. OPERAND is the path to
// it, as in lift; "." is the whole expression.
struct RewriteStep {
  static constexpr const char* kName = "rewrite";
  static constexpr const char* kUsage = "rewrite STAGE OPERAND negated|plus_zero";
  std::string stage, operand, rule;
  bool operator==(const RewriteStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.operand, s.rule); }
};

// Makes a stage NAME: tensors of one shape, stacked along a new first dimension. READER reads NAME
// instead. Used for records, where one element has several numbers.
struct StackStep {
  static constexpr const char* kName = "stack";
  static constexpr const char* kUsage = "stack NAME READER TENSOR ...";
  std::string name, reader;
  std::vector<std::string> tensors;
  bool operator==(const StackStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.name, s.reader, s.tensors); }
};

// AXIS is a reduction axis of STAGE; the index of TENSOR at which it begins depends on an output's
// index. Makes it begin at a multiple of N, the same for N neighbours along the output's index, and
// run over all multiples that these neighbours need. An iteration that an output does not need does
// not count. TENSOR needs a layout padded to these multiples.
struct AlignStep {
  static constexpr const char* kName = "align";
  static constexpr const char* kUsage = "align STAGE AXIS TENSOR N";
  std::string stage, axis, tensor;
  Amount multiple;
  bool operator==(const AlignStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.axis, s.tensor, s.multiple); }
};

// STAGE becomes a parameter that the caller computes before the function: constants are packed
// once, inputs on the host.
struct PrepareStep {
  static constexpr const char* kName = "prepare";
  static constexpr const char* kUsage = "prepare STAGE";
  std::string stage;
  bool operator==(const PrepareStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage); }
};

// CONSUMER, the only reader of STAGE, overwrites it element by element in one buffer.
struct InPlaceStep {
  static constexpr const char* kName = "in_place";
  static constexpr const char* kUsage = "in_place STAGE CONSUMER";
  std::string stage, consumer;
  bool operator==(const InPlaceStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.consumer); }
};

// Makes a stage NAME of the elements of TENSOR that READER reads. NAME has a dimension for each of
// READER's data axes and reduction loops that choose the element: for taps of windows as a
// dimension (im2col) or packing. Of an axis whose remainder by n alone matters, as align leaves it,
// NAME has n elements. With keep, these dimensions of TENSOR stay whole dimensions of NAME, each at
// the place of the first data axis that it moves with; loops choose only the others.
// Elements are FILL for iterations behind the end of a reduction that a split has rounded up. With
// FILL 0, if TENSOR is a factor of the sum, iterations that do not count (split with overlap,
// align) read 0, and then count.
struct ReindexStep {
  static constexpr const char* kName = "reindex";
  static constexpr const char* kUsage = "reindex TENSOR READER NAME [keep DIM,DIM] [FILL]";
  std::string tensor, reader, name;
  KeptDims keep;
  std::optional<int64_t> fill;
  bool operator==(const ReindexStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.tensor, s.reader, s.name, s.keep, s.fill); }
};

// READER sums products. One factor is an element of TENSOR, int8, less a number that fits int8; the
// difference may not fit int8. Makes a stage NAME of int8 terms whose sum is the difference: the
// element and, unless the number is 0, the number negated; for 128, two terms of 64. NAME has a
// dimension for each of READER's data axes and reduction loops that choose the element, or for
// those listed, which may leave out only axes of one index; the terms are its last dimension.
// READER sums them in one more loop, LOOP.
struct SpreadStep {
  static constexpr const char* kName = "spread";
  static constexpr const char* kUsage = "spread TENSOR READER NAME LOOP [AXIS ...]";
  std::string tensor, reader, name, loop;
  AxisChoice axes;
  bool operator==(const SpreadStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.tensor, s.reader, s.name, s.loop, s.axes); }
};

// Cuts the reduction of STAGE in two: NAME has a partial result for each iteration of AXIS, its
// last dimension, and STAGE combines them. In floating point this changes the order of roundings.
struct RfactorStep {
  static constexpr const char* kName = "rfactor";
  static constexpr const char* kUsage = "rfactor STAGE AXIS NAME";
  std::string stage, axis, name;
  bool operator==(const RfactorStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.axis, s.name); }
};

// STAGE sums products of float32 over a window of 3 x 3, whose places move by 1 with the axes Y and
// X. Computes squares of M x M results at a time by Winograd's transforms, M 2, 4 or 6, from (M +
// 2)^2 products over the other axes of the sum. Makes the stages STAGE.in, the input as far as the
// squares reach; STAGE.in.rows and STAGE.in.tiles, its transform along columns and then along rows;
// STAGE.w.rows and STAGE.w.tiles, that of the weights; STAGE.products; STAGE.out.rows and
// STAGE.out.tiles, the transform back. Results are rounded in other places.
struct WinogradStep {
  static constexpr const char* kName = "winograd";
  static constexpr const char* kUsage = "winograd STAGE Y X M";
  std::string stage, y, x;
  Amount results;
  bool operator==(const WinogradStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.y, s.x, s.results); }
};

// Makes the stride of physical dimension DIM of the buffer OFFSET more than a multiple of FACTOR,
// in elements.
struct StorageAlignStep {
  static constexpr const char* kName = "storage_align";
  static constexpr const char* kUsage = "storage_align STAGE DIM FACTOR OFFSET";
  std::string stage;
  int64_t dim = 0;
  Amount factor;
  int64_t offset = 0;
  bool operator==(const StorageAlignStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.dim, s.factor, s.offset); }
};

// Sets the memory of the stage's buffer. An input or an output may be in a memory that keeps its
// contents from function to function.
struct SetScopeStep {
  static constexpr const char* kName = "set_scope";
  static constexpr const char* kUsage = "set_scope STAGE SCOPE";
  std::string stage;
  ir::Scope scope = ir::Scope::kGlobal;
  bool operator==(const SetScopeStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.scope); }
};

// Folds dimension DIM of a tensor that functions exchange in a scratchpad. The scratchpad holds
// ROWS indices at one time, those of the halo included: first 0 to ROWS - 1, then each time ROWS
// indices that begin STEP further on, in the same places. With PLANES, that is so for the first
// PLANES indices of what the layout has in front of DIM, the blocks of channels; then for as many
// further ones, in the same places. The functions that make and read the tensor take turns.
struct FoldStorageStep {
  static constexpr const char* kName = "fold_storage";
  static constexpr const char* kUsage = "fold_storage TENSOR DIM ROWS STEP [PLANES]";
  std::string tensor;
  int64_t dim = 0, rows = 1, step = 1;
  std::optional<int64_t> planes = {};
  bool operator==(const FoldStorageStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.tensor, s.dim, s.rows, s.step, s.planes); }
};

// The physical layout of a buffer (ir/layout.h). Padding and halo hold FILL, which a select may
// read without a check of the bounds. A block may be a product of numbers and decisions:
// 0/16*$blocks. Numbers of elements from one index to the next may stand behind all pieces:
// 0:1024,2:64,3:1.
struct LayoutStep {
  static constexpr const char* kName = "layout";
  static constexpr const char* kUsage = "layout TENSOR 0,1/16,2,3,1%16 [FILL]";
  std::string tensor, pieces;
  std::optional<int64_t> fill;
  bool operator==(const LayoutStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.tensor, s.pieces, s.fill); }
};

using AnyStep =
    std::variant<DecideStep, SplitStep, FuseStep, ReorderStep, TileStep, ComputeAtStep,
                 ReverseComputeAtStep, InlineStep, CacheReadStep, CacheWriteStep, LiftStep,
                 RewriteStep, StackStep, AlignStep, SkipStep, PrepareStep, InPlaceStep, ReindexStep,
                 SpreadStep, RfactorStep, WinogradStep, StorageAlignStep, SetScopeStep,
                 FoldStorageStep, LayoutStep, VectorizeStep, UnrollStep, BindStep, TensorizeStep,
                 ParallelStep, VthreadStep, DoubleBufferStep, PrefetchStep>;
// A step and its place in a file, "mine.txt:24"; "": not from a file. Equality ignores the place.
struct Step : AnyStep {
  using AnyStep::AnyStep;
  std::string from;
};
using Trace = std::vector<Step>;

// The form of each step, in the order of Step: "fuse STAGE OUTER INNER FUSED".
std::vector<std::string> StepUsages();

// Whether a step of |trace| has |name| as a word: a stage, a tensor, a loop.
bool Names(const Trace& trace, const std::string& name);

std::string Print(const Choice& choice);
std::string Print(const Step& step);
std::string Print(const Trace& trace);  // one step a line
// Step |number| of a schedule in a message: "schedule step 3 (inline q)"; of a file "mine.txt:24:
// step 3 (inline q)".
std::string NameOf(const Step& step, size_t number);

// |error| with NameOf in front: the name of the last step from a file that |is| accepts. Without
// such a step |error| alone.
std::unexpected<Error> AtStep(const Trace& trace, const std::function<bool(const Step&)>& is,
                              const Error& error);

// |file| is the name of the file of |text|, or "".
//   errors  kInvalidArgument  naming the line, the word and what belongs there
Result<Trace> ParseTrace(const std::string& text, const std::string& file = "");

// |trace| with new values for the decisions in |values|.
Trace WithDecisions(Trace trace, const std::map<std::string, Choice>& values);

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_STEP_H_
