// SPDX-License-Identifier: Apache-2.0
//
// DeviceTensors: which tensors of a network the accelerator has, when it makes them, where they lie
// in one another, and which of them the host reads. Internal to compiler/driver.
#ifndef TESSERA_COMPILER_DRIVER_DEVICE_TENSORS_H_
#define TESSERA_COMPILER_DRIVER_DEVICE_TENSORS_H_

#include <vector>

#include "compiler/driver/build.h"
#include "compiler/network/tensor_places.h"

namespace tessera::compiler {

class DeviceTensors {
 public:
  // Of the regions of |build|; the host packs the tensors |packed| of each region. The turns are
  // those of network::Turns.
  DeviceTensors(const Build& build, std::vector<std::vector<graph::TensorId>> packed);

  const std::vector<int>& turns() const { return turns_; }
  bool OnDevice(size_t region) const { return n_.devices[region] == network::kAccelerator; }
  // Whether the accelerator has instructions for |region|.
  bool Computes(size_t region) const { return computes_[region]; }
  // |id|, or the tensor that |id| views on the device under another shape, directly or through
  // other views. The functions below are about such tensors.
  graph::TensorId Root(graph::TensorId id) const { return roots_[static_cast<size_t>(id)]; }
  const network::TensorPlaces& places() const { return places_; }
  // |id| in the program of |turn|.
  network::Activation ActivationOf(graph::TensorId id, int turn) const;
  // Whether the host, or the user, reads |id|, which the accelerator makes.
  bool HostReads(graph::TensorId id) const { return host_reads_[static_cast<size_t>(id)]; }
  // The tensors that the host reads and whose last bytes the accelerator makes in |turn|.
  std::vector<graph::TensorId> FetchedAfter(int turn) const;

 private:
  // The turn in which the accelerator makes the last bytes of |id|; -1: it makes none.
  int TurnOf(graph::TensorId id) const;
  network::Activation::Kind KindOf(graph::TensorId id, int turn) const;

  const FusedNetwork& n_;
  std::vector<std::vector<graph::TensorId>> packed_;  // by region
  std::vector<int> turns_;                            // by region
  network::TensorPlaces places_;
  std::vector<bool> computes_;          // by region
  std::vector<graph::TensorId> roots_;  // by tensor
  std::vector<bool> host_reads_;        // by tensor
};

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_DEVICE_TENSORS_H_
