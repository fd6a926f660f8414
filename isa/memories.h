// SPDX-License-Identifier: Apache-2.0
//
// The on-chip memories of isa/memories.def as constant rows, and the sizes and offsets that follow
// from them. Depends on isa/rows.h. Used by isa/config.h, the checker, the printers, the compiler.
#ifndef TESSERA_ISA_MEMORIES_H_
#define TESSERA_ISA_MEMORIES_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bits.h"
#include "isa/enums.h"
#include "isa/rows.h"

namespace tessera::isa {

// The length of a side of a tile.
enum class TileSide : uint8_t { kOne, kFour, kBatch, kBlockIn, kBlockOut };

// Which bits of a tile's index choose its bank.
enum class BankedBy : uint8_t { kLowBits, kHighBits };

// One MEMORY line. A tile is the data at one address: rows x columns elements in row-major order,
// or one record.
struct MemoryRow {
  Memory memory = Memory::kUop;
  std::string_view size;          // number of isa::Config
  uint8_t profiles = 0;           // mask over enum Profile: where it exists
  std::optional<Memory> lies_in;  // the memory whose tiles it writes in another form (ACC8)
  TileSide rows = TileSide::kOne, columns = TileSide::kOne;
  int element_bits = 0;                // 0: a record, see kRecordFields
  int vta_element_bits = 0;            // in profile vta, if that differs
  bool whole = false;                  // LOAD transfers whole tiles only
  bool pads = false;                   // LOAD can add pads
  int64_t exactly = 0;                 // the only value of |size|; 0: any inside the limits
  bool optional = false;               // |size| may be 0: a machine without it
  uint8_t filled_by = 0, read_by = 0;  // masks over enum Unit
  int banks = 1;
  BankedBy banked_by = BankedBy::kLowBits;
  int reads = 1, writes = 1;  // ports of a bank: tiles a cycle
};

// One RECORD_FIELD line.
struct RecordField {
  Memory memory = Memory::kPrm;
  std::string_view name;
  int bits = 0;  // kept on chip
  FieldKind kind = FieldKind::kUnsigned;
  int bytes = 0;  // of one channel in device memory
  std::string_view meaning;
};

template <typename... Units>
constexpr uint8_t UnitMask(Units... units) {
  return static_cast<uint8_t>((0 | ... | (1 << static_cast<int>(units))));
}
constexpr uint8_t ProfileMask(Profile profile) {
  return static_cast<uint8_t>(1 << static_cast<int>(profile));
}
inline constexpr uint8_t kBothProfiles =
    ProfileMask(Profile::kVta) | ProfileMask(Profile::kTessera);

// In the order of enum Memory.
inline constexpr MemoryRow kMemoryRows[] = {
#define MEMORY(id, value, text, meaning, number, initial, key, unit, ...) \
  {.memory = Memory::id, .size = #number, __VA_ARGS__},
#define MEMORY_VIEW(id, value, text, meaning, number, ...) \
  {.memory = Memory::id, .size = #number, __VA_ARGS__},
#include "isa/memories.def"
};
inline constexpr RecordField kRecordFields[] = {
#define RECORD_FIELD(id, field, width, sign, length, text) \
  {Memory::id, #field, width, FieldKind::sign, length, text},
#include "isa/memories.def"
};

constexpr const MemoryRow& RowOf(Memory memory) { return kMemoryRows[static_cast<int>(memory)]; }

// The memories of |profile| that LOAD fills, as values of a field.
constexpr FieldValues LoadedIn(Profile profile) {
  FieldValues values{.kind = ValuesKind::kEnum, .type = kEnumName<Memory>};
  for (const MemoryRow& row : kMemoryRows) {
    if ((row.profiles & ProfileMask(profile)) != 0 && (row.filled_by & UnitMask(Unit::kLoad)) != 0)
      values.mask |= 1u << static_cast<int>(row.memory);
  }
  return values;
}

// The scratchpad that holds the tiles of |memory|: ACC for ACC8.
constexpr Memory LiesIn(Memory memory) { return RowOf(memory).lies_in.value_or(memory); }

constexpr bool ExistsIn(Memory memory, Profile profile) {
  return (RowOf(memory).profiles & ProfileMask(profile)) != 0;
}

// Bytes of one channel's part of a record in device memory; 0 for a memory of tiles.
constexpr int RecordBytes(Memory memory) {
  int bytes = 0;
  for (const RecordField& f : kRecordFields) bytes += f.memory == memory ? f.bytes : 0;
  return bytes;
}

void NoSuchRecordField();  // not defined: calling it in a constant does not compile

consteval const RecordField& RecordFieldOf(Memory memory, std::string_view name) {
  for (const RecordField& f : kRecordFields) {
    if (f.memory == memory && f.name == name) return f;
  }
  NoSuchRecordField();
  return kRecordFields[0];
}

// The offset of a field in a record, as bytes for each channel: in a record of n channels the
// values of the field start n times that many bytes after its begin.
constexpr int RecordOffset(const RecordField& field) {
  int bytes = 0;
  for (const RecordField& f : kRecordFields) {
    if (f.memory != field.memory) continue;
    if (f.name == field.name) return bytes;
    bytes += f.bytes;
  }
  return bytes;
}

// Checks that the rows are in order, that a memory has a record exactly if it has no elements, and
// that bits of an index can choose a bank.
constexpr bool MemoriesAreSound() {
  int next = 0;
  for (const MemoryRow& row : kMemoryRows) {
    if (static_cast<int>(row.memory) != next++) return false;
    if ((row.element_bits == 0) != (RecordBytes(row.memory) != 0)) return false;
    if (!IsPowerOfTwo(static_cast<uint64_t>(row.banks)) || row.profiles == 0) return false;
  }
  for (const RecordField& f : kRecordFields) {
    if (f.bits < 1 || f.bits > 8 * f.bytes) return false;
  }
  return next == kMemories;
}
static_assert(MemoriesAreSound(),
              "isa/memories.def: a line is missing, out of order or impossible");

}  // namespace tessera::isa

#endif  // TESSERA_ISA_MEMORIES_H_
