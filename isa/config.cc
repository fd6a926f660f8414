// SPDX-License-Identifier: Apache-2.0
#include "isa/config.h"

#include <vector>

#include "base/check.h"
#include "base/hash.h"
#include "isa/version.h"

namespace tessera::isa {

int64_t Config::*Config::SizeOf(Memory memory) {
  static constexpr int64_t Config::*kSizes[] = {
#define MEMORY(id, value, text, meaning, number, ...) &Config::number,
#define MEMORY_VIEW(id, value, text, meaning, number, ...) &Config::number,
#include "isa/memories.def"
  };
  TESSERA_CHECK(static_cast<int>(memory) < kMemories, "memory {}", static_cast<int>(memory));
  return kSizes[static_cast<int>(memory)];
}

int64_t Config::Depth(Memory memory, Profile profile) const {
  const int64_t size = this->*SizeOf(memory);
  return RowOf(memory).element_bits == 0 ? size : size / TileBytes(LiesIn(memory), profile);
}

uint64_t Config::Hash() const {
  std::vector<int64_t> facts = {batch,
                                block_in,
                                block_out,
                                bus_bits,
                                queue_depth,
                                token_depth,
                                static_cast<int64_t>(kIsaHash)};
  for (const MemoryRow& row : kMemoryRows) facts.push_back(this->*SizeOf(row.memory));
  // A machine with all its parts keeps the hash of before there was a choice. The second number
  // tells the first two apart; the last is 0.
  if (vector_passes != 1) facts.push_back(vector_passes);
  if (array_passes != 1) facts.insert(facts.end(), {vector_passes, array_passes});
  if (depthwise != 1) facts.push_back(depthwise);
  std::vector<uint8_t> bytes;
  for (int64_t fact : facts) {
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<uint8_t>(fact >> (8 * i)));
  }
  return Crc64(bytes);
}

std::span<const Config> NamedConfigs() {
  constexpr int64_t kKiB = 1024;
  static const std::vector<Config> configs = [] {
    Config normal;  // 1x16x16, the values in the struct
    Config pynq = normal;
    pynq.name = "pynq";
    pynq.dram = DramModel::kZynq;
    pynq.clock_mhz = 142;
    pynq.prm_depth = 32;  // half the LUT RAM, for 0.2 % more cycles at most
    Config ultra96 = normal;
    ultra96.name = "ultra96";
    ultra96.dram = DramModel::kZynq;
    ultra96.clock_mhz = 300;
    ultra96.bus_bits = 128;
    ultra96.cpu = *FindCpu("cortex-a53");
    Config tiny;
    tiny.name = "tiny";
    tiny.block_in = tiny.block_out = 4;
    tiny.inp_bytes = 2 * kKiB;
    tiny.wgt_bytes = 4 * kKiB;
    tiny.acc_bytes = 4 * kKiB;
    tiny.out_bytes = 1 * kKiB;
    tiny.uop_bytes = 1 * kKiB;
    Config batch4;
    batch4.name = "batch4";
    batch4.batch = 4;
    batch4.block_in = batch4.block_out = 8;
    batch4.inp_bytes = 64 * kKiB;
    batch4.wgt_bytes = 64 * kKiB;
    batch4.acc_bytes = 256 * kKiB;
    batch4.out_bytes = 64 * kKiB;
    Config wide;
    wide.name = "wide";
    wide.block_in = wide.block_out = 32;
    wide.inp_bytes = 64 * kKiB;
    wide.wgt_bytes = 1024 * kKiB;
    wide.acc_bytes = 256 * kKiB;
    wide.out_bytes = 64 * kKiB;
    wide.uop_bytes = 64 * kKiB;
    wide.bus_bits = 256;
    wide.dram = DramModel::kZynq;
    wide.clock_mhz = 300;
    wide.cpu = *FindCpu("cortex-a53");
    return std::vector<Config>{normal, pynq, ultra96, tiny, batch4, wide};
  }();
  return configs;
}

}  // namespace tessera::isa
