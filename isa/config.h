// SPDX-License-Identifier: Apache-2.0
//
// The configuration of a machine: array shape, scratchpad sizes, bus, memory model, the processor
// beside it. Every C++ part reads it at run time; isa_gen prints it into the SystemVerilog package.
// A program image and a register of the machine hold its hash, so a machine runs only images made
// for it. Depends on base; used by everything.
#ifndef TESSERA_ISA_CONFIG_H_
#define TESSERA_ISA_CONFIG_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/bits.h"
#include "base/check.h"
#include "base/error.h"
#include "isa/cpu.h"
#include "isa/enums.h"
#include "isa/gpu.h"
#include "isa/memories.h"

namespace tessera::isa {

// Which of the two exact memory models stands behind the bus (sim/dram).
enum class DramModel : uint8_t { kTsim, kZynq };

// What profile vta promises of every machine, as VTA's hardware does: instructions that wait in
// front of a unit, tokens on an edge. In profile tessera the configuration says (QueueDepth,
// TokenDepth).
inline constexpr int64_t kVtaQueueDepth = 512;
inline constexpr int64_t kVtaTokenDepth = 1024;

struct Config {
  std::string name = "default";
  // The array: a tile product is inp [batch, block_in] times transpose(wgt [block_out, block_in]).
  // block_in == block_out, powers of two.
  int64_t batch = 1;
  int64_t block_in = 16;
  int64_t block_out = 16;
  // Scratchpads: uop_bytes, wgt_bytes, inp_bytes, acc_bytes, out_bytes, tab_bytes; prm_depth,
  // records.
#define MEMORY(id, value, text, meaning, number, initial, key, unit, ...) int64_t number = initial;
#include "isa/memories.def"
  int64_t bus_bits = 64;  // AXI data width
  DramModel dram = DramModel::kTsim;
  int64_t clock_mhz = 100;    // for times; cycles do not depend on it
  int64_t queue_depth = 32;   // instructions waiting in front of a unit; profile tessera
  int64_t token_depth = 255;  // tokens a counter holds; profile tessera
  // Passes of a tile through VECTOR: 1, with a lane for each of its elements, or 2, with half the
  // lanes. Results do not depend on it, cycles do.
  int64_t vector_passes = 1;
  // Passes of a micro-op through the array: 1, with a column for each output channel, or 2, with
  // half the columns. Results do not depend on it, cycles do.
  int64_t array_passes = 1;
  // 1: the machine has DEPTHWISE; 0: it has not, and GEMM computes such layers with weights of 0.
  int64_t depthwise = 1;
  Cpu cpu;  // for placement; cycles do not depend on it
  Gpu gpu;  // the same

  // Derived. Bytes and depths are those of profile `tessera`, except in names with "vta".
  int64_t bus_bytes() const { return bus_bits / 8; }
  int64_t inp_tile_bytes() const { return TileBytes(Memory::kInp); }
  int64_t wgt_tile_bytes() const { return TileBytes(Memory::kWgt); }
  int64_t acc_tile_bytes() const { return TileBytes(Memory::kAcc); }
  int64_t out_tile_bytes() const { return TileBytes(Memory::kOut); }
  int64_t prm_tile_bytes() const { return TileBytes(Memory::kPrm); }
  static constexpr int64_t uop_tile_bytes() { return RowOf(Memory::kUop).element_bits / 8; }
  static constexpr int64_t vta_uop_tile_bytes() { return RowOf(Memory::kUop).vta_element_bits / 8; }
  int64_t lanes() const { return batch * block_out; }  // elements of an ACC or OUT tile
  int64_t vector_lanes() const { return lanes() / vector_passes; }
  int64_t depthwise_taps() const { return block_in; }  // taps in a WGT tile of Depthwise
  int64_t array_columns() const { return block_out / array_passes; }  // output channels at a time
  int64_t macs_per_cycle() const { return batch * array_columns() * block_in; }

