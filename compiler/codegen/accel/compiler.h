// SPDX-License-Identifier: Apache-2.0
//
// The compiler of a list of regions, in two files: plan_network.cc decides (tiles, what stays on
// chip), accel.cc places and emits. Internal to compiler/codegen/accel.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_COMPILER_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_COMPILER_H_

#include <memory>
#include <vector>

#include "compiler/codegen/accel/accel.h"
#include "compiler/codegen/accel/execute.h"
#include "compiler/lower/accel/lower_region.h"
#include "compiler/schedule/accel/residency.h"

namespace tessera::codegen::accel {

namespace sched = schedule::accel;

lower::accel::ConstantMap ConstantsOf(const AccelRegion& region);

// A region with its plan.
struct Planned {
  sched::AnalyzedRegion region;
  sched::TilePlan plan;
  sched::OnChip on_chip;
  int moved = 0;  // axes whose taps are channels of the packed input (MoveTaps)
};

class Compiler {
 public:
  Compiler(const std::vector<Activation>& activations, const std::vector<AccelRegion>& regions,
           const isa::Config& config, const AccelOptions& options)
      : activations_(activations),
        regions_(regions),
        config_(config),
        options_(options),
        builder_(config),
        rings_(config) {}

  Result<AccelProgram> Run();

 private:
  Result<Planned> Analyze(const AccelRegion& region) const;
  Status PlanAll();
  // Whether |staying|'s halo has to be written: not when it is there from before.
  bool NeedsFill(const sched::Staying& staying, const std::vector<int64_t>& shape);
  Status CheckBindings() const;
  void PlaceActivations();
  isa::Packing PackingOf(const std::vector<int64_t>& shape) const;
  // The place of the input in the packing that the region's anchor wants; a new one if there is
  // none.
  BufferAddress InputPlace(int activation, const isa::Packing& packing);
  BufferAddress ActivationPlacement(const Planned& planned, const AccelRegion& region,
                                    const te::Tensor& tensor);
  // A region between lowering and the end of its instructions.
  struct Emission {
    lower::accel::LoweredRegion lowered;
    LeafEmitter emitter;
    Held held;
    bool begun = false;  // |held| has room
    size_t ahead = 0;    // pieces of lowered.ahead that are emitted
  };
  std::unique_ptr<Emission> Lower(size_t index);
  // Room for what stays during the region; without |must|, only if there is some.
  Status Begin(size_t index, Emission& emission, bool must);
  // The first |count| pieces that need nothing of other regions, as far as they are not there yet.
  Status Ahead(size_t index, Emission& emission, size_t count);
  Status EmitAll();

  const std::vector<Activation>& activations_;
  const std::vector<AccelRegion>& regions_;
  const isa::Config& config_;
  const AccelOptions& options_;
  jit::ProgramBuilder builder_;
  Rings rings_;
  std::vector<Planned> planned_;
  sched::StayPlan residency_;
  struct WrittenHalo {
    int64_t base, tiles, pad;
    sched::Halo halo;
    std::vector<int64_t> shape;
  };
  std::vector<WrittenHalo> halos_;     // in INP and intact
  std::vector<BufferAddress> places_;  // of activations that are not inputs
  int64_t input_bytes_ = 0;
  AccelProgram program_;
};

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_COMPILER_H_
