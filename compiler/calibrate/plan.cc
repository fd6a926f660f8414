// SPDX-License-Identifier: Apache-2.0
#include "compiler/calibrate/plan.h"

#include <algorithm>
#include <array>

#include "compiler/calibrate/model_index.h"
#include "compiler/graph/op_def.h"
#include "compiler/import/qdq.h"

namespace tessera::calibrate {
namespace {

using graph::OnnxWhen;

// The condition under which the importer makes an integer operator of |type|.
OnnxWhen WhenOf(const std::string& type) {
  const graph::OnnxRow* row = onnx_model::RowOf(type);
  return row ? row->when : OnnxWhen::kNever;
}

bool IsBound(const OnnxNode& node) { return node.op_type == "Relu" || node.op_type == "Clip"; }

class Planner {
 public:
  Planner(const OnnxModel& model, const graph::Graph& floats,
          const std::map<std::string, HostTensor>& computed, const std::set<size_t>& in_float)
      : model_(model), index_(model), computed_(computed), in_float_(in_float) {
    for (const graph::GraphTensor& tensor : floats.tensors) {
      if (!tensor.constant()) tensors_.emplace(tensor.name, &tensor);
    }
  }

  IntegerPlan Plan() {
    // First choose operators that gain from integers, then those that keep their operand's form.
    std::set<size_t> chosen;
    for (size_t n = 0; n < model_.nodes.size(); ++n) {
      const OnnxNode& node = model_.nodes[n];
      if (IsBound(node) || WhenOf(node.op_type) != OnnxWhen::kQuantised || !Takes(n)) continue;
      chosen.insert(n);
      for (const std::string& operand : Activations(node)) plan_.scale_of.emplace(operand, operand);
      plan_.scale_of.emplace(Result(n), Result(n));
    }
    for (size_t n = 0; n < model_.nodes.size(); ++n) {
      const OnnxNode& node = model_.nodes[n];
      const bool keeps = WhenOf(node.op_type) == OnnxWhen::kAlways;
      if (!chosen.contains(n) && (keeps || IsBound(node)) && !absorbed_.contains(n)) {
        const std::vector<std::string> operands = Activations(node);
        const bool given = !operands.empty() && std::ranges::all_of(operands, [&](const auto& x) {
          return plan_.scale_of.contains(x);
        });
        if (given && Takes(n)) {
          chosen.insert(n);
          const std::string result = keeps ? node.outputs[0] : Result(n);
          plan_.scale_of[result] = keeps ? plan_.scale_of[operands[0]] : result;
        }
      }
      if (chosen.contains(n)) {
        plan_.layers.push_back(
            {n, Activations(node), keeps ? node.outputs[0] : Result(n), WeightAxis(node)});
      }
    }
    return std::move(plan_);
  }

 private:
  std::vector<std::string> Activations(const OnnxNode& node) const {
    std::vector<std::string> names;
    for (const std::string& name : node.inputs) {
      if (!name.empty() && Constant(name) == nullptr) names.push_back(name);
    }
    return names;
  }

  const HostTensor* Constant(const std::string& name) const {
    for (const auto* constants : {&model_.initializers, &computed_}) {
      if (const auto it = constants->find(name); it != constants->end()) return &it->second;
    }
    return nullptr;
  }

  // The value behind the Relus and Clips that node |n| absorbs; marks them as absorbed.
  std::string Result(size_t n) {
    std::string value = model_.nodes[n].outputs[0];
    while (const OnnxNode* reader = index_.OnlyReader(value)) {
      const size_t at = static_cast<size_t>(reader - model_.nodes.data());
      if (!IsBound(*reader) || reader->inputs[0] != value || !Takes(at)) break;
      absorbed_.insert(at);
      value = reader->outputs[0];
    }
    return value;
  }

  bool Takes(size_t n) {
    if (in_float_.contains(n)) return false;
    const auto [it, is_new] = takes_.emplace(n, false);
    if (is_new) it->second = Try(model_.nodes[n]);
    return it->second;
  }

