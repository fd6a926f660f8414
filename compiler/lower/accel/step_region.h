// SPDX-License-Identifier: Apache-2.0
//
// A region of an accelerator program with its schedule, step by step (schedule/step.h), and the
// loop IR that they make. Depends on: compiler/lower, target, schedule/accel. Used by:
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
  te::Tensor tensor;  // kActivation, kResult: the tensor that it holds
  // kActivation: how it lies in device memory, and whether as it is or prepared by the host.
  sched::Packing packing;
  // kConstant: its bytes, in the layout that the function reads; null: not packed (PackConstants).
  std::shared_ptr<const std::vector<uint8_t>> data;
};

struct LoweredRegion {
  ir::Func func;                      // resident buffers around: ahead, then body
  std::vector<RegionBuffer> buffers;  // one a parameter of func
  std::vector<ir::Buffer> resident;   // on chip during all of the region
  // Fill them, in this order; they need nothing that other regions make.
  std::vector<ir::Stmt> ahead;
  ir::Stmt body;
};

struct StepRegion {
  schedule::Schedule schedule;  // as given, and the layouts of what it exchanges with others
  LoweredRegion lowered;
  int64_t inp_tiles = 0;  // the most of INP that its boxes have at one time
};

// How an activation stays in INP.
struct KeptActivation {
  sched::Halo halo;
  int64_t pad = 0;                               // what the halo holds
  std::optional<sched::FoldedRows> folded = {};  // nothing: all rows are there
  bool operator==(const KeptActivation&) const = default;
};
// By the names of a region's tensors. Those that are not in it are in device memory.
using KeptActivations = std::map<std::string, KeptActivation>;

// The activations of |region| that |trace| has in INP: |own|, or as its layout says.
//   errors  kInvalidArgument  a layout that is none; rows at a time of a dimension that has none;
//                             an activation that is not int8, or of more than 4 dimensions
Result<KeptActivations> KeptBySteps(const AccelRegion& region, const schedule::Trace& trace,
                                    const KeptActivations& own);

// |region| with the schedule |trace|, without the bytes of its constants. It reads and writes its
// activations in the layout that programs leave them in, in device memory or where they are kept;
// what it prepares of constants is a constant.
//   errors  kInvalidArgument  a step that is refused (its number and why); another layout for an
//                             activation, or another memory than |kept| has it in; what is
//                             prepared of an activation otherwise than element by element
//           and those of lower::Lower
Result<StepRegion> ScheduleBySteps(const AccelRegion& region, const schedule::Trace& trace,
                                   const KeptActivations& kept, const isa::Config& config);

// Fills in the bytes of the constants of |made|, which is of |region|.
//   errors  kOutOfRange  a read outside of a tensor
Status PackConstants(const AccelRegion& region, StepRegion* made);

// |region| by the steps of |plan|, which is of it as |analyzed| has it and of |on_chip|, with
// double buffers. errors: those of ScheduleBySteps
Result<StepRegion> ScheduleByPlan(const AccelRegion& region, const sched::AnalyzedRegion& analyzed,
                                  const sched::TilePlan& plan, const sched::OnChip& on_chip,
                                  const KeptActivations& kept, const isa::Config& config);

// The result of |region|, which stays in INP, to device memory: a copy by way of OUT, by its
// schedule if one is given. errors: those of ScheduleBySteps
Result<StepRegion> StoreKept(const AccelRegion& region, const KeptActivations& kept,
                             const isa::Config& config);

// The steps of a schedule that does what the generator decides for |region| alone, with its
// activations in device memory. errors: those of its analysis and plan
Result<schedule::Trace> StepsOf(const AccelRegion& region, const isa::Config& config);

// |trace|, a schedule of |region|, and double_buffer for what they compute on chip inside loops, in
// the order of the stages, as long as two copies of each fit.
//   errors  those of the steps
Result<schedule::Trace> WithDoubleBuffers(const AccelRegion& region, schedule::Trace trace,
                                          const KeptActivations& kept, const isa::Config& config);

}  // namespace tessera::lower::accel

#endif  // TESSERA_COMPILER_LOWER_ACCEL_STEP_REGION_H_
