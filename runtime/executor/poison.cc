// SPDX-License-Identifier: Apache-2.0
//
// ExecutorOptions::poison_dead: a test that the memory plan lets buffers share storage only when
// their lives do not overlap.
#include <algorithm>
#include <vector>

#include "runtime/executor/executor.h"

namespace tessera {

// A buffer's value is needed before |step| if a later step reads the buffer before one writes it,
// or if no later step writes it and the user or a tap reads it at the end.
Status Executor::Poison(size_t step) {
  constexpr uint8_t kJunk = 0xa5;
  std::vector<bool> needed(plan_->buffers.size()), seen(plan_->buffers.size());
  const auto read = [&](uint32_t id) {
    if (!seen[id]) needed[id] = seen[id] = true;
  };
  for (size_t s = step; s < plan_->steps.size(); ++s) {
    for (const uint32_t id : artifact::BuffersRead(plan_->steps[s])) read(id);
    for (const uint32_t id : artifact::BuffersWritten(plan_->steps[s])) seen[id] = true;
  }
  for (const uint32_t id : plan_->outputs) read(id);
  for (const artifact::Tap& tap : plan_->taps) read(tap.buffer);
  for (uint32_t device = 0; device < plan_->arenas.size(); ++device) {
    std::vector<std::pair<uint64_t, uint64_t>> live;  // begin, end
    for (size_t id = 0; id < plan_->buffers.size(); ++id) {
      const artifact::PlanBuffer& b = plan_->buffers[id];
      if (needed[id] && b.device == device && b.home == artifact::BufferHome::kArena)
        live.emplace_back(b.offset, b.offset + b.bytes);
    }
    std::ranges::sort(live);
    live.emplace_back(plan_->arenas[device].bytes, plan_->arenas[device].bytes);
    uint64_t at = 0;
    for (const auto& [begin, end] : live) {
      if (begin > at && device == artifact::kHostDevice) {
        std::fill_n(slots_[0].arena.data() + at, begin - at, kJunk);
      } else if (begin > at && (devices_[device].device || devices_[device].kernels)) {
        TESSERA_TRY(Write(slots_[0], device, at, std::vector<uint8_t>(begin - at, kJunk)));
      }
      at = std::max(at, end);
    }
  }
  return {};
}

}  // namespace tessera
