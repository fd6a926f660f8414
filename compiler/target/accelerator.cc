// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/accelerator.h"

#include <utility>

#include "compiler/target/tile_intrin.h"

namespace tessera::target {

std::shared_ptr<const Target> Accelerator(const isa::Config& config) {
  RegisterTileIntrinsics();
  using isa::Memory;
  const auto bytes = [&](Memory memory) { return config.Depth(memory) * config.TileBytes(memory); };
  Target target{.name = "accelerator " + config.name,
                .memories = {{ir::Scope::kGlobal},
                             {ir::Scope::kInp, bytes(Memory::kInp)},
                             {ir::Scope::kWgt, bytes(Memory::kWgt)},
                             {ir::Scope::kAcc, bytes(Memory::kAcc)},
                             {ir::Scope::kOut, bytes(Memory::kOut)},
                             {ir::Scope::kPrm, bytes(Memory::kPrm)}},
                .loops = {ir::LoopKind::kSerial}};
  for (const TileInstruction& instruction : TileInstructions()) {
    for (TensorIntrin& intrin : instruction.intrinsics(config))
      target.intrinsics.push_back(std::move(intrin));
  }
  return std::make_shared<const Target>(std::move(target));
}

}  // namespace tessera::target
