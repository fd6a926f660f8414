// SPDX-License-Identifier: Apache-2.0
//
// One layer by one schedule, ready to run in this process: on the host, or on a GPU through its
// driver. Depends on: compiler/driver, runtime/gpu. Used by: turns.h, time_measure.h.
#ifndef TESSERA_COMPILER_TUNE_TIMED_LAYER_H_
#define TESSERA_COMPILER_TUNE_TIMED_LAYER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/error.h"
#include "compiler/driver/evaluate.h"

namespace tessera::tune {

// Row-major bytes of a layer's activations, by tensor of the graph.
using LayerInputs = std::map<graph::TensorId, std::vector<uint8_t>>;

class TimedLayer {
 public:
  virtual ~TimedLayer() = default;
  // Gives it |inputs| and fills its result with junk, so that elements that it does not write show.
  //   errors  those of its driver
  virtual Status Put(const LayerInputs& inputs) = 0;
  // Runs it |calls| times; the nanoseconds of a call, at least 1, by the clock of what runs it.
  //   errors  those of its driver
  virtual Result<uint64_t> Run(uint64_t calls) = 0;
  // The result, row-major. errors: those of its driver
  virtual Result<std::vector<uint8_t>> Output() = 0;
  // What the interpreter of the loop IR computes from the same values, row-major.
  //   errors  kTimeout  it would take too long; those of ir::Interpret
  virtual Result<std::vector<uint8_t>> Interpreted() = 0;
};

std::unique_ptr<TimedLayer> OnHost(compiler::HostCandidate made);

// Opens the device and builds the kernels. A process that does so must not fork afterwards: drivers
// start threads.
//   errors  those of GpuDriver::open and KernelDevice
Result<std::unique_ptr<TimedLayer>> OnGpu(compiler::GpuCandidate made, artifact::DeviceKind kind);

// The name of the device behind the driver for |kind|, asked once, in a process of its own.
//   errors  those of GpuDriver::open
Result<std::string> GpuDeviceName(artifact::DeviceKind kind);

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_TIMED_LAYER_H_
