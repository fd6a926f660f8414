// SPDX-License-Identifier: Apache-2.0
//
// The instructions of both profiles as C++ structs, made from isa/insns.def and isa/vta_insns.def.
// Every field is an int64_t with the table's name; isa/encoding.h turns structs into bits and back.
#ifndef TESSERA_ISA_INSNS_H_
#define TESSERA_ISA_INSNS_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <variant>

#include "isa/enums.h"

namespace tessera::isa {

enum class FieldKind : uint8_t { kUnsigned, kSigned };

// One FIELD line of isa/insns.def.
struct Field {
  std::string_view insn;
  std::string_view name;
  int lsb;
  int width;
  FieldKind kind;
  std::string_view meaning;
};

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
#define FIELD(insn, name, lsb, width, kind, meaning) int64_t name = 0;
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
#define VTA_FIELD(insn, name, width, kind, meaning) int64_t name = 0;
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

inline constexpr Field kFields[] = {
#define FIELD(insn, name, lsb, width, kind, meaning) \
  {#insn, #name, lsb, width, FieldKind::kind, meaning},
#include "isa/insns.def"
};

// ForEachField(insn, f): f(const Field&, int64_t& value) for every field of |insn|, in table order.
#define INSN(insn, opcode, unit, summary)               \
  template <typename T, typename F>                     \
  requires std::is_same_v<std::remove_const_t<T>, insn> \
  constexpr void ForEachField(T& value, F&& f) {
#define FIELD(insn, name, lsb, width, kind, meaning) \
  f(Field{#insn, #name, lsb, width, FieldKind::kind, meaning}, value.name);
#define INSN_END(insn) }
#include "isa/insns.def"

// ForEachVtaValue(insn, f): f(std::string_view name, int64_t& value) for every field, in table
// order. Where the fields lie depends on the configuration: isa/vta_layout.h.
#define VTA_INSN(insn, opcode, summary)                 \
  template <typename T, typename F>                     \
  requires std::is_same_v<std::remove_const_t<T>, insn> \
  constexpr void ForEachVtaValue(T& value, F&& f) {
#define VTA_FIELD(insn, name, width, kind, meaning) f(std::string_view(#name), value.name);
#define VTA_INSN_END(insn) }
#include "isa/vta_insns.def"
template <typename T, typename F>
requires std::is_same_v<std::remove_const_t<T>, VtaUop>
constexpr void ForEachVtaValue(T& value, F&& f) {
#define VTA_UOP_FIELD(name, width, meaning) f(std::string_view(#name), value.name);
#include "isa/vta_insns.def"
}

// The unit whose queue takes |insn|; kLoad for Finish, which goes to none.
Unit UnitOf(const Insn& insn);

// True when the fields of every instruction are inside the word, do not overlap and do not
// straddle.
constexpr bool TableIsSound() {
  for (const Field& a : kFields) {
    if (a.width < 1 || a.lsb < kOpcodeBits || a.lsb + a.width > kInsnBits) return false;
    if (a.lsb / 64 != (a.lsb + a.width - 1) / 64) return false;
    for (const Field& b : kFields) {
      if (&a == &b || a.insn != b.insn) continue;
      if (a.name == b.name || (a.lsb < b.lsb + b.width && b.lsb < a.lsb + a.width)) return false;
    }
  }
  return true;
}
static_assert(TableIsSound(), "isa/insns.def: a field overlaps, straddles or leaves the word");

}  // namespace tessera::isa

#endif  // TESSERA_ISA_INSNS_H_
