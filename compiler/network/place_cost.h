// SPDX-License-Identifier: Apache-2.0
//
// What a placement costs, in seconds on the machine of a configuration: the layers on each device,
// the starts of the accelerator, and the tensors that pass between the devices, through the host.
// Depends on: network/layers.h. Used by: network/place.cc, tests.
#ifndef TESSERA_COMPILER_NETWORK_PLACE_COST_H_
#define TESSERA_COMPILER_NETWORK_PLACE_COST_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/fuse.h"
#include "compiler/graph/graph.h"
#include "compiler/network/layers.h"
#include "compiler/network/objective.h"
#include "compiler/network/pins.h"

namespace tessera::network {

// What a part of a network costs on the accelerator, and what it would cost on another device, the
// host or the GPU, if the rest stays where it is. In seconds of one inference. For a part on the
// GPU: there and on the host.
struct PartTimes {
  double host = 0;  // that the other device's layers and transfers take more with the part
  // That the accelerator's layers take more with the part. Below 0: without it, because its
  // neighbours' tensors then pass through device memory.
  double cycles = 0;
  // Starts of the accelerator, and packing and unpacking of tensors, that moving the part saves.
  // Below 0: what moving it adds.
  double start = 0, carry = 0;

  double OnHost() const;
  double OnAccelerator() const;
  double Saved() const { return OnAccelerator() - OnHost(); }  // by running it on the host
};

// The device of each node.
using Devices = std::vector<uint32_t>;

// The layers of all devices, fused, if the nodes run on those of |on|.
using PlacedFuse = std::function<std::vector<graph::Region>(const Devices& on)>;

// A tensor that the accelerator makes stays on chip for readers in the same program if it is no
// larger than INP, or if its layer and the one that reads it can take turns. What a layer on the
// accelerator takes depends on how many of its activations stay (AcceleratorTime). |on|: by node,
// the device that runs it.
class PlaceCosts {
 public:
  PlaceCosts(const Layers& layers, PlacedFuse fuse);

  const Layers& layers() const { return layers_; }
  // Regions of one node, in the graph's order.
  const std::vector<graph::Region>& nodes() const { return nodes_; }
  // The tensors that the host packs for node |n| (Layers::PackedByHost).
  const std::vector<graph::TensorId>& PackedFor(size_t n) const;
  // Whether node |n| has nothing to do on the accelerator (IsView).
  bool IsFree(size_t n) const { return free_[n]; }
  // The turn of each node (Turns).
  std::vector<int> TurnsOf(const Devices& on) const;

  // The layers of all devices.
  std::vector<graph::Region> Fused(const Devices& on) const { return fuse_(on); }

  NetworkTimes Times(const Devices& on) const;
  // The seconds of each of |layers|, which are those of |on|, on its device; nothing: no estimate.
  std::vector<std::optional<double>> SecondsOf(const Devices& on,
                                               const std::vector<graph::Region>& layers) const;
  // The times of nodes |part| on |from| against those on |to|, if the others are where |placed| has
  // them; nothing: some layer that |part| makes on |to| has no estimate. |times|: of |placed|.
  std::optional<PartTimes> TimesOf(const Devices& placed, const NetworkTimes& times,
                                   const std::vector<size_t>& part, uint32_t from,
                                   uint32_t to) const;

  // Seconds of |layer| on the host, 0 for a view and for what shared layers have in its place
  // (network/shared_places.h); nothing: no estimate.
  std::optional<double> HostSeconds(const graph::Region& layer) const;
  // The same on the GPU, with the launches of its kernels.
  std::optional<double> GpuSeconds(const graph::Region& layer) const;
  // Seconds of |layer| on the accelerator, where |lies| says of each tensor where it is; 0 for a
  // view; nothing: no estimate.
  enum class Lies : uint8_t { kOnChip, kInMemory, kOnHost };
  std::optional<double> AcceleratorSeconds(const graph::Region& layer,
                                           const std::function<Lies(graph::TensorId)>& lies) const;
  // The least that this can be for |layer|, wherever its tensors are.
  std::optional<double> LeastSeconds(const graph::Region& layer) const;
  // Whether tensor |id| fits on chip, whole or in turns.
  bool MayStay(graph::TensorId id) const { return may_stay_[static_cast<size_t>(id)]; }
  // Of one start; of packing or unpacking |id| once.
  double StartSeconds() const;
  double CarrySeconds(graph::TensorId id) const;
  // Of bringing |id| from the host to the GPU, or back.
  double LinkSeconds(graph::TensorId id) const;
  // Of packing the taps of node |n|, if the host makes |id|; nothing: it packs none of |id|.
  std::optional<double> TapsSeconds(size_t n, graph::TensorId id) const;

 private:
  class Uses;
  std::vector<std::optional<double>> SecondsOf(const Devices& on,
                                               const std::vector<graph::Region>& layers,
                                               const std::vector<int>& turns,
                                               const Uses& uses) const;

  double PackSeconds(double bytes) const;

  const Layers& layers_;
  const graph::Graph& graph_;
  const PlacedFuse fuse_;
  const std::vector<graph::Region> nodes_;
  std::vector<bool> free_;      // by node
  std::vector<bool> in_place_;  // by node: on the host it has nothing to do
  std::vector<bool> may_stay_;  // by tensor
  std::vector<double> bytes_;   // by tensor: in the machine's layout; 0: it has none
  mutable std::vector<std::optional<std::vector<graph::TensorId>>> packed_;  // by node
};

// "3.1 us", "41 us", "5.2 ms".
std::string TimeText(double seconds);

// |times| of a part with |operators| operators in words. Example:
// "with 2 other operators 3.1 us on cortex-a9, 41 us on the accelerator, of which 22 us start it
// and 15 us carry tensors".
std::string TimesText(const PartTimes& times, size_t operators, const std::string& cpu);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_PLACE_COST_H_
