// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/clear.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "isa/encoding.h"
#include "isa/memories.h"

namespace tessera {
namespace {

constexpr int64_t kMostTiles = 0xffff;  // of one row of a LOAD
constexpr uint64_t kAlign = 64;

void Append(std::vector<uint8_t>& bytes, const isa::Insn& insn) {
  const auto word = isa::Encode(insn);
  TESSERA_CHECK(word.has_value(), "{}", word ? "" : word.error().message);
  const auto* raw = reinterpret_cast<const uint8_t*>(word->data());
  bytes.insert(bytes.end(), raw, raw + isa::kInsnBytes);
}

}  // namespace

ClearProgram MakeClearProgram(const isa::Config& config) {
  ClearProgram program;
  int64_t largest = 0;  // tile
  uint64_t tiles = 0;
  for (const isa::MemoryRow& row : isa::kMemoryRows) {
    if (row.lies_in || (row.profiles & isa::ProfileMask(isa::Profile::kTessera)) == 0) continue;
    const int64_t tile = config.TileBytes(row.memory), depth = config.Depth(row.memory);
    largest = std::max(largest, tile);
    tiles += static_cast<uint64_t>(depth);
    for (int64_t at = 0; at < depth; at += kMostTiles) {
      // With a step of 0 each tile comes from the same bytes.
      Append(program.bytes, isa::Load{.memory = static_cast<int64_t>(row.memory),
                                      .x_bytes = tile,
                                      .sram_base = at,
                                      .x_size = std::min(kMostTiles, depth - at),
                                      .y_size = 1,
                                      .z_size = 1});
    }
  }
  Append(program.bytes, isa::Finish{});
  program.launch.insn_count = static_cast<uint32_t>(program.bytes.size() / isa::kInsnBytes);
  program.bytes.resize((program.bytes.size() + kAlign - 1) / kAlign * kAlign);
  program.launch.segments[0] = {.base = program.bytes.size(),
                                .size = static_cast<uint64_t>(largest)};
  program.bytes.resize(program.bytes.size() + static_cast<size_t>(largest));
  // A tile takes far fewer cycles than bytes.
  program.launch.budget = 100'000 + tiles * static_cast<uint64_t>(largest);
  return program;
}

}  // namespace tessera
