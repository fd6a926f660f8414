// SPDX-License-Identifier: Apache-2.0
//
// Schedules: how the stages of a tensor expression become loops, as a recorded list of steps. The
// trace is the schedule: it prints, parses, and replays on the same tensor expression; its free
// choices are decisions with a domain and a value. step.h has the steps. Depends on target, te, ir.
// Used by the generators (schedule/host, schedule/accel), the lowering and the command's --dump
// schedule.
#ifndef TESSERA_COMPILER_SCHEDULE_SCHEDULE_H_
#define TESSERA_COMPILER_SCHEDULE_SCHEDULE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/step.h"
#include "compiler/target/target.h"
#include "compiler/te/te.h"

namespace tessera::schedule {

// One loop of a stage, outermost first in Stage::leaves.
struct LoopAxis {
  std::string name;
  ir::Expr var;
  bool reduce = false;
  ir::LoopKind kind = ir::LoopKind::kSerial;
};

// How axes came from each other, in order of the steps.
struct Relation {
  bool is_split = true;
  ir::Expr parent;  // split: the axis that was split; fuse: the fused axis
  ir::Expr outer, inner;
  int64_t factor = 0;  // split
  bool pad = false;    // split
  // split: the last part begins where it ends with the parent
  bool overlap = false;

  // Of a split: the parent's iteration that is |rest| of |part|.
  ir::Expr ParentOf(const ir::Expr& part, const ir::Expr& rest,
                    const std::unordered_map<const ir::ExprNode*, int64_t>& iterations) const;
};

// The stride of physical dimension |dim| is |offset| modulo |factor|.
struct Alignment {
  int64_t dim = 0, factor = 1, offset = 0;
};

// What loop |axis| of a stage reads of |tensor| |distance| iterations later, of its own or of loop
// |of|, is asked for.
struct Lookahead {
  std::string tensor, axis;
  int64_t distance = 1;
  LoopName of;
};

enum class Attach : uint8_t {
  kRoot,
  kInline,
  kAt,     // inside a loop of a consumer, in front of what the loop holds
  kAfter,  // inside a loop of the stage that it reads, behind what the loop holds
};

struct Stage {
  std::string name;
  DType dtype = DType::kInt8;
  std::vector<int64_t> shape;
  bool placeholder = false;
  bool output = false;
  bool prepared = false;       // computed before the function: a parameter of it
  ir::Expr body;               // reads name other stages by tensor name
  std::vector<ir::Axis> axes;  // root axes, one a dimension
  std::vector<ir::Axis> reduce_axes;
  std::vector<LoopAxis> leaves;
  std::vector<Relation> relations;
  // What holds in the iterations of a reduction that count, over axes, split or not.
  std::vector<ir::Expr> conditions;
  // Where one of these does not hold a sum is added 0, and its iteration is not run, over axes.
  std::vector<ir::Expr> skips;
  Attach attach = Attach::kRoot;
  std::string at_stage, at_axis;  // kAt, kAfter
  ir::Scope scope = ir::Scope::kGlobal;
  Layout layout;
  std::optional<ir::FoldedDim> folded = {};  // of what functions exchange
  std::vector<Alignment> alignments;
  bool double_buffer = false;  // its buffer rotates (ir::BufferNode)
  std::string in_place_of;     // the stage whose buffer it takes; "": one of its own
  std::vector<Lookahead> prefetches;
  std::string tensorize_axis;
  std::vector<std::string> intrinsics;  // of the nest from there on, the first that fits

  int LeafIndex(const std::string& axis) const;      // -1: none
  bool Reads(const std::string& tensor) const;       // does the body? An input has none
  bool StartReads(const std::string& tensor) const;  // does what its sum starts at?
  // The element at |indices|, of a stage that computes and does not reduce, by what it reads.
  ir::Expr ValueAt(const std::vector<ir::Expr>& indices) const;
  // The iterations of every axis, leaves included, when those of the root axes are |counts|.
  std::unordered_map<const ir::ExprNode*, int64_t> Iterations(
      const std::vector<int64_t>& counts) const;
  // Every axis that is no leaf as an expression of leaves, all counted from 0, where |iterations|
  // is what Iterations() gives. |guards|: what holds in the iterations that count.
  ir::VarMap AxesOfLeaves(const std::unordered_map<const ir::ExprNode*, int64_t>& iterations,
                          std::vector<ir::Expr>* guards) const;
  // The same of the reduction alone, its axes counted from their first index as bodies have them.
  ir::VarMap ReductionOfLeaves(const std::unordered_map<const ir::ExprNode*, int64_t>& iterations,
                               std::vector<ir::Expr>* guards) const;
  // What holds, of leaves, in the iterations of padded splits that are not behind their ends.
  std::vector<ir::Expr> PaddedEnds(
      const std::unordered_map<const ir::ExprNode*, int64_t>& iterations) const;
  // For each dimension of |tensor|, the axis that alone is its index wherever the body reads it;
  // empty where a read is at anything else, or two dimensions have one axis.
  std::vector<size_t> AxesOfReads(const std::string& tensor) const;
};

class Schedule {
 public:
  // The default schedule: every stage at the root, loops in the order of its axes. Steps may ask
  // for what |target| has.
  static Result<Schedule> Create(
      const std::vector<te::Tensor>& outputs,
      std::shared_ptr<const target::Target> target = target::Interpreter());
  static Result<Schedule> Replay(
      const std::vector<te::Tensor>& outputs, const Trace& trace,
      std::shared_ptr<const target::Target> target = target::Interpreter());

