// SPDX-License-Identifier: Apache-2.0
//
// The steps of a schedule, a type each, and their text. What a step does to a schedule is in
// steps/NAME.cc. A new step is a type here, or in loop_steps.h, with its place in Step, and such a
// file. Depends on: compiler/ir. Used by: schedule.h, the generators, the command's --dump
// schedule.
//
// In the text a step is a line of words, its name first; # begins a comment. AXIS is a loop of the
// stage; N is a number or $NAME, the value of an earlier decision; DOMAIN is {A B C}, or
// `factors STAGE AXIS` or `tiles STAGE AXIS`, perhaps with `most N` and `room MEMORY BUFFERS`,
// whose VALUE is a number; `places STAGE`, whose VALUE is `root` or CONSUMER AXIS, for compute_at;
// or `orders STAGE`, whose VALUE is the loops that it ranges over as they are picked, for reorder.
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
  Choice value;  // one of the domain's
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

// Two neighbouring loops become one.
struct FuseStep {
  static constexpr const char* kName = "fuse";
  static constexpr const char* kUsage = "fuse STAGE OUTER INNER FUSED";
  std::string stage, outer, inner, fused;
  bool operator==(const FuseStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.outer, s.inner, s.fused); }
};

// These loops, in this order, in the places that they hold. $NAME is a decision's order.
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

// STAGE is computed inside that loop of CONSUMER, on the box that is needed there, or all of it at
// the root; among the stages that are attached to the loop it comes before OTHER.
struct ComputeAtStep {
  static constexpr const char* kName = "compute_at";
  static constexpr const char* kUsage = "compute_at STAGE CONSUMER AXIS|root|$NAME [before OTHER]";
  std::string stage;
  LoopPlace place;
  Successor before;
  bool operator==(const ComputeAtStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.place, s.before); }
};

// CONSUMER, which reads STAGE element by element, is computed inside that loop of STAGE, behind
// what the loop holds, on what is complete there: under an outer reduction in its last iteration
// only. Where STAGE itself is computed comes first.
struct ReverseComputeAtStep {
  static constexpr const char* kName = "reverse_compute_at";
  static constexpr const char* kUsage = "reverse_compute_at CONSUMER STAGE AXIS";
  std::string consumer, stage, axis;
  bool operator==(const ReverseComputeAtStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.consumer, s.stage, s.axis); }
};

// STAGE is substituted into its consumers.
struct InlineStep {
  static constexpr const char* kName = "inline";
  static constexpr const char* kUsage = "inline STAGE";
  std::string stage;
  bool operator==(const InlineStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage); }
};

// A copy NAME of TENSOR in SCOPE, which the readers read.
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

// STAGE is computed in NAME and copied out; before any other step on it. With TYPE the greatest or
// least of int8 values is found among numbers of that type, and narrowed on its way out.
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

// An operand of STAGE's expression becomes a stage NAME with those axes, or with all. OPERAND is
// the way to it: 0.1 is the second operand of the first; select's are its condition and two values.
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

// An operand of STAGE's integer expression is written as an instruction has it, with the same
// value: under `negated` a difference a - b as a + b * -1, under `plus_zero` a as a + 0. OPERAND is
// the way to it, as lift has it; "." is the whole expression.
struct RewriteStep {
  static constexpr const char* kName = "rewrite";
  static constexpr const char* kUsage = "rewrite STAGE OPERAND negated|plus_zero";
  std::string stage, operand, rule;
  bool operator==(const RewriteStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.operand, s.rule); }
};

// A stage NAME with tensors of one shape behind each other along a new first dimension, which
// READER reads in their place: records, of which one element has several numbers.
struct StackStep {
  static constexpr const char* kName = "stack";
  static constexpr const char* kUsage = "stack NAME READER TENSOR ...";
  std::string name, reader;
  std::vector<std::string> tensors;
  bool operator==(const StackStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.name, s.reader, s.tensors); }
};

// Reduction AXIS of STAGE, which chooses elements of TENSOR from a place on that depends on an
// output's index, begins at multiples of N, at the same one for N neighbours along that index, and
// goes on for as many multiples as they need. What one of them does not need does not count. TENSOR
// needs a layout padded so far.
struct AlignStep {
  static constexpr const char* kName = "align";
  static constexpr const char* kUsage = "align STAGE AXIS TENSOR N";
  std::string stage, axis, tensor;
  Amount multiple;
  bool operator==(const AlignStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.axis, s.tensor, s.multiple); }
};

// STAGE is computed before the function, by whoever calls it, and is a parameter: constants are
// packed once, inputs on the host.
struct PrepareStep {
  static constexpr const char* kName = "prepare";
  static constexpr const char* kUsage = "prepare STAGE";
  std::string stage;
  bool operator==(const PrepareStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage); }
};

// CONSUMER takes the place of STAGE, which nothing else reads, element by element in one buffer.
struct InPlaceStep {
  static constexpr const char* kName = "in_place";
  static constexpr const char* kUsage = "in_place STAGE CONSUMER";
  std::string stage, consumer;
  bool operator==(const InPlaceStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.consumer); }
};

