// SPDX-License-Identifier: Apache-2.0
//
// What an inference begins with and what it leaves: inputs and states.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "runtime/executor/executor.h"

namespace tessera {

void Executor::FillInputs(std::span<const HostTensor> inputs, int64_t inference) {
  for (size_t i = 0; i < inputs.size(); ++i)
    FillInput(artifact_->inputs[i], inputs[i], inference, options_.pixels,
              HostBytes(plan_->inputs[i]));
  for (size_t s = 0; s < states_.size() && options_.fresh_states; ++s)
    states_[s] = artifact_->states[s].first;
  for (size_t s = 0; s < states_.size(); ++s)
    std::ranges::copy(states_[s], HostBytes(plan_->inputs[inputs.size() + s]).begin());
  before_ = states_;
}

void Executor::KeepStates() {
  for (size_t s = 0; s < states_.size(); ++s)
    std::ranges::copy(HostBytes(plan_->outputs[artifact_->outputs.size() + s]), states_[s].begin());
}

void Executor::SetStates(StateValues values) {
  TESSERA_CHECK(values.size() == states_.size());
  for (size_t s = 0; s < values.size(); ++s) TESSERA_CHECK(values[s].size() == states_[s].size());
  states_ = std::move(values);
}

}  // namespace tessera
