// SPDX-License-Identifier: Apache-2.0
//
// What a step's effect works on: the stages of a schedule, looked up with errors that name them.
// Private to compiler/schedule. Used by: steps/*.cc, schedule.cc.
#ifndef TESSERA_COMPILER_SCHEDULE_EDITOR_H_
#define TESSERA_COMPILER_SCHEDULE_EDITOR_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compiler/schedule/schedule.h"

namespace tessera::schedule {

// The loops of a stage have at most so many iterations together: products of their numbers stay
// inside of int64. A processor counts so far in days.
inline constexpr int64_t kMostIterations = int64_t{1} << 48;
// And so much is the most that a step's number may be.
inline constexpr int64_t kMostAmount = int64_t{1} << 31;

class Editor {
 public:
  explicit Editor(Schedule* schedule) : s_(schedule) {}

  const Schedule& schedule() const { return *s_; }
  StageList& stages() { return s_->stages_; }

  //   errors  kNotFound         no such stage, or loop of it: those that there are
  //           kInvalidArgument  an input, or inlined: no loops; a name that is taken
  Result<const Stage*> FindStage(const std::string& name) const;    // any, placeholders too
  Result<const Stage*> FindCompute(const std::string& name) const;  // live compute stages
  // The same, to be changed: what was found before may be another schedule's.
  Result<Stage*> EditStage(const std::string& name);
  Result<Stage*> EditCompute(const std::string& name);
  // |stage| in front of |reader|, which is in the list.
  void InsertBefore(const Stage& reader, Stage stage);
  Result<int> FindLeaf(const Stage& stage, const std::string& axis);
  // Or one that is no word of a step's text.
  Status NewAxisName(const Stage& stage, const std::string& name);
  Status NewStageName(const std::string& name);

  // May loop |leaf| of |stage| become another one? What it is, or is a part of, would be lost.
  //   errors  kInvalidArgument  it is no serial loop any more, or inside of an instruction
  Status RequirePlainLoop(const Stage& stage, int leaf) const;
  // Can the loops of |stage| be counted?
  //   errors  kOutOfRange  more iterations than kMostIterations
  Status RequireFewIterations(const Stage& stage) const;

  // Is every reader of |stage| computed inside |consumer|, itself or through others?
  //   errors  kInvalidArgument  one is not, or nothing reads it
  Status RequireReadersInside(const Stage& stage, const std::string& consumer) const;

  // Has the target such memory, takes it such loops?
  //   errors  kUnsupported  no: those that it has
  Status RequireMemory(ir::Scope scope) const;
  Status RequireLoop(ir::LoopKind kind) const;
  // May a buffer there have several copies in turn?
  //   errors  kUnsupported  no: the memories where one may
  Status RequireRotation(ir::Scope scope) const;

  // Makes |loop| one of |kind|.
  //   errors  kInvalidArgument  it is of another kind already, which would be lost
  static Status SetKind(const Stage& stage, ir::LoopKind kind, LoopAxis* loop);
  // Makes loop |axis| of |stage| one of |kind|, which wants iterations that do not depend on each
  // other.
  //   errors  FindCompute's, FindLeaf's, RequireLoop's; kInvalidArgument a loop of a reduction:
  //           |why| is the rest of "AXIS is a reduction: its iterations .."
  Status MarkOutputLoop(const std::string& stage, const std::string& axis, ir::LoopKind kind,
                        const char* why);

  // The values that |step| may pick here, numbers smallest first; a list's as they stand.
  //   errors  kOutOfRange       there is none: says what the limit is
  //           kInvalidArgument  loops that have no order of their own
  Result<std::vector<Choice>> ValuesOf(const DecideStep& step);

  // Does nothing follow the loops of |stage|? What does would have to move with it.
  //   errors  kInvalidArgument  a stage does, named
  Status RequireNoFollower(const Stage& stage) const;
  // errors: kInvalidArgument |outer| is computed inside |inner|, itself or through others
  Status RequireNotInside(const Stage& outer, const Stage& inner) const;

  // errors: kNotFound no such decision; kInvalidArgument it is no number; kOutOfRange below 1 or
  // above 2^31
  Result<int64_t> Value(const Amount& amount) const;
  // The text of a layout with the values of products like 16*$blocks in their place.
  //   errors  as Value's, of a factor or a product; kInvalidArgument a factor that is no number
  Result<std::string> LayoutText(const std::string& pieces) const;
  // What a decision among places or orders picked.
  //   errors  kNotFound no such decision; kInvalidArgument one of another kind
  Result<std::vector<std::string>> Words(const std::string& decision, DomainKind kind) const;
  // errors: kInvalidArgument the name is taken, or no word; kOutOfRange a number below 1 in a list
  Status AddDecision(Decision decision);

 private:
  Result<const Decision*> FindDecision(const std::string& name) const;
  Result<std::vector<int64_t>> Numbers(const std::string& decision, const Domain& domain);
  Result<int64_t> BytesOf(const RoomNeed& need, const std::string& decision, int64_t value) const;
  // Those steps that are legal here and leave every reader in reach, as what they pick.
  Result<std::vector<Choice>> Places(const Domain& domain);
  Result<std::vector<Choice>> Orders(const Domain& domain, const std::vector<std::string>& axes);
  bool Accepts(const Step& step);

  Schedule* s_;
};

// Status Apply(const SplitStep&, Editor&) and so on: one in each of steps/*.cc. An error may leave
// the stages half changed; who calls has those of before.
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

// For steps that make stages of tensors or change who reads what.
// errors: kInvalidArgument a dimension of which some rows are there at a time is cut into blocks
Status RequireWholeFold(const Stage& stage);
std::string AxisList(const Stage& stage);  // its loops, outermost first
bool ReadsTensor(const ir::Expr& e, const std::string& tensor);
// |body| with each read of |tensor| replaced by what |fn| makes of its indices.
ir::Expr ReplaceReads(const ir::Expr& body, const std::string& tensor,
                      const std::function<ir::Expr(const std::vector<ir::Expr>&)>& fn);
// An operand of a stage's expression: "0.1" is the second operand of the first, "." all of it.
struct OperandPath {
  const std::string& stage;
  const std::string& operand;
};
std::unexpected<Error> NoOperand(const OperandPath& path, const std::string& why);
// Puts what |fn| makes of the operand in its place.
//   errors  kInvalidArgument  it is not there, or read under a condition; |fn|'s
Status ReplaceOperand(const OperandPath& path, Stage* stage,
                      const std::function<Result<ir::Expr>(const ir::Expr&)>& fn);
// A tensor of |like|'s type and shape, to be read.
std::shared_ptr<te::TensorNode> TensorLike(const Stage& like, const std::string& name);
// Makes |stage| a copy of |source|, element by element, with loops in the order of its axes.
void MakeCopyOf(const Stage& source, Stage* stage);

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_EDITOR_H_