// A stage NAME of what READER reads of TENSOR, an element for each of READER's data axes and
// reduction loops that choose it: windows' taps as a dimension (im2col), or what packing wants.
// With keep, these dimensions of TENSOR are whole dimensions of NAME too, each in the place of the
// first data axis that it moves with, and only the others are chosen by loops.
// Elements for iterations behind the end of a reduction, which a split has rounded up, are FILL.
// With 0, where TENSOR is a factor of what is summed, iterations that do not count (split with
// overlap, align) read 0 too, and then count.
struct ReindexStep {
  static constexpr const char* kName = "reindex";
  static constexpr const char* kUsage = "reindex TENSOR READER NAME [keep DIM,DIM] [FILL]";
  std::string tensor, reader, name;
  KeptDims keep;
  std::optional<int64_t> fill;
  bool operator==(const ReindexStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.tensor, s.reader, s.name, s.keep, s.fill); }
};

// TENSOR, of int8, is a factor of READER's sum of products less a number that fits int8; the
// difference itself may not fit. A stage NAME has, for each of READER's data axes and reduction
// loops that choose an element, or those listed, which leave out what has one index, and a last
// dimension, int8 numbers whose sum is that: the element, and unless it is 0 the number with its
// sign turned, for 128 two of 64. READER sums them in a loop LOOP more.
struct SpreadStep {
  static constexpr const char* kName = "spread";
  static constexpr const char* kUsage = "spread TENSOR READER NAME LOOP [AXIS ...]";
  std::string tensor, reader, name, loop;
  AxisChoice axes;
  bool operator==(const SpreadStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.tensor, s.reader, s.name, s.loop, s.axes); }
};

// The reduction of STAGE in two: NAME has a partial result for each iteration of AXIS, its last
// dimension, and STAGE combines them. In floating point the sums are rounded in another order.
struct RfactorStep {
  static constexpr const char* kName = "rfactor";
  static constexpr const char* kUsage = "rfactor STAGE AXIS NAME";
  std::string stage, axis, name;
  bool operator==(const RfactorStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.axis, s.name); }
};

// The elements from one index of physical dimension DIM of the buffer to the next are OFFSET more
// than a multiple of FACTOR.
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

// Where the stage's buffer lives. An input or an output may be in a memory of the target that keeps
// what is in it from function to function.
struct SetScopeStep {
  static constexpr const char* kName = "set_scope";
  static constexpr const char* kUsage = "set_scope STAGE SCOPE";
  std::string stage;
  ir::Scope scope = ir::Scope::kGlobal;
  bool operator==(const SetScopeStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.scope); }
};

// Of dimension DIM of a tensor that functions exchange in a scratchpad, ROWS indices are there at a
// time, with those of its halo: first 0 to ROWS - 1, then STEP more each time, over what was there.
// Who runs the functions makes and reads them in turn.
struct FoldStorageStep {
  static constexpr const char* kName = "fold_storage";
  static constexpr const char* kUsage = "fold_storage TENSOR DIM ROWS STEP";
  std::string tensor;
  int64_t dim = 0, rows = 1, step = 1;
  bool operator==(const FoldStorageStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.tensor, s.dim, s.rows, s.step); }
};

// The physical layout of a buffer (ir/layout.h); padding and halo hold FILL, which a select reads
// there without asking whether it is inside of the tensor. A block may be a product of numbers and
// decisions: 0/16*$blocks.
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
                 SpreadStep, RfactorStep, StorageAlignStep, SetScopeStep, FoldStorageStep,
                 LayoutStep, VectorizeStep, UnrollStep, BindStep, TensorizeStep, ParallelStep,
                 VthreadStep, DoubleBufferStep, PrefetchStep>;
// A step and where it was read, "mine.txt:24"; "": in no file. It is the same step wherever it is.
struct Step : AnyStep {
  using AnyStep::AnyStep;
  std::string from;
};
using Trace = std::vector<Step>;

// How each step is written, by the order of Step: "fuse STAGE OUTER INNER FUSED".
std::vector<std::string> StepUsages();

// Whether a step of |trace| has |name| as one of its words: a stage, a tensor, a loop.
bool Names(const Trace& trace, const std::string& name);

std::string Print(const Choice& choice);
std::string Print(const Step& step);
std::string Print(const Trace& trace);  // one step a line
// Step |number| of a schedule in a message: "schedule step 3 (inline q)", of a file "mine.txt:24:
// step 3 (inline q)".
std::string NameOf(const Step& step, size_t number);

// |error|, which the last step that |is| it has brought about: with NameOf in front where a file
// has that step.
std::unexpected<Error> AtStep(const Trace& trace, const std::function<bool(const Step&)>& is,
                              const Error& error);

// |file|: the name of the file that |text| is of, or "".
//   errors  kInvalidArgument  naming the line, the word and what belongs there
Result<Trace> ParseTrace(const std::string& text, const std::string& file = "");

// |trace| with the value of each decision named in |values| set to that one.
Trace WithDecisions(Trace trace, const std::map<std::string, Choice>& values);

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_STEP_H_
