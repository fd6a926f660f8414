// SPDX-License-Identifier: Apache-2.0
//
// Writes a plan as steps. plan_steps.cc makes stages of instructions, plan_packed.cc packs operands
// on the host, plan_loops.cc makes loops and places stages, plan_windows.cc is for channelwise
// windows, plan_room.cc makes the domains. Private to compiler/schedule/accel.
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
  // A stage that computes one step of the epilogue over the output's axes, or copies.
  struct Pass {
    std::string name;
    const EpilogueStep* step = nullptr;
    std::string changes;  // the stage whose buffer it writes in place
  };

  void Add(Step step) { trace_.push_back(std::move(step)); }
  // |name|, changed so that the region has no such name.
  std::string Fresh(const std::string& name);
  bool ReadBySum(const te::Tensor& t) const;
  static std::string Text(const target::Way& way);  // in the form of the step lift
  // Rewrites differences in |e|, which is at |way| in the result, as sums with negated terms.
  void Sums(const ir::Expr& e, const std::string& way);
  // Makes step |k| of the epilogue the stage |name|, and stages of the steps that it reads.
  void Passes(size_t k, const std::string& name);
  // Copies the other activations to OUT.
  void Fetches();
  // Sets the input: resident in INP, or as a stage the box that a tile of work reads.
  void InputStage();
  bool boxed() const { return anchored_ && !on_chip_.input; }
  // The result stays in INP: its last pass writes it there. Otherwise the last pass writes OUT.
  bool stays() const { return on_chip_.result.has_value(); }
  // Puts the contraction's operands in their memories, and finds the loop over input channels.
  void SumOperands();
  void TapsAsChannels();
  // Lets the host pack the operands of a product of two activations.
  void PackActivations();
  // Packs the weights of grouped channels, with zeros for channels of other groups.
  void PackGroups();
  // The operands of a channelwise window, with the taps of a channel as a row of weights, and its
  // loops.
  void WindowOperands();
  void PackTaps();
  void WindowLayouts();
  // The loops of the input's box, with rows as wide as windows want them (WindowPitch).
  Names PitchedAxes();
  int64_t Pitch() const;  // columns of such a row; 0: rows keep their width
  void AttachWindow();
  // Joins bias, multiplier and shift of a channel in one record.
  void Records();
  // Copies the table that a pass looks its results up in to TAB.
  void Table();
  // The output's axis at |position| of [batch, channel, y, x]; "": it has none.
  std::string AxisAt(size_t position) const;
  // A layout with dimension |channel| of |rank| in blocks of |lanes| channels: the blocks behind
  // the batch, the lanes innermost, with |rows| images in a tile. The short form is the layout on
  // chip.
  std::string Blocked(size_t rank, size_t channel, int64_t rows, int64_t lanes) const;
  std::string Blocked(size_t rank, size_t channel) const;
  std::string InputLayout() const;
  size_t ChannelDim(size_t rank) const;
  void Layouts();
  // The loops of a strided input, as reindex names them.
  Names StridedAxes() const;
  // Of the packed weights: the rank, and the dimensions of the output's and the input's channel.
  struct WeightShape {
    size_t rank, out, in;
  };
  WeightShape WeightDims() const;
  // The axis at |position| of [batch, channel, y, x] of the leader: the sum, or else the output.
  std::string LeaderAxis(size_t position) const;
  // The decided sizes of a tile of work, in this order: blocks of output channels, of a part of
  // them, rows, columns, blocks of input channels in a chunk.
  enum class PlanSize : uint8_t { kChannels, kPart, kRows, kColumns, kInputs };
  // Splits a loop by a decided size.
  void Cut(const std::string& stage, const std::string& axis, PlanSize size,
           const std::string& outer, const std::string& inner);
  struct SizeFacts {
    const char* name;  // of its decision
    int64_t picked;    // by the plan
    int64_t most;      // the whole extent
  };
  SizeFacts FactsOf(PlanSize size) const;
  // Whether |size| is no decision: chains or groups of channels fix it.
  bool Fixed(PlanSize size) const;
  bool InPlace() const;      // whether a pass works in place
  bool PartsDivide() const;  // parts divide the channels of a tile
  // A side of a tile's box in a scratchpad: a number, or one of the sizes, scaled.
  using PlanSide = std::pair<std::optional<PlanSize>, BoxSide>;
  struct TileBuffer {
    ir::Scope memory;
    std::vector<PlanSide> sides;
  };
  void AddBuffer(ir::Scope memory, std::vector<PlanSide> sides);
  void FindBuffers();
  void FindInput();
  void FindWeights();
  // Whether a tile's weights are fetched once for all spatial tiles of its channels.
  bool WeightsByChannels() const;
  // Bytes of |buffer| with the plan's sizes, or with the largest, in whole banks of its memory.
  int64_t BytesOf(const TileBuffer& buffer, bool most) const;
  // The sides of |buffer|: by name if decided already, else with the least size.
  std::vector<BoxSide> SidesOf(const TileBuffer& buffer) const;
  // The conditions on scratchpads in the domain of |size|.
  std::vector<RoomNeed> RoomFor(PlanSize size) const;
  // The leader's loops over tiles of work c.o, n, y.o, x.o in the plan's order, then those inside.
  void TilesOfWork();

  void Attach();
  void AttachPasses();
  void AttachOperands();

  // Whether a tile on chip has rows of several images.
  bool InRows() const { return config_.batch > 1; }
  // Images in a tile's rows: on chip the machine's batch, in memory as many as there are.
  enum class Rows : uint8_t { kNone, kAll, kSome };
  Rows RowsOnChip() const { return InRows() ? Rows::kAll : Rows::kNone; }
  Rows RowsInMemory() const;
  Rows RowsOfResult() const { return stays() ? RowsOnChip() : RowsInMemory(); }
  bool ThinOnChip() const { return thin_ && !InRows(); }
  // Splits the loops of |stage| into the machine's tiles; |channel| is the channel in |axes|.
  // tile_of_ has the outermost loop of a tile. The loops over rows and columns that a LOAD repeats
  // are split by |repeat|, so that it steps through its source by fixed strides.
  void Tiles(const std::string& stage, const Names& axes, size_t channel, bool thin, Rows rows,
             bool fused = true, const std::array<int64_t, 2>& repeat = {1, 1});
  bool RecordsAt(const std::string& stage) const;
  void FuseRows(const std::string& stage, const std::string& image, const std::string& lane);
  void TilesOfTheMachine();
  // The intrinsic of the stage of |step|.
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
  const bool thin_;  // fewer output channels than a block: memory has no more lanes
  const bool anchored_, contraction_, weighted_, grouped_;

  Trace trace_;
  std::set<std::string> names_;
  std::string result_;                          // the last pass, in OUT
  std::vector<Pass> passes_;                    // consumers before the passes that they read
  std::map<std::string, std::string> fetched_;  // activation -> its copy in OUT
  std::vector<std::pair<std::string, std::string>> records_;  // a stack and its copy in PRM
  std::string table_;                                         // the copy in TAB
  std::string sum_, input_, weight_;
  std::string reduced_;   // the contraction's loop over channels
  std::string prepared_;  // the input as the host packs it; "": not packed
  std::string packed_;    // the weights that the copies to WGT read
  Names weight_axes_;     // of packed_
  ir::Expr input_read_, weight_read_, channel_;
  Names sum_axes_, taps_, input_axes_;
  Names ones_, window_taps_;  // of a window: reduction loops of one iteration; other ones
  Names pieces_;              // loops over the pieces of a window, outside of its taps
  size_t input_channel_ = 0;  // index into input_axes_
  int64_t window_tiles_ = 0;  // tiles of WGT for a block of channels
  bool parts_ = false;
  std::map<std::string, std::string> tile_of_;  // by stage: the loop that is one instruction
  std::string position_loop_, work_loop_;
  std::vector<TileBuffer> buffers_;
  std::set<PlanSize> sizes_;  // decided so far
  std::shared_ptr<const target::Target> target_ = target::Accelerator(config_);
};

}  // namespace tessera::schedule::accel

#endif  // TESSERA_COMPILER_SCHEDULE_ACCEL_STEP_WRITER_H_