  // Appends a step. An error names the step's number, stage, axis and a hint, and changes nothing.
  Status Apply(const Step& step);
  // The steps of a text: "split y i 4 io ii". Those before one that is refused stay applied.
  Status Apply(const std::string& text);

  // Records a decision among |domain| (pick is the index of the default); returns the value picked.
  Result<int64_t> Decide(const std::string& name, const std::vector<int64_t>& domain, int pick);

  // The values among which |step| would pick here, numbers smallest first, of a place the root; any
  // of them is legal. Of an order |step|'s value says which loops.
  //   errors  as Apply
  Result<std::vector<Choice>> ValuesOf(const DecideStep& step) const;

  const Trace& trace() const { return trace_; }
  std::vector<Decision> decisions() const;

  // Producers first; inlined stages stay in the list.
  const std::vector<Stage>& stages() const { return stages_; }
  const Stage* Find(const std::string& name) const;
  // For each dimension of |leader|, the axis of |stage| that is its index wherever |stage| reads
  // it, itself or through stages that follow the same loops; empty where there is none.
  std::vector<size_t> AxesThrough(const Stage& stage, const Stage& leader) const;
  // How many of |stage|'s loops are around its buffer. Where all that reads it follows its loops,
  // it holds what is computed in those, and no more; 0: all of the stage.
  size_t LoopsAroundBuffer(const Stage& stage) const;
  // Is |stage| read only by what follows the loop of another stage that it is computed at? Then it
  // is computed, and its buffer is, where they are.
  bool IsForFollowers(const Stage& stage) const;
  // The stage in whose loops |stage| is computed; null at the root.
  const Stage* OuterOf(const Stage& stage) const;
  // The stage that owns the buffer of |stage|: itself, or one that it is in place with.
  const Stage* OwnerOf(const Stage& stage) const;
  // May |stage| be computed in place of what it says?
  //   errors  kInvalidArgument  no: why, and what would make it so
  Status CheckInPlace(const Stage& stage) const;
  // Is the loop that |stage| is computed at still one of its stage's?
  //   errors  kInvalidArgument  no: why, and what would keep it
  Status CheckAttached(const Stage& stage) const;
  // May |stage| be computed before the function, if it says so?
  //   errors  kInvalidArgument  no: why
  Status CheckPrepared(const Stage& stage) const;
  // The conditions on |axis| of |stage|'s reduction, in its body or in stages that it reads, but
  // for which an iteration adds 0: of sums of integers, over axes. Not those that always hold.
  std::vector<ir::Expr> NothingUnless(const Stage& stage, const ir::Axis& axis) const;
  // Is there something to fetch ahead wherever |stage| says so?
  //   errors  kInvalidArgument  no: why
  Status CheckPrefetches(const Stage& stage) const;
  // May the iterations of that loop read different elements of |ahead|'s tensor, by what indices
  // are made of? Boxes of all of a tensor can still be the same.
  bool ReadsMove(const Stage& stage, const Lookahead& ahead) const;
  // The loop whose iterations |ahead| of |stage| counts.
  const LoopAxis& LoopOf(const Stage& stage, const Lookahead& ahead) const;
  // Is |inner| computed inside loop |axis| of |stage|, itself or through others? The stage is.
  bool IsInside(const Stage& inner, const Stage& stage, const std::string& axis) const;
  // Does every stage that is computed in a loop have its readers inside of that, and every one that
  // follows a loop what it reads complete?
  bool ReadersReach() const;
  // Live stages whose body reads |name|.
  std::vector<const Stage*> Consumers(const std::string& name) const;
  const std::vector<te::Tensor>& outputs() const { return outputs_; }
  const target::Target& target() const { return *target_; }

 private:
  friend class Editor;
  // Is what |follower| reads of its leader, itself or through others, computed in the loop's
  // iterations before it?
  bool IsCompleteFor(const Stage& follower) const;

  std::vector<te::Tensor> outputs_;
  std::shared_ptr<const target::Target> target_;
  std::vector<Stage> stages_;
  Trace trace_;
  std::map<std::string, Decision> decisions_;
};

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_SCHEDULE_H_
