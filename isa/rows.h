// SPDX-License-Identifier: Apache-2.0
//
// The shape of the lines of isa/insns.def, isa/vta_insns.def and isa/uops.def: constant data for
// the access sets, the checker and the printers. Depends on isa/enums.h. Used by isa/insns.h, which
// has the lines themselves.
#ifndef TESSERA_ISA_ROWS_H_
#define TESSERA_ISA_ROWS_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "base/bits.h"
#include "isa/enums.h"

namespace tessera::isa {

enum class FieldKind : uint8_t { kUnsigned, kSigned };

// A condition: |field| of the instruction equals |value| (or differs, if !equal).
struct FieldTest {
  std::string_view field;  // "": holds always
  bool equal = true;
  int64_t value = 0;
};
template <typename T>
constexpr FieldTest Where(std::string_view field, T value) {
  return {field, true, static_cast<int64_t>(value)};
}
template <typename T>
constexpr FieldTest WhereNot(std::string_view field, T value) {
  return {field, false, static_cast<int64_t>(value)};
}

// Which of the values that a field holds have a meaning.
enum class ValuesKind : uint8_t {
  kAny,        // all
  kRange,      // least .. greatest, cut off at the greatest value that the width holds
  kEnum,       // the values of enumeration |type| whose bit is set in |mask|
  kNamed,      // all; some have a name in enumeration |type|
  kFlags,      // all; bit v stands for value v of enumeration |type|
  kTileBytes,  // 1 .. bytes of a tile of the memory; only those bytes where LOAD takes whole tiles
  kPads,       // all; only 0 for a memory without pads
};
struct FieldValues {
  ValuesKind kind = ValuesKind::kAny;
  int64_t least = 0, greatest = 0;
  std::string_view type;
  uint32_t mask = 0;
  std::string_view field;        // kTileBytes, kPads: the field that names the memory
  Memory memory = Memory::kUop;  // the memory, if |field| is ""
  FieldTest where;               // the rule holds only where this does

