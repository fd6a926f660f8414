// SPDX-License-Identifier: Apache-2.0
//
// TFLite's sequence LSTM on int8 with a 16-bit cell ("8x8_16"), with the integers of its kernel
// (lstm_eval.cc, LstmStepInteger8x8_16): gates are Q3.12, their functions Q0.15. Values between the
// products are plain int32 clamped to int16; sigmoid and tanh are tables over all int16.
#include <cmath>
#include <cstring>

#include "compiler/ops/tflite_lstm.h"
#include "compiler/quantize/fixed16.h"
#include "compiler/quantize/multiplier.h"

namespace tessera::ops {
namespace {

using graph::ScaleAttributes;
using quantize::Single;
using tflite_model::TensorType;

constexpr int32_t kLeast16 = -32768, kMost16 = 32767;
constexpr float kGateScale = 1.0f / 4096;  // Q3.12

class Int8Lstm {
 public:
  explicit Int8Lstm(SequenceLstm& layer) : layer_(layer), c_(layer.c) {}

  Status Convert() {
    if (c_.Has(kLstmProjection)) return c_.Unsupported("a projection of int8");
    TESSERA_TRY(ReadCell());
    TESSERA_TRY(MakeTables());
    TESSERA_ASSIGN(const TensorId rows, layer_.Rows());
    TESSERA_ASSIGN(TensorId hidden, c_.StateNow(kLstmHidden));
    TESSERA_ASSIGN(const TensorId kept, c_.StateNow(kLstmCell, true));
    TESSERA_ASSIGN(TensorId cell, layer_.Make({.op = Op::kCast, .inputs = {kept}},
                                              {layer_.batch, layer_.cells}, {}, DType::kInt32));
    TESSERA_ASSIGN(const Product from_input,
                   ProductOf(kLstmWeights, layer_.depth, *c_.tensor(rows).quant, true));
    TESSERA_ASSIGN(const Product from_hidden,
                   ProductOf(kLstmRecurrent, layer_.results, *c_.tensor(hidden).quant, false));
    TESSERA_ASSIGN(const TensorId x, Gated(rows, from_input, -1));
    TESSERA_TRY(ReadHidden());
    std::vector<TensorId> results;
    for (int64_t step = 0; step < layer_.steps; ++step) {
      TESSERA_ASSIGN(TensorId all, layer_.StepOf(x, step));
      TESSERA_ASSIGN(all, Gated(hidden, from_hidden, all));
      TESSERA_TRY(Step(all, hidden, cell));
      results.push_back(hidden);
    }
    TESSERA_TRY(c_.SetState(kLstmHidden, hidden));
    TESSERA_ASSIGN(cell, layer_.Make({.op = Op::kCast, .inputs = {cell}},
                                     {layer_.batch, layer_.cells}, {}, DType::kInt16));
    TESSERA_TRY(c_.SetState(kLstmCell, cell));
    return layer_.Finish(results);
  }

 private:
  // Weights of all gates, and the scale from sums to gates.
  struct Product {
    TensorId weights = -1, bias = -1;
    ScaleAttributes scale;
  };

  // Finds cell_: a cell value is q * 2^cell_.
  Status ReadCell() {
    TESSERA_ASSIGN(const auto* from, c_.In(kLstmCell));
    if (from->type != TensorType::INT16)
      return c_.Unsupported("state {} is {}; INT16 is supported", from->Place(),
                            tflite_model::TypeText(from->type));
    TESSERA_ASSIGN(const Quant quant, c_.ReadQuant(*from, 1, Converter::kAnyAxis));
    int exponent = 0;
    const double half = std::frexp(quant.scale[0], &exponent);
    cell_ = exponent - 1;
    if (half != 0.5 || quant.zero[0] != 0 || cell_ < -15 || cell_ > -9)
      return c_.Unsupported(
          "state {} has scale {} and zero point {}; 2^-15 to 2^-9 and 0 are "
          "supported",
          from->Place(), quant.scale[0], quant.zero[0]);
    const double clip = static_cast<double>(layer_.cell_clip) / quant.scale[0];
    clip_ = clip > 0 ? static_cast<int32_t>(std::min(clip, double{kMost16})) : 0;
    return {};
  }

  // The scale from gate times tanh(cell), Q0.30, to hidden values.
  Status ReadHidden() {
    TESSERA_ASSIGN(const auto* from, c_.Intermediate(4));
    TESSERA_ASSIGN(const Quant quant, c_.ReadQuant(*from, 1, Converter::kAnyAxis));
    const float factor = std::ldexp(std::ldexp(1.0f, -15) / Single(quant.scale[0]), -15);
    TESSERA_ASSIGN(const auto m, Factor(factor, int64_t{kMost16} * -kLeast16));
    hidden_ = {{m.multiplier}, {m.shift}, quant.zero[0]};
    return {};
  }

