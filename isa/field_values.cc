// SPDX-License-Identifier: Apache-2.0
#include "isa/field_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tessera::isa {

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

}  // namespace tessera::isa
