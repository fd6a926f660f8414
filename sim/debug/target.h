// SPDX-License-Identifier: Apache-2.0
//
// DebugTarget: what a debugging session is about: programs, their layers, the tensors that they
// leave in device memory. Depends on: isa, runtime/artifact. Used by: sim/debug; `tessera debug`
// makes it.
#ifndef TESSERA_SIM_DEBUG_TARGET_H_
#define TESSERA_SIM_DEBUG_TARGET_H_

#include <functional>
#include <string>
#include <vector>

#include "isa/config.h"
#include "isa/image.h"
#include "runtime/artifact/artifact.h"
#include "runtime/device.h"
#include "runtime/tensor/tensor.h"

namespace tessera::sim {

// The output of a layer.
struct DebugTensor {
  uint32_t layer = 0;
  artifact::TensorInfo info;
  // "": it is in device memory, |bytes| from |offset| of the arena on, laid out by |layout|. Else
  // why it is not: "stays on the chip; ...".
  std::string absent;
  uint64_t offset = 0, bytes = 0;
  Layout layout;
};

// What a run on another device took and retired, in order.
struct ReplayedRun {
  std::vector<InsnTaken> taken;
  std::vector<TraceEntry> retired;
};

// Cycles of a run whose signals are to be written to a file.
struct WaveWindow {
  std::string device, path;
  uint32_t program = 0;
  uint64_t cycle = 0, cycles = 0;  // the first; how many
};

struct DebugTarget {
  isa::Config config;
  std::string device;  // its name
  bool clock = false;
  std::string failed_on;  // a dump's: the device that the run failed on; else ""
  std::vector<const isa::ProgramImage*> programs;  // in the order in which they run
  std::vector<std::string> layers;                 // by the numbers of the programs' source maps
  std::vector<DebugTensor> tensors;                // one a layer; empty: of a program image
  // What the host computes for a layer's output. Null: there is no host path.
  std::function<Result<HostTensor>(uint32_t layer)> host_value;
  // Runs all of it on another device, |budget| cycles at most where that device has a clock: what
  // happened, by program. A spent budget is no error.
  std::function<Result<std::vector<ReplayedRun>>(const std::string& device, uint64_t budget)>
      replay;
  // The signals of the run that |replay| made last; gives the first cycle.
  std::function<Result<uint64_t>(const WaveWindow& window)> record;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_DEBUG_TARGET_H_
