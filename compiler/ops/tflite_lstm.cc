// SPDX-License-Identifier: Apache-2.0
//
// TFLite operators with state between inferences: variables, and UNIDIRECTIONAL_SEQUENCE_LSTM with
// its hidden values and cell. A sequence of n steps needs n times the nodes of one step.
#include "compiler/ops/tflite_lstm.h"

#include "compiler/ops/composed.h"
#include "compiler/ops/slice.h"

namespace tessera::ops {
namespace {

constexpr int64_t kMostLstmSteps = 512;  // a step is about twenty nodes
using tflite_model::TensorType;

}  // namespace

Status SequenceLstm::Read() {
  TESSERA_ASSIGN(const auto* options, c.Options<tflite_file::UnidirectionalSequenceLSTMOptions>());
  if (options->fused_activation_function() != tflite_file::ActivationFunctionType::TANH)
    return c.UnknownActivation(options->fused_activation_function());
  for (size_t k = kLstmNorms; k < kLstmNorms + 4; ++k) {
    if (c.Has(k)) return c.Unsupported("its gates are normalised");
  }
  time_major = options->time_major();
  cell_clip = options->cell_clip();
  projection_clip = options->proj_clip();
  TESSERA_ASSIGN(const auto* x, c.In(0));
  TESSERA_ASSIGN(const auto* recurrent, c.In(kLstmRecurrent + 1));
  const Shape& in = x->shape;
  if (in.size() != 3 || recurrent->shape.size() != 2)
    return c.Invalid(
        "input {} of shape {}, recurrent weights of shape {}; [B, T, D] and [N, M] "
        "are needed",
        x->Place(), ShapeText(in), ShapeText(recurrent->shape));
  steps = in[time_major ? 0 : 1];
  batch = in[time_major ? 1 : 0];
  depth = in[2];
  cells = recurrent->shape[0];
  results = recurrent->shape[1];
  if (steps > kMostLstmSteps)
    return c.Unsupported("{} steps, at most {} are supported", steps, kMostLstmSteps);
  if (c.Has(kLstmWeights)) gates.push_back(LstmGate::kInput);
  for (const LstmGate gate : {LstmGate::kForget, LstmGate::kOutput, LstmGate::kCell})
    gates.push_back(gate);
  for (const LstmGate gate : gates) {
    const size_t k = kLstmFileGate[static_cast<size_t>(gate)];
    for (const auto& [input, shape] : {std::pair{kLstmWeights + k, Shape{cells, depth}},
                                       std::pair{kLstmRecurrent + k, Shape{cells, results}},
                                       std::pair{kLstmBias + k, Shape{cells}}}) {
      TESSERA_ASSIGN(const auto* from, c.In(input));
      if (from->shape == shape && c.Known(input)) continue;
      return c.Unsupported("input {} of shape {}; a constant of shape {} is supported",
                           from->Place(), ShapeText(from->shape), ShapeText(shape));
    }
  }
  if (cells != results && !c.Has(kLstmProjection))
    return c.Invalid("{} cells, {} results and no projection", cells, results);
  TESSERA_ASSIGN(const auto* hidden, c.In(kLstmHidden));
  TESSERA_ASSIGN(const auto* cell, c.In(kLstmCell));
  if (hidden->shape == Shape{batch, results} && cell->shape == Shape{batch, cells}) return {};
  return c.Invalid("states of shapes {} and {}, {} and {} are needed", ShapeText(hidden->shape),
                   ShapeText(cell->shape), ShapeText(Shape{batch, results}),
                   ShapeText(Shape{batch, cells}));
}

Result<TensorId> SequenceLstm::Make(Node made, Shape shape, std::optional<Quant> quant,
                                    std::optional<DType> dtype) {
  return c.Emit(std::move(made), fmt::format(".{}", ++count_), quant, std::move(shape), dtype);
}

Result<TensorId> SequenceLstm::Rows() {
  TESSERA_ASSIGN(TensorId x, c.Activation(0));
  const std::optional<Quant> quant = c.tensor(x).quant;
  if (!time_major && batch > 1) {
    TESSERA_ASSIGN(x, Make({.op = Op::kTranspose,
                            .inputs = {x},
                            .attributes = graph::TransposeAttributes{{1, 0, 2}}},
                           {steps, batch, depth}, quant));
  }
  return Make({.op = Op::kReshape, .inputs = {x}}, {steps * batch, depth}, quant);
}

Result<TensorId> SequenceLstm::StepOf(TensorId x, int64_t step) {
  Shape shape = c.tensor(x).shape;
  graph::SliceAttributes cut = Whole(shape);
  cut.axes[0] = {step * batch, 1, batch};
  shape[0] = batch;
  return Make({.op = Op::kSlice, .inputs = {x}, .attributes = std::move(cut)}, shape,
              c.tensor(x).quant);
}

Result<TensorId> SequenceLstm::Gates(TensorId x, size_t first, size_t count) {
  Shape shape = c.tensor(x).shape;
  graph::SliceAttributes cut = Whole(shape);
  shape[1] = static_cast<int64_t>(count) * cells;
  cut.axes[1] = {static_cast<int64_t>(first) * cells, 1, shape[1]};
  return Make({.op = Op::kSlice, .inputs = {x}, .attributes = std::move(cut)}, shape,
              c.tensor(x).quant);
}

Status SequenceLstm::Finish(const std::vector<TensorId>& hidden) {
  const std::optional<Quant> quant = c.tensor(hidden[0]).quant;
  TensorId all = hidden[0];
  if (hidden.size() > 1) {
    TESSERA_ASSIGN(
        all, Make({.op = Op::kConcat, .inputs = hidden, .attributes = graph::ConcatAttributes{0}},
                  {steps * batch, results}, quant));
  }
  if (!time_major && batch > 1) {
    TESSERA_ASSIGN(all,
                   Make({.op = Op::kReshape, .inputs = {all}}, {steps, batch, results}, quant));
    TESSERA_ASSIGN(all, Make({.op = Op::kTranspose,
                              .inputs = {all},
                              .attributes = graph::TransposeAttributes{{1, 0, 2}}},
                             {batch, steps, results}, quant));
  }
  return c.FinishAs(all, time_major ? Shape{steps, batch, results} : Shape{batch, steps, results});
}

namespace {

// The float form.
class FloatLstm {
 public:
  explicit FloatLstm(SequenceLstm& layer) : layer_(layer), c_(layer.c) {}

