// SPDX-License-Identifier: Apache-2.0
//
// What `tessera explore` leaves in its folder: all machines as CSV and JSON, the front as pictures
// and as configurations. Depends on: explore, tools/front_picture.h. Used by: explore.cc.
#ifndef TESSERA_TOOLS_EXPLORE_FILES_H_
#define TESSERA_TOOLS_EXPLORE_FILES_H_

#include <string>
#include <vector>

#include "base/error.h"
#include "explore/evaluate.h"
#include "explore/explored.h"
#include "tools/output.h"

namespace tessera::tools {

// A folder that exists or is made here; ends in '/'.
//   errors  kUnavailable  it cannot be made or written
Result<std::string> FolderFor(const std::string& path);

// The stage that the figures of |machine| come from: "run"; "area": no stage looked at it.
std::string_view StageOf(const explore::KnownMachine& machine);

// A row a legal machine: its figures with the stage that they come from, or the cause why it has
// none.
std::string MachinesCsv(const explore::Explored& explored,
                        const std::vector<explore::ExploredNetwork>& networks);

// The machines that a stage looked at, and the front, as one JSON object.
Json MachinesJson(const explore::Explored& explored,
                  const std::vector<explore::ExploredNetwork>& networks);

// Writes a configuration for each machine of the front, FOLDER/NAME.json. Returns their paths.
//   errors  those of WriteFile
Result<std::vector<std::string>> WriteFrontConfigs(const explore::Explored& explored,
                                                   const std::string& folder);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_EXPLORE_FILES_H_
