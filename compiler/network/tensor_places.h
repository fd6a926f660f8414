// SPDX-License-Identifier: Apache-2.0
//
// Tensors that lie in other tensors in device memory, so that a reshape, a slice or a concatenation
// moves nothing: their neighbours read and write the right bytes. Depends on: compiler/graph,
// compiler/schedule/accel. Used by: network/place.h, network/join_parts.h, compiler/driver.
#ifndef TESSERA_COMPILER_NETWORK_TENSOR_PLACES_H_
#define TESSERA_COMPILER_NETWORK_TENSOR_PLACES_H_

#include <cstdint>
#include <map>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/schedule/accel/lattice.h"
#include "isa/config.h"

namespace tessera::network {

// The packing of |part| is |piece| of the packing of |whole| (schedule::accel::PackingOf).
struct Lying {
  graph::TensorId part = -1, whole = -1;
  schedule::accel::Lattice piece;
  bool other_dims = false;  // |part| has the bytes of |whole| under other dimensions
  int64_t columns = 1;      // of |piece|, neighbours, that are channels of a column of |part|
};

// Whether the operands of |op| are the parts of its result.
inline bool JoinsParts(graph::Op op) {
  return op == graph::Op::kConcat || op == graph::Op::kInterleave;
}

// How the tensors of |node| lie in one another, if the node then has nothing to do: the result of a
// reshape that keeps each element's place (under other dimensions, if rows become columns, or
// blocks of channels images), the result of a slice in its operand, the operands of a concatenation
// or an interleaving in its result. Of channels, a part has whole blocks from a multiple of a block
// on, equally far apart; of rows and columns, any that are so. Columns may be channels of a part
// where ColumnsFit. Empty: the node moves or changes values.
std::vector<Lying> LyingOf(const graph::Graph& graph, const graph::Node& node,
                           const isa::Config& config);

// Whether so many |columns| of an image of |channels| of |images| images may be channels of a
// column: whole blocks, or all in one block.
bool ColumnsFit(int64_t images, int64_t channels, int64_t columns, const isa::Config& config);

struct TensorPlace {
  graph::TensorId in = -1;  // a tensor that lies in no other
  schedule::accel::Lattice piece;
  bool other_dims = false;  // the tensor has the bytes of |in| under other dimensions
  int64_t columns = 1;      // as in Lying
};

// Where the tensors of a graph lie.
class TensorPlaces {
 public:
  // Each tensor lies in itself, also those that |graph| gets later. |graph| outlives this.
  TensorPlaces(const graph::Graph& graph, const isa::Config& config)
      : graph_(&graph), config_(config) {}
  // The nodes that |on| holds for the accelerator do nothing where LyingOf allows it.
  TensorPlaces(const graph::Graph& graph, const isa::Config& config, const std::vector<bool>& on);

  // Lays a part into a whole; false: it lies in another tensor already, or in |whole| elsewhere, or
  // would scatter bytes that have other dimensions, or lies in columns that are channels.
  bool Lay(const Lying& lying);
  // Lays all of |parts|, or none.
  bool LayAll(const std::vector<Lying>& parts);

  TensorPlace Of(graph::TensorId id) const;
  // The packing of |id|, with strides if it lies in another tensor with gaps, and the bytes of that
  // tensor in front of it.
  schedule::accel::Packing PackingOf(graph::TensorId id) const;
  int64_t OffsetOf(graph::TensorId id) const;
  // Whether the two tensors share bytes.
  bool Overlap(graph::TensorId a, graph::TensorId b) const;

 private:
  // The packing of |id| without strides.
  schedule::accel::Packing Alone(graph::TensorId id) const;

  const graph::Graph* graph_;
  isa::Config config_;
  std::map<graph::TensorId, TensorPlace> places_;  // of parts; |in| may lie in another
};

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_TENSOR_PLACES_H_
