// SPDX-License-Identifier: Apache-2.0
#include "compiler/calibrate/prepare.h"

#include <algorithm>
#include <cmath>

#include "compiler/calibrate/model_index.h"
#include "compiler/import/qdq.h"
#include "compiler/import/qoperator.h"

namespace tessera::calibrate {
namespace {

constexpr int64_t kLeastOpset = 13;

Status Check(OnnxModel& model) {
  TESSERA_TRY(onnx_model::ExpandQOperators(model));
  for (const OnnxNode& node : model.nodes) {
    if (node.op_type == "QuantizeLinear" || node.op_type == "DequantizeLinear") {
      return Fail(Code::kInvalidArgument,
                  "is quantised already: {}; give the float model it was made from", node.Place());
    }
  }
  if (model.opset < kLeastOpset) {
    return Fail(Code::kUnsupported,
                "is of opset {}; scales per channel need {}: onnx.version_converter."
                "convert_version(model, {}) of Python's onnx makes one",
                model.opset, kLeastOpset, kLeastOpset);
  }
  return {};
}

// Makes all readers of value |from| read |to|.
void Rename(OnnxModel& model, const std::string& from, const std::string& to) {
  for (OnnxNode& node : model.nodes) std::ranges::replace(node.inputs, from, to);
}

// Lets the importer compute constants: floats become initializers, other types are returned.
std::map<std::string, HostTensor> FoldConstants(OnnxModel& model) {
  const ImportOptions options;
  onnx_model::QdqConverter converter(model, options);
  if (!converter.Convert()) return {};  // the import of the model reports the error
  std::map<std::string, HostTensor> others;
  std::set<std::string> floats;
  for (const auto& [name, value] : converter.computed()) {
    if (value.dtype == DType::kFloat32) {
      floats.insert(name);
      model.initializers[name] = value;
    } else {
      others[name] = value;
    }
  }
  std::erase_if(model.nodes, [&](const OnnxNode& node) {
    return floats.contains(node.outputs[0]) && node.outputs.size() == 1;
  });
  return others;
}

bool DropIdentity(OnnxModel& model) {
  const ModelIndex index(model);
  for (size_t n = 0; n < model.nodes.size(); ++n) {
    const OnnxNode& node = model.nodes[n];
    if (node.op_type != "Identity" && node.op_type != "Dropout") continue;
    if (index.IsOutput(node.outputs[0]) || node.inputs.empty()) continue;
    if (node.outputs.size() > 1 && !index.Readers(node.outputs[1]).empty()) continue;
    const std::string from = node.outputs[0], to = node.inputs[0];
    model.nodes.erase(model.nodes.begin() + static_cast<int64_t>(n));
    Rename(model, from, to);
    return true;
  }
  return false;
}

// Folds one BatchNormalization; false if there is none to fold.
bool FoldNorm(OnnxModel& model) {
  ModelIndex index(model);
  for (size_t n = 0; n < model.nodes.size(); ++n) {
    const OnnxNode norm = model.nodes[n];
    if (norm.op_type != "BatchNormalization" || norm.inputs.size() != 5) continue;
    const OnnxNode* maker = index.Maker(norm.inputs[0]);
    if (maker == nullptr || maker->op_type == "MatMul" || WeightAxis(*maker) < 0 ||
        index.OnlyReader(norm.inputs[0]) == nullptr || maker->IntOr("group", 1) < 1)
      continue;
    if (maker->op_type == "ConvTranspose" && maker->IntOr("group", 1) != 1) continue;
    const HostTensor* weights = FloatConstant(model, maker->inputs[1]);
    const bool has_bias = maker->inputs.size() > 2 && !maker->inputs[2].empty();
    const HostTensor* bias = has_bias ? FloatConstant(model, maker->inputs[2]) : nullptr;
    const HostTensor* of[4];  // scale, shift, mean, variance
    for (size_t i = 0; i < 4; ++i) of[i] = FloatConstant(model, norm.inputs[i + 1]);
    if (weights == nullptr || (has_bias && bias == nullptr)) continue;
    const int axis = WeightAxis(*maker);
    if (std::ssize(weights->shape) <= axis) continue;
    const AxisIndex channel(weights->shape, axis);
    const auto fits = [&](const HostTensor* t) {
      return t != nullptr && t->count() == static_cast<int64_t>(channel.extent);
    };
    if (!std::ranges::all_of(of, fits) || (has_bias && !fits(bias))) continue;

    const auto epsilon = norm.attributes.find("epsilon");
    const double more = static_cast<double>(
        epsilon == norm.attributes.end() ? 1e-5f : epsilon->second.f.value_or(1e-5f));
    const auto at = [&](size_t i, size_t c) { return double{of[i]->as<float>()[c]}; };
    std::vector<double> factor(channel.extent);
    HostTensor shifted = HostTensor::Zeros(DType::kFloat32, {static_cast<int64_t>(channel.extent)});
    for (size_t c = 0; c < channel.extent; ++c) {
      factor[c] = at(0, c) / std::sqrt(at(3, c) + more);
      const double before = bias ? double{bias->as<float>()[c]} : 0;
      shifted.as<float>()[c] = static_cast<float>((before - at(2, c)) * factor[c] + at(1, c));
    }
    HostTensor scaled = *weights;
    std::span<float> values = scaled.as<float>();
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(double{values[i]} * factor[channel(i)]);

    OnnxNode& into = model.nodes[static_cast<size_t>(maker - model.nodes.data())];
    const std::string stem = into.outputs[0];
    into.inputs.resize(3);
    into.inputs[1] = index.Fresh(stem + ".weight");
    into.inputs[2] = index.Fresh(stem + ".bias");
    model.initializers[into.inputs[1]] = std::move(scaled);
    model.initializers[into.inputs[2]] = std::move(shifted);
    into.outputs[0] = norm.outputs[0];
    model.nodes.erase(model.nodes.begin() + static_cast<int64_t>(n));
    return true;
  }
  return false;
}

bool MatMulToGemm(OnnxModel& model) {
  const ModelIndex index(model);
  for (size_t n = 0; n < model.nodes.size(); ++n) {
    const OnnxNode add = model.nodes[n];
    if (add.op_type != "Add" || add.inputs.size() != 2) continue;
    for (size_t k = 0; k < 2; ++k) {
      const OnnxNode* maker = index.Maker(add.inputs[k]);
      const HostTensor* bias = FloatConstant(model, add.inputs[1 - k]);
      if (maker == nullptr || maker->op_type != "MatMul" || bias == nullptr ||
          index.OnlyReader(add.inputs[k]) == nullptr)
        continue;
      const HostTensor* weights = FloatConstant(model, maker->inputs[1]);
      // Gemm takes only matrices: accept operands declared as matrices or made by Flatten.
      const OnnxNode* before = index.Maker(maker->inputs[0]);
      const bool flat =
          before != nullptr && (before->op_type == "Flatten" || before->op_type == "Gemm");
      const bool given = std::ranges::any_of(model.inputs, [&](const auto& input) {
        return input.name == maker->inputs[0] && input.shape && input.shape->size() == 2;
      });
      if (weights == nullptr || weights->shape.size() != 2 || !(flat || given) ||
          bias->shape != std::vector<int64_t>{weights->shape[1]})
        continue;
      OnnxNode& into = model.nodes[static_cast<size_t>(maker - model.nodes.data())];
      into.op_type = "Gemm";
      into.inputs.push_back(add.inputs[1 - k]);
      into.outputs[0] = add.outputs[0];
      model.nodes.erase(model.nodes.begin() + static_cast<int64_t>(n));
      return true;
    }
  }
  return false;
}

}  // namespace

Result<Prepared> Prepare(OnnxModel& model) {
  TESSERA_TRY(Check(model));
  Prepared done;
  while (DropIdentity(model)) {
  }
  done.computed = FoldConstants(model);
  while (FoldNorm(model)) ++done.norms;
  while (MatMulToGemm(model)) ++done.biases;
  DropUnread(model);
  return done;
}

}  // namespace tessera::calibrate
