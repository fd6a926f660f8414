// SPDX-License-Identifier: Apache-2.0
//
// What a prebuilt machine was made of: its files with their checksums, in a file beside it.
// Depends on: base. Used by: plugin; rtl_sources, which the build runs.
#ifndef TESSERA_SIM_RTL_SOURCES_H_
#define TESSERA_SIM_RTL_SOURCES_H_

#include <string>

#include "base/error.h"

namespace tessera::sim {

// The files that |dependencies| names, "OUTPUT:FILE FILE ..." as build_machine.sh writes it, each
// in a line with the CRC-64 of its bytes in front.
//   errors  ReadFile's
Result<std::string> ListSources(const std::string& dependencies);

// The first file of |list|, a file that ListSources' text is in, that is not as it was; "": none,
// or there is no list.
std::string ChangedSource(const std::string& list);

}  // namespace tessera::sim

#endif  // TESSERA_SIM_RTL_SOURCES_H_
