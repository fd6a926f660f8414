// SPDX-License-Identifier: Apache-2.0
//
// The limits of a configuration: those of the encodings, of the machine, and of VTA's encoding.
#include <algorithm>
#include <string_view>

#include "base/bits.h"
#include "isa/config.h"
#include "isa/insns.h"
#include "isa/vta_layout.h"

namespace tessera::isa {
namespace {

constexpr int64_t kLeastDepth = 16;                 // four banks of a few tiles
constexpr int64_t kMostScratchpadBytes = 64 << 20;  // of one scratchpad

Status InRange(const Config& c, std::string_view field, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high) return {};
  return Fail(Code::kOutOfRange, "configuration {}: {} is {}, it can be {} to {}", c.name, field,
              value, low, high);
}

Status PowerInRange(const Config& c, std::string_view field, int64_t value, int64_t low,
                    int64_t high) {
  TESSERA_TRY(InRange(c, field, value, low, high));
  if (IsPowerOfTwo(static_cast<uint64_t>(value))) return {};
  return Fail(Code::kOutOfRange, "configuration {}: {} is {}, it must be a power of two", c.name,
              field, value);
}

Status NameIsPlain(const Config& c) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  const size_t odd = c.name.find_first_not_of(kPlain);
  if (!c.name.empty() && c.name.size() <= 64 && odd == std::string::npos) return {};
  return Fail(
      Code::kOutOfRange,
      "configuration name \"{}\": it can be 1 to 64 letters, digits, '_', '-' and '.'; it has {} "
      "characters{}",
      c.name.substr(0, std::min<size_t>(odd, 64)), c.name.size(),
      odd == std::string::npos ? "" : fmt::format(", and another one at {}", odd + 1));
}

// The key in a file for the scratchpad whose size is Config's |number|: "wgt_kib (in bytes)".
std::string KeyOf(std::string_view number) {
  constexpr std::string_view kBytes = "_bytes";
  return fmt::format("{}_kib (in bytes)", number.substr(0, number.size() - kBytes.size()));
}

Status ScratchpadFits(const Config& c, std::string_view field, int64_t bytes, Memory memory,
                      int64_t most_depth) {
  TESSERA_TRY(PowerInRange(c, field, bytes, 1 << 10, kMostScratchpadBytes));
  const int64_t depth = c.Depth(memory);
  if (depth < kLeastDepth) {
    return Fail(
        Code::kOutOfRange,
        "configuration {}: {} is {}, which holds {} tiles of {} bytes; at least {} are needed",
        c.name, field, bytes, depth, c.TileBytes(memory), kLeastDepth);
  }
  if (depth > most_depth) {
    return Fail(Code::kOutOfRange,
                "configuration {}: {} is {}, which holds {} tiles of {} bytes; an index reaches {}",
                c.name, field, bytes, depth, c.TileBytes(memory), most_depth);
  }
  return {};
}

}  // namespace

