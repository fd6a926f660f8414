// SPDX-License-Identifier: Apache-2.0
//
// DebugTarget: the subject of a debugging session: programs, their layers, the tensors that they
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
  // "": the tensor is in device memory, |bytes| bytes from |offset| of the arena on, in |layout|.
  // Otherwise the reason why it is not: "stays on the chip; ...".
  std::string absent;
  uint64_t offset = 0, bytes = 0;
  Layout layout;
};

// The instructions that a run on another device took and retired, in order.
struct ReplayedRun {
  std::vector<InsnTaken> taken;
  std::vector<TraceEntry> retired;
};

// The cycles of a run whose signals are recorded in a file.
struct WaveWindow {
  std::string device, path;
  uint32_t program = 0;
  uint64_t cycle = 0, cycles = 0;  // the first cycle, the number of cycles
};

struct DebugTarget {
  isa::Config config;
  std::string device;  // name of the device
  bool clock = false;
  std::string failed_on;  // of a dump: the device on which the run failed; else ""
  std::vector<const isa::ProgramImage*> programs;  // in the order of their runs
  std::vector<std::string> layers;                 // indexed by layer number of the source maps
  std::vector<DebugTensor> tensors;                // one for each layer; empty for a program image
  // Computes the output of a layer on the host. Null if there is no host path.
  std::function<Result<HostTensor>(uint32_t layer)> host_value;
  // Runs all programs on another device, for at most |budget| cycles if that device has a clock.
  // Returns what happened, by program. A spent budget is not an error.
  std::function<Result<std::vector<ReplayedRun>>(const std::string& device, uint64_t budget)>
      replay;
  // Records signals of the last run of |replay|. Returns the first cycle recorded.
  std::function<Result<uint64_t>(const WaveWindow& window)> record;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_DEBUG_TARGET_H_