  // Instructions that wait in front of a unit before fetch waits for room; tokens on an edge before
  // the unit that pushes waits. The functional model, the checker and the machine agree.
  int64_t QueueDepth(Profile profile) const {
    return profile == Profile::kVta ? kVtaQueueDepth : queue_depth;
  }
  int64_t TokenDepth(Profile profile) const {
    return profile == Profile::kVta ? kVtaTokenDepth : token_depth;
  }

  int64_t SideLength(TileSide side) const {
    return side == TileSide::kOne       ? 1
           : side == TileSide::kFour    ? 4
           : side == TileSide::kBatch   ? batch
           : side == TileSide::kBlockIn ? block_in
                                        : block_out;
  }

  // Bytes of one tile of |memory| in device memory and on chip. kAcc8: the bytes in device memory.
  // A PRM record: rounded up to the bus width.
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
  // The member of Config that holds the size of |memory|.
  static int64_t Config::*SizeOf(Memory memory);
  // Tiles that |memory| holds. kAcc8 has the depth of kAcc.
  int64_t Depth(Memory memory, Profile profile = Profile::kTessera) const;

  // CRC-64 over what makes the machine and what a program depends on: the numbers above and the
  // instruction set (isa/version.h), but not the name, the clock, the memory model, the processor
  // or the GPU.
  uint64_t Hash() const;

  bool operator==(const Config&) const = default;
};

// The named configurations: default, pynq, ultra96, tiny, batch4, wide.
std::span<const Config> NamedConfigs();

// Reads |text|, a JSON object, as a configuration. An absent key keeps the value of `default`; OUT
// without a size has as many tiles as ACC.
//   ours   name, batch, block, uop_kib, inp_kib, wgt_kib, acc_kib, out_kib, prm_depth, tab_bytes,
//          bus_bits, memory ("tsim" or "zynq"), clock_mhz, queue_depth, token_depth,
//          vector_passes, array_passes, depthwise, cpu: the name of one (isa/cpu.h), or an object
//          with name and what a board decides about it: clock_mhz, cores, l2_kib, memory_mb_s,
//          start_us, pack_mb_s; gpu: an object with driver ("opencl" or "cuda"), processors, lanes,
//          clock_mhz, memory_mb_s, link_mb_s, launch_us, transfer_us
//   VTA's  LOG_BATCH, LOG_BLOCK, LOG_UOP_BUFF_SIZE, LOG_INP_BUFF_SIZE, LOG_WGT_BUFF_SIZE,
//          LOG_ACC_BUFF_SIZE, LOG_OUT_BUFF_SIZE, LOG_BUS_WIDTH; LOG_INP_WIDTH, LOG_WGT_WIDTH,
//          LOG_OUT_WIDTH and LOG_ACC_WIDTH, which must be 3, 3, 3 and 5; TARGET, the name if no
//          other key gives one; HW_VER, ignored
//   errors  kInvalidArgument  not JSON, an unknown or repeated key, a value of the wrong type
//           kOutOfRange       as ValidateConfig
Result<Config> ParseConfig(const std::string& text, const std::string& default_name);

// |config| as JSON with the keys of "ours", for ParseConfig.
std::string ConfigToJson(const Config& config);

// A named configuration, or one that ParseConfig reads from a file; the stem of the file's name is
// the default name. |name_or_path| is a path if it contains '/' or ends in .json.
//   errors  kNotFound  no such name (the message lists the names) or file
//           others     as ParseConfig
Result<Config> LoadConfig(const std::string& name_or_path);

// The bytes with which OUT has as many tiles as ACC.
inline int64_t OutBytesFor(const Config& c) {
  return c.acc_bytes * RowOf(Memory::kOut).element_bits / RowOf(Memory::kAcc).element_bits;
}

// Checks every limit that an encoding or the machine sets.
//   errors  kOutOfRange  the message names the field and the limit
Status ValidateConfig(const Config& config);

// Checks that VTA's 128-bit instructions and 32-bit micro-ops can express |config|.
//   errors  kUnsupported  they cannot; the message names the field and the limit
Status ValidateVtaProfile(const Config& config);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_CONFIG_H_
