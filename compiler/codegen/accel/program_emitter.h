// SPDX-License-Identifier: Apache-2.0
//
// EmitProgram's state. Internal to compiler/codegen/accel.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_PROGRAM_EMITTER_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_PROGRAM_EMITTER_H_

#include <memory>
#include <optional>
#include <vector>

#include "compiler/codegen/accel/accel.h"
#include "compiler/codegen/accel/execute.h"
#include "compiler/codegen/accel/overlap.h"
#include "compiler/codegen/accel/units.h"

namespace tessera::codegen::accel {

namespace sched = schedule::accel;

class ProgramEmitter {
 public:
  ProgramEmitter(const network::ProgramPlan& plan,
                 const std::vector<network::Activation>& activations,
                 const std::vector<lower::accel::AccelRegion>& regions, const isa::Config& config,
                 const std::vector<int64_t>& offsets, bool dump, network::RefusedIndex* refused)
      : plan_(plan),
        activations_(activations),
        regions_(regions),
        config_(config),
        offsets_(offsets),
        dump_(dump),
        refused_(refused),
        builder_(config),
        rings_(config),
        allowed_(regions.size(), true) {}

  // For each region the cycles that overlapping with the next one is estimated to save, each pair
  // by itself. Uses the emitter up.
  Status Measure(std::vector<int64_t>* saved);
  // Which regions may overlap with the next one; all, if never called.
  void Allow(std::vector<bool> allowed) { allowed_ = std::move(allowed); }
  Result<AccelProgram> Run(int64_t arena_bytes);

 private:
  // Whether |resident|'s halo has to be written: not when it is there from before.
  bool NeedsFill(const network::Resident& resident, const std::vector<int64_t>& shape);
  BufferAddress AddressOf(int activation, const sched::Packing& packing) const;
  // |kept|: the buffer of a function that |resident| is.
  BufferAddress PlaceOf(const network::Resident& resident, const ir::Buffer& kept) const;
  // A region between lowering and the end of its instructions.
  struct Emission {
    lower::accel::LoweredRegion lowered;
    std::optional<lower::accel::LoweredRegion> store;  // behind it
    LeafEmitter emitter;
    Held held;
    std::unique_ptr<FixedPlaces> fixed;
    bool on_demand = false;                   // lowered.ahead comes where it is needed
    bool begun = false;                       // |held| has room
    std::vector<WorkUnit> units;              // lowered.ahead, and those of lowered.body
    std::vector<bool> emitted;                // of them
    std::vector<std::vector<TileRun>> fills;  // of the first units, lowered.ahead; if on_demand
    bool surveyed = false;                    // they are
    RegionReport report;
  };
  // Regions behind the one that runs, and where their boxes may be meanwhile.
  struct UnderRegion {
    Overlap overlap;
    std::vector<std::pair<size_t, size_t>> what;  // region and unit, by overlap's numbers
    int64_t tiles_left = 0;                       // of INP for the one that runs
    std::optional<InpRing> inp;                   // nothing: the others have no boxes
  };
  // |error|, which is about region |index|.
  std::unexpected<Error> Refuse(size_t index, const Error& error);
  Result<std::unique_ptr<Emission>> Lower(size_t index);
  // Tells |emitter| where the parameters of |lowered|, of region |index|, are; the bytes of its
  // constants go to the program.
  Status PlaceParams(size_t index, const lower::accel::LoweredRegion& lowered,
                     LeafEmitter& emitter);
  // Room for what stays during the region; without |must|, only if there is some.
  Status Begin(size_t index, Emission& emission, bool must);
  Status EmitUnit(size_t index, Emission& emission, size_t unit, const RunHooks& hooks = {});
  // The first |count| pieces that need nothing of other regions, as far as they are not there yet.
  Status Ahead(size_t index, Emission& emission, size_t count);
  // lowered.ahead in pieces, the first units.
  Status CutAhead(size_t index, Emission& emission);
  // The tiles of a piece of each of lowered.ahead.
  Result<std::vector<int64_t>> PieceTiles(size_t index,
                                          const lower::accel::LoweredRegion& lowered) const;
  Status Need(size_t index, Emission& emission, const target::SolvedLeaf& leaf);
  // What instructions from here on are for.
  void SwitchTo(size_t index, Emission& emission);
  // Charges what was emitted since the last call.
  void Settle();
  // The units of region |index| that are not emitted, and between them what may be of others.
  Status EmitRegion(size_t index);
  // Places of region |index|'s buffers that do not rotate, until it ends.
  Status TakeFixed(size_t index);
  // Fills in what is told of region |index|'s units, once. errors: Survey's
  Status SurveyRegion(size_t index);
  // What may come under region |index|: what it takes turns with or (FindOverlap) what may overlap
  // with it; nothing when there is no such.
  Result<std::optional<UnderRegion>> FindUnder(size_t index);
  Result<std::optional<UnderRegion>> FindOverlap(size_t index);
  void AddUnder(size_t index, const std::vector<isa::Access>& in_use, UnderRegion* under);
  // Does |other|, of a region that runs |under|, find room, and behind it what |unit|, which has
  // |taken| so much, still takes?
  bool FitsBefore(const WorkUnit& other, const UnderRegion& under, const WorkUnit& unit,
                  const std::vector<PieceStep>& taken) const;
  // Products of the array in |emission|, one a leaf nest.
  static Result<int64_t> ProductsOf(const Emission& emission);
  // The units of |emission| that do not run in their turn.
  static std::vector<bool> Gone(const Emission& emission);
  // Writes what |result|'s halo holds, around the body of its region, which makes |kept|.
  void FillHalos(const network::Resident& result, const ir::Buffer& kept, Emission& emission);
  // What is written to INP replaces halos that are there.
  void OverwriteHalos(int64_t base, int64_t tiles);
  Status EmitAll();

  const network::ProgramPlan& plan_;
  const std::vector<network::Activation>& activations_;
  const std::vector<lower::accel::AccelRegion>& regions_;
  const isa::Config& config_;
  const std::vector<int64_t>& offsets_;
  const bool dump_;
  network::RefusedIndex* const refused_;
  jit::ProgramBuilder builder_;
  Rings rings_;
  struct WrittenHalo {
    int64_t base, tiles, pad;
    sched::Halo halo;
    std::vector<int64_t> shape;
  };
  std::vector<WrittenHalo> halos_;                    // in INP and intact
  std::vector<std::unique_ptr<Emission>> emissions_;  // of regions that are lowered and not done
  Emission* current_ = nullptr;                       // whose instructions the last ones are
  jit::ProgramStats settled_;
  std::vector<bool> allowed_;
  // Of a run that only measures, which needs no constants but the bytes of room that they take.
  std::vector<int64_t>* measured_ = nullptr;
  int64_t measured_constants_ = 0;
  AccelProgram program_;
};

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_PROGRAM_EMITTER_H_
