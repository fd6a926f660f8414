// SPDX-License-Identifier: Apache-2.0
//
// What `tessera explore` leaves in its folder: all machines as CSV and JSON, the front as pictures
// and as configurations. Depends on: explore, tools/front_picture.h. Used by: explore.cc.
#ifndef TESSERA_TOOLS_EXPLORE_FILES_H_
#define TESSERA_TOOLS_EXPLORE_FILES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "explore/evaluate.h"
#include "explore/explored.h"
#include "explore/sensitivity.h"

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

// Writes points.csv and points.json, sensitivities.csv, and front.svg and front.png for the first
// two objectives. |words|: what limits the networks.
//   errors  those of WriteFile and WriteFront
Status WriteExplored(const explore::Explored& explored,
                     const std::vector<explore::ExploredNetwork>& networks,
                     const std::vector<explore::Sensitivity>& sensitivities,
                     const std::string& words, const std::string& folder);

// Writes the configuration of each of |machines|, FOLDER/NAME.json.
//   errors  those of WriteFile
Status WriteConfigs(const explore::Explored& explored, const std::vector<int64_t>& machines,
                    const std::string& folder);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_EXPLORE_FILES_H_
