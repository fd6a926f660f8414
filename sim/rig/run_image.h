// SPDX-License-Identifier: Apache-2.0
//
// Runs a program image on a device and collects everything that can be compared. Depends on:
// runtime/device.h, sim/trace. Used by: lockstep.h, the rig's tests.
#ifndef TESSERA_SIM_RIG_RUN_IMAGE_H_
#define TESSERA_SIM_RIG_RUN_IMAGE_H_

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "isa/image.h"
#include "runtime/device.h"
#include "sim/rig/token_levels.h"

namespace tessera::rig {

struct ImageOutcome {
  RunReport report;
  std::array<std::vector<uint8_t>, isa::kSegments> segments;  // contents after the run
  std::array<uint64_t, isa::kSegments> bases{};               // their device addresses
  bool traced = false;
  std::vector<TraceEntry> trace;  // retired instructions, if traced
  TokenCounts tokens{};           // most tokens of each counter, if traced on a device with a clock
};

// Resets |device|, places |image| (bytes without data are zero), runs it, reads all segments back
// and frees its memory. The same calls on a fresh device give the same addresses. |trace|: collect
// a trace if the device can; |observer| then receives the events too.
//   errors  those of Device
Result<ImageOutcome> RunImage(Device& device, const isa::ProgramImage& image, bool trace,
                              uint64_t budget = 50'000'000, RunObserver* observer = nullptr);

// The first difference in words; "" if memory, leftover tokens and, if both outcomes have them, the
// traces of the units are equal. |image| ran on a machine of |config|. |name_a| and |name_b| name
// the outcomes.
std::string Difference(const ImageOutcome& a, const ImageOutcome& b, const isa::ProgramImage& image,
                       const isa::Config& config, std::string_view name_a = "one",
                       std::string_view name_b = "other");

}  // namespace tessera::rig

#endif  // TESSERA_SIM_RIG_RUN_IMAGE_H_