  // The multiplier of |factor| for numbers whose magnitude is at most |largest|.
  Result<quantize::Multiplier> Factor(float factor, int64_t largest) const {
    const auto m = quantize::MultiplierOf(factor);
    if (m && (m->shift <= 0 || largest << m->shift <= INT32_MAX)) return *m;
    return c_.Unsupported("sums up to {} times {} leave 32 bits", largest, factor);
  }

  // A table of |f| over every int16; an index below 0 counts from the end.
  template <typename F>
  Result<TensorId> TableOf(const char* suffix, F f) {
    std::vector<int32_t> values(1 << 16);
    for (int32_t q = kLeast16; q <= kMost16; ++q)
      values[static_cast<size_t>(q & 0xffff)] = f(static_cast<int16_t>(q));
    return Numbers(suffix, {1 << 16}, values);
  }
  Result<TensorId> Numbers(const char* suffix, Shape shape, const std::vector<int32_t>& values) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
    return c_.Constant({.name = c_.Out().name + suffix,
                        .dtype = DType::kInt32,
                        .shape = std::move(shape),
                        .data = std::vector<uint8_t>(bytes, bytes + values.size() * 4)});
  }
  // The multiplier 2^30 halves: a product divided by a power of 2 is exact if one factor is
  // doubled.
  Status MakeTables() {
    TESSERA_ASSIGN(twice_sigmoid_,
                   TableOf(".sigmoid2", [](int16_t q) { return 2 * quantize::Logistic16(q); }));
    TESSERA_ASSIGN(sigmoid_, TableOf(".sigmoid", quantize::Logistic16));
    TESSERA_ASSIGN(tanh_, TableOf(".tanh", [](int16_t q) { return quantize::Tanh16(q, 3); }));
    cell_tanh_ = tanh_;
    if (cell_ == -12) return {};
    TESSERA_ASSIGN(cell_tanh_, TableOf(".tanh_cell",
                                       [&](int16_t q) { return quantize::Tanh16(q, 15 + cell_); }));
    return {};
  }

  // Weights |first| + gate of all gates, for inputs of scale |quant|.
  Result<Product> ProductOf(size_t first, int64_t columns, const Quant& quant, bool biased) {
    Product made;
    made.scale = {{}, {}, 0};
    GraphTensor weights{.name = c_.Out().name + (biased ? ".w" : ".r"),
                        .shape = {layer_.width(), columns},
                        .quant = Quant{{1}, {0}, -1},
                        .data = std::vector<uint8_t>()};
    std::vector<int32_t> bias;
    for (const LstmGate gate : layer_.gates) {
      const size_t k = kLstmFileGate[static_cast<size_t>(gate)];
      TESSERA_ASSIGN(const auto* from, c_.In(first + k));
      if (from->type != TensorType::INT8)
        return c_.Unsupported("weights {} are {}; INT8 is supported", from->Place(),
                              tflite_model::TypeText(from->type));
      TESSERA_ASSIGN(const Quant own, c_.ReadQuant(*from, 1, Converter::kAnyAxis));
      if (own.zero[0] != 0)
        return c_.Unsupported("weights {} have zero point {}; 0 is supported", from->Place(),
                              own.zero[0]);
      weights.data->insert(weights.data->end(), from->data.begin(), from->data.end());
      const float factor = Single(own.scale[0]) * Single(quant.scale[0]) / kGateScale;
      TESSERA_ASSIGN(const auto m, Factor(factor, columns * 128 * 256));
      made.scale.multiplier.insert(made.scale.multiplier.end(), static_cast<size_t>(layer_.cells),
                                   m.multiplier);
      made.scale.shift.insert(made.scale.shift.end(), static_cast<size_t>(layer_.cells), m.shift);
      if (!biased) continue;
      TESSERA_ASSIGN(const auto* of, c_.In(kLstmBias + k));
      if (of->type != TensorType::INT32)
        return c_.Unsupported("bias {} is {}; INT32 is supported", of->Place(),
                              tflite_model::TypeText(of->type));
      const size_t at = bias.size();
      bias.resize(at + static_cast<size_t>(layer_.cells));
      std::memcpy(bias.data() + at, of->data.data(), of->data.size());
    }
    TESSERA_ASSIGN(made.weights, c_.Constant(std::move(weights)));
    if (biased) {
      TESSERA_ASSIGN(made.bias, Numbers(".bias", {layer_.width()}, bias));
    }
    return made;
  }

  // |x| times |by|, scaled to gates, plus |more| unless that is -1.
  Result<TensorId> Gated(TensorId x, const Product& by, TensorId more) {
    const Shape shape{c_.tensor(x).shape[0], layer_.width()};
    Node dense{.op = Op::kDense, .inputs = {x, by.weights}};
    if (by.bias >= 0) dense.inputs.push_back(by.bias);
    TESSERA_ASSIGN(const TensorId sums, layer_.Make(std::move(dense), shape, {}, DType::kInt32));
    return Scaled(sums, by.scale, more);
  }
  Result<TensorId> Scaled(TensorId x, ScaleAttributes by, TensorId more, int32_t least = kLeast16,
                          int32_t most = kMost16) {
    Node scale{
        .op = Op::kScale, .inputs = {x}, .attributes = std::move(by), .lo = least, .hi = most};
    if (more >= 0) scale.inputs.push_back(more);
    return layer_.Make(std::move(scale), c_.tensor(x).shape);
  }
  // x / 2^n, for an x that is stored doubled.
  static ScaleAttributes Half(int n) { return {{1 << 30}, {static_cast<int8_t>(-n)}, 0}; }

