// SPDX-License-Identifier: Apache-2.0
#include "isa/asm/insn_text.h"

#include <fmt/format.h>

#include "isa/asm/insn_set.h"

namespace tessera::isa {
namespace {

const InsnSet& Tessera() {
  static const InsnSet set = MakeInsnSet(Profile::kTessera, Config());
  return set;
}

// This file uses names only. Names do not depend on the configuration; widths do.
const InsnSet& Vta() {
  static const InsnSet set = MakeInsnSet(Profile::kVta, Config());
  return set;
}

std::string VtaText(const TextInsn& shape, const auto& insn) {
  std::string text = shape.mnemonic;
  int64_t flags = 0;
  ForEachField(insn, [&](const VtaFieldRow& row, int64_t value) {
    std::string_view name = row.name;
    if (name == "pop_prev" || name == "push_prev") {
      flags = value != 0 ? 1 : 0;
      return;
    }
    const bool is_flags = name == "pop_next" || name == "push_next";
    if (is_flags) {
      name = name.substr(0, name.find('_'));
      value = flags | (value != 0 ? 2 : 0);
    }
    if (value == 0) return;
    for (const TextField& field : shape.fields) {
      if (field.name == name) text.append(1, ' ').append(FieldText(field, value));
    }
  });
  return text;
}

}  // namespace

std::string InsnText(const Insn& insn) {
  return std::visit(
      [](const auto& one) {
        const TextInsn& shape = *Tessera().Find(one.kOpcode);
        std::string text = shape.mnemonic;
        size_t next = 0;
        ForEachField(one, [&](const FieldRow&, int64_t value) {
          const TextField& field = shape.fields[next++];
          if (value != 0) text.append(1, ' ').append(FieldText(field, value));
        });
        return text;
      },
      insn);
}

std::string InsnText(const VtaInsn& insn) {
  return std::visit([](const auto& one) { return VtaText(*Vta().Find(one.kOpcode), one); }, insn);
}

std::string InsnText(const VtaUop& uop) { return VtaText(Vta().uop, uop); }

std::string InsnText(const Uop& uop) {
  std::string text = Tessera().uop.mnemonic;
#define UOP_FIELD(name, lsb, width, meaning) \
  if (uop.name != 0) text += fmt::format(" {}={}", #name, uop.name);
#include "isa/uops.def"
  return text;
}

}  // namespace tessera::isa
