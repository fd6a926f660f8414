// SPDX-License-Identifier: Apache-2.0
//
// The shape of the lines of isa/insns.def, isa/vta_insns.def and isa/uops.def: constant data that
// any program can walk: the access sets, the checker, the printers, later a header for hardware
// compilers. Depends on isa/enums.h. Used by isa/insns.h, which has the lines themselves.
#ifndef TESSERA_ISA_ROWS_H_
#define TESSERA_ISA_ROWS_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "isa/enums.h"

namespace tessera::isa {

enum class FieldKind : uint8_t { kUnsigned, kSigned };

// Which of the values that a field holds have a meaning.
enum class ValuesKind : uint8_t {
  kAny,        // all
  kRange,      // least .. greatest, or what the width holds if that is less
  kEnum,       // those values of enumeration |type| whose bit is set in |mask|
  kNamed,      // all; some have a name in enumeration |type|
  kFlags,      // all; bit v stands for value v of enumeration |type|
  kTileBytes,  // 1 .. bytes of a tile of the memory; a memory that takes whole tiles: exactly those
  kPads,       // all, but 0 for a memory that takes no pads
};
struct FieldValues {
  ValuesKind kind = ValuesKind::kAny;
  int64_t least = 0, greatest = 0;
  std::string_view type;
  uint32_t mask = 0;
  std::string_view field;           // kTileBytes, kPads: the field that names the memory, or
  Memory memory = Memory::kUop;     // without such a field this memory
  std::string_view where_not_zero;  // the rule holds only where this field is not 0; "": always

  constexpr FieldValues WhereNotZero(std::string_view other) const {
    FieldValues copy = *this;
    copy.where_not_zero = other;
    return copy;
  }
};

// How the tables write them.
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
  std::string_view unit;  // "kLoad" ..; "kAny": field `unit` says; "kNone"; "" in profile vta
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

// Do the bits of |field| hold |value|?
constexpr bool Fits(const FieldRow& field, int64_t value) {
  const bool sign = field.kind == FieldKind::kSigned;
  const int64_t low = sign ? -(int64_t{1} << (field.width - 1)) : 0;
  return value >= low && value <= static_cast<int64_t>(Mask(sign ? field.width - 1 : field.width));
}

// One VTA_FIELD or VTA_UOP_FIELD line. Its width is an expression over the configuration, its place
// follows from the widths (isa/vta_layout.h).
struct VtaFieldRow {
  std::string_view insn;  // "VtaUop" for the micro-op
  std::string_view name;
  std::string_view width;
  FieldKind kind;
  FieldValues values;
  std::string_view meaning;
};

// One LOOP line; the lines of an instruction stand outermost first. The loop runs before + size -
// minus + after times, not at all when that is negative; a field that is "" counts 0. Steps before
// and after are pads: operands that are |inside| do not see them.
struct LoopRow {
  std::string_view insn;
  std::string_view name;
  std::string_view size;
  std::string_view minus;
  std::string_view before, after;
  bool needs_size = false;  // nothing happens when |size| is 0, pads or not
  bool uops = false;        // iteration u runs micro-op u of the instruction's range
  bool within = false;      // its iterations are parts of one step, not steps
};

// |field| of the instruction equals |value|, or does not.
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

// What an operand lies in.
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

// How many addresses a step touches from its own on.
enum class ExtentKind : uint8_t {
  kOne,
  kField,     // |extent_field| of them
  kTile,      // the bytes of a tile of the memory
  kTapTiles,  // tiles that hold a column for each iteration of the loops within: WGT of Depthwise
};

// A stride that is no field.
inline constexpr std::string_view kStill = "";         // the loop does not move the operand
inline constexpr std::string_view kOneStep = "1";      // one address
inline constexpr std::string_view kDense = "in turn";  // steps follow each other without gaps

inline constexpr int kMaxLoops = 5;
inline constexpr int kMaxOperands = 6;

// One OPERAND line; the lines of an instruction stand in the order in which a step touches them,
// reads before writes. Step (i, j, ..) touches the addresses from base + uop + i * strides[0] + ..
// on: tiles of a scratchpad, bytes of a segment.
struct OperandRow {
  std::string_view insn;
  std::string_view name;
  OperandPlace place;
  OperandUse use = OperandUse::kRead;
  std::string_view base;                              // field
  std::string_view uop;                               // field of the micro-op that is added, or ""
  std::array<std::string_view, kMaxLoops> strides{};  // a loop each: field, or one of the above
  ExtentKind extent = ExtentKind::kOne;
  std::string_view extent_field;
  bool inside = false;    // pads do not touch it, and do not count
  bool in_tiles = false;  // of a segment: base and strides are tiles of |tile_of|
  OperandPlace tile_of;
  std::array<FieldTest, 2> where{};  // it is touched only when all of these hold
  // A flag of the instruction: 1: the first of the steps between which it does not move leaves it
  // out.
  std::string_view not_first;
  std::string_view not_uop;  // a flag of the micro-op: 1: that step leaves it out
};

// The tables' lines go through these: GCC 12 does not take an array of such rows with members left
// out as a constant otherwise.
constexpr LoopRow Row(LoopRow row) { return row; }
constexpr OperandRow Row(const OperandRow& row) {
  OperandRow copy = row;
  for (size_t l = 0; l < row.strides.size(); ++l) copy.strides[l] = row.strides[l];
  for (size_t w = 0; w < row.where.size(); ++w) copy.where[w] = row.where[w];
  return copy;
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_ROWS_H_
