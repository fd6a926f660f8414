// SPDX-License-Identifier: Apache-2.0
//
// What a placed network takes in a run: the times of its layers, beside the forecast. Depends on:
// compiler/driver, runtime/executor. Used by: tools/place.
#ifndef TESSERA_TOOLS_PLACE_MEASURE_H_
#define TESSERA_TOOLS_PLACE_MEASURE_H_

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/placement.h"

namespace tessera::tools {

// Seconds of one inference.
struct MeasuredPlacement {
  std::string device;  // that ran the accelerator's programs
  // By layer of the PlacedNetwork; nothing: the run does not tell.
  std::vector<std::optional<double>> layers;
  double accelerator = 0;  // of its programs, in device cycles at the machine's clock
  double host = 0;         // of the host's layers, on this computer
  double gpu = 0;          // of its kernels and transfers, each waited for, on this computer
  double carry = 0;        // of packing, unpacking and other transfers, on this computer
  bool same_cpu = false;   // this computer is the processor that the forecast is for
  double total() const { return accelerator + host + gpu + carry; }
};

// Compiles |graph| by |options|, as |placed|, and runs it on |device|, a word of --device, with
// zeros: the accelerator once, because its cycles depend on no data, the host and a GPU some times,
// of which the fastest counts. The host's code has a
// thread for each core of the configuration's processor that this process may use.
//   errors  kUnsupported  the device has no clock; those of Compile, OpenRunner and the run
Result<MeasuredPlacement> MeasurePlacement(const compiler::PlacedNetwork& placed,
                                           const graph::Graph& graph,
                                           compiler::CompileOptions options,
                                           const std::string& device);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_PLACE_MEASURE_H_
