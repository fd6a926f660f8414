// SPDX-License-Identifier: Apache-2.0
#include "isa/asm/insn_set.h"

#include <fmt/format.h>

#include "base/bits.h"
#include "isa/image.h"
#include "isa/vta_layout.h"

namespace tessera::isa {
namespace {

constexpr std::string_view kSegmentNames[] = {"uops", "constants", "arena", "input", "output"};

// The tables say "enum Memory, the destination" of a field with names.
std::string_view EnumTypeOf(std::string_view name, std::string_view meaning) {
  if (name == "segment") return kSegmentEnum;
  constexpr std::string_view kEnum = "enum ";
  if (!meaning.starts_with(kEnum)) return "";
  meaning.remove_prefix(kEnum.size());
  return meaning.substr(0, meaning.find_first_of(" ,;"));
}

std::string Mnemonic(std::string_view name) {
  std::string text;
  for (const char c : name) text += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text;
}

TextField TesseraField(const Field& f) {
  TextField field{std::string(f.name), f.lsb, f.width, f.kind, EnumTypeOf(f.name, f.meaning), {}};
  if (f.name == "pop" || f.name == "push") {
    for (int u = 0; u < kUnits; ++u) field.flags.push_back(Text(static_cast<Unit>(u)));
  }
  return field;
}

InsnSet TesseraSet() {
  InsnSet set{kOpcodeBits, kInsnBytes, 8, {}, {"uop", 0, {}}};
#define INSN(name, code, unit, summary) set.insns.push_back({Mnemonic(#name), code, {}});
#define FIELD(insn, name, lsb, width, kind, meaning) \
  set.insns.back().fields.push_back(                 \
      TesseraField({#insn, #name, lsb, width, FieldKind::kind, meaning}));
#include "isa/insns.def"
#define UOP_FIELD(name, lsb, width, meaning) \
  set.uop.fields.push_back({#name, lsb, width, FieldKind::kUnsigned, "", {}});
#include "isa/uops.def"
  return set;
}

// VTA's four flags are written as pop=prev+next and push=prev+next.
std::vector<TextField> VtaTextFields(const std::vector<VtaField>& fields) {
  std::vector<TextField> result;
  for (const VtaField& f : fields) {
    if (f.name == "pop_prev" || f.name == "push_prev") {
      result.push_back({std::string(f.name.substr(0, f.name.find('_'))),
                        f.lsb,
                        2,
                        f.kind,
                        "",
                        {"prev", "next"}});
    } else if (f.name != "pop_next" && f.name != "push_next") {
      result.push_back(
          {std::string(f.name), f.lsb, f.width, f.kind, EnumTypeOf(f.name, f.meaning), {}});
    }
  }
  return result;
}

InsnSet VtaSet(const Config& config) {
  InsnSet set{kVtaOpcodeBits, kVtaInsnBytes, 4, {}, {}};
  const std::vector<VtaField> fields = VtaFields(config);
#define VTA_INSN(name, code, summary) \
  set.insns.push_back({Mnemonic(#name).substr(3), code, VtaTextFields(VtaFieldsOf(fields, #name))});
#include "isa/vta_insns.def"
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
  if (enum_type == kSegmentEnum) {
    return value >= 0 && value < std::ssize(kSegmentNames) ? std::string(kSegmentNames[value])
                                                           : fmt::format("{}", value);
  }
  const std::string_view text = EnumText(enum_type, static_cast<int>(value));
  return text == "?" ? fmt::format("{}", value) : std::string(text);
}

std::optional<int64_t> SymbolValue(std::string_view enum_type, std::string_view text) {
  if (enum_type == kSegmentEnum) {
    for (int64_t i = 0; i < std::ssize(kSegmentNames); ++i) {
      if (kSegmentNames[i] == text) return i;
    }
    return std::nullopt;
  }
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
