// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/qdq.h"

#include <algorithm>
#include <cmath>

#include "base/half.h"
#include "compiler/graph/op_def.h"
#include "compiler/import/node_value.h"
#include "compiler/import/onnx.h"

namespace tessera::onnx_model {
namespace {

using graph::Quant;
using graph::TensorId;

constexpr uint64_t kMaxConstantBytes = uint64_t{1}
                                       << 31;  // a constant counts once for each of its uses

// |bytes| counts the constants of the file and the computed ones.
Status CheckConstants(const OnnxNode& node, uint64_t bytes) {
  if (bytes <= kMaxConstantBytes) return {};
  return Fail(Code::kOutOfRange, "{}: the constants that nodes use come to more than {} bytes",
              node.Place(), kMaxConstantBytes);
}

}  // namespace

const graph::OnnxRow* RowOf(std::string_view type) {
  for (const auto rows : {ConstantRows(), graph::ComposedOnnx()}) {
    for (const graph::OnnxRow& row : rows) {
      if (row.type == type) return &row;
    }
  }
  for (const graph::OpDef* def : graph::AllOps()) {
    for (const graph::OnnxRow& row : def->onnx) {
      if (row.type == type) return &row;
    }
  }
  return nullptr;
}

Result<graph::Graph> QdqConverter::Convert() {
  graph_.name = model_.name;
  for (const OnnxNode& node : model_.nodes) {
    for (const std::string& input : node.inputs) users_[input].push_back(&node);
  }
  TESSERA_TRY(CheckOperators());
  TESSERA_TRY(Inputs());
  for (const OnnxNode& node : model_.nodes) {
    if (!done_.contains(&node)) TESSERA_TRY(One(node));
  }
  TESSERA_TRY(Outputs());
  MakeNamesUnique();
  TESSERA_TRY(graph::Verify(graph_));
  return std::move(graph_);
}

Status QdqConverter::One(const OnnxNode& node) {
  const graph::OnnxRow& row = *RowOf(node.op_type);  // CheckOperators has made sure of it
  real_ = IsReal(node, row);
  // A file may move integers between QuantizeLinear and DequantizeLinear.
  whole_ = !real_ && row.when == graph::OnnxWhen::kAlways && !node.inputs.empty() &&
           !reals_.contains(node.inputs[0]) && ints_.contains(node.inputs[0]);
  if (whole_ && unsigned_.contains(node.inputs[0]))
    unsigned_.insert(node.outputs.begin(), node.outputs.end());
  return row.convert(*this, node);
}

Result<TensorId> QdqConverter::AddConstant(const OnnxNode& node, graph::GraphTensor tensor) {
  constant_bytes_ += tensor.data->size();
  TESSERA_TRY(CheckConstants(node, constant_bytes_));
  return graph_.AddTensor(std::move(tensor));
}

Result<TensorId> QdqConverter::Operand(const OnnxNode& node, size_t index) {
  if (node.inputs.size() <= index)
    return Fail(Code::kInvalidArgument, "{}: operand {} is missing", node.Place(), index);
  if (real_) return PlainValue(node, node.inputs[index]);
  const auto& values = whole_ ? ints_ : reals_;
  const auto it = values.find(node.inputs[index]);
  if (it == values.end()) {
    return Fail(Code::kUnsupported,
                "{}: its operand '{}' is not the result of DequantizeLinear on an activation; "
                "quantise the model in QDQ "
                "form (every operator between DequantizeLinear and QuantizeLinear)",
                node.Place(), node.inputs[index]);
  }
  return it->second;
}

Result<QdqConverter::Limits> QdqConverter::ReadLimits(const OnnxNode& node) const {
  if (node.op_type == "Relu") return Limits{.least = 0.0f};
  Limits limits;
  for (size_t i = 1; i < 3; ++i) {
    std::optional<float>& limit = i == 1 ? limits.least : limits.most;
    const auto attribute = node.attributes.find(i == 1 ? "min" : "max");
    if (attribute != node.attributes.end()) limit = attribute->second.f;
    if (node.inputs.size() > i && !node.inputs[i].empty()) {
      const HostTensor* constant = Initializer(node.inputs[i]);
      if (!constant || !IsFloat(constant->dtype) || constant->count() != 1) {
        return Fail(Code::kUnsupported, "{}: its bound '{}' is not a constant number", node.Place(),
                    node.inputs[i]);
      }
      limit = constant->dtype == DType::kFloat16 ? HalfToFloat(constant->as<uint16_t>()[0])
                                                 : constant->as<float>()[0];
    }
    if (limit && std::isnan(*limit))
      return Fail(Code::kInvalidArgument, "{}: a bound is NaN", node.Place());
  }
  if (limits.least && limits.most && *limits.least > *limits.most)
    return Fail(Code::kInvalidArgument, "{}: its lower bound is above the upper", node.Place());
  return limits;
}

// Relu and Clip become bounds on the quantised result. Quantising the bounds is exact, because
// rounding keeps order.
Status QdqConverter::Bound(const OnnxNode& node, const Quant& quant, Sink& sink) const {
  TESSERA_ASSIGN(const Limits limits, ReadLimits(node));
  const auto to_int = [&](float v) {
    const double q = std::nearbyint(static_cast<double>(v) / quant.scale[0]) + quant.zero[0];
    return static_cast<int32_t>(std::clamp(q, -128.0, 127.0));
  };
  const int32_t bounds[2] = {limits.least ? to_int(*limits.least) : -128,
                             limits.most ? to_int(*limits.most) : 127};
  // A second clamp clamps the bounds of the first.
  sink.lo = std::clamp(sink.lo, bounds[0], bounds[1]);
  sink.hi = std::clamp(sink.hi, bounds[0], bounds[1]);
  return {};
}

Result<QdqConverter::Sink> QdqConverter::Follow(const OnnxNode& node) {
  std::string value = node.outputs[0];
  std::vector<const OnnxNode*> bounds;
  while (true) {
    const std::vector<const OnnxNode*>& users = users_[value];
    if (users.size() != 1) break;
    const std::string& type = users[0]->op_type;
    if (type != "Relu" && type != "Clip") break;
    bounds.push_back(users[0]);
    value = users[0]->outputs[0];
  }
  Sink sink;
  for (const OnnxNode* user : users_[value]) {
    if (user->op_type != "QuantizeLinear" || user->inputs[0] != value) {
      return Fail(
          Code::kUnsupported,
          "{}: its result '{}' goes to {} in float; every operator's result must be quantised",
          node.Place(), value, user->Place());
    }
    bool is_unsigned = false;
    TESSERA_ASSIGN(const Quant quant, ActivationQuant(*user, &is_unsigned));
    if (!sink.quantized.empty() && quant != sink.quant) {
      return Fail(Code::kUnsupported, "{}: its result is quantised in two ways", node.Place());
    }
    sink.quant = quant;
    sink.quantized.push_back(user->outputs[0]);
    if (is_unsigned) unsigned_.insert(user->outputs[0]);
    done_.insert(user);
  }
  if (sink.quantized.empty()) {
    return Fail(Code::kUnsupported,
                "{}: its result '{}' is not quantised; end the model with a QuantizeLinear, "
                "DequantizeLinear pair",
                node.Place(), value);
  }
  for (const OnnxNode* bound : bounds) {
    TESSERA_TRY(Bound(*bound, sink.quant, sink));
    done_.insert(bound);
  }
  return sink;
}

Result<TensorId> QdqConverter::Emit(graph::Node made, const OnnxNode& from,
                                    const std::optional<Quant>& quant, std::vector<int64_t> shape,
                                    const std::string& name, std::optional<DType> dtype) {
  const Result<int64_t> count = ElementCount(shape, kMostTensorElements);
  if (!count) return Within(from.Place() + ": its result", count.error());
  if (made.name.empty()) made.name = from.name.empty() ? name : from.name;
  if (!dtype && quant) dtype = DType::kInt8;
  if (!dtype) dtype = graph::ResultType(graph::DefOf(made.op), graph_.tensor(made.inputs[0]).dtype);
  const bool known =
      !(quant && graph::DefOf(made.op).requant) &&
      std::ranges::all_of(made.inputs, [&](TensorId id) { return graph_.tensor(id).constant(); });
  made.output = graph_.AddTensor({name, *dtype, std::move(shape), quant, std::nullopt});
  graph_.nodes.push_back(std::move(made));
  const TensorId result = graph_.nodes.back().output;
  if (!known) return result;
  graph_.tensor(result).data.emplace();  // a constant may have several scales
  Result<std::vector<uint8_t>> value = ValueOf(graph_, graph_.nodes.size() - 1);
  if (!value) return Within(from.Place(), value.error());
  constant_bytes_ += value->size();
  TESSERA_TRY(CheckConstants(from, constant_bytes_));
  graph_.tensor(result).quant = QuantThrough(graph_, graph_.nodes.back());
  graph_.tensor(result).data = std::move(*value);
  graph_.nodes.pop_back();
  return result;
}

Status QdqConverter::EmitPlain(graph::Node made, const OnnxNode& from, DType dtype,
                               std::vector<int64_t> shape, size_t index) {
  const std::string& name = from.outputs[index];
  TESSERA_ASSIGN(const TensorId id,
                 Emit(std::move(made), from, std::nullopt, std::move(shape), name, dtype));
  SetPlain(name, id);
  return {};
}

void QdqConverter::SetPlain(const std::string& name, TensorId id) {
  plain_[name] = id;
  const graph::GraphTensor& value = graph_.tensor(id);
  if (value.constant()) computed_[name] = {value.dtype, value.shape, *value.data};
}

void QdqConverter::SetReal(const std::string& name, TensorId id) {
  if (real_) return SetPlain(name, id);
  (whole_ ? ints_ : reals_)[name] = id;
}

Status QdqConverter::EmitReshaped(graph::Node made, const OnnxNode& from,
                                  const std::vector<int64_t>& shape, std::vector<int64_t> as) {
  graph::Node view{.op = graph::Op::kReshape, .name = from.name + ".shape"};
  if (real_) {
    const std::string name = from.outputs[0] + ".whole";
    TESSERA_ASSIGN(const TensorId wide, Emit(std::move(made), from, std::nullopt, shape, name));
    view.inputs = {wide};
    return EmitReal(std::move(view), from, std::move(as));
  }
  TESSERA_ASSIGN(const Sink sink, Follow(from));
  made.lo = sink.lo;
  made.hi = sink.hi;
  TESSERA_ASSIGN(const TensorId wide,
                 Emit(std::move(made), from, sink.quant, shape, sink.quantized[0] + ".whole"));
  view.inputs = {wide};
  Sink same = sink;
  same.lo = -128;
  same.hi = 127;
  return EmitSink(std::move(view), from, same, std::move(as));
}

Status QdqConverter::EmitInto(graph::Node made, const OnnxNode& from, std::vector<int64_t> shape) {
  if (real_) return EmitReal(std::move(made), from, std::move(shape));
  TESSERA_ASSIGN(const Sink sink, Follow(from));
  return EmitSink(std::move(made), from, sink, std::move(shape));
}

Status QdqConverter::EmitSink(graph::Node made, const OnnxNode& from, const Sink& sink,
                              std::vector<int64_t> shape) {
  made.lo = sink.lo;
  made.hi = sink.hi;
  TESSERA_ASSIGN(const TensorId id,
                 Emit(std::move(made), from, sink.quant, std::move(shape), sink.quantized[0]));
  for (const std::string& name : sink.quantized) ints_[name] = id;
  return {};
}

Status QdqConverter::EmitReal(graph::Node made, const OnnxNode& from, std::vector<int64_t> shape) {
  const graph::GraphTensor& first = graph_.tensor(made.inputs[0]);
  if (real_) {
    const DType dtype = graph::ResultType(graph::DefOf(made.op), first.dtype);
    return EmitPlain(std::move(made), from, dtype, std::move(shape));
  }
  const Quant quant = *first.quant;
  const std::string& name = from.outputs[0];
  TESSERA_ASSIGN(const TensorId id,
                 Emit(std::move(made), from, quant, std::move(shape), name + ".int8", first.dtype));
  SetReal(name, id);
  return {};
}

Status QdqConverter::EmitSpatial(graph::Node made, const OnnxNode& from, size_t rank,
                                 const std::vector<int64_t>& shape) {
  if (rank == 4) return EmitInto(std::move(made), from, shape);
  return EmitReshaped(std::move(made), from, shape, {shape[0], shape[1], shape[3]});
}

}  // namespace tessera::onnx_model
