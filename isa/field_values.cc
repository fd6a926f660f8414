// SPDX-License-Identifier: Apache-2.0
#include "isa/field_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tessera::isa {
namespace {

// The value of |field| from which on the instruction reads |memory|; nothing: it does not say so.
std::optional<int64_t> WithoutReading(const FieldRow& field, Memory memory) {
  for (const OperandRow& o : kOperands) {
    if (o.insn != field.insn || o.place.kind != PlaceKind::kMemory ||
        o.place.index != static_cast<int>(memory))
      continue;
    for (const FieldTest& test : o.where) {
      if (test.field == field.name && !test.equal) return test.value;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string ValuesText(const FieldValues& values, int64_t greatest) {
  if (values.kind == ValuesKind::kRange) {
    const int64_t most = std::min(values.greatest, greatest);
    return most == values.least ? fmt::format("{}", most)
                                : fmt::format("{} to {}", values.least, most);
  }
  if (values.kind != ValuesKind::kEnum) return "";
  std::vector<std::string_view> names;
  for (const EnumValue& e : kEnumValues) {
    if (e.type == values.type && (values.mask >> e.value & 1) != 0) names.push_back(e.text);
  }
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

bool HasInsn(std::string_view insn, const Config& config) {
  return insn != Depthwise::kName || config.depthwise != 0;
}

std::optional<Memory> LackOf(const FieldRow& field, const Config& config) {
  for (const MemoryRow& row : kMemoryRows) {
    if (!row.optional || config.Depth(row.memory) != 0) continue;
    const bool named = field.values.kind == ValuesKind::kEnum &&
                       field.values.type == kEnumName<Memory> &&
                       (field.values.mask >> static_cast<int>(row.memory) & 1) != 0;
    if (named || WithoutReading(field, row.memory)) return row.memory;
  }
  return std::nullopt;
}

FieldValues ValuesOn(const FieldRow& field, const Config& config) {
  const std::optional<Memory> lack = LackOf(field, config);
  FieldValues values = field.values;
  if (!lack) return values;
  if (const auto only = WithoutReading(field, *lack)) return Between(*only, *only);
  values.mask &= ~(1u << static_cast<int>(*lack));
  return values;
}

}  // namespace tessera::isa
