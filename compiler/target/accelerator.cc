// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/accelerator.h"

#include <algorithm>
#include <iterator>
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

// The scratchpads of programs.
struct ScopeRow {
  ir::Scope scope;
  isa::Memory memory;
  bool banked = false;  // a buffer takes whole banks of it
  bool keeps = false;   // as TargetMemory::keeps
};
constexpr ScopeRow kScopes[] = {
    {.scope = ir::Scope::kInp, .memory = isa::Memory::kInp, .keeps = true},
    {.scope = ir::Scope::kWgt, .memory = isa::Memory::kWgt},
    {.scope = ir::Scope::kAcc, .memory = isa::Memory::kAcc, .banked = true},
    {.scope = ir::Scope::kOut, .memory = isa::Memory::kOut, .banked = true},
    {.scope = ir::Scope::kPrm, .memory = isa::Memory::kPrm},
    {.scope = ir::Scope::kTab, .memory = isa::Memory::kTab}};

std::shared_ptr<const Target> Make(const isa::Config& config) {
  RegisterTileIntrinsics();
  Target target{.name = "accelerator " + config.name,
                .memories = {DeviceMemory(config)},
                .loops = {ir::LoopKind::kSerial, ir::LoopKind::kVthread}};
  const auto has = [&](ir::Scope scope) {
    const auto row = std::ranges::find(kScopes, scope, &ScopeRow::scope);
    return row == std::end(kScopes) || config.Depth(row->memory) != 0;
  };
  for (const ScopeRow& row : kScopes) {
    if (!has(row.scope)) continue;
    const int64_t tile = config.TileBytes(row.memory);
    target.memories.push_back({.scope = row.scope,
                               .bytes = config.Depth(row.memory) * tile,
                               .banks = row.banked ? isa::RowOf(row.memory).banks : 1,
                               .rotates = true,
                               .keeps = row.keeps,
                               .bytes_a_cycle = static_cast<double>(tile)});
  }
  for (const TileInstruction& instruction : TileInstructions()) {
    for (TensorIntrin& intrin : instruction.intrinsics(config)) {
      // A machine without TAB has no instruction that loads it or looks up in it.
      const bool possible = std::ranges::all_of(intrin.scopes, [&](const TileScopes& operand) {
        return std::ranges::any_of(operand.scopes, has);
      });
      if (possible) target.intrinsics.push_back(std::move(intrin));
    }
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
  const auto row = std::ranges::find(kScopes, scope, &ScopeRow::scope);
  TESSERA_CHECK(row != std::end(kScopes), "{} is no scratchpad", ir::ScopeName(scope));
  return row->memory;
}

int64_t TileElements(const isa::Config& config, const ir::Buffer& buffer) {
  if (buffer->scope == ir::Scope::kPrm) return RecordNumbers(config);
  return config.TileBytes(MemoryOf(buffer->scope)) / SizeOf(buffer->dtype);
}

}  // namespace tessera::target
