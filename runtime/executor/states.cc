// SPDX-License-Identifier: Apache-2.0
//
// The states that an inference begins with, and those that it leaves.
#include <utility>

#include "base/check.h"
#include "base/copy.h"
#include "runtime/executor/executor.h"

namespace tessera {

void Executor::FillStates(Slot& slot) {
  slot.before = next_;
  for (size_t s = 0; s < slot.before.size(); ++s) {
    if (options_.fresh_states) slot.before[s] = artifact_->states[s].first;
    CopyBytes(slot.before[s], HostBytes(plan_->inputs[artifact_->inputs.size() + s], slot).data());
  }
}

void Executor::KeepStates(Slot& slot) {
  slot.after.resize(artifact_->states.size());
  for (size_t s = 0; s < slot.after.size(); ++s) {
    const std::span<const uint8_t> bytes =
        HostBytes(plan_->outputs[artifact_->outputs.size() + s], slot);
    slot.after[s].assign(bytes.begin(), bytes.end());
  }
  next_ = slot.after;
}

void Executor::SetStates(StateValues values) {
  TESSERA_CHECK(values.size() == states_.size());
  for (size_t s = 0; s < values.size(); ++s) TESSERA_CHECK(values[s].size() == states_[s].size());
  states_ = std::move(values);
}

}  // namespace tessera
