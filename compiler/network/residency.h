// SPDX-License-Identifier: Apache-2.0
//
// Decides which activations stay in INP between the region that makes them and the regions that
// read them, and at which tiles. The rest of INP is for the regions' own input boxes. A decision is
// a step of a region's network trace (compiler/schedule/network_step.h), so that all of them can
// be printed, edited and given again. Depends on: compiler/cost, compiler/schedule. Used by:
// network/program.h, codegen/accel.
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
#include "compiler/schedule/network_step.h"
#include "isa/config.h"

namespace tessera::network {

namespace sched = schedule::accel;

// The halo that the window of |anchor| reads around its input.
sched::Halo HaloFor(const sched::Anchor& anchor);

// An activation that a region reads.
struct ResidentRead {
  int activation = -1;
  sched::Halo halo;                 // that the region needs around it in INP
  int64_t pad = 0;                  // value of the halo
  size_t rank = 4;                  // of the tensor in the region; a view may change it
  const char* in_memory = nullptr;  // why LOAD brings it, from device memory; null: INP serves
};

// A region, in running order. |activation_of| maps the region's tensors to the caller's numbers of
// activations.
struct ResidencyRegion {
  std::string name;       // name of the result, for messages
  sched::Shape4 shape{};  // of the result
  size_t rank = 4;        // of the result
  int result = -1;
  std::vector<ResidentRead> reads;  // what other regions may make
  bool copies = false;              // only copies, by way of device memory
  // The analysis that plans are made from; null: |steps| has a value.
  const sched::AnalyzedRegion* region = nullptr;
  std::function<int(const te::Tensor&)> activation_of;  // of a constant: -1
  // What a plan of |region| costs; nothing: its steps have no cost.
  std::function<std::optional<cost::Cost>(const sched::TilePlan&, const sched::OnChip&)> cost_of;
  // Whether the result stays; nothing: PlanResidency decides.
  std::optional<bool> resident;
  // A network trace that the user gives; null: PlanResidency decides.
  const schedule::NetworkTrace* given = nullptr;
  // A schedule that the user gives: PlanResidency chooses nothing in it.
  struct GivenSteps {
    int64_t inp_tiles = 0;  // room for its own boxes
    cost::Cost cost;
    // The activations that it has in INP, each with the rows that are there at one time (nothing:
    // all).
    std::map<int, std::optional<sched::FoldedRows>> kept;
  };
  std::optional<GivenSteps> steps;
};

struct ResidencyOptions {
  std::vector<bool> in_memory;  // by activation: makers or readers outside of the regions have it
  bool store_all = false;       // activations that stay go to device memory too, to be read back
};

// Where one activation stays.
struct Resident {
  int activation = -1;
  sched::Halo halo;
  int64_t pad = 0;  // value of the halo
  int64_t base = 0, tiles = 0;
  size_t first = 0, last = 0;  // the region that makes it, the last region that reads it
  std::optional<sched::FoldedRows> folded = {};  // nothing: all rows are there
};

// Regions first to last take turns; the activations between them are folded.
struct Chain {
  size_t first = 0, last = 0;
};
// The chain of |region|; the region alone if it takes no turns.
Chain ChainOf(size_t region, const std::vector<Resident>& residents);

struct ResidencyPlan {
  std::vector<sched::OnChip> regions;                 // what each region sees
  std::vector<std::optional<sched::TilePlan>> plans;  // nothing: the region has given steps
  // The first tile of INP and the number of tiles for each region's own boxes. OnChip::inp_tiles is
  // smaller where the next region's boxes need room beside them.
  std::vector<int64_t> box_base, box_tiles;
  std::vector<Resident> residents;  // in order of |first|
  // The decisions, by region: given again, they make the same plan.
  std::vector<schedule::NetworkTrace> traces;
  // By region: which steps its network trace may have.
  struct Choices {
    bool stays = false, turns = false, taps = false;
    int64_t rows = 0;  // of its result
    // The channel blocks of its result, where it may take turns with the next one by fewer; else 0.
    int64_t blocks = 0;
    bool summed = false;  // ... and the next one sums over them, which ends a chain by blocks
  };
  std::vector<Choices> choices;

  const Resident* Of(int activation) const;  // null: it does not stay
};

// Chooses activations greedily, smallest first, as long as each lowers the estimated cycles of all
// regions together. A candidate is a result that only regions of the list read, whose readers agree
// on the value of their pads. The same network and configuration give the same choice.
//   errors  kOutOfRange       a region whose smallest tile does not fit (MakePlan's)
//           kInvalidArgument  a given decision that cannot be met: names the result and why
Result<ResidencyPlan> PlanResidency(const std::vector<ResidencyRegion>& regions,
                                    const isa::Config& config, const ResidencyOptions& options);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_RESIDENCY_H_
