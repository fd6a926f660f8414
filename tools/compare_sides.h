// SPDX-License-Identifier: Apache-2.0
//
// One side of a comparison: the network on one device, or on several accelerators that share the
// items, and the results of items there. Depends on: network.h, run_shares.h. Used by: compare.
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

// The network on one device, or on several accelerators. If |runners| do not keep every layer's
// result, |observers| run the network compiled to keep them all, on the same devices.
struct Side {
  std::vector<Runner> runners = {};
  std::vector<Runner> observers = {};      // as many, or none
  const LoadedNetwork* network = nullptr;  // that |runners| run
  bool fast = false;                       // it computes floats by fast algorithms
  const Runner& runner() const { return runners[0]; }
  std::vector<Runner>& Seen() { return observers.empty() ? runners : observers; }
};

// Whether the result of a layer, or of all layers, can be read.
bool Sees(const Runner& runner, uint32_t layer);
bool SeesAll(const Runner& runner);

// Runs |items|, one tensor for each input, of which |first| is the number of the first one. Of a
// side with several accelerators each runs one item at a time, all at once (RunShares). On a
// machine it also adds the time of the host's steps around them to |c|.
Result<std::vector<Captured>> RunTimed(Side& side, std::span<const HostTensor> items, int64_t first,
                                       Comparison& c);

// The same for item 0, on a device with a clock. Also adds the counters of all programs, and
// counters of layers if the device tells when instructions retire.
Result<std::vector<Captured>> RunClocked(Side& side, std::span<const HostTensor> item,
                                         Comparison& c);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPARE_SIDES_H_
