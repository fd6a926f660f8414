// SPDX-License-Identifier: Apache-2.0
//
// Files of hw inside the program, put there by cmake/embed.cmake.
//
// Depends on: nothing. Used by: parts.cc, table.cc.
#ifndef TESSERA_HW_PREDICT_EMBEDDED_H_
#define TESSERA_HW_PREDICT_EMBEDDED_H_

#include <string_view>

namespace tessera::hw {

// The text of the file called |name| ("parts.txt"); empty if there is no such file.
std::string_view EmbeddedFile(std::string_view name);

}  // namespace tessera::hw

#endif  // TESSERA_HW_PREDICT_EMBEDDED_H_
