// SPDX-License-Identifier: Apache-2.0
//
// The instructions of both profiles as C++ structs, made from isa/insns.def and isa/vta_insns.def.
// Every field is an int64_t with the table's name; isa/encoding.h turns structs into bits and back.
#ifndef TESSERA_ISA_INSNS_H_
#define TESSERA_ISA_INSNS_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <variant>

#include "base/bits.h"
#include "isa/memories.h"
#include "isa/rows.h"

namespace tessera::isa {

inline constexpr int kInsnBits = 256;
inline constexpr int kInsnBytes = kInsnBits / 8;
inline constexpr int kOpcodeBits = 4;
inline constexpr int kVtaInsnBits = 128;
inline constexpr int kVtaInsnBytes = kVtaInsnBits / 8;
inline constexpr int kVtaOpcodeBits = 3;

using InsnWord = std::array<uint64_t, 4>;  // word 0 holds bits 63..0
using VtaInsnWord = std::array<uint64_t, 2>;

// struct Load { int64_t pop = 0, push = 0, memory = 0, ...; static constexpr int kOpcode; ... }
#define INSN(insn, opcode, unit, summary)            \
  struct insn {                                      \
    static constexpr int kOpcode = opcode;           \
    static constexpr std::string_view kName = #insn; \
    static constexpr std::string_view kSummary = summary;
#define FIELD(insn, name, lsb, width, kind, values, meaning) int64_t name = 0;
#define INSN_END(insn)                          \
  bool operator==(const insn&) const = default; \
  }                                             \
  ;
#include "isa/insns.def"

#define VTA_INSN(insn, opcode, summary)              \
  struct insn {                                      \
    static constexpr int kOpcode = opcode;           \
    static constexpr std::string_view kName = #insn; \
    static constexpr std::string_view kSummary = summary;
#define VTA_FIELD(insn, name, width, kind, values, meaning) int64_t name = 0;
#define VTA_INSN_END(insn)                      \
  bool operator==(const insn&) const = default; \
  }                                             \
  ;
#include "isa/vta_insns.def"

using Insn = std::variant<Load, Store, Gemm, Depthwise, Requant, Add, Alu, Sync, Finish>;
using VtaInsn = std::variant<VtaLoad, VtaStore, VtaGemm, VtaFinish, VtaAlu>;

// Profile tessera's micro-op and profile vta's.
struct Uop {
#define UOP_FIELD(name, lsb, width, meaning) int64_t name = 0;
#include "isa/uops.def"
  bool operator==(const Uop&) const = default;
};
struct VtaUop {
#define VTA_UOP_FIELD(name, width, meaning) int64_t name = 0;
#include "isa/vta_insns.def"
  bool operator==(const VtaUop&) const = default;
};

// The lines of the tables, in their order.
inline constexpr InsnRow kInsns[] = {
#define INSN(insn, opcode, unit, summary) {#insn, Profile::kTessera, opcode, #unit, summary},
#include "isa/insns.def"
#define VTA_INSN(insn, opcode, summary) {#insn, Profile::kVta, opcode, "", summary},
#include "isa/vta_insns.def"
};
inline constexpr FieldRow kFields[] = {
#define FIELD(insn, name, lsb, width, kind, values, meaning) \
  {#insn, #name, lsb, width, FieldKind::kind, values, meaning},
#include "isa/insns.def"
};
inline constexpr FieldRow kUopFields[] = {
#define UOP_FIELD(name, lsb, width, meaning) \
  {"Uop", #name, lsb, width, FieldKind::kUnsigned, Any(), meaning},
#include "isa/uops.def"
};
inline constexpr VtaFieldRow kVtaFields[] = {
#define VTA_FIELD(insn, name, width, kind, values, meaning) \
  {#insn, #name, #width, FieldKind::kind, values, meaning},
#define VTA_UOP_FIELD(name, width, meaning) \
  {"VtaUop", #name, #width, FieldKind::kUnsigned, Any(), meaning},
#include "isa/vta_insns.def"
};
inline constexpr LoopRow kLoops[] = {
#define LOOP(of, id, ...) Row(LoopRow{.insn = #of, .name = #id, __VA_ARGS__}),
#include "isa/insns.def"
#define LOOP(of, id, ...) Row(LoopRow{.insn = #of, .name = #id, __VA_ARGS__}),
#include "isa/vta_insns.def"
};
inline constexpr OperandRow kOperands[] = {
#define OPERAND(of, id, ...) Row(OperandRow{.insn = #of, .name = #id, __VA_ARGS__}),
#include "isa/insns.def"
#define OPERAND(of, id, ...) Row(OperandRow{.insn = #of, .name = #id, __VA_ARGS__}),
#include "isa/vta_insns.def"
};

// ForEachField(insn, f): f(const FieldRow&, int64_t& value) for every field of |insn|, in table
// order.
#define INSN(insn, opcode, unit, summary)               \
  template <typename T, typename F>                     \
  requires std::is_same_v<std::remove_const_t<T>, insn> \
  constexpr void ForEachField(T& value, F&& f) {
#define FIELD(insn, name, lsb, width, kind, values, meaning) \
  f(FieldRow{#insn, #name, lsb, width, FieldKind::kind, values, meaning}, value.name);
#define INSN_END(insn) }
#include "isa/insns.def"

// The same for profile vta: f(const VtaFieldRow&, int64_t& value). Where the fields lie depends on
// the configuration: isa/vta_layout.h.
#define VTA_INSN(insn, opcode, summary)                 \
  template <typename T, typename F>                     \
  requires std::is_same_v<std::remove_const_t<T>, insn> \
  constexpr void ForEachField(T& value, F&& f) {
#define VTA_FIELD(insn, name, width, kind, values, meaning) \
  f(VtaFieldRow{#insn, #name, #width, FieldKind::kind, values, meaning}, value.name);
#define VTA_INSN_END(insn) }
#include "isa/vta_insns.def"
template <typename T, typename F>
requires std::is_same_v<std::remove_const_t<T>, VtaUop>
constexpr void ForEachField(T& value, F&& f) {
#define VTA_UOP_FIELD(name, width, meaning) \
  f(VtaFieldRow{"VtaUop", #name, #width, FieldKind::kUnsigned, Any(), meaning}, value.name);
#include "isa/vta_insns.def"
}

// The least and the greatest value of |row|'s field, by its width and its range. A range that holds
// only under a condition does not count.
constexpr bool HasRange(const FieldValues& values) {
  return values.kind == ValuesKind::kRange && values.where.field.empty();
}
constexpr int64_t LeastOf(const FieldRow& row) {
  const int64_t least = row.kind == FieldKind::kSigned ? -(int64_t{1} << (row.width - 1)) : 0;
  return HasRange(row.values) ? std::max(least, row.values.least) : least;
}
constexpr int64_t GreatestOf(const FieldRow& row) {
  const int bits = row.kind == FieldKind::kSigned ? row.width - 1 : row.width;
  const int64_t greatest = static_cast<int64_t>(Mask(bits));
  return HasRange(row.values) ? std::min(greatest, row.values.greatest) : greatest;
}

// In profile vta widths follow the configuration; no range exceeds them.
constexpr int64_t GreatestOf(const VtaFieldRow& row) { return row.values.greatest; }

void NoSuchField();  // not defined: calling it in a constant does not compile

// The line of a field by its name, such as "Load.x_size" or "VtaAlu.imm"; another name does not
// compile.
constexpr bool IsNamed(const auto& row, std::string_view name) {
  return name.size() == row.insn.size() + 1 + row.name.size() && name.starts_with(row.insn) &&
         name[row.insn.size()] == '.' && name.ends_with(row.name);
}
consteval const FieldRow& FieldNamed(std::string_view name) {
  for (const FieldRow& row : kFields) {
    if (IsNamed(row, name)) return row;
  }
  NoSuchField();
  return kFields[0];
}
consteval const VtaFieldRow& VtaFieldNamed(std::string_view name) {
  for (const VtaFieldRow& row : kVtaFields) {
    if (IsNamed(row, name)) return row;
  }
  NoSuchField();
  return kVtaFields[0];
}
// The number of segments of device memory, with or without a name in enum Segment.
inline constexpr int kSegments = 1 << FieldNamed("Load.segment").width;

consteval int64_t GreatestOf(std::string_view name) { return GreatestOf(FieldNamed(name)); }
// The greatest value that fits each of these fields.
template <typename... Names>
consteval int64_t GreatestOfAll(Names... names) {
  return std::min({GreatestOf(FieldNamed(names))...});
}
consteval int64_t LeastOf(std::string_view name) { return LeastOf(FieldNamed(name)); }

// The unit whose queue takes |insn|; kLoad for Finish, although no queue takes it.
Unit UnitOf(const Insn& insn);

// True when the fields of every instruction lie inside the word, do not overlap, and do not
// cross from one 64-bit word to the next.
constexpr bool TableIsSound() {
  for (const FieldRow& a : kFields) {
    if (a.width < 1 || a.lsb < kOpcodeBits || a.lsb + a.width > kInsnBits) return false;
    if (a.lsb / 64 != (a.lsb + a.width - 1) / 64) return false;
    for (const FieldRow& b : kFields) {
      if (&a == &b || a.insn != b.insn) continue;
      if (a.name == b.name || (a.lsb < b.lsb + b.width && b.lsb < a.lsb + a.width)) return false;
    }
  }
  return true;
}
static_assert(TableIsSound(), "isa/insns.def: a field overlaps, straddles or leaves the word");

}  // namespace tessera::isa

#endif  // TESSERA_ISA_INSNS_H_
