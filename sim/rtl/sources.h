// SPDX-License-Identifier: Apache-2.0
//
// The files that a prebuilt machine was made from, with their checksums, in a file beside the
// machine. Depends on: base. Used by: plugin; rtl_sources, which the build runs.
#ifndef TESSERA_SIM_RTL_SOURCES_H_
#define TESSERA_SIM_RTL_SOURCES_H_

#include <string>

#include "base/error.h"

namespace tessera::sim {

// Lists the files in |dependencies|, a file of the form "OUTPUT:FILE FILE ..." from
// build_machine.sh. Each line has the CRC-64 of a file and its path.
//   errors  those of ReadFile
Result<std::string> ListSources(const std::string& dependencies);

// The first file in |list|, a file with the text of ListSources, that has changed or is missing; ""
// if there is none, or if |list| cannot be read.
std::string ChangedSource(const std::string& list);

}  // namespace tessera::sim

#endif  // TESSERA_SIM_RTL_SOURCES_H_
