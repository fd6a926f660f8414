// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/shared_places.h"

#include <vector>

#include "compiler/network/share_layers.h"
#include "compiler/network/share_rows.h"

namespace tessera::network {
namespace {

// The layout of the indices from |begin| on of axis |axis| of a row-major tensor of |shape|.
Layout PieceFrom(const graph::Shape& shape, size_t axis, int64_t begin) {
  Layout layout;
  for (size_t d = 0; d < shape.size(); ++d) {
    layout.dims.push_back({.dim = static_cast<int>(d), .before = d == axis ? begin : 0});
  }
  layout.strides = PhysicalStrides(shape, {});
  return layout;
}

}  // namespace

std::map<graph::TensorId, HostPlace> SharedPlaces(const graph::Graph& graph) {
  std::map<graph::TensorId, HostPlace> places;
  for (const graph::SharedLayer& layer : graph.shared) {
    for (const graph::TensorId first : {layer.accelerator, layer.host}) {
      const std::vector<size_t> part = NodesOfPart(graph, first);
      for (const size_t n : CutsOf(graph, part[0])) {
        const graph::Node& cut = graph.nodes[n];
        const auto& rows = cut.As<graph::SliceAttributes>().axes[kRowAxis];
        places[cut.output] = {cut.inputs[0],
                              PieceFrom(graph.tensor(cut.inputs[0]).shape, kRowAxis, rows.begin)};
      }
      const graph::Node& join = graph.nodes[part.back()];
      const auto axis = static_cast<size_t>(join.As<graph::ConcatAttributes>().axis);
      int64_t begin = 0;
      for (const graph::TensorId id : join.inputs) {
        places[id] = {join.output, PieceFrom(graph.tensor(join.output).shape, axis, begin)};
        begin += graph.tensor(id).shape[axis];
      }
    }
  }
  return places;
}

std::vector<bool> InSharedPlace(const graph::Graph& graph, const isa::Config& config) {
  std::vector<bool> there(graph.nodes.size());
  if (!config.gpu.driver.empty()) return there;
  for (const graph::SharedLayer& layer : graph.shared) {
    for (const graph::TensorId first : {layer.accelerator, layer.host}) {
      const std::vector<size_t> part = NodesOfPart(graph, first);
      for (const size_t n : CutsOf(graph, part[0])) there[n] = true;
      there[part.back()] = true;
    }
  }
  return there;
}

}  // namespace tessera::network
