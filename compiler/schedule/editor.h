// SPDX-License-Identifier: Apache-2.0
//
// Editor: finds and changes the stages of a schedule for the steps; its errors name stage and loop.
// Private to compiler/schedule. Used by: steps/*.cc, schedule.cc.
#ifndef TESSERA_COMPILER_SCHEDULE_EDITOR_H_
#define TESSERA_COMPILER_SCHEDULE_EDITOR_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compiler/schedule/schedule.h"

namespace tessera::schedule {

// The most iterations of all loops of a stage together, so that products of them fit int64. A
// processor takes days to count so far.
inline constexpr int64_t kMostIterations = int64_t{1} << 48;
// The greatest number in a step.
inline constexpr int64_t kMostAmount = int64_t{1} << 31;

class Editor {
 public:
  explicit Editor(Schedule* schedule) : s_(schedule) {}

  const Schedule& schedule() const { return *s_; }
  StageList& stages() { return s_->stages_; }

  //   errors  kNotFound         no such stage or loop; the message lists the names
  //           kInvalidArgument  an input or an inlined stage, which has no loops; a taken name
  Result<const Stage*> FindStage(const std::string& name) const;    // any, placeholders too
  Result<const Stage*> FindCompute(const std::string& name) const;  // live compute stages
  // Does the same for a stage to be changed. If another schedule shares the stage, this one gets a
  // copy: a pointer found before then points to the other schedule's stage.
  Result<Stage*> EditStage(const std::string& name);
  Result<Stage*> EditCompute(const std::string& name);
  // Inserts |stage| before |reader|, which must be in the list.
  void InsertBefore(const Stage& reader, Stage stage);
  Result<int> FindLeaf(const Stage& stage, const std::string& axis);
  // Refuses a taken name, and one that is not a word in a step's text.
  Status NewAxisName(const Stage& stage, const std::string& name);
  Status NewStageName(const std::string& name);

  // Whether a step may replace loop |leaf| of |stage| without losing its kind or its instruction.
  //   errors  kInvalidArgument  the loop is not serial any more, or is inside of an instruction
  Status RequirePlainLoop(const Stage& stage, int leaf) const;
  // Whether the iterations of |stage| can be counted.
  //   errors  kOutOfRange  more iterations than kMostIterations
  Status RequireFewIterations(const Stage& stage) const;

  // Whether every reader of |stage| is computed inside |consumer|, directly or through others.
  //   errors  kInvalidArgument  a reader is not, or there is no reader
  Status RequireReadersInside(const Stage& stage, const std::string& consumer) const;

  // Whether the target has the memory, or the kind of loop.
  //   errors  kUnsupported  the target lacks it; the message lists those that it has
  Status RequireMemory(ir::Scope scope) const;
  Status RequireLoop(ir::LoopKind kind) const;
  // Whether a buffer in |scope| may rotate.
  //   errors  kUnsupported  it may not; the message lists the memories where a buffer may rotate
  Status RequireRotation(ir::Scope scope) const;

  // Sets the kind of |loop|.
  //   errors  kInvalidArgument  the loop has another kind already, which would be lost
  static Status SetKind(const Stage& stage, ir::LoopKind kind, LoopAxis* loop);
  // Sets the kind of loop |axis| of |stage| to |kind|, whose iterations must not depend on each
  // other.
  //   errors  FindCompute's, FindLeaf's, RequireLoop's; kInvalidArgument a loop of a reduction:
  //           |why| is the rest of "AXIS is a reduction: its iterations .."
  Status MarkOutputLoop(const std::string& stage, const std::string& axis, ir::LoopKind kind,
                        const char* why);

  // The values that |step| allows here, numbers smallest first; those of a list in its order.
  //   errors  kOutOfRange       no value is legal; the message gives the limit
  //           kInvalidArgument  loops without an order of their own: one alone, too many, one
  //                             named twice, one inside an instruction
  Result<std::vector<Choice>> ValuesOf(const DecideStep& step);

  // Whether no stage follows the loops of |stage|; such a stage would have to move with it.
  //   errors  kInvalidArgument  names the stage that follows
  Status RequireNoFollower(const Stage& stage) const;
  // errors: kInvalidArgument |outer| is computed inside |inner|, directly or through others
  Status RequireNotInside(const Stage& outer, const Stage& inner) const;

  // Of a decision "dot" among intrinsics, dot.lanes are its sums, dot.depth the products in each;
  // dot.sums is how often its sums fit in seven eighths of the vector registers.
  //   errors  kNotFound         no such decision
  //           kInvalidArgument  not a number; not one of these
  //           kOutOfRange       below |least| or above 2^31
  Result<int64_t> Value(const Amount& amount, int64_t least = 1) const;
  // The text of a layout in which numbers replace products like 16*$blocks.
  //   errors  as Value's, of a factor or a product; kInvalidArgument a factor that is not a number
  Result<std::string> LayoutText(const std::string& pieces) const;
  // The words of a decision among values of words.
  //   errors  kNotFound no such decision; kInvalidArgument one of another kind
  Result<std::vector<std::string>> Words(const std::string& decision, DomainKind kind) const;
  // errors: kInvalidArgument a taken name, or not a word; kOutOfRange a number below 1 in a list
  Status AddDecision(Decision decision);

