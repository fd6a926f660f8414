// SPDX-License-Identifier: Apache-2.0
//
// Schedules: how the stages of a tensor expression become loops, as a recorded list of steps. The
// trace is the schedule: it prints, parses, and replays on the same tensor expression; its free
// choices are decisions with a domain and a pick. Depends on te, ir. Used by the generators
// (schedule/host, schedule/accel), the lowering and the command's --dump schedule.
//
// A step is words. What each one does ("axis" is a loop of the named stage):
//   decide NAME {A B C} PICK           a choice; $NAME in a later step stands for its value
//   split STAGE AXIS N OUTER INNER     AXIS = OUTER * N + INNER; guarded where N does not divide
//   split STAGE AXIS N OUTER INNER pad
//                                      the same over a range rounded up to whole N, without guard:
//                                      every tensor that AXIS indexes needs a layout padded so far
//   fuse STAGE A B AB                  two adjacent loops become one
//   reorder STAGE A B C ...            these loops, in this order, in the places they hold
//   tile STAGE A B NA NB AO BO AI BI   two splits and a reorder
//   compute_at STAGE CONSUMER AXIS     computed inside that loop, on the box that is needed there
//   inline STAGE                       substituted into its consumers
//   cache_read TENSOR SCOPE NAME R...  a copy NAME of TENSOR, read by stages R...
//   cache_write STAGE SCOPE NAME       STAGE is computed in NAME and copied out; before any other
//                                      step on it
//   set_scope STAGE SCOPE              where the stage's buffer lives
//   layout TENSOR 0,1/16,2,3,1%16 [F]  the physical layout of its buffer (ir/layout.h); padding
//                                      holds F
//   vectorize|unroll STAGE AXIS        the loop is a vector, or its copies one after the other
//   tensorize STAGE AXIS INTRINSIC     the nest from AXIS inwards is one call
//                                      (schedule/tensor_intrin.h)
// parallel, vthread and double_buffer are refused by name: nothing gives them an effect yet.
#ifndef TESSERA_COMPILER_SCHEDULE_SCHEDULE_H_
#define TESSERA_COMPILER_SCHEDULE_SCHEDULE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/te/te.h"

namespace tessera::schedule {

struct Step {
  std::string prim;
  std::vector<std::string> words;
  bool operator==(const Step&) const = default;
};
using Trace = std::vector<Step>;

std::string Print(const Trace& trace);  // one step a line
// errors: kInvalidArgument naming the line.
Result<Trace> ParseTrace(const std::string& text);

struct Decision {
  std::string name;
  std::vector<int64_t> domain;
  int pick = 0;  // index into domain
  int64_t value() const { return domain[pick]; }
};

// |trace| with the pick of each decision named in |values| set to that value, where its domain has
// it.
Trace WithDecisions(Trace trace, const std::map<std::string, int64_t>& values);

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
};

enum class Attach : uint8_t { kRoot, kInline, kAt };

struct Stage {
  std::string name;
  DType dtype = DType::kInt8;
  std::vector<int64_t> shape;
  bool placeholder = false;
  bool output = false;
  ir::Expr body;               // reads name other stages by tensor name
  std::vector<ir::Axis> axes;  // root axes, one a dimension
  std::vector<ir::Axis> reduce_axes;
  std::vector<LoopAxis> leaves;
  std::vector<Relation> relations;
  Attach attach = Attach::kRoot;
  std::string at_stage, at_axis;  // kAt
  ir::Scope scope = ir::Scope::kGlobal;
  Layout layout;
  std::string tensorize_axis, intrinsic;

  int LeafIndex(const std::string& axis) const;  // -1: none
};

class Schedule {
 public:
  // The default schedule: every stage at the root, loops in the order of its axes.
  static Result<Schedule> Create(const std::vector<te::Tensor>& outputs);
  static Result<Schedule> Replay(const std::vector<te::Tensor>& outputs, const Trace& trace);

  // Appends a step. An error names the step's number, stage, axis and a hint, and changes nothing.
  Status Apply(const Step& step);
  Status Apply(const std::string& line);  // "split y i 4 io ii"

  // Records a decision (pick is the index of the default) and returns the value picked.
  Result<int64_t> Decide(const std::string& name, const std::vector<int64_t>& domain, int pick);

  const Trace& trace() const { return trace_; }
  std::vector<Decision> decisions() const;

  // Producers first; inlined stages stay in the list.
  const std::vector<Stage>& stages() const { return stages_; }
  const Stage* Find(const std::string& name) const;
  // Live stages whose body reads |name|.
  std::vector<const Stage*> Consumers(const std::string& name) const;
  const std::vector<te::Tensor>& outputs() const { return outputs_; }

 private:
  friend class Applier;
  std::vector<te::Tensor> outputs_;
  std::vector<Stage> stages_;
  Trace trace_;
  std::map<std::string, Decision> decisions_;
};

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_SCHEDULE_H_
