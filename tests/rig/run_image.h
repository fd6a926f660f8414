// SPDX-License-Identifier: Apache-2.0
//
// Runs a program image on a device and collects all that can be compared. Depends on:
// runtime/device.h. Used by: the rig's tests, tests/cosim.
#ifndef TESSERA_TESTS_RIG_RUN_IMAGE_H_
#define TESSERA_TESTS_RIG_RUN_IMAGE_H_

#include <array>
#include <string>
#include <vector>

#include "isa/image.h"
#include "runtime/device.h"

namespace tessera::rig {

struct Outcome {
  RunReport report;
  std::array<std::vector<uint8_t>, isa::kSegments> segments;  // contents after the run
  std::vector<TraceEntry> trace;                              // empty unless asked for
};

// Resets |device|, places |image| (uninitialised bytes are zero), runs it and reads all segments
// back. The same calls give the same addresses on a fresh device. Everything is freed again.
//   errors  those of Device
Result<Outcome> RunImage(Device& device, const isa::ProgramImage& image, bool trace,
                         uint64_t budget = 50'000'000);

// "" if memory, leftover tokens and, where both have one, the traces of the units are equal; else
// the first difference in words. |image| ran on a machine of |config|.
std::string Difference(const Outcome& a, const Outcome& b, const isa::ProgramImage& image,
                       const isa::Config& config);

}  // namespace tessera::rig

#endif  // TESSERA_TESTS_RIG_RUN_IMAGE_H_
