// SPDX-License-Identifier: Apache-2.0
//
// The enumerations of isa/enums.def as C++ types, with their assembly names.
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

inline constexpr EnumValue kEnumValues[] = {
#define ENUM(type, name, value, text, meaning) {#type, #name, value, text, meaning},
#include "isa/enums.def"
};

enum class Unit : uint8_t { kLoad = 0, kGemm = 1, kVector = 2, kStore = 3 };
inline constexpr int kUnits = 4;
enum class Memory : uint8_t {
  kUop = 0,
  kWgt = 1,
  kInp = 2,
  kAcc = 3,
  kOut = 4,
  kAcc8 = 5,
  kPrm = 6
};
inline constexpr int kMemories = 7;
enum class VectorMemory : uint8_t { kAcc = 0, kOut = 1, kInp = 2, kImm = 3 };
enum class AluOp : uint8_t { kMin = 0, kMax = 1, kAdd = 2, kShr = 3, kMul = 4, kMov = 5 };
enum class Round : uint8_t { kTflite = 0, kEven = 1, kHalfUp = 2 };
enum class Profile : uint8_t { kVta = 0, kTessera = 1 };
enum class MachineError : uint8_t {
  kNone = 0,
  kIllegalOpcode = 1,
  kIllegalField = 2,
  kSramRange = 3,
  kDramRange = 4,
  kBus = 5,
  kNoFinish = 6
};

// The enumerators above are the table's, no more and no fewer: checked where they are used as
// names.
#define ENUM(type, name, value, text, meaning) \
  static_assert(static_cast<int>(type::name) == (value));
#include "isa/enums.def"

// The assembly name of a value, "?" for one that the table lacks.
constexpr std::string_view EnumText(std::string_view type, int value) {
  for (const EnumValue& e : kEnumValues) {
    if (e.type == type && e.value == value) return e.text;
  }
  return "?";
}

// The value of an assembly name, or nothing.
constexpr std::optional<int> EnumFromText(std::string_view type, std::string_view text) {
  for (const EnumValue& e : kEnumValues) {
    if (e.type == type && e.text == text) return e.value;
  }
  return std::nullopt;
}

#define TESSERA_ENUM_TEXT(type) \
  constexpr std::string_view Text(type v) { return EnumText(#type, static_cast<int>(v)); }
TESSERA_ENUM_TEXT(Unit)
TESSERA_ENUM_TEXT(Memory)
TESSERA_ENUM_TEXT(VectorMemory)
TESSERA_ENUM_TEXT(AluOp)
TESSERA_ENUM_TEXT(Round)
TESSERA_ENUM_TEXT(Profile)
TESSERA_ENUM_TEXT(MachineError)
#undef TESSERA_ENUM_TEXT

}  // namespace tessera::isa

#endif  // TESSERA_ISA_ENUMS_H_
