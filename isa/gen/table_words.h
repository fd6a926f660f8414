// SPDX-License-Identifier: Apache-2.0
//
// Look-ups in the tables for the printers of isa/gen: names, meanings, rows of a profile, named
// bits. Depends on isa. Used by sv_package.cc, hls_header.cc.
#ifndef TESSERA_ISA_GEN_TABLE_WORDS_H_
#define TESSERA_ISA_GEN_TABLE_WORDS_H_

#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bits.h"
#include "isa/field_values.h"
#include "isa/insns.h"
#include "isa/widths.h"

namespace tessera::isa {

// "kInp" for Memory::kInp.
inline std::string_view NameOf(Memory memory) {
  for (const EnumValue& e : kEnumValues) {
    if (e.type == kEnumName<Memory> && e.value == static_cast<int>(memory)) return e.name;
  }
  return "";
}

inline std::string_view EnumMeaning(std::string_view type, int value) {
  for (const EnumValue& e : kEnumValues) {
    if (e.type == type && e.value == value) return e.meaning;
  }
  return "";
}

// "bias" -> "Bias".
inline std::string Camel(std::string_view name) {
  std::string text(name);
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

inline std::vector<InsnRow> InsnsOf(Profile profile) {
  std::vector<InsnRow> rows;
  for (const InsnRow& row : kInsns) {
    if (row.profile == profile) rows.push_back(row);
  }
  return rows;
}

// Those of profile tessera that the machine of |config| has.
inline std::vector<InsnRow> InsnsOn(const Config& config) {
  std::vector<InsnRow> rows = InsnsOf(Profile::kTessera);
  std::erase_if(rows, [&](const InsnRow& row) { return !HasInsn(row.name, config); });
  return rows;
}

// The fields of one instruction of profile tessera, in table order.
inline std::vector<FieldRow> FieldsOf(std::string_view insn) {
  std::vector<FieldRow> fields;
  for (const FieldRow& f : kFields) {
    if (f.insn == insn) fields.push_back(f);
  }
  return fields;
}

// The same with the values that they have on |config|.
inline std::vector<FieldRow> FieldsOn(std::string_view insn, const Config& config) {
  std::vector<FieldRow> fields = FieldsOf(insn);
  for (FieldRow& f : fields) f.values = ValuesOn(f, config);
  return fields;
}

// The bits of the opcode and of every field; any other bit that is set is an error.
inline InsnWord NamedBits(std::string_view insn) {
  InsnWord bits{Mask(kOpcodeBits), 0, 0, 0};
  for (const FieldRow& f : FieldsOf(insn)) bits[f.lsb / 64] |= Mask(f.width) << (f.lsb % 64);
  return bits;
}

// The same for the micro-op of profile tessera.
inline uint64_t NamedUopBits() {
  uint64_t named = 0;
  for (const FieldRow& f : kUopFields) named |= Mask(f.width) << f.lsb;
  return named;
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_GEN_TABLE_WORDS_H_
