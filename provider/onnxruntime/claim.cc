// SPDX-License-Identifier: Apache-2.0
#include "provider/onnxruntime/claim.h"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "base/number.h"
#include "compiler/driver/placement.h"
#include "compiler/import/onnx.h"
#include "compiler/import/onnx_write.h"
#include "compiler/import/qdq.h"
#include "compiler/import/qoperator.h"
#include "provider/onnxruntime/batch.h"

namespace tessera::ort {
namespace {

using onnx_model::OnnxModel;
using onnx_model::OnnxNode;

// The name of node |index| while it is placed.
std::string TokenOf(size_t index) { return fmt::format("#{}#", index); }

// The nodes whose names are in |text|.
NodeGroup TokensIn(std::string_view text) {
  NodeGroup found;
  for (size_t at = text.find('#'); at != text.npos; at = text.find('#', at)) {
    std::string_view behind = text.substr(at + 1);
    const auto index = TakeNumber<size_t>(behind);
    const bool token = index && behind.starts_with('#');
    if (token) found.push_back(*index);
    at = token ? text.size() - behind.size() + 1 : at + 1;
  }
  return found;
}

// Where a node of the graph is in a placement.
enum class Where : uint8_t { kNowhere, kHost, kAccelerator };

class Claimer {
 public:
  Claimer(const ReadModel& read, const isa::Config& config, ClaimRule rule)
      : read_(read), nodes_(read.model.nodes), rule_(rule), usable_(nodes_.size()) {
    options_.config = config;
    options_.cpu = false;
  }

  Claimed Run() {
    Connect();
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const std::string why = WhyNot(i);
      usable_[i] = why.empty();
      if (!why.empty()) Say(why);
    }
    std::deque<NodeGroup> parts;
    for (NodeGroup& part : GroupsOf(usable_, makers_)) parts.push_back(std::move(part));
    for (; !parts.empty(); parts.pop_front()) {
      if (const std::optional<size_t> bad = Part(parts.front())) {
        for (NodeGroup& rest : Without(parts.front(), *bad)) parts.push_back(std::move(rest));
      }
    }
    return std::move(claimed_);
  }

 private:
  void Say(const std::string& why) {
    if (claimed_.why.empty()) claimed_.why = why;
  }

  // |message| with the names that the model gives its nodes.
  std::string WithNames(std::string message) const {
    for (const size_t i : TokensIn(message)) {
      const std::string token = TokenOf(i);
      if (i < nodes_.size() && message.find(token) != message.npos)
        message.replace(message.find(token), token.size(), nodes_[i].name);
    }
    return message;
  }

  // Why the compiler cannot take node |i|; "": nothing is known against it.
  std::string WhyNot(size_t i) const {
    const OnnxNode& node = nodes_[i];
    if (!read_.unreadable[i].empty()) return read_.unreadable[i];
    if (onnx_model::RowOf(node.op_type) == nullptr && !onnx_model::IsQOperator(node.op_type))
      return node.Place() + ": the compiler has no such operator";
    return MixesItems(read_, i);
  }

  void Connect() {
    std::map<std::string_view, size_t> maker;
    makers_.resize(nodes_.size());
    users_.resize(nodes_.size());
    for (size_t i = 0; i < nodes_.size(); ++i) {
      for (const std::string& input : nodes_[i].inputs) {
        const auto it = maker.find(input);
        if (input.empty() || it == maker.end()) continue;
        makers_[i].push_back(it->second);
        users_[it->second].push_back(i);
      }
      for (const std::string& output : nodes_[i].outputs) maker[output] = i;
    }
  }

  std::vector<NodeGroup> Without(NodeGroup part, size_t bad) const {
    std::vector<bool> in(nodes_.size());
    for (const size_t i : part) in[i] = i != bad;
    return GroupsOf(in, makers_);
  }

  // Claims what is to be claimed of |part|. Returns the node that keeps the compiler from taking
  // the part; nothing: it takes it, or says no node.
  std::optional<size_t> Part(const NodeGroup& part) {
    const Result<compiler::PlacedNetwork> placed = Place(part);
    if (!placed) {
      Say(WithNames(placed.error().message));
      const NodeGroup named = TokensIn(placed.error().message);
      if (!named.empty() && std::ranges::binary_search(part, named[0])) return named[0];
      return std::nullopt;
    }
    if (rule_ == ClaimRule::kAll) {
      claimed_.groups.push_back(part);
      return std::nullopt;
    }
    for (NodeGroup& group : GroupsOf(Taken(part, *placed), makers_)) {
      if (Runs(group)) claimed_.groups.push_back(std::move(group));
    }
    return std::nullopt;
  }

  Result<compiler::PlacedNetwork> Place(const NodeGroup& part) const {
    OnnxModel model = PartOf(read_, part);
    for (size_t k = 0; k < part.size(); ++k) model.nodes[k].name = TokenOf(part[k]);
    TESSERA_ASSIGN(graph::Graph graph, ImportOnnx(onnx_model::Write(model), model.name));
    return compiler::PlaceNetwork(std::move(graph), options_, false, [](int64_t, int64_t) {});
  }

  // Whether the accelerator runs a layer of |group| by itself.
  bool Runs(const NodeGroup& group) const {
    const Result<compiler::PlacedNetwork> placed = Place(group);
    return placed && std::ranges::any_of(placed->layers, [](const compiler::PlacedLayer& layer) {
             return layer.cost.device == network::kAccelerator && !layer.cost.view;
           });
  }

