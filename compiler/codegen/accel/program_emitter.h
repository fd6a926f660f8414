// SPDX-License-Identifier: Apache-2.0
//
// The state of EmitProgram. Internal to compiler/codegen/accel.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_PROGRAM_EMITTER_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_PROGRAM_EMITTER_H_

#include <memory>
#include <optional>
#include <vector>

#include "compiler/codegen/accel/accel.h"
#include "compiler/codegen/accel/emit/execute.h"
#include "compiler/codegen/accel/order/overlap.h"
#include "compiler/codegen/accel/order/units.h"

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

  // Sets |saved| to the estimated cycles that each region saves by overlap with the next one, each
  // pair by itself. The emitter cannot be used afterwards.
  Status Measure(std::vector<int64_t>* saved);
  // Sets which regions may overlap with the next one; without a call, all may.
  void Allow(std::vector<bool> allowed) { allowed_ = std::move(allowed); }
  Result<AccelProgram> Run(int64_t arena_bytes);

 private:
  // Whether |resident|'s halo has to be written; not if INP still has it from before.
  bool NeedsFill(const network::Resident& resident, const std::vector<int64_t>& shape);
  BufferAddress AddressOf(int activation, const sched::Packing& packing) const;
  // The place of |resident|; |kept| is its buffer in a function.
  BufferAddress PlaceOf(const network::Resident& resident, const ir::Buffer& kept) const;
  // A region between lowering and the end of its instructions.
  struct Emission {
    lower::accel::LoweredRegion lowered;
    std::optional<lower::accel::LoweredRegion> store;  // runs after it
    LeafEmitter emitter;
    Held held;
    std::unique_ptr<FixedPlaces> fixed;
    bool on_demand = false;                   // lowered.ahead is emitted where it is needed
    bool begun = false;                       // |held| has its room
    std::vector<WorkUnit> units;              // of lowered.ahead, then of lowered.body
    std::vector<bool> emitted;                // by unit
    std::vector<std::vector<TileRun>> fills;  // on_demand: of units of lowered.ahead
    bool surveyed = false;                    // |units| are surveyed
    RegionReport report;
  };
  // The regions behind the current one that may run under it, and their room for boxes meanwhile.
  struct UnderRegion {
    Overlap overlap;
    std::vector<std::pair<size_t, size_t>> what;  // by overlap's numbers: region and unit
    int64_t tiles_left = 0;                       // of INP, for the current region
    std::optional<InpRing> inp;                   // nothing: later regions have no boxes
  };
  // |error|, with region |index| as the region at fault.
  std::unexpected<Error> Refuse(size_t index, const Error& error);
  Result<std::unique_ptr<Emission>> Lower(size_t index);
  // Tells |emitter| the places of the parameters of |lowered|, of region |index|; adds the bytes of
  // its constants to the program.
  Status PlaceParams(size_t index, const lower::accel::LoweredRegion& lowered,
                     LeafEmitter& emitter);
  // Takes room for the buffers that stay during the region. Too little room is an error only with
  // |must|.
  Status Begin(size_t index, Emission& emission, bool must);
  Status EmitUnit(size_t index, Emission& emission, size_t unit, const RunHooks& hooks = {});
  // Emits the first |count| units of lowered.ahead, except for those that are emitted already.
  Status Ahead(size_t index, Emission& emission, size_t count);
  // Cuts lowered.ahead into pieces, which become the first units.
  Status CutAhead(size_t index, Emission& emission);
  // By statement of lowered.ahead: tiles of a piece of it.
  Result<std::vector<int64_t>> PieceTiles(size_t index,
                                          const lower::accel::LoweredRegion& lowered) const;
  Status Need(size_t index, Emission& emission, const target::SolvedLeaf& leaf);
  // Brings the table in which |leaf|, of region |index|, looks its results up, unless TAB holds it.
  Status NeedTable(size_t index, Emission& emission, const target::SolvedLeaf& leaf);
  // Assigns the instructions from here on to region |index|.
  void SwitchTo(size_t index, Emission& emission);
  // Counts the instructions since the last call for the current region.
  void Settle();
  // Emits the remaining units of region |index|, and between them units of later regions.
  Status EmitRegion(size_t index);
  // Places the buffers of region |index| that do not rotate, until it ends.
  Status TakeFixed(size_t index);
  // Surveys the units of region |index| once. errors: Survey's
  Status SurveyRegion(size_t index);
  // The regions that may run under region |index|: FindUnder also gives those that take turns with
  // it, FindOverlap only those that overlap with it. Empty: no region may.
  Result<std::optional<UnderRegion>> FindUnder(size_t index);
  Result<std::optional<UnderRegion>> FindOverlap(size_t index);
  // Whether region |reader| reads bytes that the copy behind region |index| stores: of a view of
  // its result, which stays in INP.
  bool ReadsStored(size_t index, size_t reader) const;
  void AddUnder(size_t index, const std::vector<isa::Access>& in_use, UnderRegion* under);
  // Whether |other|, a unit of a region in |under|, fits, and after it the rest of |unit|, which
  // has |taken| pieces so far.
  bool FitsBefore(const WorkUnit& other, const UnderRegion& under, const WorkUnit& unit,
                  const std::vector<PieceStep>& taken) const;
  // Products of the array in |emission|, one for each leaf nest.
  static Result<int64_t> ProductsOf(const Emission& emission);
  // The units of |emission| that do not run in their turn.
  static std::vector<bool> Gone(const Emission& emission);
  // Writes the pads of |result|'s halo around the body of its region, which makes |kept|.
  Status FillHalos(size_t index, const network::Resident& result, const ir::Buffer& kept,
                   Emission& emission);
  // Forgets the halos in tiles of INP that are overwritten.
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
  std::vector<WrittenHalo> halos_;                    // in INP, not overwritten
  std::vector<std::unique_ptr<Emission>> emissions_;  // of lowered regions that are not done
  Emission* current_ = nullptr;                       // that the last instructions belong to
  ir::Buffer in_tab_;                                 // what the last load to TAB brought
  jit::ProgramStats settled_;
  std::vector<bool> allowed_;
  // In a run that only measures, constants have no bytes but take their room.
  std::vector<int64_t>* measured_ = nullptr;
  int64_t measured_constants_ = 0;
  AccelProgram program_;
};

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_PROGRAM_EMITTER_H_
