// SPDX-License-Identifier: Apache-2.0
//
// What a decided node adds to a state of the search of placements: its turn, starts of the
// accelerator, and tensors that pass between devices, each once. Private to
// compiler/network/place_search.cc.
#ifndef TESSERA_COMPILER_NETWORK_SEARCH_EDGES_H_
#define TESSERA_COMPILER_NETWORK_SEARCH_EDGES_H_

#include <cstdint>
#include <vector>

#include "compiler/network/place_cost.h"
#include "compiler/network/search_state.h"

namespace tessera::network {

class SearchEdges {
 public:
  explicit SearchEdges(const PlaceCosts& costs);

  // Nodes that read |id|.
  int32_t Readers(graph::TensorId id) const { return readers_[static_cast<size_t>(id)]; }
  bool IsOutput(graph::TensorId id) const { return is_output_[static_cast<size_t>(id)]; }
  // Node |n| runs on |device|: adds what its tensors cost the host and the GPU, and its result.
  // Returns its turn.
  int Run(SearchState& state, size_t n, uint32_t device) const;
  // Where |id| is for a layer on the accelerator in |turn|.
  PlaceCosts::Lies LiesFor(const SearchState& state, graph::TensorId id, int turn) const;

 private:
  // The host has |t| from now on.
  void Fetch(SearchState& state, LiveTensor& t) const;
  // A node of |device| in |turn| reads |t|.
  void Read(SearchState& state, LiveTensor& t, uint32_t device, bool packs, int turn) const;

  const PlaceCosts& costs_;
  const graph::Graph& graph_;
  std::vector<int32_t> readers_;  // by tensor
  std::vector<bool> is_output_;   // by tensor
};

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_SEARCH_EDGES_H_
