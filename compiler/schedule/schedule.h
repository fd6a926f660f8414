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
#include <vector>

#include "base/error.h"
#include "compiler/schedule/stage_list.h"
#include "compiler/schedule/step.h"
#include "compiler/target/target.h"
#include "compiler/te/te.h"

namespace tessera::schedule {

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
  // Takes back the last |steps| steps.
  void Undo(size_t steps = 1);
  // Makes |trace| the schedule's. The steps that it begins with as the present one does stay as
  // they are, so the cost is that of the others. At an error the steps in front of it are applied.
  //   errors  as Apply
  Status Become(const Trace& trace);
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
  const StageList& stages() const { return stages_; }
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
  // Applies |step| and asks whether all earlier steps still hold. After an error the stages may be
  // half changed.
  Status Try(const Step& step);
  // Is what |follower| reads of its leader, itself or through others, computed in the loop's
  // iterations before it?
  bool IsCompleteFor(const Stage& follower) const;

  std::vector<te::Tensor> outputs_;
  std::shared_ptr<const target::Target> target_;
  StageList stages_;
  Trace trace_;
  std::vector<StageList> before_;  // each step of the trace
  std::map<std::string, Decision> decisions_;
};

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_SCHEDULE_H_
