// SPDX-License-Identifier: Apache-2.0
//
// Runs a program image on a device and collects all that can be compared. Depends on:
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
  std::array<uint64_t, isa::kSegments> bases{};               // where they were
  bool traced = false;
  std::vector<TraceEntry> trace;  // of what retired, if traced
  TokenCounts tokens{};           // at most in each counter, if traced on a device with a clock
};

// Resets |device|, places |image| (uninitialised bytes are zero), runs it and reads all segments
// back. The same calls give the same addresses on a fresh device. Everything is freed again.
// |trace|: where the device can, and |observer| hears of the run too.
//   errors  those of Device
Result<ImageOutcome> RunImage(Device& device, const isa::ProgramImage& image, bool trace,
                              uint64_t budget = 50'000'000, RunObserver* observer = nullptr);

// "" if memory, leftover tokens and, where both have one, the traces of the units are equal; else
// the first difference in words. |image| ran on a machine of |config|; the outcomes are called
// |name_a| and |name_b|.
std::string Difference(const ImageOutcome& a, const ImageOutcome& b, const isa::ProgramImage& image,
                       const isa::Config& config, std::string_view name_a = "one",
                       std::string_view name_b = "other");

}  // namespace tessera::rig

#endif  // TESSERA_SIM_RIG_RUN_IMAGE_H_
