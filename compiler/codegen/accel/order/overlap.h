// SPDX-License-Identifier: Apache-2.0
//
// Decides which units of work of the next regions may be emitted between those of this region, and
// whether that is worth it now. Depends on: units.h, jit. Used by: codegen/accel.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_ORDER_OVERLAP_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_ORDER_OVERLAP_H_

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "compiler/codegen/accel/order/units.h"
#include "jit/unit_clock.h"

namespace tessera::codegen::accel {

// Estimates when the machine's units finish the emitted work, from the cycles of instructions and
// the tokens inside of units of work. It leaves out that a Zynq's memory answers late and has no
// beat in some cycles (docs/rationale/accelerator-path.md).
class WorkClock {
 public:
  struct End {
    int64_t computed = 0;  // of its last product
    int64_t all = 0;       // of all its steps
  };
  // A unit of work in progress.
  struct UnitRun {
    const WorkUnit* unit = nullptr;
    int64_t from = 0;  // LOAD begins no earlier
    size_t at = 0;     // steps done
    End end = {};
    std::array<std::array<std::vector<int64_t>, isa::kUnits>, isa::kUnits> tokens = {};
    std::array<std::array<size_t, isa::kUnits>, isa::kUnits> taken = {};
  };
  // Runs the steps of |run| before |to| after the work so far.
  void Advance(UnitRun& run, size_t to);
  End RunAll(const WorkUnit& unit, int64_t from);

 private:
  jit::UnitClock units_;
};

// Inserts units of regions behind |first| between the units of |first|, which run in order. A unit
// may come when all earlier units that it conflicts with are emitted. It does come when the later
// units of |first| then end as early as without it, or nearly so; or when |first| needs the room of
// the unit's input.
class Overlap {
 public:
  // Regions with more units overlap only where they take turns.
  static constexpr size_t kMostUnits = 2048;

  // |first| is surveyed; |gone| marks the units of it that have run.
  Overlap(const std::vector<WorkUnit>& first, const std::vector<bool>& gone);

  // Adds the units of |second|, the region behind those added so far, surveyed. |emitted| marks
  // units that are emitted. |in_use| is what |first| uses besides what its units say. Units are
  // numbered as they are added.
  void AddRegion(const std::vector<WorkUnit>& second, const std::vector<bool>& emitted,
                 const std::vector<isa::Access>& in_use);

  // Chooses how much a unit may delay |first|. Estimates the cycles of all regions run apart, and
  // the cycles that overlap saves.
  struct Gain {
    int64_t apart = 0, saved = 0;
  };
  Gain Plan();
  // The instructions of unit |unit| of |first| are emitted up to |products| of its products.
  void EmittedTo(size_t unit, size_t products);
  void Emitted(size_t unit);
  // The number of a unit to emit now, for which |fits|; nothing: no unit.
  using FitsNow = std::function<bool(const WorkUnit&)>;
  std::optional<size_t> Next(const FitsNow& fits);
  // The units that must be emitted before the next unit of |first|, in order; nothing if some of
  // them wait for each other.
  std::optional<std::vector<size_t>> Before() const;
  // Records that unit |s| was emitted without Next or Before.
  void Force(size_t s);

 private:
  // A unit of a later region.
  struct Other {
    const WorkUnit* unit = nullptr;
    size_t after = 0;            // the first of order_ that it does not wait for
    std::vector<size_t> behind;  // the others that it waits for
    bool emitted = false;
    int64_t end = 0;
  };
  // The end of all remaining units in order.
  int64_t EndOfAll(WorkClock clock) const;
  // The end of the current unit of first_ and of later ones, on |clock|.
  int64_t EndOfFirst(WorkClock clock) const;
  // The time when all that |other| waits for is stored; |ends| has the ends of order_.
  int64_t StoredBefore(const Other& other, const std::vector<WorkClock::End>& ends) const;
  void Put(Other& other, const WorkClock& with, const WorkClock::End& end);
  // Adds the units that |s| waits for, then |s|, to |units|; |open| marks those that wait for it.
  // False: |s| waits for itself.
  bool Collect(size_t s, std::vector<bool>& open, std::vector<size_t>* units) const;

  const std::vector<WorkUnit>* first_;
  std::vector<size_t> order_;                // the units of first_ that run
  std::vector<std::vector<size_t>> before_;  // by order_: others that it waits for
  std::vector<Other> others_;
  bool circular_ = false;  // two units wait for each other
  int64_t cost_ = 1;
  size_t done_ = 0;  // of order_
  WorkClock clock_;
  std::optional<WorkClock::UnitRun> current_;  // of order_[done_]
  std::vector<WorkClock::End> ends_, under_;   // of order_; of others_ as emitted
};

// |saved|: cycles that each region saves by overlap with the next one. Work that a region gives to
// the region before it cannot overlap with the next one. Returns for each region whether it may
// overlap with the next, so that the chosen pairs save most.
std::vector<bool> ChoosePairs(const std::vector<int64_t>& saved);

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_ORDER_OVERLAP_H_
