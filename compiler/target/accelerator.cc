// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/accelerator.h"

#include <mutex>
#include <optional>
#include <utility>

#include "base/check.h"
#include "compiler/target/tile_intrin.h"
#include "isa/costs.h"
#include "isa/dram_timing.h"

namespace tessera::target {

TargetMemory DeviceMemory(const isa::Config& config) {
  const isa::DramTiming timing = isa::TimingOf(config.dram);
  // Cycles from a command to its request, and from a beat to the scratchpad. A memory with a
  // latency for each request leaves the bus idle for about the same time again between two
  // requests; this factor is fitted to the cycles of networks on the RTL.
  const double starts = timing.pipelined ? 2 : 1;
  return {
      .scope = ir::Scope::kGlobal,
      .bytes_a_cycle = static_cast<double>(config.bus_bytes()),
      .shared = timing.shared ? static_cast<double>(timing.frame_beats) / timing.frame_cycles : 0,
      .start_cycles = starts * (isa::StartCycles(isa::Unit::kLoad) + isa::kBeatCycles)};
}

namespace {

std::shared_ptr<const Target> Make(const isa::Config& config) {
  RegisterTileIntrinsics();
  using isa::Memory;
  const auto scratchpad = [&](ir::Scope scope, Memory memory, int64_t banks = 1) {
    const int64_t tile = config.TileBytes(memory);
    return TargetMemory{.scope = scope,
                        .bytes = config.Depth(memory) * tile,
                        .banks = banks,
                        .rotates = true,
                        .bytes_a_cycle = static_cast<double>(tile)};
  };
  const auto kept = [](TargetMemory memory) {
    memory.keeps = true;
    return memory;
  };
  Target target{
      .name = "accelerator " + config.name,
      .memories = {DeviceMemory(config), kept(scratchpad(ir::Scope::kInp, Memory::kInp)),
                   scratchpad(ir::Scope::kWgt, Memory::kWgt),
                   scratchpad(ir::Scope::kAcc, Memory::kAcc, isa::RowOf(Memory::kAcc).banks),
                   scratchpad(ir::Scope::kOut, Memory::kOut, isa::RowOf(Memory::kOut).banks),
                   scratchpad(ir::Scope::kPrm, Memory::kPrm),
                   scratchpad(ir::Scope::kTab, Memory::kTab)},
      .loops = {ir::LoopKind::kSerial, ir::LoopKind::kVthread}};
  for (const TileInstruction& instruction : TileInstructions()) {
    for (TensorIntrin& intrin : instruction.intrinsics(config))
      target.intrinsics.push_back(std::move(intrin));
  }
  return std::make_shared<const Target>(std::move(target));
}

}  // namespace

std::shared_ptr<const Target> Accelerator(const isa::Config& config) {
  static std::mutex mutex;
  static std::optional<isa::Config> last;
  static std::shared_ptr<const Target> made;
  const std::lock_guard lock(mutex);
  if (last != config) {
    made = Make(config);
    last = config;
  }
  return made;
}

isa::Memory MemoryOf(ir::Scope scope) {
  switch (scope) {
    case ir::Scope::kInp:
      return isa::Memory::kInp;
    case ir::Scope::kWgt:
      return isa::Memory::kWgt;
    case ir::Scope::kAcc:
      return isa::Memory::kAcc;
    case ir::Scope::kOut:
      return isa::Memory::kOut;
    case ir::Scope::kPrm:
      return isa::Memory::kPrm;
    case ir::Scope::kTab:
      return isa::Memory::kTab;
    default:
      TESSERA_CHECK(false, "{} is no scratchpad", ir::ScopeName(scope));
  }
}

int64_t TileElements(const isa::Config& config, const ir::Buffer& buffer) {
  if (buffer->scope == ir::Scope::kPrm) return RecordNumbers(config);
  return config.TileBytes(MemoryOf(buffer->scope)) / SizeOf(buffer->dtype);
}

}  // namespace tessera::target
