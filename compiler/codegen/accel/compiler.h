// SPDX-License-Identifier: Apache-2.0
//
// EmitProgram's state. Internal to compiler/codegen/accel.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_COMPILER_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_COMPILER_H_

#include <memory>
#include <optional>
#include <vector>

#include "compiler/codegen/accel/accel.h"
#include "compiler/codegen/accel/execute.h"
#include "compiler/lower/accel/lower_region.h"

namespace tessera::codegen::accel {

namespace sched = schedule::accel;

class ProgramEmitter {
 public:
  ProgramEmitter(const network::ProgramPlan& plan,
                 const std::vector<network::Activation>& activations,
                 const std::vector<network::AccelRegion>& regions, const isa::Config& config,
                 const std::vector<int64_t>& offsets, bool dump)
      : plan_(plan),
        activations_(activations),
        regions_(regions),
        config_(config),
        offsets_(offsets),
        dump_(dump),
        builder_(config),
        rings_(config) {}

  Result<AccelProgram> Run(int64_t arena_bytes);

 private:
  // Whether |resident|'s halo has to be written: not when it is there from before.
  bool NeedsFill(const network::Resident& resident, const std::vector<int64_t>& shape);
  BufferAddress AddressOf(int activation, const sched::Packing& packing) const;
  // A region between lowering and the end of its instructions.
  struct Emission {
    lower::accel::LoweredRegion lowered;
    std::optional<lower::accel::LoweredRegion> store;  // behind it
    LeafEmitter emitter;
    Held held;
    bool begun = false;  // |held| has room
    size_t ahead = 0;    // pieces of lowered.ahead that are emitted
  };
  Result<std::unique_ptr<Emission>> Lower(size_t index);
  // Tells |emitter| where the parameters of |lowered|, of region |index|, are; takes the bytes of
  // its constants.
  Status PlaceParams(size_t index, lower::accel::LoweredRegion& lowered, LeafEmitter& emitter);
  // Room for what stays during the region; without |must|, only if there is some.
  Status Begin(size_t index, Emission& emission, bool must);
  // The first |count| pieces that need nothing of other regions, as far as they are not there yet.
  Status Ahead(size_t index, Emission& emission, size_t count);
  Status EmitAll();

  const network::ProgramPlan& plan_;
  const std::vector<network::Activation>& activations_;
  const std::vector<network::AccelRegion>& regions_;
  const isa::Config& config_;
  const std::vector<int64_t>& offsets_;
  const bool dump_;
  jit::ProgramBuilder builder_;
  Rings rings_;
  struct WrittenHalo {
    int64_t base, tiles, pad;
    sched::Halo halo;
    std::vector<int64_t> shape;
  };
  std::vector<WrittenHalo> halos_;  // in INP and intact
  AccelProgram program_;
};

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_COMPILER_H_