 private:
  Result<const Decision*> FindDecision(const std::string& name) const;
  Result<int64_t> FieldOf(const std::string& decision, const std::string& field) const;
  Result<std::vector<int64_t>> Numbers(const std::string& decision, const Domain& domain);
  Result<int64_t> BytesOf(const RoomNeed& need, const std::string& decision, int64_t value) const;
  // The steps that are legal here and leave all readers in reach, as values of a decision.
  Result<std::vector<Choice>> Places(const Domain& domain);
  Result<std::vector<Choice>> Intrinsics(const Domain& domain);
  Result<std::vector<Choice>> Loops(const Domain& domain);
  Result<std::vector<Choice>> Orders(const Domain& domain, const std::vector<std::string>& axes);
  bool Accepts(const Step& step);

  Schedule* s_;
};

// Status Apply(const SplitStep&, Editor&) and so on: one in each of steps/*.cc. An error may leave
// the stages half changed; the caller restores them.
Status Apply(const DecideStep& step, Editor& editor);
Status Apply(const SplitStep& step, Editor& editor);
Status Apply(const FuseStep& step, Editor& editor);
Status Apply(const ReorderStep& step, Editor& editor);
Status Apply(const TileStep& step, Editor& editor);
Status Apply(const ComputeAtStep& step, Editor& editor);
Status Apply(const ReverseComputeAtStep& step, Editor& editor);
Status Apply(const InlineStep& step, Editor& editor);
Status Apply(const CacheReadStep& step, Editor& editor);
Status Apply(const CacheWriteStep& step, Editor& editor);
Status Apply(const LiftStep& step, Editor& editor);
Status Apply(const RewriteStep& step, Editor& editor);
Status Apply(const StackStep& step, Editor& editor);
Status Apply(const AlignStep& step, Editor& editor);
Status Apply(const SkipStep& step, Editor& editor);
Status Apply(const PrepareStep& step, Editor& editor);
Status Apply(const InPlaceStep& step, Editor& editor);
Status Apply(const ReindexStep& step, Editor& editor);
Status Apply(const SpreadStep& step, Editor& editor);
Status Apply(const RfactorStep& step, Editor& editor);
Status Apply(const WinogradStep& step, Editor& editor);
Status Apply(const StorageAlignStep& step, Editor& editor);
Status Apply(const SetScopeStep& step, Editor& editor);
Status Apply(const FoldStorageStep& step, Editor& editor);
Status Apply(const LayoutStep& step, Editor& editor);
Status Apply(const VectorizeStep& step, Editor& editor);
Status Apply(const UnrollStep& step, Editor& editor);
Status Apply(const BindStep& step, Editor& editor);
Status Apply(const TensorizeStep& step, Editor& editor);
Status Apply(const ParallelStep& step, Editor& editor);
Status Apply(const VthreadStep& step, Editor& editor);
Status Apply(const DoubleBufferStep& step, Editor& editor);
Status Apply(const PrefetchStep& step, Editor& editor);

// For steps that make stages of tensors or change readers. errors: kInvalidArgument the layout cuts
// the folded dimension into blocks
Status RequireWholeFold(const Stage& stage);
std::string AxisList(const Stage& stage);  // its loops, outermost first
bool ReadsTensor(const ir::Expr& e, const std::string& tensor);
// |body| with |fn| of the indices in place of each read of |tensor|.
ir::Expr ReplaceReads(const ir::Expr& body, const std::string& tensor,
                      const std::function<ir::Expr(const std::vector<ir::Expr>&)>& fn);
// An operand of a stage's expression: "0.1" is the second operand of the first, "." all of it.
struct OperandPath {
  const std::string& stage;
  const std::string& operand;
};
std::unexpected<Error> NoOperand(const OperandPath& path, const std::string& why);
// Replaces the operand by |fn| of it.
//   errors  kInvalidArgument  no such operand, or one read under a condition; |fn|'s
Status ReplaceOperand(const OperandPath& path, Stage* stage,
                      const std::function<Result<ir::Expr>(const ir::Expr&)>& fn);
// A stage of |tensor| with the default schedule.
Stage StageOf(const te::Tensor& tensor);
// A placeholder with |like|'s type and shape.
std::shared_ptr<te::TensorNode> TensorLike(const Stage& like, const std::string& name);
// Makes |stage| an elementwise copy of |source|, with loops in the order of its axes.
void MakeCopyOf(const Stage& source, Stage* stage);

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_EDITOR_H_
