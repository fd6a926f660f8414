// SPDX-License-Identifier: Apache-2.0
//
// `tessera run` of a program image, whose data are in it. Depends on: sim/rig, sim/trace. Used by:
// run.cc.
#ifndef TESSERA_TOOLS_RUN_PROGRAM_H_
#define TESSERA_TOOLS_RUN_PROGRAM_H_

#include <cstdint>
#include <string>

#include "base/error.h"
#include "tools/devices.h"

namespace tessera::tools {

struct ProgramFlags {
  std::string path, config, json, dump_dir;
  uint64_t budget = 0;
  bool check_races = false;
};

// Whether the file at |path| can be read and is a program image.
bool IsProgram(const std::string& path);

// Runs it and prints what it took. The exit code: 1 when races were asked for and found.
//   errors  ParseImage's, LoadConfig's, the device's; kInvalidArgument --device cpu
Result<int> RunProgram(const ProgramFlags& flags, const ChosenDevice& device);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_RUN_PROGRAM_H_