  Result<TensorId> Look(TensorId table, TensorId x) {
    return layer_.Make({.op = Op::kGather, .inputs = {table, x}}, c_.tensor(x).shape);
  }
  Result<TensorId> Times(TensorId x, TensorId y) {
    return layer_.Make({.op = Op::kMul, .inputs = {x, y}}, c_.tensor(x).shape);
  }

  // Gate |index| plus the contribution of peephole |hole|.
  Result<TensorId> WithHole(TensorId all, size_t index, size_t hole, TensorId cell) {
    TESSERA_ASSIGN(const TensorId x, layer_.Gates(all, index, 1));
    if (!c_.Has(kLstmPeepholes + hole)) return x;
    TESSERA_ASSIGN(const auto* from, c_.In(kLstmPeepholes + hole));
    if (from->type != TensorType::INT16 || !from->constant() || from->shape != Shape{layer_.cells})
      return c_.Unsupported(
          "peephole {} is {} of shape {}; constants INT16 of shape {} are "
          "supported",
          from->Place(), tflite_model::TypeText(from->type), ShapeText(from->shape),
          ShapeText(Shape{layer_.cells}));
    TESSERA_ASSIGN(const Quant own, c_.ReadQuant(*from, 1, Converter::kAnyAxis));
    std::vector<int16_t> narrow(static_cast<size_t>(layer_.cells));
    std::memcpy(narrow.data(), from->data.data(), from->data.size());
    TESSERA_ASSIGN(const TensorId weights,
                   Numbers(".hole", {1, layer_.cells}, {narrow.begin(), narrow.end()}));
    TESSERA_ASSIGN(const TensorId seen, Times(cell, weights));
    const float factor = std::ldexp(Single(own.scale[0]), cell_) / kGateScale;
    TESSERA_ASSIGN(const auto m, Factor(factor, int64_t{kLeast16} * kLeast16));
    return Scaled(seen, {{m.multiplier}, {m.shift}, 0}, x);
  }

  Status Step(TensorId all, TensorId& hidden, TensorId& cell) {
    const size_t forget = layer_.gates.size() - 3;
    TESSERA_ASSIGN(TensorId keep, WithHole(all, forget, 1, cell));
    TESSERA_ASSIGN(keep, Look(twice_sigmoid_, keep));
    TensorId take = -1;
    if (layer_.coupled()) {
      TESSERA_ASSIGN(const TensorId ones, Numbers(".ones", {1, 1}, {2 * kMost16}));
      TESSERA_ASSIGN(take,
                     layer_.Make({.op = Op::kSub, .inputs = {ones, keep}}, c_.tensor(keep).shape));
    } else {
      TESSERA_ASSIGN(take, WithHole(all, 0, 0, cell));
      TESSERA_ASSIGN(take, Look(twice_sigmoid_, take));
    }
    TESSERA_ASSIGN(TensorId fresh, layer_.Gates(all, forget + 2, 1));
    TESSERA_ASSIGN(fresh, Look(tanh_, fresh));
    TESSERA_ASSIGN(fresh, Times(take, fresh));
    TESSERA_ASSIGN(TensorId kept, Times(keep, cell));
    TESSERA_ASSIGN(kept, Scaled(kept, Half(15), -1));
    const int32_t most = clip_ > 0 ? clip_ : kMost16, least = clip_ > 0 ? -clip_ : kLeast16;
    TESSERA_ASSIGN(cell, Scaled(fresh, Half(30 + cell_), kept, least, most));
    TESSERA_ASSIGN(TensorId show, WithHole(all, forget + 1, 2, cell));
    TESSERA_ASSIGN(show, Look(sigmoid_, show));
    TESSERA_ASSIGN(const TensorId shown, Look(cell_tanh_, cell));
    TESSERA_ASSIGN(const TensorId product, Times(show, shown));
    TESSERA_ASSIGN(hidden,
                   layer_.Make({.op = Op::kScale, .inputs = {product}, .attributes = hidden_},
                               {layer_.batch, layer_.results}, c_.tensor(hidden).quant));
    return {};
  }

  SequenceLstm& layer_;
  Converter& c_;
  int cell_ = 0;
  int32_t clip_ = 0;  // 0: none
  ScaleAttributes hidden_;
  TensorId twice_sigmoid_ = -1, sigmoid_ = -1, tanh_ = -1, cell_tanh_ = -1;
};

}  // namespace

Status Int8LstmFromTflite(SequenceLstm& layer) { return Int8Lstm(layer).Convert(); }

}  // namespace tessera::ops
