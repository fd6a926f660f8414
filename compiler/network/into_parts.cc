// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/into_parts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "compiler/graph/op_def.h"
#include "compiler/quantize/params.h"

namespace tessera::network {
namespace {

using graph::Graph;
using graph::Node;
using graph::Op;
using graph::TensorId;

// Puts |parts| of |node| into |made|, with the nodes |behind| it.
void Put(Graph& graph, const Node& node, const std::vector<Node>& behind, Parts parts,
         std::vector<Node>* made) {
  Node joined{.op = parts.join,
              .name = behind.empty() ? node.name : behind.back().name,
              .inputs = {},
              .output = behind.empty() ? node.output : behind.back().output,
              .attributes = parts.joined};
  std::ranges::move(parts.nodes, std::back_inserter(*made));
  for (size_t k = 0; k < parts.results.size(); ++k) {
    TensorId last = parts.results[k];
    for (const Node& follower : behind) {
      Node copy = follower;
      copy.name += parts.labels[k];
      copy.inputs = {last};
      copy.output = last =
          AddLike(graph, follower.output, graph.tensor(follower.output).name + parts.labels[k],
                  graph.tensor(last).shape);
      made->push_back(std::move(copy));
    }
    joined.inputs.push_back(last);
  }
  const Status attached = quantize::AttachRequant(graph, joined);
  TESSERA_CHECK(attached.has_value(), "{}", attached.error().message);  // of equal scales
  if (joined.inputs.size() > 1 || joined.As<graph::InterleaveAttributes>().columns > 1)
    return made->push_back(joined);
  // The one part is the result.
  made->back().name = joined.name;
  made->back().output = joined.output;
}

}  // namespace

std::vector<size_t> FollowersOf(const Graph& graph, const Node& node) {
  std::vector<size_t> followers;
  TensorId last = node.output;
  while (std::ranges::count(graph.outputs, last) == 0) {
    const std::vector<size_t> users = graph.ConsumersOf(last);
    if (users.size() != 1) break;
    const Node& user = graph.nodes[users[0]];
    const bool one_value = user.inputs.size() == 1 &&
                           graph::DefOf(user.op).category == graph::Category::kElementwise &&
                           graph.tensor(user.output).dtype == DType::kInt8 &&
                           graph.tensor(user.output).shape == graph.tensor(last).shape;
    if (!one_value) break;
    followers.push_back(users[0]);
    last = user.output;
  }
  return followers;
}

void IntoParts(Graph& graph, const Split& split) {
  const std::vector<Node> nodes = graph.nodes;
  std::vector<Node> made;
  std::vector<bool> taken(nodes.size());
  for (size_t n = 0; n < nodes.size(); ++n) {
    if (taken[n]) continue;
    std::vector<Node> behind;
    const std::vector<size_t> followers = FollowersOf(graph, nodes[n]);
    for (const size_t follower : followers) behind.push_back(nodes[follower]);
    std::optional<Parts> parts =
        split(nodes[n], behind.empty() ? nodes[n].output : behind.back().output);
    if (!parts) {
      made.push_back(nodes[n]);
      continue;
    }
    for (const size_t follower : followers) taken[follower] = true;
    Put(graph, nodes[n], behind, std::move(*parts), &made);
  }
  graph.nodes = std::move(made);
}

void AddConv(Graph& graph, const Node& node, const std::string& label, std::vector<TensorId> inputs,
             const graph::ConvAttributes& attributes, const graph::Shape& shape, Parts* parts) {
  Node made{.op = Op::kConv,
            .name = node.name + label,
            .inputs = std::move(inputs),
            .attributes = attributes,
            .lo = node.lo,
            .hi = node.hi,
            .round = node.round};
  AddPart(graph, node, label, std::move(made), shape, parts);
}

void AddPart(Graph& graph, const Node& node, const std::string& label, Node made,
             const graph::Shape& shape, Parts* parts) {
  made.output = AddLike(graph, node.output, graph.tensor(node.output).name + label, shape);
  if (!made.requant) {
    const Status attached = quantize::AttachRequant(graph, made);
    TESSERA_CHECK(attached.has_value(), "{}", attached.error().message);  // |node| has one
  }
  parts->results.push_back(made.output);
  parts->labels.push_back(label);
  parts->nodes.push_back(std::move(made));
}

TensorId Repeated(Graph& graph, TensorId id, int64_t times, const std::string& name) {
  graph::GraphTensor made = graph.tensor(id);
  const auto repeat = [&](auto& list) {
    const auto once = list;
    for (int64_t k = 1; k < times; ++k) list.insert(list.end(), once.begin(), once.end());
  };
  made.name = name;
  made.shape[0] *= times;
  repeat(*made.data);
  if (made.quant && made.quant->scale.size() > 1) {
    repeat(made.quant->scale);
    repeat(made.quant->zero);
  }
  return graph.AddTensor(std::move(made));
}

TensorId AddLike(Graph& graph, TensorId id, const std::string& name, const graph::Shape& shape) {
  graph::GraphTensor made = graph.tensor(id);
  made.name = name;
  made.shape = shape;
  made.order.clear();
  return graph.AddTensor(std::move(made));
}

}  // namespace tessera::network