  constexpr FieldValues If(const FieldTest& test) const {
    FieldValues copy = *this;
    copy.where = test;
    return copy;
  }
};

// How the tables write these rules.
constexpr FieldValues Any() { return {}; }
constexpr FieldValues Between(int64_t least, int64_t greatest) {
  return {.kind = ValuesKind::kRange, .least = least, .greatest = greatest};
}
constexpr FieldValues AtLeast(int64_t least) {  // up to what the width holds
  return {.kind = ValuesKind::kRange, .least = least, .greatest = INT64_MAX};
}
template <typename E, typename... Es>
constexpr FieldValues OneOf(E first, Es... others) {
  return {.kind = ValuesKind::kEnum,
          .type = kEnumName<E>,
          .mask = ((1u << static_cast<int>(first)) | ... | (1u << static_cast<int>(others)))};
}
template <typename E>
constexpr FieldValues Each() {
  return {
      .kind = ValuesKind::kEnum, .type = kEnumName<E>, .mask = (1u << EnumCount(kEnumName<E>)) - 1};
}
template <typename E>
constexpr FieldValues Named() {
  return {.kind = ValuesKind::kNamed, .type = kEnumName<E>};
}
template <typename E>
constexpr FieldValues Flags() {
  return {.kind = ValuesKind::kFlags, .type = kEnumName<E>};
}
constexpr FieldValues TileBytesOf(std::string_view field) {
  return {.kind = ValuesKind::kTileBytes, .field = field};
}
constexpr FieldValues TileBytesOf(Memory memory) {
  return {.kind = ValuesKind::kTileBytes, .memory = memory};
}
constexpr FieldValues PadsOf(std::string_view field) {
  return {.kind = ValuesKind::kPads, .field = field};
}

// One INSN or VTA_INSN line.
struct InsnRow {
  std::string_view name;
  Profile profile;
  int opcode;
  std::string_view unit;  // "kLoad" ..; "kAny": see field `unit`; "kNone"; "" in profile vta
  std::string_view summary;
};

// One FIELD line of isa/insns.def.
struct FieldRow {
  std::string_view insn;
  std::string_view name;
  int lsb;
  int width;
  FieldKind kind;
  FieldValues values;
  std::string_view meaning;
};

// Whether the bits of |field| can hold |value|.
constexpr bool Fits(const FieldRow& field, int64_t value) {
  const bool sign = field.kind == FieldKind::kSigned;
  const int64_t low = sign ? -(int64_t{1} << (field.width - 1)) : 0;
  return value >= low && value <= static_cast<int64_t>(Mask(sign ? field.width - 1 : field.width));
}

// One VTA_FIELD or VTA_UOP_FIELD line. The width is an expression over the configuration; the
// place follows from the widths (isa/vta_layout.h).
struct VtaFieldRow {
  std::string_view insn;  // "VtaUop" for the micro-op
  std::string_view name;
  std::string_view width;
  FieldKind kind;
  FieldValues values;
  std::string_view meaning;
};

// One LOOP line; an instruction lists its loops from the outermost in. The loop runs before + size
// - minus + after times, or not at all if that is negative; the field "" counts as 0. Iterations
// before and after are pads: they do not touch operands that are |inside|.
struct LoopRow {
  std::string_view insn;
  std::string_view name;
  std::string_view size;
  std::string_view minus;
  std::string_view before, after;
  bool needs_size = false;  // the loop does not run when |size| is 0, even with pads
  bool uops = false;        // iteration u runs micro-op u of the instruction's range
  bool within = false;      // its iterations are parts of one step
};

// The space that an operand lies in.
enum class PlaceKind : uint8_t { kMemory, kMemoryField, kVectorField, kSegment, kSegmentField };
struct OperandPlace {
  PlaceKind kind = PlaceKind::kMemory;
  int index = 0;           // kMemory: enum Memory; kSegment: the segment's number
  std::string_view field;  // of enum Memory, of enum VectorMemory, or a segment's number
};
constexpr OperandPlace In(Memory memory) {
  return {PlaceKind::kMemory, static_cast<int>(memory), ""};
}
constexpr OperandPlace InMemory(std::string_view field) {
  return {PlaceKind::kMemoryField, 0, field};
}
constexpr OperandPlace InOperand(std::string_view field) {
  return {PlaceKind::kVectorField, 0, field};
}
constexpr OperandPlace InSegment(std::string_view field) {
  return {PlaceKind::kSegmentField, 0, field};
}
constexpr OperandPlace InSegmentOf(Memory memory) {
  return {PlaceKind::kSegment, static_cast<int>(memory), ""};
}

enum class OperandUse : uint8_t { kRead, kWrite };

// How many addresses a step touches, from the operand's address on.
enum class ExtentKind : uint8_t {
  kOne,
  kField,     // |extent_field| of them
  kTile,      // the bytes of a tile of the memory
  kWhole,     // all that the memory has
  kTapTiles,  // the tiles with a column for each iteration of the loops within: WGT of Depthwise
};

// Strides that are not fields.
inline constexpr std::string_view kStill = "";         // the loop does not move the operand
inline constexpr std::string_view kOneStep = "1";      // one address
inline constexpr std::string_view kDense = "in turn";  // steps follow each other without gaps

inline constexpr int kMaxLoops = 5;
inline constexpr int kMaxOperands = 6;

// One OPERAND line; an instruction lists its operands in the order in which a step touches them,
// reads before writes. The addresses are tiles of a scratchpad or bytes of a segment. Those of step
// (i, j, ..) start at base + uop + i * strides[0] + j * strides[1] + ..
struct OperandRow {
  std::string_view insn;
  std::string_view name;
  OperandPlace place;
  OperandUse use = OperandUse::kRead;
  std::string_view base;                              // field
  std::string_view uop;                               // field of the micro-op that is added, or ""
  std::array<std::string_view, kMaxLoops> strides{};  // for each loop: a field, or one of the above
  ExtentKind extent = ExtentKind::kOne;
  std::string_view extent_field;
  bool inside = false;    // pads do not touch it, and do not count
  bool in_tiles = false;  // in a segment: base and strides count tiles of |tile_of|
  OperandPlace tile_of;
  std::array<FieldTest, 2> where{};  // the operand exists only if all of these hold
  // A flag of the instruction. If it is 1, the first of the steps between which the operand does
  // not move leaves the operand out.
  std::string_view not_first;
  std::string_view not_uop;  // a flag of the micro-op: if it is 1, that step leaves the operand out
};

// The lines of the tables go through these functions, because GCC 12 rejects an array of such rows
// with omitted members as a constant.
constexpr LoopRow Row(LoopRow row) { return row; }
constexpr OperandRow Row(const OperandRow& row) {
  OperandRow copy = row;
  for (size_t l = 0; l < row.strides.size(); ++l) copy.strides[l] = row.strides[l];
  for (size_t w = 0; w < row.where.size(); ++w) copy.where[w] = row.where[w];
  return copy;
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_ROWS_H_
