// SPDX-License-Identifier: Apache-2.0
//
// The configuration of a machine: array shape, scratchpad sizes, bus, memory model. Read at run
// time by every C++ part; printed into the SystemVerilog package; its hash is in every program
// image and in a register, so that an image never runs on another machine. Depends on base; used by
// everything.
#ifndef TESSERA_ISA_CONFIG_H_
#define TESSERA_ISA_CONFIG_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/bits.h"
#include "base/check.h"
#include "base/error.h"
#include "isa/enums.h"
#include "isa/memories.h"

namespace tessera::isa {

// Which of the two exact memory models stands behind the bus (sim/dram).
enum class DramModel : uint8_t { kTsim, kZynq };

// What profile vta promises of every machine, as VTA's hardware does: instructions waiting in front
// of a unit, tokens on an edge. Profile tessera: the configuration says (QueueDepth, TokenDepth).
inline constexpr int64_t kVtaQueueDepth = 512;
inline constexpr int64_t kVtaTokenDepth = 1024;

struct Config {
  std::string name = "default";
  // The array: a tile product is inp [batch, block_in] times transpose(wgt [block_out, block_in]).
  // block_in == block_out, powers of two.
  int64_t batch = 1;
  int64_t block_in = 16;
  int64_t block_out = 16;
  // Scratchpads: uop_bytes, wgt_bytes, inp_bytes, acc_bytes, out_bytes; prm_depth, records.
#define MEMORY(id, value, text, meaning, number, initial, key, unit, ...) int64_t number = initial;
#include "isa/memories.def"
  int64_t bus_bits = 64;  // AXI data width
  DramModel dram = DramModel::kTsim;
  int64_t clock_mhz = 100;    // for milliseconds in reports; cycles do not depend on it
  int64_t queue_depth = 32;   // instructions waiting in front of a unit; profile tessera
  int64_t token_depth = 255;  // tokens a counter holds; profile tessera

  // Derived. Bytes and depths are in the units of profile `tessera` unless they say VTA.
  int64_t bus_bytes() const { return bus_bits / 8; }
  int64_t inp_tile_bytes() const { return TileBytes(Memory::kInp); }
  int64_t wgt_tile_bytes() const { return TileBytes(Memory::kWgt); }
  int64_t acc_tile_bytes() const { return TileBytes(Memory::kAcc); }
  int64_t out_tile_bytes() const { return TileBytes(Memory::kOut); }
  int64_t prm_tile_bytes() const { return TileBytes(Memory::kPrm); }
  static constexpr int64_t uop_tile_bytes() { return RowOf(Memory::kUop).element_bits / 8; }
  static constexpr int64_t vta_uop_tile_bytes() { return RowOf(Memory::kUop).vta_element_bits / 8; }
  int64_t lanes() const { return batch * block_out; }  // VECTOR lanes
  int64_t depthwise_taps() const { return block_in; }  // taps in a WGT tile of Depthwise
  int64_t macs_per_cycle() const { return batch * block_out * block_in; }

  // Instructions that wait in front of a unit before fetch waits for room, and tokens on an edge
  // before the pusher does. Functional model, checker and machine count alike.
  int64_t QueueDepth(Profile profile) const {
    return profile == Profile::kVta ? kVtaQueueDepth : queue_depth;
  }
  int64_t TokenDepth(Profile profile) const {
    return profile == Profile::kVta ? kVtaTokenDepth : token_depth;
  }

  int64_t SideLength(TileSide side) const {
    return side == TileSide::kOne       ? 1
           : side == TileSide::kBatch   ? batch
           : side == TileSide::kBlockIn ? block_in
                                        : block_out;
  }

  // Bytes of one tile of |memory| in device memory and on chip. kAcc8: the bytes in device memory.
  // A record: rounded up to the bus.
  int64_t TileBytes(Memory memory, Profile profile = Profile::kTessera) const {
    TESSERA_CHECK(static_cast<int>(memory) < kMemories, "memory {}", static_cast<int>(memory));
    const MemoryRow& row = RowOf(memory);
    if (row.element_bits == 0) {
      return RoundUp(RecordBytes(memory) * SideLength(row.columns), bus_bytes());
    }
    const bool other = profile == Profile::kVta && row.vta_element_bits != 0;
    const int bits = other ? row.vta_element_bits : row.element_bits;
    return SideLength(row.rows) * SideLength(row.columns) * bits / 8;
  }
  // The number that says how large |memory| is.
  static int64_t Config::*SizeOf(Memory memory);
  // Tiles that |memory| holds. kAcc8 is kAcc.
  int64_t Depth(Memory memory, Profile profile = Profile::kTessera) const;

  // CRC-64 over everything that a program depends on: these numbers (not the name, the clock or the
  // memory model) and the instruction set (isa/version.h).
  uint64_t Hash() const;

  bool operator==(const Config&) const = default;
};

// The named configurations: default, pynq, ultra96, tiny, batch4, wide.
std::span<const Config> NamedConfigs();

// The configuration that |text|, a JSON object, describes. A key that is absent keeps the value of
// `default`; OUT without a size has as many tiles as ACC.
//   ours   name, batch, block, uop_kib, inp_kib, wgt_kib, acc_kib, out_kib, prm_depth, bus_bits,
//          memory ("tsim" or "zynq"), clock_mhz, queue_depth, token_depth
//   VTA's  LOG_BATCH, LOG_BLOCK, LOG_UOP_BUFF_SIZE, LOG_INP_BUFF_SIZE, LOG_WGT_BUFF_SIZE,
//          LOG_ACC_BUFF_SIZE, LOG_OUT_BUFF_SIZE, LOG_BUS_WIDTH; LOG_INP_WIDTH, LOG_WGT_WIDTH,
//          LOG_OUT_WIDTH and LOG_ACC_WIDTH, which must be 3, 3, 3 and 5; TARGET, a name if there is
//          no other; HW_VER, ignored
//   errors  kInvalidArgument  not JSON, an unknown or repeated key, a value of the wrong type
//           kOutOfRange       ValidateConfig's
Result<Config> ParseConfig(const std::string& text, const std::string& default_name);

// |config| with our keys, as ParseConfig reads it.
std::string ConfigToJson(const Config& config);

// A named configuration, or what ParseConfig makes of a file; its stem is the default name.
// |name_or_path| with a '/' or ending in .json is a path.
//   errors  kNotFound         no such name (the message lists them) or file
//           and ParseConfig's
Result<Config> LoadConfig(const std::string& name_or_path);

// Bytes of an OUT that has a tile for each of ACC's.
inline int64_t OutBytesFor(const Config& c) {
  return c.acc_bytes * RowOf(Memory::kOut).element_bits / RowOf(Memory::kAcc).element_bits;
}

// Checks every limit that an encoding or the machine sets; the message names the field and the
// limit.
Status ValidateConfig(const Config& config);

// Whether VTA's 128-bit instructions and 32-bit micro-ops can express this configuration.
//   errors  kUnsupported  they cannot; the message names the field and the limit
Status ValidateVtaProfile(const Config& config);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_CONFIG_H_
