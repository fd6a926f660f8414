// SPDX-License-Identifier: Apache-2.0
//
// MachineState: everything an instruction can read or change. The semantics (load.h, gemm.h, ...)
// are functions over it. Depends on: isa tables. Used by: the semantics, sim/func, tests.
#ifndef TESSERA_ISA_SEMANTICS_STATE_H_
#define TESSERA_ISA_SEMANTICS_STATE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "isa/config.h"
#include "isa/image.h"
#include "isa/semantics/stop.h"
#include "isa/vta_encoding.h"

namespace tessera::isa {

// The places that hold bytes. A space and a byte address name a byte. The address in a scratchpad
// is tile index * tile bytes + offset in the tile; in device memory it is the absolute address.
enum class ByteSpace : uint8_t {
  kUop = 1,
  kWgt = 2,
  kInp = 3,
  kAcc = 4,
  kOut = 5,
  kPrm = 6,
  kDram = 7
};

// The space of a scratchpad. A memory behind PRM has one more than its own number: TAB (7) has 8.

constexpr ByteSpace ByteSpaceOf(Memory memory) {
  switch (memory) {
    case Memory::kUop:
      return ByteSpace::kUop;
    case Memory::kWgt:
      return ByteSpace::kWgt;
    case Memory::kInp:
      return ByteSpace::kInp;
    case Memory::kAcc:
    case Memory::kAcc8:
      return ByteSpace::kAcc;
    case Memory::kOut:
      return ByteSpace::kOut;
    case Memory::kPrm:
      return ByteSpace::kPrm;
    default:
      return static_cast<ByteSpace>(static_cast<int>(memory) + 1);
  }
}

// Whether |memory| has a vector of its own in MachineState.
constexpr bool HasElements(Memory memory) { return ByteSpaceOf(memory) < ByteSpace::kDram; }

// The place of a segment in device memory. In profile vta a size of 0 means no limit.
struct SegmentRange {
  uint64_t base = 0;
  uint64_t size = 0;
};

struct MachineState {
  explicit MachineState(const Config& c)
      : config(c),
        uop(c.uop_bytes),
        wgt(c.wgt_bytes),
        inp(c.inp_bytes),
        acc(c.acc_bytes / 4),
        out(c.out_bytes),
        prm(c.prm_depth * c.prm_tile_bytes()) {
    for (const MemoryRow& row : kMemoryRows) {
      if (HasElements(row.memory)) continue;
      others[static_cast<int>(row.memory)].resize(c.Depth(row.memory) * c.TileBytes(row.memory));
    }
  }

  Config config;
  Profile profile = Profile::kTessera;
  std::optional<VtaCodec> vta;  // set in profile vta: decodes micro-ops

  // Scratchpads: tiles one after another, each row-major. UOP and PRM hold little-endian bytes.
  // Profile vta has no OUT of its own: STORE reads the low bytes of ACC.
  std::vector<uint8_t> uop;
  std::vector<int8_t> wgt;   // [block_out][block_in]
  std::vector<int8_t> inp;   // [batch][block_in]
  std::vector<int32_t> acc;  // [batch][block_out]
  std::vector<int8_t> out;   // [batch][block_out]
  std::vector<uint8_t>
      prm;  // int32 bias[block_out], uint32 multiplier[block_out], int8 shift[block_out]

  std::array<std::vector<uint8_t>, kMemories> others;  // the other memories: TAB

  std::span<uint8_t> dram;  // device memory from address 0
  std::array<SegmentRange, kSegments> segments{};

  int64_t Depth(Memory memory) const { return config.Depth(memory, profile); }

  // The tiles of |memory|; for ACC8, those of ACC.
  std::span<uint8_t> BytesOf(Memory memory) {
    const auto bytes = [](auto& elements) {
      return std::span(reinterpret_cast<uint8_t*>(elements.data()),
                       elements.size() * sizeof(elements[0]));
    };
    switch (ByteSpaceOf(memory)) {
      case ByteSpace::kUop:
        return bytes(uop);
      case ByteSpace::kWgt:
        return bytes(wgt);
      case ByteSpace::kInp:
        return bytes(inp);
      case ByteSpace::kAcc:
        return bytes(acc);
      case ByteSpace::kOut:
        return bytes(out);
      case ByteSpace::kPrm:
        return bytes(prm);
      default:
        return bytes(others[static_cast<size_t>(memory)]);
    }
  }
  std::span<const uint8_t> BytesOf(Memory memory) const {
    return const_cast<MachineState*>(this)->BytesOf(memory);
  }

  // Sets every scratchpad byte to zero; the rest stays.
  void ClearScratchpads() {
    std::fill(uop.begin(), uop.end(), 0);
    std::fill(wgt.begin(), wgt.end(), 0);
    std::fill(inp.begin(), inp.end(), 0);
    std::fill(acc.begin(), acc.end(), 0);
    std::fill(out.begin(), out.end(), 0);
    std::fill(prm.begin(), prm.end(), 0);
    for (std::vector<uint8_t>& bytes : others) std::fill(bytes.begin(), bytes.end(), 0);
  }
};

// Hears of a change of |bytes| bytes at |address| of |space| before it happens, as the digest of
// sim/trace does. NoWrites ignores the changes.
struct NoWrites {
  void operator()(ByteSpace, uint64_t, const void*, const void*, int64_t) {}
};

// Sets an element of a scratchpad: memory[index] = value.
template <typename T, typename Writes>
void Put(ByteSpace space, std::vector<T>& memory, int64_t index, T value, Writes& writes) {
  writes(space, static_cast<uint64_t>(index) * sizeof(T), &memory[index], &value, sizeof(T));
  memory[index] = value;
}

// Checks that tiles [first, first + count) lie inside |memory|; count >= 1.
inline Stop CheckSram(const MachineState& m, Memory memory, int64_t first, int64_t count) {
  const int64_t depth = m.Depth(memory);
  if (first + count <= depth) return {};
  return StopWith(MachineError::kSramRange, "{} tile {}, the scratchpad holds {} tiles",
                  Text(memory), first + count - 1, depth);
}
inline Stop CheckSram(const MachineState& m, Memory memory, int64_t index) {
  if (index < m.Depth(memory)) [[likely]]
    return {};
  return CheckSram(m, memory, index, 1);
}

// Checks that an access may touch bytes [.., end) of |segment|; |begin| is the first byte touched.
inline Stop CheckDram(const MachineState& m, int64_t segment, uint64_t begin, uint64_t end) {
  const SegmentRange& range = m.segments[segment];
  const bool unlimited = m.profile == Profile::kVta && range.size == 0;
  if (!unlimited && end > range.size) {
    return StopWith(MachineError::kDramRange, "bytes {} to {} of segment {}, which has {} bytes",
                    begin, end, segment, range.size);
  }
  if (end > m.dram.size() || range.base > m.dram.size() - end) {
    return StopWith(MachineError::kBus,
                    "bytes {} to {} of segment {} at address {}, device memory has {} bytes", begin,
                    end, segment, range.base, m.dram.size());
  }
  return {};
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_STATE_H_
