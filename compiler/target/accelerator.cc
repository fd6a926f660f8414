// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/accelerator.h"

#include <utility>

#include "compiler/target/tile_intrin.h"

namespace tessera::target {

std::shared_ptr<const Target> Accelerator(const isa::Config& config) {
  RegisterTileIntrinsics();
  using isa::Memory;
  const auto scratchpad = [&](ir::Scope scope, Memory memory, int64_t banks = 1) {
    return TargetMemory{scope, config.Depth(memory) * config.TileBytes(memory), banks, true};
  };
  Target target{
      .name = "accelerator " + config.name,
      .memories = {{ir::Scope::kGlobal},
                   scratchpad(ir::Scope::kInp, Memory::kInp),
                   scratchpad(ir::Scope::kWgt, Memory::kWgt),
                   scratchpad(ir::Scope::kAcc, Memory::kAcc, isa::RowOf(Memory::kAcc).banks),
                   scratchpad(ir::Scope::kOut, Memory::kOut, isa::RowOf(Memory::kOut).banks),
                   scratchpad(ir::Scope::kPrm, Memory::kPrm)},
      .loops = {ir::LoopKind::kSerial, ir::LoopKind::kVthread}};
  for (const TileInstruction& instruction : TileInstructions()) {
    for (TensorIntrin& intrin : instruction.intrinsics(config))
      target.intrinsics.push_back(std::move(intrin));
  }
  return std::make_shared<const Target>(std::move(target));
}

}  // namespace tessera::target
