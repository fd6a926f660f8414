// SPDX-License-Identifier: Apache-2.0
//
// Files of the tree inside the command (tools/page), put there by cmake/embed.cmake.
#ifndef TESSERA_TOOLS_EMBEDDED_H_
#define TESSERA_TOOLS_EMBEDDED_H_

#include <string_view>

namespace tessera::tools {

// The text of the file called |name| ("page.css"); empty if there is no such file.
std::string_view EmbeddedFile(std::string_view name);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_EMBEDDED_H_
