// SPDX-License-Identifier: Apache-2.0
#include "isa/asm/insn_set.h"

#include <fmt/format.h>

#include "base/bits.h"
#include "isa/image.h"
#include "isa/vta_layout.h"

namespace tessera::isa {
namespace {

std::string Mnemonic(std::string_view name) {
  std::string text;
  for (const char c : name) text += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text;
}

// Names of single values, or of bits.
TextField TextFieldOf(const FieldRow& f) {
  TextField field{std::string(f.name), f.lsb, f.width, f.kind, f.values, "", {}};
  if (f.values.kind == ValuesKind::kFlags) {
    for (const EnumValue& e : kEnumValues) {
      if (e.type == f.values.type) field.flags.push_back(e.text);
    }
  } else {
    field.enum_type = f.values.type;
  }
  return field;
}

InsnSet TesseraSet() {
  InsnSet set{kOpcodeBits, kInsnBytes, Config::uop_tile_bytes(), {}, {"uop", 0, {}}};
  for (const InsnRow& row : kInsns) {
    if (row.profile != Profile::kTessera) continue;
    TextInsn& insn = set.insns.emplace_back(TextInsn{Mnemonic(row.name), row.opcode, {}});
    for (const FieldRow& f : kFields) {
      if (f.insn == row.name) insn.fields.push_back(TextFieldOf(f));
    }
  }
  for (const FieldRow& f : kUopFields) set.uop.fields.push_back(TextFieldOf(f));
  return set;
}

// VTA's four flags are written as pop=prev+next and push=prev+next.
std::vector<TextField> VtaTextFields(const std::vector<FieldRow>& fields) {
  std::vector<TextField> result;
  for (const FieldRow& f : fields) {
    if (f.name == "pop_prev" || f.name == "push_prev") {
      TextField flags = TextFieldOf(f);
      flags.name = f.name.substr(0, f.name.find('_'));
      flags.width = 2;
      flags.flags = {"prev", "next"};
      result.push_back(flags);
    } else if (f.name != "pop_next" && f.name != "push_next") {
      result.push_back(TextFieldOf(f));
    }
  }
  return result;
}

InsnSet VtaSet(const Config& config) {
  InsnSet set{kVtaOpcodeBits, kVtaInsnBytes, Config::vta_uop_tile_bytes(), {}, {}};
  const std::vector<FieldRow> fields = VtaFields(config);
  for (const InsnRow& row : kInsns) {
    if (row.profile != Profile::kVta) continue;
    set.insns.push_back(
        {Mnemonic(row.name).substr(3), row.opcode, VtaTextFields(VtaFieldsOf(fields, row.name))});
  }
  set.uop = {"uop", 0, VtaTextFields(VtaFieldsOf(fields, "VtaUop"))};
  return set;
}

std::string FlagsText(const TextField& field, int64_t value) {
  std::string text;
  for (size_t i = 0; i < field.flags.size(); ++i) {
    if (value >> i & 1) text += fmt::format("{}{}", text.empty() ? "" : "+", field.flags[i]);
  }
  return text.empty() ? "0" : text;
}

}  // namespace

const TextInsn* InsnSet::Find(std::string_view mnemonic) const {
  for (const TextInsn& insn : insns) {
    if (insn.mnemonic == mnemonic) return &insn;
  }
  return nullptr;
}

const TextInsn* InsnSet::Find(int opcode) const {
  for (const TextInsn& insn : insns) {
    if (insn.opcode == opcode) return &insn;
  }
  return nullptr;
}

InsnSet MakeInsnSet(Profile profile, const Config& config) {
  return profile == Profile::kVta ? VtaSet(config) : TesseraSet();
}

int64_t GetField(const TextField& field, const TextWord& word) {
  const uint64_t bits =
      (word[static_cast<size_t>(field.lsb / 64)] >> (field.lsb % 64)) & Mask(field.width);
  return field.kind == FieldKind::kSigned ? SignExtend(bits, field.width)
                                          : static_cast<int64_t>(bits);
}

void PutField(const TextField& field, int64_t value, TextWord& word) {
  word[static_cast<size_t>(field.lsb / 64)] |= (static_cast<uint64_t>(value) & Mask(field.width))
                                               << (field.lsb % 64);
}

int64_t LeastValue(const TextField& field) {
  return field.kind == FieldKind::kSigned ? -(int64_t{1} << (field.width - 1)) : 0;
}

int64_t GreatestValue(const TextField& field) {
  return static_cast<int64_t>(
      Mask(field.kind == FieldKind::kSigned ? field.width - 1 : field.width));
}

std::string SymbolText(std::string_view enum_type, int64_t value) {
  const std::string_view text = EnumText(enum_type, static_cast<int>(value));
  return text == "?" ? fmt::format("{}", value) : std::string(text);
}

std::optional<int64_t> SymbolValue(std::string_view enum_type, std::string_view text) {
  return EnumFromText(enum_type, text);
}

std::string FieldText(const TextField& field, int64_t value) {
  if (!field.flags.empty()) return fmt::format("{}={}", field.name, FlagsText(field, value));
  if (!field.enum_type.empty())
    return fmt::format("{}={}", field.name, SymbolText(field.enum_type, value));
  return fmt::format("{}={}", field.name, value);
}

std::string InsnText(const TextInsn& insn, const TextWord& word) {
  std::string text = insn.mnemonic;
  for (const TextField& field : insn.fields) {
    if (const int64_t value = GetField(field, word); value != 0)
      text.append(1, ' ').append(FieldText(field, value));
  }
  return text;
}

}  // namespace tessera::isa
