// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/device_tensors.h"

#include <algorithm>
#include <utility>

namespace tessera::compiler {
namespace {

using graph::TensorId;
using network::Activation;

// By node: whether the accelerator runs it.
std::vector<bool> NodesOnDevice(const FusedNetwork& n) {
  std::vector<bool> on(n.graph.nodes.size());
  for (size_t r = 0; r < n.regions.size(); ++r) {
    for (const size_t node : n.regions[r].nodes) on[node] = n.devices[r] == network::kAccelerator;
  }
  return on;
}

}  // namespace

DeviceTensors::DeviceTensors(const Build& build, std::vector<std::vector<TensorId>> packed)
    : n_(build.network),
      packed_(std::move(packed)),
      turns_(network::Turns(n_.graph, n_.regions, n_.devices, packed_)),
      places_(n_.graph, build.options.config, NodesOnDevice(n_)),
      host_reads_(n_.graph.tensors.size()) {
  for (size_t t = 0; t < n_.graph.tensors.size(); ++t) roots_.push_back(static_cast<TensorId>(t));
  for (size_t r = 0; r < n_.regions.size(); ++r) {
    const graph::Region& region = n_.regions[r];
    computes_.push_back(OnDevice(r) && !network::IsView(n_.graph, region, build.options.config));
    if (!OnDevice(r)) continue;
    // Under other dimensions it is an activation of its own.
    const auto viewed = network::ViewedBy(n_.graph, region);
    if (viewed && !places_.Of(region.output).other_dims)
      roots_[static_cast<size_t>(region.output)] = Root(*viewed);
  }
  for (const TensorId id : n_.graph.outputs) host_reads_[static_cast<size_t>(Root(id))] = true;
  for (size_t r = 0; r < n_.regions.size(); ++r) {
    for (const TensorId id : OnDevice(r) ? packed_[r] : n_.regions[r].inputs)
      host_reads_[static_cast<size_t>(Root(id))] = true;
  }
}

int DeviceTensors::TurnOf(TensorId id) const {
  int turn = -1;
  for (size_t r = 0; r < n_.regions.size(); ++r) {
    if (computes_[r] && places_.Overlap(n_.regions[r].output, id)) turn = std::max(turn, turns_[r]);
  }
  return turn;
}

Activation::Kind DeviceTensors::KindOf(TensorId id, int turn) const {
  const int made = TurnOf(id);
  if (made < 0) return Activation::Kind::kInput;
  if (made < turn) return Activation::Kind::kInMemory;
  // Others than |id| that share its bytes are in memory, so |id| is.
  bool leaves = false;
  for (size_t t = 0; t < roots_.size(); ++t) {
    const auto other = static_cast<TensorId>(t);
    if (Root(other) == other && places_.Overlap(other, id)) leaves |= other != id || HostReads(id);
  }
  for (size_t r = 0; r < n_.regions.size(); ++r) {
    for (const TensorId read : n_.regions[r].inputs)
      leaves |= OnDevice(r) && Root(read) == id && turns_[r] > turn;
  }
  return leaves ? Activation::Kind::kOutput : Activation::Kind::kInternal;
}

Activation DeviceTensors::ActivationOf(TensorId id, int turn) const {
  const graph::GraphTensor& tensor = n_.graph.tensor(id);
  const Activation::Kind kind = KindOf(id, turn);
  Activation made{tensor.name, tensor.shape, kind};
  made.on_host = kind == Activation::Kind::kInMemory && HostReads(id);
  const network::TensorPlace place = places_.Of(id);
  if (place.in == id || Root(id) != id) return made;
  made.whole = place.in;
  made.piece = place.piece;
  made.offset = places_.OffsetOf(id);
  return made;
}

std::vector<TensorId> DeviceTensors::FetchedAfter(int turn) const {
  std::vector<TensorId> fetched;
  for (size_t r = 0; r < n_.regions.size(); ++r) {
    const TensorId id = n_.regions[r].output;
    if (OnDevice(r) && Root(id) == id && HostReads(id) && TurnOf(id) == turn) fetched.push_back(id);
  }
  return fetched;
}

}  // namespace tessera::compiler
