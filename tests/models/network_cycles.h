// SPDX-License-Identifier: Apache-2.0
//
// A whole network on a device with a clock, for its cycles. Tests only.
#ifndef TESSERA_TESTS_MODELS_NETWORK_CYCLES_H_
#define TESSERA_TESTS_MODELS_NETWORK_CYCLES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/artifact/artifact.h"
#include "runtime/device.h"

namespace tessera::test {

// Compiles the model at |path| for configuration default, every layer for the device.
//   errors  kInvalidArgument  a layer lost its place on chip (compiler::OffChip)
Result<std::shared_ptr<const artifact::Artifact>> CompileForDevice(const std::string& path);

struct NetworkCycles {
  std::vector<uint64_t> inferences;  // cycles of each
  // Of the last inference: the report of each program, and with |traced| its retirements.
  std::vector<RunReport> reports;
  std::vector<std::vector<TraceEntry>> traces;
  double seconds = 0;  // CPU time of this thread in the last inference
};

// Runs |inputs| inferences on |driver|, each with random values that are the same for every driver.
Result<NetworkCycles> RunForCycles(const std::shared_ptr<const artifact::Artifact>& artifact,
                                   const std::string& driver, isa::DramModel dram, int inputs,
                                   bool traced);

// The error of the layers' cycles; a layer begins where the one before it ends.
struct LayerError {
  int64_t layers = 0, exact = 0;
  double mean = 0, worst = 0;  // relative
  std::string worst_layer;
};
LayerError LayerErrors(const artifact::Artifact& artifact, const NetworkCycles& want,
                       const NetworkCycles& got);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_MODELS_NETWORK_CYCLES_H_
