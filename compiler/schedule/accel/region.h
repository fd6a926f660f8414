// SPDX-License-Identifier: Apache-2.0
//
// A region's tensor expressions as the accelerator sees them: the roles of the anchor's axes and
// the epilogue as a list of VECTOR steps. Made by index analysis and tree matching alone; nothing
// here knows what operator a stage came from. Depends on: compiler/te, isa. Used by: accel/plan,
// accel/plan_steps.
//
// Activations are [batch, channel, y, x]; tensors of lower rank have extent 1 where they lack an
// axis: rank 3 is [batch, channel, x], rank 2 [batch, channel], rank 1 [channel].
#ifndef TESSERA_COMPILER_SCHEDULE_ACCEL_REGION_H_
#define TESSERA_COMPILER_SCHEDULE_ACCEL_REGION_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/schedule/accel/refusal.h"
#include "compiler/te/te.h"
#include "isa/insns.h"

namespace tessera::schedule::accel {

// [batch, channel, y, x]
using Shape4 = std::array<int64_t, 4>;
Shape4 ToShape4(const std::vector<int64_t>& shape);  // rank 1 to 4
// Which of the four axes dimension |dim| of a tensor of |rank| is.
size_t PositionOf(size_t rank, size_t dim);

// One spatial axis of the anchor: input index = out * stride + tap * dilation - before, outside of
// [0, in) the pad value.
struct WindowAxis {
  int64_t in = 1, out = 1, taps = 1;
  int64_t stride = 1, dilation = 1, before = 0;
  // Input positions that |outs| neighbouring outputs need.
  int64_t Span(int64_t outs) const { return (outs - 1) * stride + (taps - 1) * dilation + 1; }
  bool operator==(const WindowAxis&) const = default;
};

enum class AnchorKind : uint8_t {
  kNone,         // elementwise region
  kContraction,  // an output-channel and an input-channel axis: tile products
  kChannelwise,  // one channel axis in input, weight and output, with a window
  kReduction,    // a window without weights
};

struct Anchor {
  AnchorKind kind = AnchorKind::kNone;
  te::Tensor stage;          // the reduction itself
  te::Tensor input, weight;  // placeholders
  // The weights are an activation too: the host brings them into the layout of weights.
  bool packs_weight = false;
  bool weight_by_image = false;  // ... which each image has its own of
  // Of int8 numbers whose sum is an element less its zero point (the step spread): 1 where it has
  // none. With more, the host packs the input as well.
  int64_t input_terms = 1, weight_terms = 1;
  int64_t in_channels = 0;
  // Input channel = (output channel / group_out) * group_in + i, i in [0, group_in).
  int64_t group_out = 0, group_in = 0;
  bool InGroups(int64_t out_channels) const {  // of several
    return group_out != out_channels || group_in != in_channels;
  }
  // Does the reduction read the input, not a stage with pads around it?
  bool ReadsInput() const { return Reads(input); }
  bool Reads(const te::Tensor& tensor) const;  // itself
  // What the host has to bring into another layout for this reduction.
  std::vector<te::Tensor> Packed() const;
  std::array<WindowAxis, 2> window;      // y, x
  int64_t pad_value = 0;                 // of the int8 input
  int64_t src_zero = 0;                  // kReduction: subtracted from the input
  isa::AluOp reduce = isa::AluOp::kAdd;  // kReduction
  // After Im2colOf: the axes (bit 0 y, bit 1 x) whose taps are channels of |input| now.
  int im2col = 0;
};

// Per-channel parameters: constant placeholders of one value a channel, or one value for all.
struct Param {
  te::Tensor tensor;  // empty: |value|
  int64_t value = 0;
};
struct ParamTable {
  Param bias, multiplier, shift;
};

// Where a step finds or leaves a tile: a slot of ACC (int32) or of OUT (int8). Slot 0 of ACC is the
// anchor's result.
struct TileSlot {
  isa::VectorMemory memory = isa::VectorMemory::kAcc;
  int slot = 0;
  bool operator==(const TileSlot&) const = default;
};

enum class EpilogueStepKind : uint8_t { kFetch, kRequant, kAdd, kAlu };

// One pass of VECTOR over the tile of work, or the LOAD of another activation into OUT (kFetch).
struct EpilogueStep {
  EpilogueStepKind kind = EpilogueStepKind::kFetch;
  // What it computes, a node of the last step's; nothing for one that only prepares another.
  ir::Expr value;
  TileSlot dst, src, acc;  // acc: kAdd's addend
  te::Tensor tensor;       // kFetch
  int table = -1;  // kRequant, kAdd: per channel from PRM; -1: one multiplier and shift for all
  // kAlu
  isa::AluOp op = isa::AluOp::kAdd;
  bool use_imm = false;
  int64_t imm = 0;
};

// Whether |step| may leave its result where an operand is: sums that VECTOR changes, and int8
// values that become int8 values.
inline bool WorksInPlace(const EpilogueStep& step) {
  if (step.kind == EpilogueStepKind::kFetch) return false;
  return step.kind == EpilogueStepKind::kAlu ||
         (step.src.memory == isa::VectorMemory::kOut && step.dst.memory == isa::VectorMemory::kOut);
}

// Row-major bytes of the placeholders that are constants.
using ConstantMap = std::unordered_map<const te::TensorNode*, const std::vector<uint8_t>*>;

struct AnalyzedRegion {
  te::Tensor output;
  Shape4 shape{};  // of the result
  Anchor anchor;
  std::vector<EpilogueStep> steps;  // the last writes the result, in OUT
  std::vector<ParamTable> tables;
  int acc_slots = 0, out_slots = 0;

  // Passes that leave numbers in ACC in another place than those that they read.
  int64_t WidePasses() const;
};

// Analyses the DAG behind |output|.
//
//   constants  the placeholders that are constants (weights, parameters); others are activations
//   errors     kUnsupported  the region does not map to the machine: the message names the stage
//   and why, the refusal what the machine lacks
Accepted<AnalyzedRegion> AnalyzeRegion(const te::Tensor& output, const ConstantMap& constants);

// The same region with the window's taps along some axes as channels of its input, at the output's
// resolution there: the contraction has a single tap along them, over input that someone else packs
// so (the host, for a network's input). |axes|: bit 0 y, bit 1 x. Nothing when there is no window
// to move along one of them, or the region has groups.
std::optional<AnalyzedRegion> Im2colOf(const AnalyzedRegion& region, int axes);

// The roles and steps as text, for --dump schedule.
std::string Print(const AnalyzedRegion& region);

}  // namespace tessera::schedule::accel

#endif  // TESSERA_COMPILER_SCHEDULE_ACCEL_REGION_H_
