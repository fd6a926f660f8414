// SPDX-License-Identifier: Apache-2.0
//
// The enumerations of isa/enums.def, and enum Memory of isa/memories.def, as C++ types, with their
// assembly names. Depends on nothing. Used by everything.
#ifndef TESSERA_ISA_ENUMS_H_
#define TESSERA_ISA_ENUMS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tessera::isa {

// One line of isa/enums.def.
struct EnumValue {
  std::string_view type;
  std::string_view name;  // as in C++, with its k
  int value;
  std::string_view text;  // as in assembly
  std::string_view meaning;
};

// One enumeration: the width and the prefix of its constants in SystemVerilog.
struct EnumRow {
  std::string_view type;
  int bits;
  std::string_view prefix;
};

inline constexpr EnumValue kEnumValues[] = {
#define MEMORY(id, value, text, meaning, ...) {"Memory", #id, value, text, meaning},
#define MEMORY_VIEW(id, value, text, meaning, ...) {"Memory", #id, value, text, meaning},
#include "isa/memories.def"
#define ENUM(type, name, value, text, meaning) {#type, #name, value, text, meaning},
#include "isa/enums.def"
};
inline constexpr EnumRow kEnums[] = {
    {"Memory", 3, "MEM"},
#define ENUM_TYPE(type, bits, prefix) {#type, bits, #prefix},
#include "isa/enums.def"
};

// enum class Unit : uint8_t { kLoad = 0, ... }; and so on.
enum class Memory : uint8_t {
#define MEMORY(id, value, text, meaning, ...) id = value,
#define MEMORY_VIEW(id, value, text, meaning, ...) id = value,
#include "isa/memories.def"
};
#define ENUM_TYPE(type, bits, prefix) enum class type : uint8_t {
#define ENUM(type, name, value, text, meaning) name = value,
#define ENUM_END(type) \
  }                    \
  ;
#include "isa/enums.def"

// "Unit" for Unit.
template <typename E>
inline constexpr std::string_view kEnumName = "";
template <>
inline constexpr std::string_view kEnumName<Memory> = "Memory";
#define ENUM_TYPE(type, bits, prefix) \
  template <>                         \
  inline constexpr std::string_view kEnumName<type> = #type;
#include "isa/enums.def"

// How many values the enumeration has.
constexpr int EnumCount(std::string_view type) {
  int count = 0;
  for (const EnumValue& e : kEnumValues) count += e.type == type ? 1 : 0;
  return count;
}
inline constexpr int kUnits = EnumCount("Unit");
inline constexpr int kMemories = EnumCount("Memory");

// The assembly name of a value; "?" if the table has no such value.
constexpr std::string_view EnumText(std::string_view type, int value) {
  for (const EnumValue& e : kEnumValues) {
    if (e.type == type && e.value == value) return e.text;
  }
  return "?";
}

// The value of an assembly name; nothing if the table has no such name.
constexpr std::optional<int> EnumFromText(std::string_view type, std::string_view text) {
  for (const EnumValue& e : kEnumValues) {
    if (e.type == type && e.text == text) return e.value;
  }
  return std::nullopt;
}

#define ENUM_TYPE(type, bits, prefix) \
  constexpr std::string_view Text(type v) { return EnumText(#type, static_cast<int>(v)); }
#include "isa/enums.def"

constexpr std::string_view Text(Memory v) { return EnumText("Memory", static_cast<int>(v)); }

// The memory with the name of VECTOR operand |operand|; nothing for the immediate.
constexpr std::optional<Memory> MemoryNamed(VectorMemory operand) {
  const std::optional<int> value = EnumFromText("Memory", Text(operand));
  if (!value) return std::nullopt;
  return static_cast<Memory>(*value);
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_ENUMS_H_
