// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/qoperator.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace tessera::onnx_model {
namespace {

// The order of such an operator's inputs: |operands| triples of value, scale and zero point (kAll:
// as many as the node has), then an optional int32 bias. The scale and zero point of the result
// come last, or first with |result_first|.
struct QForm {
  std::string_view type, stands_for;
  size_t operands = 1;
  int weight_axis = -1;  // the axis along which operand 1 may have scales
  bool bias_last = false, bias_before_result = false, result_first = false;
};
constexpr size_t kAll = SIZE_MAX;
constexpr QForm kForms[] = {
    {"QLinearConv", "Conv", 2, 0, true},
    {"QLinearMatMul", "MatMul", 2, 1},
    {"com.microsoft.QGemm", "Gemm", 2, 1, false, true},
    {"com.microsoft.QLinearAdd", "Add", 2},
    {"com.microsoft.QLinearMul", "Mul", 2},
    {"com.microsoft.QLinearAveragePool", "AveragePool"},
    {"com.microsoft.QLinearGlobalAveragePool", "GlobalAveragePool"},
    {"com.microsoft.QLinearSigmoid", "Sigmoid"},
    {"com.microsoft.QLinearLeakyRelu", "LeakyRelu"},
    {"com.microsoft.QLinearSoftmax", "Softmax"},
    {"com.microsoft.QLinearConcat", "Concat", kAll, -1, false, false, true},
};

class Expansion {
 public:
  Expansion(const OnnxNode& node, const QForm& form, std::vector<OnnxNode>& to)
      : node_(node), form_(form), to_(to) {}

  Status Run() {
    size_t at = 0;
    std::string scale, zero;
    if (form_.result_first) TESSERA_TRY(Take(at, scale, zero));
    const size_t operands = form_.operands == kAll
                                ? (node_.inputs.size() - std::min(at, node_.inputs.size())) / 3
                                : form_.operands;
    OnnxNode op = node_;
    op.op_type = form_.stands_for;
    op.inputs.clear();
    std::vector<std::string> scales;
    for (size_t k = 0; k < operands; ++k) {
      if (at >= node_.inputs.size()) return Short(at);
      const std::string value = node_.inputs[at++];
      std::string by, from;
      TESSERA_TRY(Take(at, by, from));
      op.inputs.push_back(Dequantize(value, by, from, k == 1 ? form_.weight_axis : -1));
      scales.push_back(by);
    }
    std::string bias;
    const auto given = [&](size_t index) {
      return index < node_.inputs.size() ? node_.inputs[index] : std::string();
    };
    if (form_.bias_before_result) bias = given(at++);
    if (!form_.result_first) TESSERA_TRY(Take(at, scale, zero));
    if (form_.bias_last) bias = given(at);
    if (!bias.empty()) {
      const std::string unit = Name("unit");
      to_.push_back(Made("Mul", {scales[0], scales[1]}, unit));
      op.inputs.push_back(Dequantize(bias, unit, "", 0));
    }
    const std::string result = Name("real");
    op.outputs = {result};
    if (form_.stands_for == "Gemm") op.attributes.erase("alpha");
    to_.push_back(std::move(op));
    OnnxNode quantize = Made("QuantizeLinear", {result, scale, zero}, node_.outputs[0]);
    to_.push_back(std::move(quantize));
    return {};
  }

 private:
  std::unexpected<Error> Short(size_t at) const {
    return Fail(Code::kInvalidArgument, "{}: input {} is missing", node_.Place(), at);
  }

  // Takes scale and zero point from inputs |at| and |at| + 1.
  Status Take(size_t& at, std::string& scale, std::string& zero) {
    if (at + 1 >= node_.inputs.size() || node_.inputs[at].empty()) return Short(at);
    scale = node_.inputs[at++];
    zero = node_.inputs[at++];
    return {};
  }

  std::string Name(const char* what) {
    return Legible(node_.outputs[0] + "." + what + std::to_string(++count_));
  }

  OnnxNode Made(const char* type, std::vector<std::string> inputs, std::string output) const {
    return {node_.index, type, output, std::move(inputs), {output}, {}};
  }

  std::string Dequantize(const std::string& value, const std::string& scale,
                         const std::string& zero, int axis) {
    const std::string made = Name("operand");
    OnnxNode node = Made("DequantizeLinear", {value, scale, zero}, made);
    if (axis >= 0) node.attributes["axis"].i = axis;
    to_.push_back(std::move(node));
    return made;
  }

  const OnnxNode& node_;
  const QForm& form_;
  std::vector<OnnxNode>& to_;
  int count_ = 0;
};

}  // namespace

bool IsQOperator(std::string_view type) {
  return std::ranges::find(kForms, type, &QForm::type) != std::end(kForms);
}

Status ExpandQOperators(OnnxModel& model) {
  std::vector<OnnxNode> nodes;
  for (OnnxNode& node : model.nodes) {
    const auto* form = std::ranges::find(kForms, node.op_type, &QForm::type);
    if (form == std::end(kForms)) {
      nodes.push_back(std::move(node));
    } else {
      TESSERA_TRY(Expansion(node, *form, nodes).Run());
    }
  }
  model.nodes = std::move(nodes);
  return {};
}

}  // namespace tessera::onnx_model
