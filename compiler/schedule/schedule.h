// SPDX-License-Identifier: Apache-2.0
//
// Schedules: how the stages of a tensor expression become loops, as a recorded list of steps. The
// trace is the schedule: it prints, parses, and replays on the same tensor expression. Free choices
// are decisions with a domain and a value. step.h has the steps. Depends on: target, te, ir. Used
// by: the generators (schedule/host, schedule/accel), the lowering, the command's --dump schedule.
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
  // The default schedule: every stage at the root, loops in the order of its axes. Steps may use
  // what |target| has.
  static Result<Schedule> Create(
      const std::vector<te::Tensor>& outputs,
      std::shared_ptr<const target::Target> target = target::Interpreter());
  static Result<Schedule> Replay(
      const std::vector<te::Tensor>& outputs, const Trace& trace,
      std::shared_ptr<const target::Target> target = target::Interpreter());

  // Appends a step. An error names the step's number, stage, axis and a hint, and changes nothing.
  Status Apply(const Step& step);
  // Applies |step| with |value|, one that ValuesOf(step) has here: without finding them again. For
  // a schedule that has no steps.
  //   errors  kInvalidArgument  a taken name
  Status Take(const DecideStep& step, Choice value);
  // Undoes the last |steps| steps.
  void Undo(size_t steps = 1);
  // Forgets how to undo the steps so far, and applies later ones in place: in three quarters of
  // the time, for one that replays many schedules. None of them can be undone, and a schedule that
  // has refused a step is of no use. |steps|: forgets the steps too. It knows its stages then and
  // the values of its decisions, but trace() and decisions() have no step, and a copy costs less.
  void ForgetUndo(bool steps = false);
  // Makes |trace| the schedule's trace. The steps that both traces begin with stay applied, so only
  // the others cost time. After an error the steps before the refused one are applied.
  //   errors  as Apply
  Status Become(const Trace& trace);
  // Applies the steps of a text: "split y i 4 io ii". Those before a refused step stay applied.
  Status Apply(const std::string& text);

  // Records a decision among |domain| (pick is the index of the default); returns the value picked.
  Result<int64_t> Decide(const std::string& name, const std::vector<int64_t>& domain, int pick);

  // The values that |step| allows here, numbers smallest first; of a place, the root first. Any of
  // them is legal. The value of an order decision says which loops it orders.
  //   errors  as Apply
  Result<std::vector<Choice>> ValuesOf(const DecideStep& step) const;

  const Trace& trace() const { return trace_; }
  std::vector<Decision> decisions() const;

  // Producers first; inlined stages stay in the list.
  const StageList& stages() const { return stages_; }
  const Stage* Find(const std::string& name) const;
  // For each dimension of |leader|, the axis of |stage| that is its index in all reads by |stage|,
  // direct or through stages that follow the same loops; empty if there is no such axis.
  std::vector<size_t> AxesThrough(const Stage& stage, const Stage& leader) const;
  // The number of |stage|'s loops around its buffer. If all readers follow these loops, the buffer
  // holds only what is computed inside them. 0: the buffer holds the whole stage.
  size_t LoopsAroundBuffer(const Stage& stage) const;
  // Whether a loop around |stage|'s buffer runs more than once, so that a second copy of the buffer
  // can be filled ahead. A stage inside another one counts as computed whole.
  bool IsRefilled(const Stage& stage) const;
  // Whether all readers of |stage| follow the loop at which |stage| is computed. The stage and its
  // buffer are then where these followers are.
  bool IsForFollowers(const Stage& stage) const;
  // The stage in whose loops |stage| is computed; null at the root.
  const Stage* OuterOf(const Stage& stage) const;
  // The stage that owns the buffer of |stage|: itself, or a stage that shares it by in_place.
  const Stage* OwnerOf(const Stage& stage) const;
  // Whether |stage| may be computed in place of the stage that it names.
  //   errors  kInvalidArgument  it may not; the message says why and what would allow it
  Status CheckInPlace(const Stage& stage) const;
  // Whether the loop at which |stage| is computed still exists.
  //   errors  kInvalidArgument  it is gone; the message says why and what would keep it
  Status CheckAttached(const Stage& stage) const;
  // Whether |stage|, if it is prepared, may be computed before the function.
  //   errors  kInvalidArgument  it may not; the message says why
  Status CheckPrepared(const Stage& stage) const;
  // The conditions on |axis| of |stage|'s reduction, in its body or in stages that it reads,
  // without which an iteration adds 0 to a sum of integers. Leaves out conditions that always hold.
  std::vector<ir::Expr> NothingUnless(const Stage& stage, const ir::Axis& axis) const;
  // Whether each prefetch of |stage| has a tensor to fetch from.
  //   errors  kInvalidArgument  one has none; the message says why
  Status CheckPrefetches(const Stage& stage) const;
  // Whether iterations of the prefetch loop may read different elements of |ahead|'s tensor, judged
  // by the variables in the indices. The boxes may still be equal.
  bool ReadsMove(const Stage& stage, const Lookahead& ahead) const;
  // The loop whose iterations |ahead| of |stage| counts.
  const LoopAxis& LoopOf(const Stage& stage, const Lookahead& ahead) const;
  // Whether |inner| is computed inside loop |axis| of |stage|, directly or through others, or is
  // |stage|.
  bool IsInside(const Stage& inner, const Stage& stage, const std::string& axis) const;
  // Whether all readers of each stage computed in a loop are inside the loop, and each stage that
  // follows a loop finds complete values to read.
  bool ReadersReach() const;
  // Stages, not inlined, whose body reads |name|.
  std::vector<const Stage*> Consumers(const std::string& name) const;
  const std::vector<te::Tensor>& outputs() const { return outputs_; }
  const target::Target& target() const { return *target_; }

 private:
  friend class Editor;
  // Applies |step| and checks that all earlier steps still hold. After an error the stages may be
  // half changed.
  Status Try(const Step& step);
  // Whether all that |follower| reads of its leader, directly or through others, is computed in
  // earlier iterations of the loop.
  bool IsCompleteFor(const Stage& follower) const;

  std::vector<te::Tensor> outputs_;
  std::shared_ptr<const target::Target> target_;
  StageList stages_;
  Trace trace_;
  std::vector<StageList> before_;  // by step of the trace: the stages before it; or none
  bool undoes_ = true;             // |before_| is kept
  bool keeps_steps_ = true;        // |trace_| is kept
  size_t forgotten_ = 0;           // steps that it does not have
  std::map<std::string, Decision> decisions_;
};

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_SCHEDULE_H_
