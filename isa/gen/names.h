// SPDX-License-Identifier: Apache-2.0
//
// Names of the tables in the spellings of other languages. Used by the printers of isa/gen.
#ifndef TESSERA_ISA_GEN_NAMES_H_
#define TESSERA_ISA_GEN_NAMES_H_

#include <cctype>
#include <string>
#include <string_view>

namespace tessera::isa {

// "SegmentBaseLo" -> "segment_base_lo", "Acc8" -> "acc8".
inline std::string LowerSnake(std::string_view camel) {
  std::string out;
  for (char c : camel) {
    const bool upper = std::isupper(static_cast<unsigned char>(c)) != 0;
    if (upper && !out.empty()) out += '_';
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

// "SegmentBaseLo" -> "SEGMENT_BASE_LO".
inline std::string UpperSnake(std::string_view camel) {
  std::string out = LowerSnake(camel);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

// "kLoad" -> "Load".
inline std::string_view NoK(std::string_view name) {
  return name.starts_with('k') ? name.substr(1) : name;
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_GEN_NAMES_H_
