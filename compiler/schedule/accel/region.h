// SPDX-License-Identifier: Apache-2.0
//
// A region's tensor expressions as the accelerator sees them: the roles of the anchor's axes, and
// the epilogue as instructions of VECTOR. Index analysis finds the roles, and the target's
// intrinsics cover the expressions; no code here knows from which operator a stage came. Depends
// on: compiler/te, compiler/target, isa. Used by: accel/plan, accel/plan_steps.
//
// Activations are [batch, channel, y, x]; tensors of lower rank have extent 1 where they lack an
// axis: rank 3 is [batch, channel, x], rank 2 [batch, channel], rank 1 [channel].
#ifndef TESSERA_COMPILER_SCHEDULE_ACCEL_REGION_H_
#define TESSERA_COMPILER_SCHEDULE_ACCEL_REGION_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "compiler/schedule/accel/refusal.h"
#include "compiler/target/accelerator.h"
#include "compiler/target/unify.h"
#include "compiler/te/te.h"
#include "isa/config.h"
#include "isa/insns.h"

namespace tessera::schedule::accel {

// [batch, channel, y, x]
using Shape4 = std::array<int64_t, 4>;
Shape4 ToShape4(const std::vector<int64_t>& shape);  // rank 1 to 4
// The axis of the four, 0 to 3, that dimension |dim| of a tensor of |rank| is.
size_t PositionOf(size_t rank, size_t dim);

// One spatial axis of the anchor: input index = out * stride + tap * dilation - before; outside of
// [0, in) the input has the pad value.
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
  // The weights are an activation too. The host packs them in the layout of weights, or they lie
  // so.
  bool packs_weight = false;
  bool weight_by_image = false;  // each image has weights of its own
  // Tiles of such weights are in device memory as activations lie there: LOAD brings them, and
  // fills the other terms of both operands. The host packs nothing.
  bool weight_lies = false;
  // The number of int8 terms whose sum is an element less its zero point (step spread); 1 without a
  // zero point. With more terms, the host packs the input as well.
  int64_t input_terms = 1, weight_terms = 1;
  int64_t in_channels = 0;
  // Input channel = (output channel / group_out) * group_in + i, i in [0, group_in).
  int64_t group_out = 0, group_in = 0;
  bool InGroups(int64_t out_channels) const {  // whether there are several
    return group_out != out_channels || group_in != in_channels;
  }
  // Whether the reduction reads the input itself, not a stage with pads around it.
  bool ReadsInput() const { return Reads(input); }
  bool Reads(const te::Tensor& tensor) const;  // itself, not a stage of it
  bool constant_input = false;                 // then the weights are an activation
  // The input's terms are filled on chip.
  bool FillsInput() const { return weight_lies && input_terms > 1; }
  // Activations that the host packs in another layout for this reduction.
  std::vector<te::Tensor> Packed() const;
  std::array<WindowAxis, 2> window;      // y, x
  int64_t pad_value = 0;                 // of the int8 input
  int64_t src_zero = 0;                  // kReduction: subtracted from the input
  isa::AluOp reduce = isa::AluOp::kAdd;  // kReduction
  // After Im2colOf: the axes (bit 0 y, bit 1 x) whose taps are channels of |input| now.
  int im2col = 0;
};

// The operand of a step that is the anchor's sum.
inline constexpr int kSum = -1;

// A step of the epilogue over the tile of work: an instruction of VECTOR, or the LOAD of another
// activation or of an int8 constant to OUT. It leaves its result in ACC (int32) or OUT (int8), by
// the type of |value|.
struct EpilogueStep {
  // A number of a record of PRM that the instruction reads, at |way| in |value|.
  struct RecordNumber {
    te::Tensor tensor;  // one number per channel; empty: one for all
    target::Way way;
    bool missing = false;  // a bias of 0 that |value| does not add at |way|
  };
  struct Operand {
    int step = kSum;  // the step that makes it: an index into AnalyzedRegion::steps
    target::Way way;  // of the operand, in |value|
  };

  ir::Expr value;                                // what it computes: a node of the result's
  const target::TensorIntrin* intrin = nullptr;  // null: LOAD brings |tensor|
  te::Tensor tensor;
  bool constant = false;  // |tensor| is a constant, in the layout of activations
  // LOAD brings each row and each column of |tensor| so many times, one after the other: the value
  // at (y, x) is the tensor's at (y / repeat[0], x / repeat[1]).
  std::array<int64_t, 2> repeat{1, 1};
  std::vector<Operand> operands;     // in the order of the intrinsic's tiles, without the record
  std::vector<RecordNumber> record;  // bias, multiplier, shift; or nothing
  te::Tensor table;                  // that the instruction looks its result up in; or nothing

  bool loads() const { return intrin == nullptr; }
  bool repeats() const { return repeat != std::array<int64_t, 2>{1, 1}; }
  bool wide() const { return value.dtype() == DType::kInt32; }
  // The instruction changes its first operand, an accumulator.
  bool updates() const { return !loads() && !intrin->updates.empty(); }
  // int8 from int8: VECTOR reads a tile before it writes one, so one buffer holds both.
  bool narrow() const;
  bool in_place() const { return updates() || narrow(); }
};

// The placeholders that are constants (weights, parameters); others are activations.
using ConstantSet = std::unordered_set<const te::TensorNode*>;

struct AnalyzedRegion {
  te::Tensor output;
  Shape4 shape{};  // of the result
  Anchor anchor;
  std::vector<EpilogueStep> steps;               // loads first; the last makes the result, in OUT
  std::shared_ptr<const target::Target> target;  // owns the intrinsics of |steps|

  // Tiles of ACC and OUT for each tile of the tile of work: for the anchor's sum and the results of
  // steps.
  int AccSlots() const { return SlotsOf(DType::kInt32); }
  int OutSlots() const { return SlotsOf(DType::kInt8); }
  // Steps whose results need tiles of ACC beside those of their operands.
  int64_t WidePasses() const;
  int64_t Records() const;   // steps that read a record of PRM
  te::Tensor Table() const;  // that a step looks its result up in; empty: none does
  // Rows and columns of a tile of work are multiples of these, or all: LOAD repeats rows and
  // columns of operands as often.
  std::array<int64_t, 2> Units() const;

 private:
  int SlotsOf(DType type) const;
};

// Analyses the DAG behind |output| for the machine of |config|.
//
//   errors  kUnsupported  the region does not map to the machine: the message names the stage and
//           why, the refusal what the machine lacks
Accepted<AnalyzedRegion> AnalyzeRegion(const te::Tensor& output, const ConstantSet& constants,
                                       const isa::Config& config);

// |region| with the window's taps along some axes as channels of its input, at the output's
// resolution there. The contraction then has a single tap along these axes; someone else (the host,
// for a network's input) packs the input so. |axes|: bit 0 y, bit 1 x. Nothing if an axis has no
// window to move, or the region has groups.
std::optional<AnalyzedRegion> Im2colOf(const AnalyzedRegion& region, int axes);

// The roles and steps as text, for --dump schedule.
std::string Print(const AnalyzedRegion& region);

}  // namespace tessera::schedule::accel

#endif  // TESSERA_COMPILER_SCHEDULE_ACCEL_REGION_H_
