// SPDX-License-Identifier: Apache-2.0
//
// Writes a plan as steps: plan_steps.cc makes stages of instructions, plan_packed.cc what the host
// packs, plan_loops.cc has their loops and places, plan_windows.cc what only windows by channel
// need, plan_room.cc the domains. Private to compiler/schedule/accel.
#ifndef TESSERA_COMPILER_SCHEDULE_ACCEL_STEP_WRITER_H_
#define TESSERA_COMPILER_SCHEDULE_ACCEL_STEP_WRITER_H_

#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/bits.h"
#include "compiler/schedule/accel/plan.h"
#include "compiler/schedule/step.h"
#include "compiler/target/accelerator.h"

namespace tessera::schedule::accel {

class StepWriter {
 public:
  using Names = std::vector<std::string>;

  StepWriter(const AnalyzedRegion& region, const TilePlan& plan, const isa::Config& config,
             const OnChip& on_chip)
      : region_(region),
        a_(region.anchor),
        plan_(plan),
        config_(config),
        on_chip_(on_chip),
        block_(config.block_out),
        out_(region.output.name()),
        extents_(ExtentsOf(region, config)),
        thin_(MemoryLanes(region.shape, config) < block_),
        anchored_(a_.kind != AnchorKind::kNone),
        contraction_(a_.kind == AnchorKind::kContraction),
        weighted_(contraction_ || a_.kind == AnchorKind::kChannelwise),
        grouped_(contraction_ && a_.InGroups(region.shape[1])) {}

  Trace Run();

 private:
  // A stage that computes, by the axes of the output, or copies.
  struct Pass {
    std::string name;
    const EpilogueStep* step = nullptr;
    std::string changes;  // the stage that it is in place of
  };

  void Add(Step step) { trace_.push_back(std::move(step)); }
  // A name of our own that the region has not.
  std::string Fresh(const std::string& name);
  bool ReadBySum(const te::Tensor& t) const;
  static std::string Text(const target::Way& way);  // as lift has it
  // Differences in |e|, which is at |way| in the result, become sums of what is negated.
  void Sums(const ir::Expr& e, const std::string& way);
  // Step |k| of the epilogue is stage |name|: what it reads becomes stages too.
  void Passes(size_t k, const std::string& name);
  // The other activations, in OUT.
  void Fetches();
  // The input that stays in INP; else the box of it that a tile of work reads, as a stage there.
  void InputStage();
  bool boxed() const { return anchored_ && !on_chip_.input; }
  // The result stays in INP: its last pass writes it there, else one into OUT, to be stored.
  bool stays() const { return on_chip_.result.has_value(); }
  // The contraction's operands in their memories, and which reduction loop is the channel's.
  void SumOperands();
  void TapsAsChannels();
  // Of two activations that are multiplied: what the host packs.
  void PackActivations();
  // Weights of channels in groups, zero where a group has none.
  void PackGroups();
  // A window channel by channel: its operands, with the taps of a channel as a row of weights, and
  // its loops.
  void WindowOperands();
  void PackTaps();
  void WindowLayouts();
  // The loops of the input's box, its rows as long as windows want them (WindowPitch).
  Names PitchedAxes();
  int64_t Pitch() const;  // columns of such a row; 0: as many as it has
  void AttachWindow();
  // Bias, multiplier and shift of a channel as one record.
  void Records();
  // The output's axis at [batch, channel, y, x]; "": it has none.
  std::string AxisAt(size_t position) const;
  // Blocks of |lanes| channels, dimension |channel| of |rank|: behind the batch, and each
  // innermost, for |rows| images. Without these, on chip.
  std::string Blocked(size_t rank, size_t channel, int64_t rows, int64_t lanes) const;
  std::string Blocked(size_t rank, size_t channel) const;
  size_t ChannelDim(size_t rank) const;
  void Layouts();
  // The loops of a strided input, which reindex has made.
  Names StridedAxes() const;
  // Of the weights as they are packed: how many dimensions, and which are the output's and the
  // input's channel.
  struct WeightShape {
    size_t rank, out, in;
  };
  WeightShape WeightDims() const;
  // The axis at [batch, channel, y, x] of what leads: the sum, or the output where there is none.
  std::string LeaderAxis(size_t position) const;
  // Sizes of a tile of work that are decided, in this order: blocks of output channels and of a
  // part of them, rows, columns, blocks of input channels in a chunk.
  enum class PlanSize : uint8_t { kChannels, kPart, kRows, kColumns, kInputs };
  // A loop in tiles of a size that is decided.
  void Cut(const std::string& stage, const std::string& axis, PlanSize size,
           const std::string& outer, const std::string& inner);
  struct SizeFacts {
    const char* name;  // of its decision
    int64_t picked;    // by the plan
    int64_t most;      // that there is
  };
  SizeFacts FactsOf(PlanSize size) const;
  // Is |size| no choice by itself: the network's, of regions that take turns, or a group's?
  bool Fixed(PlanSize size) const;
  bool InPlace() const;      // is any pass?
  bool PartsDivide() const;  // the channels of a tile
  // A side of a box that a tile of work has in a scratchpad: a number, or a size of it, scaled.
  using PlanSide = std::pair<std::optional<PlanSize>, BoxSide>;
  struct TileBuffer {
    ir::Scope memory;
    std::vector<PlanSide> sides;
  };
  void AddBuffer(ir::Scope memory, std::vector<PlanSide> sides);
  void FindBuffers();
  void FindInput();
  void FindWeights();
  // Are the weights of a tile's channels fetched together, for all that they are used in?
  bool WeightsByChannels() const;
  // Bytes of |buffer| by what is picked, or of the largest tile, in whole banks of its memory.
  int64_t BytesOf(const TileBuffer& buffer, bool most) const;
  // |buffer| by what is decided so far; what is not picks the least.
  std::vector<BoxSide> SidesOf(const TileBuffer& buffer) const;
  // What a domain of |size| says about scratchpads.
  std::vector<RoomNeed> RoomFor(PlanSize size) const;
  // The leader's loops: tiles of work c.o, n, y.o, x.o as the plan orders them, then those in one.
  void TilesOfWork();