  Status Convert() {
    TESSERA_ASSIGN(const TensorId rows, layer_.Rows());
    TESSERA_ASSIGN(const TensorId w, All(kLstmWeights, layer_.depth));
    TESSERA_ASSIGN(const TensorId bias, All(kLstmBias, 0));
    TESSERA_ASSIGN(const TensorId r, All(kLstmRecurrent, layer_.results));
    TESSERA_ASSIGN(const TensorId x, layer_.Make({.op = Op::kDense, .inputs = {rows, w, bias}},
                                                 {layer_.steps * layer_.batch, layer_.width()}));
    TESSERA_ASSIGN(TensorId hidden, c_.StateNow(kLstmHidden));
    TESSERA_ASSIGN(TensorId cell, c_.StateNow(kLstmCell));
    std::vector<TensorId> results;
    for (int64_t step = 0; step < layer_.steps; ++step) {
      TESSERA_ASSIGN(TensorId all, layer_.StepOf(x, step));
      TESSERA_ASSIGN(const TensorId fed, layer_.Make({.op = Op::kDense, .inputs = {hidden, r}},
                                                     {layer_.batch, layer_.width()}));
      TESSERA_ASSIGN(all, Each(Op::kAdd, {fed, all}));
      TESSERA_TRY(Step(all, hidden, cell));
      results.push_back(hidden);
    }
    TESSERA_TRY(c_.SetState(kLstmHidden, hidden));
    TESSERA_TRY(c_.SetState(kLstmCell, cell));
    return layer_.Finish(results);
  }

 private:
  // Inputs |first| + gate, of all gates, concatenated; each is [.., |columns|], or a row if 0.
  Result<TensorId> All(size_t first, int64_t columns) {
    std::vector<TensorId> parts;
    for (const LstmGate gate : layer_.gates) {
      TESSERA_ASSIGN(const TensorId part,
                     c_.Operand(first + kLstmFileGate[static_cast<size_t>(gate)]));
      parts.push_back(part);
    }
    Shape shape{layer_.width()};
    if (columns > 0) shape.push_back(columns);
    return layer_.Make(
        {.op = Op::kConcat, .inputs = std::move(parts), .attributes = graph::ConcatAttributes{0}},
        shape);
  }

