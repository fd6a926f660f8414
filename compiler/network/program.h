// SPDX-License-Identifier: Apache-2.0
//
// The plan of one accelerator program: for a list of regions that run one after the other, the
// schedule of each, which activations stay on chip, what the host packs of inputs, and which
// tensors need room in device memory. Decides; codegen/accel makes instructions of it. Depends on:
// compiler/schedule/accel. Used by: placement, codegen/accel, compiler/driver.
#ifndef TESSERA_COMPILER_NETWORK_PROGRAM_H_
#define TESSERA_COMPILER_NETWORK_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "compiler/lower/accel/step_region.h"
#include "compiler/network/memory_plan.h"
#include "compiler/network/residency.h"
#include "compiler/schedule/accel/packing.h"
#include "compiler/schedule/accel/plan.h"
#include "compiler/schedule/accel/region.h"
#include "compiler/schedule/schedule.h"
#include "compiler/te/te.h"
#include "isa/config.h"

namespace tessera::network {

// An int8 tensor that regions exchange: rank 1 to 4, [batch, channel, y, x]
// (schedule/accel/region.h).
struct Activation {
  enum class Kind : uint8_t {
    kInput,     // the host packs it as the program likes
    kInMemory,  // an earlier program left it in device memory, as programs leave it
    kInternal,  // made and read by this program
    kOutput,    // made by this program, which may read it too, and read by others
  };
  std::string name;
  std::vector<int64_t> shape;
  Kind kind = Kind::kInternal;
  bool on_host = false;  // kInMemory: the host has it too, and packs it as the program likes
};

// The region of a list that an error is about, beside the error; nothing: it is of none.
using RefusedIndex = std::optional<size_t>;

struct ProgramOptions {
  // What stays in INP goes to device memory too, so that it can be read back.
  bool store_all = false;
  // Whether activations may stay in INP at all; of those that may, which do not.
  bool residency = true;
  std::set<int> in_memory = {};
};

struct PlannedRegion {
  // Nothing: its schedule is given and says what the analysis does not know.
  std::optional<sched::AnalyzedRegion> region;
  sched::OnChip on_chip;
  lower::accel::StepRegion steps;
  cost::Cost cost;  // of a schedule that is given
  std::optional<lower::accel::StepRegion>
      store;  // behind them: its result, kept in INP, to device memory
};

// An activation that needs room in device memory, and how it lies there. An input has one for each
// way that it is packed.
struct MemoryNeed {
  int activation = -1;
  sched::Packing packing;
  // The regions that make it first and read it last; -1: it is there before the program, and alive
  // during all of it, the number of regions: it is wanted after it.
  int64_t first = 0, last = 0;
  bool made = false;  // by a region of the program
};

struct ProgramPlan {
  std::vector<PlannedRegion> regions;
  ResidencyPlan residency;
  std::vector<schedule::Trace> traces;  // of each region, as replayed or made
  std::vector<MemoryNeed> needs;

  // Places for the needs in an arena that is the program's alone, each in one of its own.
  MemoryPlan PlaceNeeds() const;
  // The need of |activation| in |packing|, which is there: an index into needs.
  size_t NeedOf(int activation, const sched::Packing& packing) const;
};

// The plan of a program, in which constants have no bytes yet.
//   errors  kInvalidArgument  a schedule that is none of this region's (ScheduleBySteps' errors);
//                             one that prepares an activation which the host does not pack; one of
//                             a region whose activations are none (of another type, or rank); one
//                             of a copy that the region does not have
//           kUnsupported  a region that does not map to the machine (names its op and the stage)
//           kOutOfRange   a scratchpad is too small; names region
Result<ProgramPlan> PlanProgram(const std::vector<Activation>& activations,
                                const std::vector<lower::accel::AccelRegion>& regions,
                                const isa::Config& config, const ProgramOptions& options = {},
                                RefusedIndex* refused = nullptr);

// Fills in the bytes of the constants of |plan|, which is of |regions|.
//   errors  kOutOfRange  a read outside of a tensor; names region
Status PackConstants(const std::vector<lower::accel::AccelRegion>& regions, ProgramPlan* plan);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_PROGRAM_H_
