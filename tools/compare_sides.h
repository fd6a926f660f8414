// SPDX-License-Identifier: Apache-2.0
//
// The network on one device of a comparison, and what an item gives there. Depends on: network.h.
// Used by: compare.
#ifndef TESSERA_TOOLS_COMPARE_SIDES_H_
#define TESSERA_TOOLS_COMPARE_SIDES_H_

#include <optional>
#include <span>
#include <vector>

#include "tools/compare_report.h"
#include "tools/network.h"

namespace tessera::tools {

// One item on one device: the model's outputs and every layer's that can be read.
struct Captured {
  std::vector<HostTensor> outputs;
  std::vector<std::optional<HostTensor>> layers;
};

// The network on one device. |observer| runs it compiled so that every layer's result is kept,
// where |runner|'s is not.
struct Side {
  Runner runner;
  std::optional<Runner> observer;
  Runner& Seen() { return observer ? *observer : runner; }
};

// Whether the result of a layer, or of all, can be read.
bool Sees(const Runner& runner, uint32_t layer);
bool SeesAll(const Runner& runner);

// |item|: one tensor an input.
Result<Captured> RunOne(Side& side, std::span<const HostTensor> item, ExecutionReport* report);

// The same, and adds the time of the host's steps around the machine, if it is one.
Result<Captured> RunTimed(Side& side, std::span<const HostTensor> item, Comparison& c);

// The same on a device with a clock. Adds what it counted, too, of all programs; by layer where the
// device tells when instructions retire.
Result<Captured> RunClocked(Side& side, std::span<const HostTensor> item, Comparison& c);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPARE_SIDES_H_