Status ValidateConfig(const Config& c) {
  TESSERA_TRY(NameIsPlain(c));
  TESSERA_TRY(PowerInRange(c, "batch", c.batch, 1, 16));
  TESSERA_TRY(PowerInRange(c, "block", c.block_out, 4, 64));
  if (c.block_in != c.block_out) {
    return Fail(Code::kOutOfRange,
                "configuration {}: block_in is {} and block_out {}; they must be equal", c.name,
                c.block_in, c.block_out);
  }
  TESSERA_TRY(PowerInRange(c, "bus_bits", c.bus_bits, 64, 512));
  // The depth that a base field reaches; for PRM a stride must reach the last record too.
  constexpr int64_t kUop = GreatestOf("Gemm.uop_begin") + 1;
  constexpr int64_t kIndex = GreatestOf("Load.sram_base") + 1;
  constexpr int64_t kPrm = GreatestOf("Requant.prm_in") + 1;
  for (const MemoryRow& row : kMemoryRows) {
    if (row.lies_in) continue;
    const int64_t size = c.*Config::SizeOf(row.memory);
    if (row.optional && size == 0) continue;
    if (row.exactly != 0) {
      if (size == row.exactly) continue;
      return Fail(Code::kOutOfRange, "configuration {}: {} is {}, it must be {}{}", c.name,
                  row.size, size, row.exactly, row.optional ? ", or 0 for a machine without" : "");
    }
    if (row.element_bits == 0) {
      TESSERA_TRY(PowerInRange(c, row.size, size, 2, kPrm));
    } else {
      const int64_t most = row.memory == Memory::kUop ? kUop : kIndex;
      TESSERA_TRY(ScratchpadFits(c, KeyOf(row.size), size, row.memory, most));
    }
  }
  TESSERA_TRY(InRange(c, "clock_mhz", c.clock_mhz, 1, 10000));
  TESSERA_TRY(PowerInRange(c, "queue_depth", c.queue_depth, 2, 1024));
  TESSERA_TRY(InRange(c, "token_depth", c.token_depth, 1, 1023));
  TESSERA_TRY(InRange(c, "vector_passes", c.vector_passes, 1, 2));
  TESSERA_TRY(InRange(c, "array_passes", c.array_passes, 1, 2));
  TESSERA_TRY(InRange(c, "depthwise", c.depthwise, 0, 1));
  TESSERA_TRY(InRange(c, "cpu.clock_mhz", c.cpu.clock_mhz, 1, 10000));
  TESSERA_TRY(InRange(c, "cpu.cores", c.cpu.cores, 1, 1024));
  TESSERA_TRY(InRange(c, "cpu.l2_kib", c.cpu.l2_kib, 16, 1'000'000));
  TESSERA_TRY(InRange(c, "cpu.memory_mb_s", c.cpu.memory_mb_s, 1, 1000000));
  TESSERA_TRY(InRange(c, "cpu.start_us", c.cpu.start_us, 0, 1000000));
  TESSERA_TRY(InRange(c, "cpu.pack_mb_s", c.cpu.pack_mb_s, 1, 1000000));
  TESSERA_TRY(InRange(c, "gpu.processors", c.gpu.processors, 1, 1024));
  TESSERA_TRY(InRange(c, "gpu.lanes", c.gpu.lanes, 1, 1024));
  TESSERA_TRY(InRange(c, "gpu.clock_mhz", c.gpu.clock_mhz, 1, 10000));
  TESSERA_TRY(InRange(c, "gpu.memory_mb_s", c.gpu.memory_mb_s, 1, 100'000'000));
  TESSERA_TRY(InRange(c, "gpu.link_mb_s", c.gpu.link_mb_s, 1, 10'000'000));
  TESSERA_TRY(InRange(c, "gpu.launch_us", c.gpu.launch_us, 0, 1000000));
  TESSERA_TRY(InRange(c, "gpu.transfer_us", c.gpu.transfer_us, 0, 1000000));
  return {};
}

Status ValidateVtaProfile(const Config& c) {
  TESSERA_TRY(ValidateConfig(c));
  if (c.Depth(Memory::kOut) != c.Depth(Memory::kAcc)) {
    return Fail(Code::kUnsupported,
                "configuration {}: profile vta needs as many OUT tiles as ACC tiles; {} is {}, "
                "it must be {}",
                c.name, KeyOf("out_bytes"), c.out_bytes, OutBytesFor(c));
  }
  for (const FieldRow& f : VtaFieldsOf(VtaFields(c), VtaLoad::kName)) {
    if (f.name != "sram_base") continue;
    for (const Memory memory : {Memory::kInp, Memory::kWgt, Memory::kAcc, Memory::kUop}) {
      const int64_t depth = c.Depth(memory, Profile::kVta);
      if (depth <= GreatestOf(f) + 1) continue;
      return Fail(Code::kUnsupported,
                  "configuration {}: {} holds {} tiles; VtaLoad.sram_base reaches {}", c.name,
                  Text(memory), depth, GreatestOf(f) + 1);
    }
  }
  for (const FieldRow& f : VtaFields(c)) {
    const int limit = f.insn == "VtaUop" ? kVtaUopBits : kVtaInsnBits;
    if (f.lsb + f.width > limit) {
      return Fail(Code::kUnsupported,
                  "configuration {}: profile vta has no room for {}.{}: it would end at bit {} of "
                  "{}; a scratchpad "
                  "of fewer tiles needs narrower fields",
                  c.name, f.insn, f.name, f.lsb + f.width, limit);
    }
  }
  return {};
}

}  // namespace tessera::isa
