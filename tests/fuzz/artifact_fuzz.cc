// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: the reader accepts bytes as an artifact or refuses them; an accepted artifact is
// written back the same, and its taps can be read. The valid checksum replaces the last eight
// bytes, because mutations would hardly find it.
#include <vector>

#include "base/check.h"
#include "runtime/artifact/artifact.h"
#include "runtime/artifact/tap.h"
#include "tests/fuzz/sealed.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tessera;               // NOLINT: one function
  constexpr uint64_t kMaxTap = 1 << 20;  // a small file may have a large layout
  const std::vector<uint8_t> bytes = test::Sealed(data, size);
  const auto artifact = artifact::Parse(bytes);
  if (!artifact) return 0;
  TESSERA_CHECK(artifact::Serialize(*artifact) == bytes, "writing what was read gives other bytes");
  for (const artifact::ExecutionPlan& plan : artifact->plans) {
    for (const artifact::Tap& tap : plan.taps) {
      const artifact::TensorInfo& output = artifact->layers[tap.layer].output;
      const uint64_t extent = artifact::BytesInLayout(output, tap.layout);
      TESSERA_CHECK(extent <= plan.buffers[tap.buffer].bytes);
      int64_t elements = 1;
      for (const int64_t axis : output.shape) elements *= axis;
      if (extent > kMaxTap || elements > static_cast<int64_t>(kMaxTap)) continue;
      artifact::UnpackTap(output, tap.layout, std::vector<uint8_t>(extent));
    }
    for (const artifact::PlanStep& step : plan.steps) {
      for (const uint32_t id : artifact::BuffersRead(step)) TESSERA_CHECK(id < plan.buffers.size());
      for (const uint32_t id : artifact::BuffersWritten(step))
        TESSERA_CHECK(id < plan.buffers.size());
    }
  }
  return 0;
}