  // Whether the importer makes integer operators of |node| alone in QDQ form. The trial model names
  // operands by their numbers, so that no name of the model collides with the trial's own.
  bool Try(const OnnxNode& node) const {
    for (size_t i = 1; i < node.outputs.size(); ++i) {
      if (!index_.Readers(node.outputs[i]).empty() || index_.IsOutput(node.outputs[i]))
        return false;
    }
    OnnxModel trial{.ir = model_.ir, .opset = model_.opset};
    trial.initializers["one"] = HostTensor::Zeros(DType::kFloat32, {});
    trial.initializers["one"].as<float>()[0] = 1;
    trial.initializers["zero"] = HostTensor::Zeros(DType::kInt8, {});
    const auto pair = [&](const std::string& from) {
      const std::string q = from + ".q", dq = from + ".dq";
      for (const auto& [type, in, out] :
           {std::array<std::string, 3>{"QuantizeLinear", from, q}, {"DequantizeLinear", q, dq}})
        trial.nodes.push_back({.op_type = type, .inputs = {in, "one", "zero"}, .outputs = {out}});
      return dq;
    };
    OnnxNode alone = node;
    alone.outputs = {"result"};
    std::map<std::string, std::string> activations;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i].empty()) continue;
      alone.inputs[i] = fmt::format("operand{}", i);
      const HostTensor* constant = Constant(node.inputs[i]);
      if (constant == nullptr) {
        const auto tensor = tensors_.find(node.inputs[i]);
        if (tensor == tensors_.end() || tensor->second->dtype != DType::kFloat32) return false;
        const auto [it, is_new] = activations.emplace(node.inputs[i], alone.inputs[i]);
        if (is_new) {
          trial.inputs.push_back({alone.inputs[i], DType::kFloat32, tensor->second->shape});
          it->second = pair(alone.inputs[i]);
        }
        alone.inputs[i] = it->second;
      } else if (i == 1 && WeightAxis(node) >= 0) {
        if (!TryWeights(*constant, WeightAxis(node), trial)) return false;
        alone.inputs[1] = "weights";
      } else {
        trial.initializers[alone.inputs[i]] = *constant;
      }
    }
    trial.nodes.push_back(std::move(alone));
    trial.outputs.push_back({pair("result"), DType::kFloat32, std::nullopt});
    const ImportOptions options;
    int index = 0;
    for (OnnxNode& each : trial.nodes) each.index = index++;
    const auto graph = onnx_model::QdqConverter(trial, options).Convert();
    if (!graph) return false;
    return std::ranges::all_of(graph->nodes, [&](const graph::Node& made) {
      return made.op == graph::Op::kQuantize || made.op == graph::Op::kDequantize ||
             (graph->tensor(made.output).dtype == DType::kInt8 &&
              graph->tensor(made.inputs[0]).dtype == DType::kInt8);
    });
  }

  static bool TryWeights(const HostTensor& constant, int axis, OnnxModel& trial) {
    if (constant.dtype != DType::kFloat32 || std::ssize(constant.shape) <= axis ||
        constant.count() == 0)
      return false;
    const std::vector<int64_t> scales{constant.shape[static_cast<size_t>(axis)]};
    trial.initializers["weights.int8"] = HostTensor::Zeros(DType::kInt8, constant.shape);
    trial.initializers["weights.scale"] = HostTensor::Zeros(DType::kFloat32, scales);
    std::ranges::fill(trial.initializers["weights.scale"].as<float>(), 1.0f);
    onnx_model::Attribute along;
    along.i = axis;
    trial.nodes.push_back({.op_type = "DequantizeLinear",
                           .name = "weights",
                           .inputs = {"weights.int8", "weights.scale"},
                           .outputs = {"weights"},
                           .attributes = {{"axis", along}}});
    return true;
  }

  const OnnxModel& model_;
  ModelIndex index_;
  const std::map<std::string, HostTensor>& computed_;
  const std::set<size_t>& in_float_;
  std::map<std::string, const graph::GraphTensor*> tensors_;
  std::map<size_t, bool> takes_;
  std::set<size_t> absorbed_;  // Relus and Clips
  IntegerPlan plan_;
};

}  // namespace

Result<IntegerPlan> PlanIntegers(const OnnxModel& model, const graph::Graph& floats,
                                 const std::map<std::string, HostTensor>& computed,
                                 const std::set<size_t>& in_float) {
  IntegerPlan plan = Planner(model, floats, computed, in_float).Plan();
  if (plan.layers.empty()) {
    return Fail(Code::kUnsupported,
                "has no operator that can be one on integers (docs/operators.md) and is not named "
                "by --float");
  }
  return plan;
}

}  // namespace tessera::calibrate
