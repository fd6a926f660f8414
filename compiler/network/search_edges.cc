// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/search_edges.h"

#include <algorithm>

#include "compiler/network/share_layers.h"
#include "compiler/network/tensor_places.h"

namespace tessera::network {

using graph::TensorId;

SearchEdges::SearchEdges(const PlaceCosts& costs)
    : costs_(costs),
      graph_(costs.layers().graph()),
      readers_(graph_.tensors.size()),
      is_output_(graph_.tensors.size()) {
  for (const graph::Region& node : costs.nodes()) {
    for (const TensorId id : node.inputs) ++readers_[static_cast<size_t>(id)];
  }
  for (const TensorId id : graph_.outputs) is_output_[static_cast<size_t>(id)] = true;
}

int SearchEdges::Run(SearchState& state, size_t n, uint32_t device) const {
  const bool on = device == kAccelerator;
  const std::vector<TensorId>& inputs = costs_.nodes()[n].inputs;
  const auto packs = [&](TensorId id) {
    return on && std::ranges::count(costs_.PackedFor(n), id) > 0;
  };
  const bool waits = !on || IsShared(graph_, graph_.nodes[n].output);
  int turn = 0;
  for (const TensorId id : inputs) {
    const LiveTensor& t = *state.Find(id);
    turn = std::max<int>(turn, waits || packs(id) ? t.host_may : t.accelerator_may);
  }
  const bool mixed =
      on && JoinsParts(graph_.nodes[n].op) && std::ranges::any_of(inputs, [&](TensorId id) {
        return state.Find(id)->accelerator_may != turn;
      });
  const int runs_in = turn + (mixed ? 1 : 0);
  for (const TensorId id : inputs) {
    const std::optional<double> taps = on ? costs_.TapsSeconds(n, id) : std::nullopt;
    LiveTensor& t = *state.Find(id);
    if (taps && !packs(id) && t.on != kAccelerator) {
      Fetch(state, t);
      state.host += *taps;
    } else {
      Read(state, t, device, packs(id), runs_in);
    }
  }
  if (on && !costs_.IsFree(n)) {
    const uint64_t bit = uint64_t{1} << std::min(runs_in, kMostTurns);
    if ((state.started & bit) == 0) state.host += costs_.StartSeconds();
    state.started |= bit;
    state.used = true;
  }
  const TensorId out = graph_.nodes[n].output;
  const bool read_by_user = IsOutput(out);
  if (on && read_by_user) state.host += costs_.CarrySeconds(out);
  if (IsGpu(device) && read_by_user) state.gpu += costs_.LinkSeconds(out);
  if (Readers(out) > 0) {
    LiveTensor made{.id = out,
                    .on = device,
                    .unpacked = device == kHost || read_by_user,
                    .brought = IsGpu(device),
                    .stored = read_by_user,
                    .host_may = static_cast<int16_t>(on ? turn + 1 : turn),
                    .accelerator_may = static_cast<int16_t>(runs_in),
                    .readers = Readers(out)};
    state.live.insert(std::ranges::lower_bound(state.live, out, {}, &LiveTensor::id), made);
  }
  return runs_in;
}

void SearchEdges::Fetch(SearchState& state, LiveTensor& t) const {
  if (t.unpacked) return;
  t.unpacked = true;
  if (IsGpu(t.on)) {
    state.gpu += costs_.LinkSeconds(t.id);
  } else {
    state.host += costs_.CarrySeconds(t.id);
  }
}

void SearchEdges::Read(SearchState& state, LiveTensor& t, uint32_t device, bool packs,
                       int turn) const {
  const bool on = device == kAccelerator;
  const auto pack = [&](bool& done) {
    if (!done) state.host += costs_.CarrySeconds(t.id);
    done = true;
  };
  const bool gives = on && !packs && t.on != kAccelerator;
  if (device == kHost || packs || gives || (IsGpu(device) && !t.brought)) Fetch(state, t);
  if (packs) pack(t.packed);
  if (gives) pack(t.given);
  if (IsGpu(device) && !t.brought) {
    state.gpu += costs_.LinkSeconds(t.id);
    t.brought = true;
  }
  const bool elsewhere = !on || packs || t.accelerator_may != turn;
  if (t.on != kAccelerator || t.stored || !elsewhere) return;
  state.accelerator += t.store;
  t.stored = true;
}

PlaceCosts::Lies SearchEdges::LiesFor(const SearchState& state, TensorId id, int turn) const {
  const LiveTensor* t = state.Find(id);
  if (t->on != kAccelerator) return PlaceCosts::Lies::kOnHost;
  return t->accelerator_may == turn && costs_.MayStay(id) ? PlaceCosts::Lies::kOnChip
                                                          : PlaceCosts::Lies::kInMemory;
}

}  // namespace tessera::network
