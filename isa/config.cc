// SPDX-License-Identifier: Apache-2.0
#include "isa/config.h"

#include <array>
#include <vector>

#include "base/check.h"
#include "base/hash.h"

namespace tessera::isa {

int64_t Config::TileBytes(Memory memory, Profile profile) const {
  switch (memory) {
    case Memory::kUop:
      return profile == Profile::kVta ? vta_uop_tile_bytes() : uop_tile_bytes();
    case Memory::kWgt:
      return wgt_tile_bytes();
    case Memory::kInp:
      return inp_tile_bytes();
    case Memory::kAcc:
      return acc_tile_bytes();
    case Memory::kOut:
      return out_tile_bytes();
    case Memory::kAcc8:
      return out_tile_bytes();
    case Memory::kPrm:
      return prm_tile_bytes();
  }
  TESSERA_CHECK(false, "memory {}", static_cast<int>(memory));
}

int64_t Config::Depth(Memory memory, Profile profile) const {
  switch (memory) {
    case Memory::kUop:
      return uop_bytes / TileBytes(memory, profile);
    case Memory::kWgt:
      return wgt_bytes / wgt_tile_bytes();
    case Memory::kInp:
      return inp_bytes / inp_tile_bytes();
    case Memory::kAcc:
    case Memory::kAcc8:
      return acc_bytes / acc_tile_bytes();
    case Memory::kOut:
      return out_bytes / out_tile_bytes();
    case Memory::kPrm:
      return prm_depth;
  }
  TESSERA_CHECK(false, "memory {}", static_cast<int>(memory));
}

uint64_t Config::Hash() const {
  const std::array<int64_t, 12> facts = {batch,     block_in,  block_out,   uop_bytes,
                                         inp_bytes, wgt_bytes, acc_bytes,   out_bytes,
                                         prm_depth, bus_bits,  queue_depth, token_depth};
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
    Config ultra96 = normal;
    ultra96.name = "ultra96";
    ultra96.dram = DramModel::kZynq;
    ultra96.clock_mhz = 300;
    ultra96.bus_bits = 128;
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
    return std::vector<Config>{normal, pynq, ultra96, tiny, batch4, wide};
  }();
  return configs;
}

}  // namespace tessera::isa