  void Attach();
  void AttachPasses();
  void AttachOperands();

  // Does a tile on chip have rows of several images?
  bool InRows() const { return config_.batch > 1; }
  // Images in a tile's rows: on chip the machine's, in memory as many as there are.
  enum class Rows : uint8_t { kNone, kAll, kSome };
  Rows RowsOnChip() const { return InRows() ? Rows::kAll : Rows::kNone; }
  Rows RowsInMemory() const;
  Rows RowsOfResult() const { return stays() ? RowsOnChip() : RowsInMemory(); }
  bool ThinOnChip() const { return thin_ && !InRows(); }
  // The loops of |stage|, whose |axes| have |channel| as the channel, in the machine's tiles. The
  // outermost loop of a tile is what Instructions() names.
  void Tiles(const std::string& stage, const Names& axes, size_t channel, bool thin, Rows rows,
             bool fused = true);
  bool RecordsAt(const std::string& stage) const;
  void FuseRows(const std::string& stage, const std::string& image, const std::string& lane);
  void TilesOfTheMachine();
  // The intrinsic of |step|'s stage.
  std::string IntrinsicOf(const EpilogueStep& step) const;
  void Instructions();
  const AnalyzedRegion& region_;
  const Anchor& a_;
  const TilePlan& plan_;
  const isa::Config& config_;
  const OnChip& on_chip_;
  const int64_t block_;
  const std::string out_;
  const Extents extents_;
  const bool thin_;  // less than a block of output channels: memory has no more
  const bool anchored_, contraction_, weighted_, grouped_;

  Trace trace_;
  std::set<std::string> names_;
  std::string result_;                          // the last pass, in OUT
  std::vector<Pass> passes_;                    // a consumer in front of what it reads
  std::map<std::string, std::string> fetched_;  // activation -> its copy in OUT
  std::vector<std::pair<std::string, std::string>> records_;  // a stack and its copy in PRM
  std::string sum_, input_, weight_;
  std::string reduced_;   // the loop of the contraction that is over channels
  std::string prepared_;  // the input as the host packs it; "": as others leave it
  std::string packed_;    // the weights as their copies in WGT read them
  Names weight_axes_;     // of it
  ir::Expr input_read_, weight_read_, channel_;
  Names sum_axes_, taps_, input_axes_;
  Names ones_, window_taps_;  // of a window: reduction loops of one iteration, and the others
  Names pieces_;              // loops over the pieces of a window, which are outside of its taps
  size_t input_channel_ = 0;  // of input_axes_
  int64_t window_tiles_ = 0;  // of WGT, that a block of channels has
  bool parts_ = false;
  std::map<std::string, std::string> tile_of_;  // a stage's loop that is an instruction
  std::string position_loop_, work_loop_;
  std::vector<TileBuffer> buffers_;
  std::set<PlanSize> sizes_;  // that are decided so far
  std::shared_ptr<const target::Target> target_ = target::Accelerator(config_);
};

}  // namespace tessera::schedule::accel

#endif  // TESSERA_COMPILER_SCHEDULE_ACCEL_STEP_WRITER_H_
