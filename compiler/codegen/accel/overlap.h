// SPDX-License-Identifier: Apache-2.0
//
// Units of the next region between those of this one: which may be emitted already, and whether
// that is worth it now. Depends on: units.h. Used by: accel.cc.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_OVERLAP_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_OVERLAP_H_

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "compiler/codegen/accel/units.h"
#include "jit/unit_clock.h"

namespace tessera::codegen::accel {

// When the machine's units are done with what was emitted, by the cycles of instructions and the
// tokens inside of units of work. That a Zynq's memory answers late and has no beat in some cycles
// is left out (docs/rationale/accelerator-path.md).
class WorkClock {
 public:
  struct End {
    int64_t computed = 0;  // its last product
    int64_t all = 0;       // everything
  };
  // A unit of work under way.
  struct UnitRun {
    const WorkUnit* unit = nullptr;
    int64_t from = 0;  // LOAD does not begin before
    size_t at = 0;     // steps done
    End end = {};
    std::array<std::array<std::vector<int64_t>, isa::kUnits>, isa::kUnits> tokens = {};
    std::array<std::array<size_t, isa::kUnits>, isa::kUnits> taken = {};
  };
  // Puts the steps of |run| before |to| behind what is there.
  void Advance(UnitRun& run, size_t to);
  End RunAll(const WorkUnit& unit, int64_t from);

 private:
  jit::UnitClock units_;
};

// Units of regions behind |first| between those of |first|, which run in order. A unit may come
// when all before it that it conflicts with is emitted. It does when the units of |first| behind it
// end as early as without it, or nearly; or when |first| needs the room of what it reads.
class Overlap {
 public:
  // More units of a region than this are not looked at.
  static constexpr size_t kMostUnits = 2048;

  // |first| is surveyed; |gone|: which of its units ran before.
  Overlap(const std::vector<WorkUnit>& first, const std::vector<bool>& gone);

  // All of |second|, the region behind those that were added, surveyed. |emitted|: which of it are.
  // |in_use|: what |first| uses besides what its units say. Units are numbered as they are added.
  void AddRegion(const std::vector<WorkUnit>& second, const std::vector<bool>& emitted,
                 const std::vector<isa::Access>& in_use);

  // Chooses what a unit may cost. Estimates the cycles of all regions apart and what is saved.
  struct Gain {
    int64_t apart = 0, saved = 0;
  };
  Gain Plan();
  // Unit |unit| of |first| has been emitted until behind |products| of its products; all of it.
  void EmittedTo(size_t unit, size_t products);
  void Emitted(size_t unit);
  // The number of a unit to emit now, for which |fits|.
  using FitsNow = std::function<bool(const WorkUnit&)>;
  std::optional<size_t> Next(const FitsNow& fits);
  // Those that have to be emitted before the next unit of |first|, in order; nothing: some wait for
  // units that wait for them.
  std::optional<std::vector<size_t>> Before() const;
  // Unit |s| is emitted without having been asked for.
  void Force(size_t s);

 private:
  // A unit of a region behind.
  struct Other {
    const WorkUnit* unit = nullptr;
    size_t after = 0;            // the first of order_ that it need not wait for
    std::vector<size_t> behind;  // the others that it waits for
    bool emitted = false;
    int64_t end = 0;
  };
  // The end of what is left of all, in order.
  int64_t EndOfAll(WorkClock clock) const;
  // The end of this unit of first_ and of those behind it, on |clock|.
  int64_t EndOfFirst(WorkClock clock) const;
  // When all is stored that |other| waits for; |ends|: of those of order_.
  int64_t StoredBefore(const Other& other, const std::vector<WorkClock::End>& ends) const;
  void Put(Other& other, const WorkClock& with, const WorkClock::End& end);
  // What |s| waits for and |s| behind |units|; |open|: those that wait for it. False: it waits for
  // itself.
  bool Collect(size_t s, std::vector<bool>& open, std::vector<size_t>* units) const;

  const std::vector<WorkUnit>* first_;
  std::vector<size_t> order_;                // those of first_ that run
  std::vector<std::vector<size_t>> before_;  // for each of order_, the others that it waits for
  std::vector<Other> others_;
  bool circular_ = false;  // two units wait for each other
  int64_t cost_ = 1;
  size_t done_ = 0;  // of order_
  WorkClock clock_;
  std::optional<WorkClock::UnitRun> current_;  // of order_[done_]
  std::vector<WorkClock::End> ends_, under_;  // of those of order_, of others_ in order of emission
};

// |saved|: cycles by overlapping each region with the next one. What a region gives to the one
// before it, the next one cannot overlap with: for each region, whether it may overlap with the
// next, so that those together save most.
std::vector<bool> ChoosePairs(const std::vector<int64_t>& saved);

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_OVERLAP_H_
