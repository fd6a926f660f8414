// SPDX-License-Identifier: Apache-2.0
//
// Which activations stay in INP between the region that makes them and the regions that read them,
// and where. Regions leave the rest of INP to their own input boxes. Depends on:
// compiler/schedule/accel. Used by: network/program.h, codegen/accel.
#ifndef TESSERA_COMPILER_NETWORK_RESIDENCY_H_
#define TESSERA_COMPILER_NETWORK_RESIDENCY_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/cost/cost.h"
#include "compiler/schedule/accel/plan.h"
#include "compiler/schedule/accel/region.h"
#include "isa/config.h"

namespace tessera::network {

namespace sched = schedule::accel;

// The halo that the window of |anchor| reads around its input.
sched::Halo HaloFor(const sched::Anchor& anchor);

// An activation that a region reads.
struct ResidentRead {
  int activation = -1;
  sched::Halo halo;  // that the region wants around it, where it stays
  int64_t pad = 0;   // what the halo holds
  size_t rank = 4;   // of the tensor as which the region has it
};

// A region in running order. Tensors are numbered by the caller: |activation_of| gives an
// activation's number.
struct ResidencyRegion {
  std::string name;       // of its result, in messages
  sched::Shape4 shape{};  // its result's
  size_t rank = 4;        // of it
  int result = -1;
  std::vector<ResidentRead> reads;  // what other regions may make
  bool copies = false;              // does nothing else, by way of device memory
  // What plans are made of; null: there are |steps|.
  const sched::AnalyzedRegion* region = nullptr;
  std::function<int(const te::Tensor&)> activation_of;
  // A recorded decision about the result; nothing: choose.
  std::optional<bool> resident;
  // Of a schedule that is given: nothing of it is chosen here.
  struct GivenSteps {
    int64_t inp_tiles = 0;  // of its own boxes
    cost::Cost cost;
    // The activations that it has in INP, and which rows of them at a time; nothing: all.
    std::map<int, std::optional<sched::FoldedRows>> kept;
  };
  std::optional<GivenSteps> steps;
};

struct ResidencyOptions {
  std::vector<bool> in_memory;  // by activation: someone outside the regions reads it, or makes it
  bool store_all = false;       // what stays goes to device memory too, to be read back
};

// Where one activation stays.
struct Resident {
  int activation = -1;
  sched::Halo halo;
  int64_t pad = 0;  // value of the halo
  int64_t base = 0, tiles = 0;
  size_t first = 0, last = 0;  // the region that makes it, the last one that reads it
  std::optional<sched::FoldedRows> folded = {};  // nothing: all rows are there
};

// Regions that take turns, from the first to the last: what they exchange is folded.
struct Chain {
  size_t first = 0, last = 0;
};
// The chain that |region| is in; itself, if it takes turns with none.
Chain ChainOf(size_t region, const std::vector<Resident>& residents);

struct ResidencyPlan {
  std::vector<sched::OnChip> regions;  // what each region sees
  // First tile of INP for each region's own boxes, and how many there are. OnChip::inp_tiles may
  // say fewer, where the next region's boxes shall have room beside.
  std::vector<int64_t> box_base, box_tiles;
  std::vector<Resident> residents;  // in order of |first|

  const Resident* Of(int activation) const;  // null: it does not stay
};

// Chooses greedily, smallest first, what lowers the estimated cycles of all regions together.
// Candidates are results that some region makes and only regions read, whose readers agree on the
// value of their pads. The choice is the same for the same network and configuration.
//   errors  kOutOfRange       a region whose smallest tile does not fit (MakePlan's)
//           kInvalidArgument  a recorded decision that cannot be: names the region's result and why
Result<ResidencyPlan> PlanResidency(const std::vector<ResidencyRegion>& regions,
                                    const isa::Config& config, const ResidencyOptions& options);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_RESIDENCY_H_
