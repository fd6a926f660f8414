// SPDX-License-Identifier: Apache-2.0
//
// A network of models/mlperf_tiny through the importer, the compiler and a device, its tensors
// compared with the goldens. Tests only.
#ifndef TESSERA_TESTS_MODELS_NETWORK_RUN_H_
#define TESSERA_TESTS_MODELS_NETWORK_RUN_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/device/memory.h"
#include "tests/models/golden.h"

namespace tessera::test {

struct NetworkRun {
  std::string device;    // "cpu", "func", "rtl"
  bool fuse = true;      // false: each operator is a layer, so that its result can be compared
  bool observe = false;  // every layer's result is kept (CompileOptions::keep_tensors)
  std::string config = "default";
  uint64_t memory_bytes = kDefaultMemoryBytes;  // of the device
  size_t most_inputs = SIZE_MAX;                // the first ones
};

struct Comparison {
  int64_t inputs = 0;              // that were run
  std::set<std::string> compared;  // operators whose results were compared for each input
  std::vector<std::string>
      different;  // for each input that differs: network, device, input, operator, position
  std::set<uint64_t> cycles;  // of an inference, on a device with a clock
};

// Runs the inputs of |golden|. The first operator that differs is told for each input; after five
// such inputs it ends.
//   errors  the model is another version than the goldens'; those of import, compilation and
//           execution
Result<Comparison> CompareNetwork(const Golden& golden, const NetworkRun& how);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_MODELS_NETWORK_RUN_H_
