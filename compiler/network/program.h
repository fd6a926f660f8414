// SPDX-License-Identifier: Apache-2.0
//
// The plan of one accelerator program: for regions that run one after the other, the schedule of
// each, the activations that stay on chip, how the host packs inputs, and the tensors that need
// room in device memory. codegen/accel makes instructions of the plan. Depends on:
// compiler/lower/accel, compiler/schedule/accel. Used by: placement, codegen/accel,
// compiler/driver.
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
#include "compiler/schedule/accel/lattice.h"
#include "compiler/schedule/accel/packing.h"
#include "compiler/schedule/accel/plan.h"
#include "compiler/schedule/accel/region.h"
#include "compiler/schedule/schedule.h"
#include "compiler/te/te.h"
#include "isa/config.h"

namespace tessera::network {

// An int8 tensor that regions exchange, of rank 1 to 4, [batch, channel, y, x]
// (schedule/accel/region.h).
struct Activation {
  enum class Kind : uint8_t {
    kInput,     // the host packs it in the layout that the program chooses
    kInMemory,  // an earlier program left it in device memory, in the layout of programs
    kInternal,  // only this program makes and reads it
    kOutput,    // this program makes it and may read it; others read it
  };
  std::string name;
  std::vector<int64_t> shape;
  Kind kind = Kind::kInternal;
  bool on_host = false;  // kInMemory: the host has it too, and packs it as for kInput
  // It is |piece| of this other activation in device memory, from byte |offset| on; -1: of none.
  // The other one may have no maker: then its parts have. Regions that read or make an activation
  // with gaps have its layout (lower::accel::AccelRegion).
  int whole = -1;
  sched::Lattice piece = {};
  int64_t offset = 0;
};

// The index of the region that an error is about; nothing: of no region.
using RefusedIndex = std::optional<size_t>;

struct ProgramOptions {
  // Activations that stay in INP go to device memory too, so that they can be read back.
  bool store_all = false;
  // Whether activations may stay in INP; |in_memory| lists activations that may not.
  bool residency = true;
  std::set<int> in_memory = {};
};

struct PlannedRegion {
  // Nothing: the user gives the schedule of a region that the analysis refuses.
  std::optional<sched::AnalyzedRegion> region;
  sched::OnChip on_chip;
  lower::accel::StepRegion steps;
  cost::Cost cost;  // only of a given schedule
  std::optional<lower::accel::StepRegion>
      store;  // stores the result, kept in INP, to device memory after |steps|
};

// An activation that needs room in device memory, and its layout there. An input has one need for
// each way in which it is packed.
struct MemoryNeed {
  int activation = -1;
  sched::Packing packing;
  // The first region that makes the activation and the last one that reads it. first = -1: it is in
  // memory before the program starts. last = the number of regions: it is read after the program.
  int64_t first = 0, last = 0;
  bool made = false;  // by a region of the program
  // Regions make other activations with bytes of this one, such as its parts.
  bool parts_made = false;
  // The activation that it is a piece of, and from which byte on; itself if others are pieces of
  // it; -1: it shares its bytes with none.
  int in = -1;
  sched::Lattice piece = {};
  int64_t offset = 0;

  // Whether it shares bytes with |other|.
  bool Overlaps(const MemoryNeed& other) const;
};

struct ProgramPlan {
  std::vector<PlannedRegion> regions;
  ResidencyPlan residency;
  std::vector<schedule::Trace> traces;          // of each region, as given or generated
  std::vector<schedule::NetworkTrace> network;  // of each region: given again, they plan the same
  std::vector<MemoryNeed> needs;

  // Places the needs in an arena of this program alone, where no two needs share bytes unless one
  // lies in the other.
  MemoryPlan PlaceNeeds() const;
  // The index into needs of |activation| in |packing|, which must exist.
  size_t NeedOf(int activation, const sched::Packing& packing) const;
};

// |own| or, where the plan is faster, |own| with taps of its window as channels of an input that
// the host packs (im2col).
sched::AnalyzedRegion WithTaps(const sched::AnalyzedRegion& own, const isa::Config& config);

// Plans a program. Constants have no bytes yet (PackConstants). On an error, |refused| has the
// index of the region at fault.
//   errors  kInvalidArgument  a schedule that does not fit its region (ScheduleBySteps' errors), or
//                             prepares an activation that the host does not pack; activations of a
//                             type or rank other than Activation's; a given schedule for a store
//                             that the region does not have
//           kUnsupported  a region that does not map to the machine (names its op and the stage)
//           kOutOfRange   a scratchpad is too small; names the region
Result<ProgramPlan> PlanProgram(const std::vector<Activation>& activations,
                                const std::vector<lower::accel::AccelRegion>& regions,
                                const isa::Config& config, const ProgramOptions& options = {},
                                RefusedIndex* refused = nullptr);

// Fills in the bytes of the constants of |plan|, a plan of |regions|.
//   errors  kOutOfRange  a read outside of a tensor; names the region
Status PackConstants(const std::vector<lower::accel::AccelRegion>& regions, ProgramPlan* plan);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_PROGRAM_H_
