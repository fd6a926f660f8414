// SPDX-License-Identifier: Apache-2.0
//
// The meaning of "one line" in tests of messages: a second derivation of base/text.h.
#ifndef TESSERA_TESTS_BASE_ONE_LINE_H_
#define TESSERA_TESTS_BASE_ONE_LINE_H_

#include <string>

namespace tessera::test {

// Whether a terminal can show |text| as one line: it has no control byte, and every byte over 0x7f
// is in a sequence whose lead byte gives the number of bytes that follow.
inline bool IsOneLine(const std::string& text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    if (lead < 0x20 || lead == 0x7f) return false;
    if (lead < 0x80) continue;
    if (lead < 0xc2 || lead > 0xf4) return false;
    const auto second = static_cast<unsigned char>(i < text.size() ? text[i] : 0);
    if (lead == 0xc2 && second < 0xa0) return false;  // U+0080 to U+009F
    for (int more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3; more > 0; --more) {
      if (i == text.size() || (static_cast<unsigned char>(text[i++]) & 0xc0) != 0x80) return false;
    }
  }
  return true;
}

}  // namespace tessera::test

#endif  // TESSERA_TESTS_BASE_ONE_LINE_H_
