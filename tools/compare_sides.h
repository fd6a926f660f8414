// SPDX-License-Identifier: Apache-2.0
//
// One side of a comparison: the network on one device, and the results of an item there. Depends
// on: network.h. Used by: compare.
#ifndef TESSERA_TOOLS_COMPARE_SIDES_H_
#define TESSERA_TOOLS_COMPARE_SIDES_H_

#include <optional>
#include <span>
#include <vector>

#include "tools/compare_report.h"
#include "tools/network.h"

namespace tessera::tools {

// One item on one device: the model's outputs and the result of every layer that can be read.
struct Captured {
  std::vector<HostTensor> outputs;
  std::vector<std::optional<HostTensor>> layers;
};

// The network on one device. If |runner| does not keep every layer's result, |observer| runs the
// network compiled to keep them all.
struct Side {
  Runner runner = {};
  std::optional<Runner> observer = {};
  const LoadedNetwork* network = nullptr;  // that |runner| runs
  bool fast = false;                       // it computes floats by fast algorithms
  Runner& Seen() { return observer ? *observer : runner; }
};

// Whether the result of a layer, or of all layers, can be read.
bool Sees(const Runner& runner, uint32_t layer);
bool SeesAll(const Runner& runner);

// |item|: one tensor for each input.
Result<Captured> RunOne(Side& side, std::span<const HostTensor> item, ExecutionReport* report);

// The same. On a machine it also adds the time of the host's steps around it to |c|.
Result<Captured> RunTimed(Side& side, std::span<const HostTensor> item, Comparison& c);

// The same on a device with a clock. Also adds the counters of all programs, and counters of layers
// if the device tells when instructions retire.
Result<Captured> RunClocked(Side& side, std::span<const HostTensor> item, Comparison& c);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPARE_SIDES_H_
