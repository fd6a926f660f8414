// SPDX-License-Identifier: Apache-2.0
//
// `tessera run` for a program image, which contains its data. Depends on: sim/rig, sim/trace. Used
// by: run.cc.
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

// Runs the image and prints its time. Returns the exit code: 1 if the user asked for races and
// there are some.
//   errors  those of ParseImage, LoadConfig and the device; kInvalidArgument --device cpu
Result<int> RunProgram(const ProgramFlags& flags, const ChosenDevice& device);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_RUN_PROGRAM_H_