  Result<TensorId> Each(Op op, std::vector<TensorId> from) {
    const Shape shape = c_.tensor(from[0]).shape;
    return layer_.Make({.op = op, .inputs = std::move(from)}, shape);
  }
  Result<TensorId> Clipped(TensorId x, float most) {
    if (!(most > 0)) return x;
    return layer_.Make({.op = Op::kRescale, .inputs = {x}, .least = -most, .most = most},
                       c_.tensor(x).shape);
  }
  // Sigmoid of gate |index|, with the contribution of peephole |hole|.
  Result<TensorId> Open(TensorId all, size_t index, size_t hole, TensorId cell) {
    TESSERA_ASSIGN(TensorId x, layer_.Gates(all, index, 1));
    if (c_.Has(kLstmPeepholes + hole)) {
      TESSERA_ASSIGN(TensorId weights, c_.Operand(kLstmPeepholes + hole));
      TESSERA_ASSIGN(weights,
                     layer_.Make({.op = Op::kReshape, .inputs = {weights}}, {1, layer_.cells}));
      TESSERA_ASSIGN(const TensorId seen, Each(Op::kMul, {cell, weights}));
      TESSERA_ASSIGN(x, Each(Op::kAdd, {x, seen}));
    }
    return Each(Op::kSigmoid, {x});
  }

  Status Step(TensorId all, TensorId& hidden, TensorId& cell) {
    const size_t forget = layer_.gates.size() - 3;
    TESSERA_ASSIGN(const TensorId keep, Open(all, forget, 1, cell));
    TensorId take = -1;
    if (layer_.coupled()) {
      std::vector<uint8_t> one(sizeof(float));
      const float value = 1;
      std::memcpy(one.data(), &value, sizeof value);
      TESSERA_ASSIGN(const TensorId ones, c_.Constant({.name = c_.Out().name + ".one",
                                                       .dtype = DType::kFloat32,
                                                       .shape = {1, 1},
                                                       .data = std::move(one)}));
      TESSERA_ASSIGN(take, layer_.Make({.op = Op::kSub, .inputs = {ones, keep}},
                                       {layer_.batch, layer_.cells}));
    } else {
      TESSERA_ASSIGN(take, Open(all, 0, 0, cell));
    }
    TESSERA_ASSIGN(TensorId fresh, layer_.Gates(all, forget + 2, 1));
    TESSERA_ASSIGN(fresh, Each(Op::kTanh, {fresh}));
    TESSERA_ASSIGN(fresh, Each(Op::kMul, {take, fresh}));
    TESSERA_ASSIGN(const TensorId kept, Each(Op::kMul, {keep, cell}));
    TESSERA_ASSIGN(cell, Each(Op::kAdd, {kept, fresh}));
    TESSERA_ASSIGN(cell, Clipped(cell, layer_.cell_clip));
    TESSERA_ASSIGN(const TensorId show, Open(all, forget + 1, 2, cell));
    TESSERA_ASSIGN(const TensorId shown, Each(Op::kTanh, {cell}));
    TESSERA_ASSIGN(hidden, Each(Op::kMul, {show, shown}));
    if (!c_.Has(kLstmProjection)) return {};
    TESSERA_ASSIGN(const TensorId weights, c_.Operand(kLstmProjection));
    Node projection{.op = Op::kDense, .inputs = {hidden, weights}};
    if (c_.Has(kLstmProjectionBias)) {
      TESSERA_ASSIGN(const TensorId bias, c_.Operand(kLstmProjectionBias));
      projection.inputs.push_back(bias);
    }
    TESSERA_ASSIGN(hidden, layer_.Make(std::move(projection), {layer_.batch, layer_.results}));
    TESSERA_ASSIGN(hidden, Clipped(hidden, layer_.projection_clip));
    return {};
  }

  SequenceLstm& layer_;
  Converter& c_;
};

Status FromSequenceLstm(Converter& c) {
  SequenceLstm layer(c);
  TESSERA_TRY(layer.Read());
  TESSERA_ASSIGN(const auto* weights, c.In(kLstmWeights + 1));
  TESSERA_ASSIGN(const auto* x, c.In(0));
  if (x->type == TensorType::INT8) return Int8LstmFromTflite(layer);
  if (x->type == TensorType::FLOAT32 && tflite_model::FloatType(weights->type))
    return FloatLstm(layer).Convert();
  return c.Unsupported(
      "input {} is {}, its weights are {}; FLOAT32 and INT8 with weights of their kind are "
      "supported",
      x->Place(), tflite_model::TypeText(x->type), tflite_model::TypeText(weights->type));
}

constexpr TfliteRow kStateRows[] = {
    {"CALL_ONCE", 0, 0, [](Converter& c) { return c.CallOnce(); }, 0},
    {"VAR_HANDLE", 0, 0, [](Converter& c) { return c.VarHandle(); }},
    {"READ_VARIABLE", 1, 1, [](Converter& c) { return c.ReadVariable(); }},
    {"ASSIGN_VARIABLE", 2, 2, [](Converter& c) { return c.AssignVariable(); }, 0},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", 20, 24, FromSequenceLstm},
};

}  // namespace

std::span<const TfliteRow> TfliteStateRows() { return kStateRows; }

}  // namespace tessera::ops
