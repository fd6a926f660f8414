// SPDX-License-Identifier: Apache-2.0
//
// Replays the schedule of a region of an accelerator program (schedule/step.h) and lowers the
// region to loop IR. Depends on: compiler/schedule, schedule/accel, compiler/ir. Used by:
// network/program.h, codegen/accel.
#ifndef TESSERA_COMPILER_LOWER_ACCEL_STEP_REGION_H_
#define TESSERA_COMPILER_LOWER_ACCEL_STEP_REGION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/ir/ir.h"
#include "compiler/lower/accel/accel_region.h"
#include "compiler/schedule/accel/packing.h"
#include "compiler/schedule/accel/plan.h"
#include "compiler/schedule/schedule.h"
#include "isa/config.h"

namespace tessera::lower::accel {

// A parameter of a region's function: a global buffer, or (scope inp) an activation that stays on
// chip.
struct RegionBuffer {
  enum class Use : uint8_t { kActivation, kResult, kConstant };
  Use role = Use::kActivation;
  te::Tensor tensor;  // kActivation, kResult: the tensor in the buffer
  // kActivation: its layout in device memory, as it is or prepared by the host.
  sched::Packing packing;
  // kConstant: its bytes, in the layout that the function reads; null: PackConstants fills them in.
  std::shared_ptr<const std::vector<uint8_t>> data;
};

struct LoweredRegion {
  ir::Func func;                      // resident buffers around |ahead|, then |body|
  std::vector<RegionBuffer> buffers;  // one for each parameter of func
  std::vector<ir::Buffer> resident;   // on chip during the whole region
  // Copies that fill |resident|, in this order; they read constants only, so an earlier region may
  // run meanwhile.
  std::vector<ir::Stmt> ahead;
  // Tables in TAB and the copies that bring them. TAB holds one table: whoever emits a lookup
  // brings its table if TAB holds another one.
  std::vector<std::pair<ir::Buffer, ir::Stmt>> tables;
  ir::Stmt body;
};

struct StepRegion {
  schedule::Schedule schedule;  // as given, and the layouts of the exchanged activations
  LoweredRegion lowered;
  int64_t inp_tiles = 0;  // the most tiles of INP that its boxes have at one time
};

// How an activation stays in INP.
struct KeptActivation {
  sched::Halo halo;
  int64_t pad = 0;                               // value of the halo
  std::optional<sched::FoldedRows> folded = {};  // nothing: all rows are there
  bool operator==(const KeptActivation&) const = default;
};
// By the names of a region's tensors. Tensors that are not in the map are in device memory.
using KeptActivations = std::map<std::string, KeptActivation>;

// The activations of |region| that |trace| keeps in INP, each as its layout step says; without a
// layout step, as |own| says.
//   errors  kInvalidArgument  an invalid layout; fold_storage of a dimension other than rows; an
//                             activation that is not int8, or of more than 4 dimensions
Result<KeptActivations> KeptBySteps(const AccelRegion& region, const schedule::Trace& trace,
                                    const KeptActivations& own);

// |region| with the schedule |trace|, without the bytes of its constants. The region reads and
// writes activations in the layout of programs, in device memory or where |kept| says. A stage that
// |trace| prepares from constants is a constant.
//   errors  kInvalidArgument  a step that is refused (its number and why); another layout or memory
//                             for an activation than programs and |kept| have; a prepared stage
//                             that is not elementwise of one activation
//           and those of lower::Lower
Result<StepRegion> ScheduleBySteps(const AccelRegion& region, const schedule::Trace& trace,
                                   const KeptActivations& kept, const isa::Config& config);

// Fills in the bytes of the constants of |made|, which ScheduleBySteps made from |region|.
//   errors  kOutOfRange  a read outside of a tensor
Status PackConstants(const AccelRegion& region, StepRegion* made);

// Replays |trace| on |region|, with activations in the layouts of programs and of |kept|.
//   errors  kInvalidArgument  those of ScheduleBySteps that concern steps, layouts and memories
Result<schedule::Schedule> ScheduleOf(const AccelRegion& region, const schedule::Trace& trace,
                                      const KeptActivations& kept, const isa::Config& config);

// |region| by the steps of |plan|, made for |analyzed| and |on_chip|, with double buffers where
// they fit. errors: those of ScheduleBySteps
Result<StepRegion> ScheduleByPlan(const AccelRegion& region, const sched::AnalyzedRegion& analyzed,
                                  const sched::TilePlan& plan, const sched::OnChip& on_chip,
                                  const KeptActivations& kept, const isa::Config& config);

// Copies the result of |region|, which stays in INP, to device memory by way of OUT, by the
// region's store_schedule if given. errors: those of ScheduleBySteps
Result<StepRegion> StoreKept(const AccelRegion& region, const KeptActivations& kept,
                             const isa::Config& config);

// The steps that the generator chooses for |region| alone, with its activations in device memory.
// errors: those of its analysis and plan
Result<schedule::Trace> StepsOf(const AccelRegion& region, const isa::Config& config);

// |trace|, a schedule of |region|, with double_buffer for the stages that it computes on chip
// inside loops, in the order of the stages, as long as two copies of each fit.
//   errors  those of the steps
Result<schedule::Trace> WithDoubleBuffers(const AccelRegion& region, schedule::Trace trace,
                                          const KeptActivations& kept, const isa::Config& config);

}  // namespace tessera::lower::accel

#endif  // TESSERA_COMPILER_LOWER_ACCEL_STEP_REGION_H_