  // By node of the whole graph: whether the accelerator runs it in |placed|, the placement of
  // |part|, or it goes with such a node.
  std::vector<bool> Taken(const NodeGroup& part, const compiler::PlacedNetwork& placed) const {
    std::vector<Where> where(nodes_.size(), Where::kNowhere);
    for (const compiler::PlacedLayer& layer : placed.layers) {
      // A view of the host has nothing to do, so it can go with its neighbours.
      if (layer.cost.view && layer.cost.device == network::kHost) continue;
      for (const size_t i : TokensIn(layer.name)) {
        if (where[i] != Where::kHost)
          where[i] = layer.cost.device == network::kHost ? Where::kHost : Where::kAccelerator;
      }
    }
    std::vector<bool> taken;
    do {
      taken = Around(part, where);
    } while (Correct(part, taken, where));
    return taken;
  }

  bool IsType(size_t node, std::string_view type) const { return nodes_[node].op_type == type; }

  // The nodes on the accelerator, and the nodes nowhere that go with them.
  std::vector<bool> Around(const NodeGroup& part, const std::vector<Where>& where) const {
    std::vector<bool> taken(nodes_.size()), follows(nodes_.size());
    const auto is_taken = [&](size_t i) { return static_cast<bool>(taken[i]); };
    for (const size_t i : part) {
      follows[i] = where[i] == Where::kNowhere && !makers_[i].empty() &&
                   (IsType(i, "QuantizeLinear") || IsType(i, "Relu") || IsType(i, "Clip")) &&
                   std::ranges::all_of(makers_[i], [&](size_t maker) {
                     return follows[maker] || where[maker] != Where::kNowhere;
                   });
      taken[i] = where[i] == Where::kAccelerator ||
                 (follows[i] && std::ranges::all_of(makers_[i], is_taken));
    }
    for (auto it = part.rbegin(); it != part.rend(); ++it) {
      if (where[*it] == Where::kNowhere && !follows[*it] && !users_[*it].empty())
        taken[*it] = std::ranges::all_of(users_[*it], is_taken) && !IsOutput(*it);
    }
    return taken;
  }

  bool IsOutput(size_t node) const {
    return std::ranges::any_of(nodes_[node].outputs, [&](const std::string& name) {
      return std::ranges::count(read_.model.outputs, name, &onnx_model::Value::name) > 0 ||
             read_.captured.contains(name);
    });
  }

  // Puts taken nodes to the host that would get a float, because others use that value too.
  // Returns whether there were any.
  bool Correct(const NodeGroup& part, const std::vector<bool>& taken,
               std::vector<Where>& where) const {
    bool found = false;
    for (const size_t i : part) {
      const bool float_operand = std::ranges::any_of(makers_[i], [&](size_t maker) {
        return IsType(maker, "DequantizeLinear") && !taken[maker];
      });
      if (where[i] != Where::kAccelerator || !float_operand) continue;
      where[i] = Where::kHost;
      found = true;
    }
    return found;
  }

  const ReadModel& read_;
  const std::vector<OnnxNode>& nodes_;
  const ClaimRule rule_;
  compiler::CompileOptions options_;
  std::vector<bool> usable_;
  std::vector<NodeGroup> makers_, users_;  // by node
  Claimed claimed_;
};

std::vector<size_t> StagesOf(const std::vector<bool>& taken, const std::vector<NodeGroup>& makers) {
  const size_t count = taken.size();
  std::vector<size_t> stage(count), first_user(count, SIZE_MAX);
  std::vector<bool> free(count), left(count);  // made of constants alone; used by a node not taken
  for (size_t i = 0; i < count; ++i) {
    free[i] = taken[i];
    for (const size_t maker : makers[i]) {
      stage[i] = std::max(stage[i], stage[maker] + (taken[i] && !taken[maker] ? 1 : 0));
      free[i] = free[i] && free[maker];
      if (!taken[i]) left[maker] = true;
    }
  }
  for (size_t i = count; i-- > 0;) {
    if (free[i] && !left[i] && first_user[i] != SIZE_MAX) stage[i] = first_user[i];
    for (const size_t maker : makers[i]) first_user[maker] = std::min(first_user[maker], stage[i]);
  }
  return stage;
}

}  // namespace

std::vector<NodeGroup> GroupsOf(const std::vector<bool>& taken,
                                const std::vector<NodeGroup>& makers) {
  const std::vector<size_t> stage = StagesOf(taken, makers);
  std::vector<size_t> root(taken.size());
  std::iota(root.begin(), root.end(), size_t{0});
  const auto find = [&](size_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (size_t i = 0; i < taken.size(); ++i) {
    for (const size_t maker : makers[i]) {
      if (taken[i] && taken[maker] && stage[i] == stage[maker]) root[find(i)] = find(maker);
    }
  }
  std::map<size_t, NodeGroup> groups;
  for (size_t i = 0; i < taken.size(); ++i) {
    if (taken[i]) groups[find(i)].push_back(i);
  }
  std::vector<NodeGroup> list;
  for (auto& [first, group] : groups) list.push_back(std::move(group));
  return list;
}

Claimed Claim(const ReadModel& read, const isa::Config& config, ClaimRule rule) {
  return Claimer(read, config, rule).Run();
}

}  // namespace tessera::ort
