// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/coverage.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/graph/op_def.h"
#include "compiler/graph/passes.h"
#include "compiler/quantize/params.h"

namespace tessera::compiler {
namespace {

// 12345678 as 12,345,678.
std::string WithCommas(int64_t value) {
  std::string text = std::to_string(value);
  for (int64_t at = std::ssize(text) - 3; at > 0; at -= 3)
    text.insert(static_cast<size_t>(at), ",");
  return text;
}

}  // namespace

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
    const std::string op(graph::Text(node.op)), &why = places[n].machine;
    const auto known = std::ranges::find_if(
        coverage.left, [&](const Coverage::Left& l) { return l.op == op && l.why == why; });
    if (known == coverage.left.end()) {
      coverage.left.push_back({op, why, 1});
    } else {
      ++known->nodes;
    }
  }
  std::ranges::stable_sort(coverage.left, std::greater{}, &Coverage::Left::nodes);
  return coverage;
}

Result<Coverage> CoverageOf(graph::Graph graph, const isa::Config& config) {
  TESSERA_TRY(quantize::AttachRequant(graph));
  graph::Simplify(graph);
  return CoverageOf(graph, network::PlaceNodes(graph, config));
}

std::string Text(const Coverage& coverage) {
  std::string text =
      fmt::format("accelerator: {} of {} operators", coverage.accelerated, coverage.nodes);
  if (coverage.macs > 0) {
    text += fmt::format(
        ", {:.1f} % of {} multiply-accumulates",
        100.0 * static_cast<double>(coverage.accelerated_macs) / static_cast<double>(coverage.macs),
        WithCommas(coverage.macs));
  }
  for (const Coverage::Left& left : coverage.left) {
    text += fmt::format("{}{} x {}{}", &left == &coverage.left.front() ? "; host: " : ", ",
                        left.nodes, left.op, left.why.empty() ? "" : " (" + left.why + ")");
  }
  return text;
}

}  // namespace tessera::compiler
