// SPDX-License-Identifier: Apache-2.0
//
// Puts text from outside (names in model files, paths, assembly text) into lines of our own. Every
// Error and every cell of a table of the command passes its text through Legible. Depends on
// nothing. Used by base/error.h, tools/output.cc, compiler.
#ifndef TESSERA_BASE_TEXT_H_
#define TESSERA_BASE_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera {

inline constexpr size_t kLongestMessage = 2000;  // bytes

// |text| as one line that a terminal can show: a line feed becomes \n, a tab \t; each byte of other
// control characters, line separators and invalid UTF-8 becomes \xNN. A result longer than |most|
// bytes (>= 100) keeps its first three quarters and its end around "...(N bytes left out)...".
// Legible text stays as it is, so a second call changes nothing.
std::string Legible(std::string_view text, size_t most = kLongestMessage);

// How many letters to insert, delete, change or swap with the next letter to make |b| from |a|.
size_t EditDistance(std::string_view a, std::string_view b);

}  // namespace tessera

#endif  // TESSERA_BASE_TEXT_H_
