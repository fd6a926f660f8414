// SPDX-License-Identifier: Apache-2.0
//
// Which values of a field have a meaning, as a test and in words. Depends on isa/config.h and
// isa/insns.h. Used by isa/semantics/fields, the text form of isa/asm, the printers of isa/gen.
#ifndef TESSERA_ISA_FIELD_VALUES_H_
#define TESSERA_ISA_FIELD_VALUES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "isa/config.h"
#include "isa/insns.h"

namespace tessera::isa {

// Whether |value| can have a meaning: false outside a range, and for a value that the enumeration
// does not give the field. Skips the rules that depend on other fields: those with a condition,
// and those about tiles and pads.
constexpr bool HasMeaning(const FieldValues& values, int64_t value) {
  if (!values.where.field.empty()) return true;
  if (values.kind == ValuesKind::kRange) return value >= values.least && value <= values.greatest;
  if (values.kind == ValuesKind::kEnum)
    return value >= 0 && value < 32 && (values.mask >> value & 1) != 0;
  return true;
}

// "acc, out or inp" for an enumeration, "1 to 3" for a range, cut off at |greatest|; "" if every
// value has a meaning or the rule depends on other fields.
std::string ValuesText(const FieldValues& values, int64_t greatest);

// Whether the machine of |config| has the instruction of profile tessera with this name.
bool HasInsn(std::string_view insn, const Config& config);

// The memory that |config| lacks and that some value of |field| would load or read; nothing if it
// has them all.
std::optional<Memory> LackOf(const FieldRow& field, const Config& config);

// The values of |field| on |config|: without those that need a memory that it lacks.
FieldValues ValuesOn(const FieldRow& field, const Config& config);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_FIELD_VALUES_H_
