// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/coverage.h"

#include <algorithm>

#include "compiler/graph/op_def.h"
#include "compiler/network/simplify.h"
#include "compiler/quantize/params.h"

namespace tessera::compiler {

using artifact::Coverage;

Coverage CoverageOf(const graph::Graph& graph, const std::vector<network::NodePlace>& places) {
  Coverage coverage;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const graph::Node& node = graph.nodes[n];
    if (node.op == graph::Op::kReshape) continue;
    const int64_t macs = graph::Macs(graph, node);
    const bool on = places[n].device == network::kAccelerator;
    ++coverage.nodes;
    coverage.macs += macs;
    coverage.accelerated += on;
    coverage.accelerated_macs += on ? macs : 0;
    if (on) continue;
    const auto device = static_cast<artifact::DeviceKind>(places[n].device);
    const std::string op(graph::Text(node.op)),
        why = artifact::RunsSource(device) ? "" : places[n].machine;
    const auto known = std::ranges::find_if(coverage.left, [&](const Coverage::Left& left) {
      return left.op == op && left.why == why && left.device == device;
    });
    if (known == coverage.left.end()) {
      coverage.left.push_back({op, why, 1, device});
    } else {
      ++known->nodes;
    }
  }
  std::ranges::stable_sort(coverage.left, std::greater{}, &Coverage::Left::nodes);
  return coverage;
}

Result<Coverage> CoverageOf(graph::Graph graph, const isa::Config& config) {
  TESSERA_TRY(quantize::AttachRequant(graph));
  network::Simplify(graph, &config);
  return CoverageOf(graph, network::PlaceNodes(network::Layers(graph, config)));
}

}  // namespace tessera::compiler
