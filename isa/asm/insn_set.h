// SPDX-License-Identifier: Apache-2.0
//
// The instruction set of a profile for the text form: mnemonics, and named fields with their bits,
// in one shape for both profiles. Depends on the tables. Used by the assembler and disassembler.
#ifndef TESSERA_ISA_ASM_INSN_SET_H_
#define TESSERA_ISA_ASM_INSN_SET_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/config.h"
#include "isa/insns.h"

namespace tessera::isa {

// 256 bits. Profile vta uses the low 128; micro-ops use the low 64 or 32.
using TextWord = std::array<uint64_t, 4>;

// One field in text: name=value.
struct TextField {
  std::string name;
  int lsb = 0;
  int width = 0;
  FieldKind kind = FieldKind::kUnsigned;
  FieldValues values;                   // the values with a meaning
  std::string_view enum_type;           // values may be names of this enum; "": numbers only
  std::vector<std::string_view> flags;  // the text is a+b; bit i is flags[i]; empty: not flags
};

struct TextInsn {
  std::string mnemonic;
  int opcode = 0;
  std::vector<TextField> fields;
};

struct InsnSet {
  int opcode_bits = 0;
  int insn_bytes = 0;
  int uop_bytes = 0;
  std::vector<TextInsn> insns;
  TextInsn uop;

  const TextInsn* Find(std::string_view mnemonic) const;
  const TextInsn* Find(int opcode) const;
};

// The instruction set of |profile|. Only profile vta looks at |config|, and must fit it.
InsnSet MakeInsnSet(Profile profile, const Config& config);

int64_t GetField(const TextField& field, const TextWord& word);
void PutField(const TextField& field, int64_t value, TextWord& word);

// The least and greatest values that |field| holds.
int64_t LeastValue(const TextField& field);
int64_t GreatestValue(const TextField& field);

// "name=value" with symbols where the field has them.
std::string FieldText(const TextField& field, int64_t value);

// "mnemonic name=value ..." without the fields that are 0.
std::string InsnText(const TextInsn& insn, const TextWord& word);

// Names of segments in text: uops, constants, arena, input, output; others have numbers only.
inline constexpr std::string_view kSegmentEnum = kEnumName<Segment>;
std::string SymbolText(std::string_view enum_type, int64_t value);
std::optional<int64_t> SymbolValue(std::string_view enum_type, std::string_view text);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_ASM_INSN_SET_H_
