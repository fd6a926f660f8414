// SPDX-License-Identifier: Apache-2.0
//
// Recurrent layers of ONNX, step by step, from products, sums and functions: RNN, GRU, LSTM. A
// sequence of n steps needs n times the nodes of one step; parts that do not depend on the previous
// step are computed for all steps at once.
#include <functional>

#include "compiler/ops/compose.h"
#include "compiler/ops/composed.h"

namespace tessera::ops {
namespace {

constexpr int64_t kMostSteps = 512;  // a step is about ten nodes

// One direction of one layer.
struct RecurrentLayer {
  TensorId inputs = -1;                // [steps, batch, gates * hidden]: x W^T + the input's bias
  TensorId weights = -1;               // [gates * hidden, hidden], R
  TensorId bias = -1;                  // [1, gates * hidden], the bias of R
  std::vector<TensorId> peepholes;     // [1, hidden] each; may be empty
  TensorId hidden = -1, cell = -1;     // [batch, hidden]
  std::vector<std::string> functions;  // as ONNX names them
  int64_t steps = 0, batch = 0, width = 0;  // width: of hidden
};

class Recurrence {
 public:
  Recurrence(QdqConverter& c, const OnnxNode& node) : c_(c), node_(node), make_(c, node) {}

  Status Convert() {
    const int64_t gates = node_.op_type == "LSTM" ? 4 : node_.op_type == "GRU" ? 3 : 1;
    TESSERA_TRY(Read(gates));
    std::vector<std::vector<TensorId>> hidden(static_cast<size_t>(steps_));
    std::vector<TensorId> last, last_cell;
    for (int64_t d = 0; d < directions_; ++d) {
      TESSERA_ASSIGN(RecurrentLayer layer, LayerOf(d, gates));
      const bool back = reverse_ || d == 1;
      for (int64_t k = 0; k < steps_; ++k) {
        const int64_t at = back ? steps_ - 1 - k : k;
        TESSERA_TRY(Step(layer, at));
        TESSERA_ASSIGN(const TensorId row, make_.Reshape(layer.hidden, {1, 1, batch_, width_}));
        hidden[static_cast<size_t>(at)].push_back(row);
      }
      TESSERA_ASSIGN(const TensorId end, make_.Reshape(layer.hidden, {1, batch_, width_}));
      last.push_back(end);
      if (gates != 4) continue;
      TESSERA_ASSIGN(const TensorId cell, make_.Reshape(layer.cell, {1, batch_, width_}));
      last_cell.push_back(cell);
    }
    std::vector<TensorId> all;
    for (const std::vector<TensorId>& step : hidden) {
      TESSERA_ASSIGN(const TensorId both, make_.Concat(step, 1));
      all.push_back(both);
    }
    TESSERA_ASSIGN(TensorId y, make_.Concat(all, 0));  // [steps, directions, batch, width]
    TESSERA_ASSIGN(TensorId end, make_.Concat(last, 0));
    if (batch_first_) {
      TESSERA_ASSIGN(y, make_.Transpose(y, {2, 0, 1, 3}));
      TESSERA_ASSIGN(end, make_.Transpose(end, {1, 0, 2}));
    }
    if (!last_cell.empty()) {
      TESSERA_ASSIGN(TensorId cell, make_.Concat(last_cell, 0));
      if (batch_first_) {
        TESSERA_ASSIGN(cell, make_.Transpose(cell, {1, 0, 2}));
      }
      TESSERA_TRY(make_.Finish(cell, 2));
    }
    TESSERA_TRY(make_.Finish(y, 0));
    return make_.Finish(end, 1);
  }

 private:
  std::string Text(const char* name, const char* otherwise) const {
    const auto it = node_.attributes.find(name);
    return it == node_.attributes.end() ? otherwise : it->second.s.value_or(otherwise);
  }

  Status Read(int64_t gates) {
    const auto bad = [&](const std::string& what) {
      return Fail(Code::kUnsupported, "{}: {}", node_.Place(), what);
    };
    if (node_.attributes.contains("clip")) return bad("attribute clip");
    if (node_.IntOr("input_forget", 0) != 0) return bad("attribute input_forget");
    const std::string direction = Text("direction", "forward");
    reverse_ = direction == "reverse";
    directions_ = direction == "bidirectional" ? 2 : 1;
    batch_first_ = node_.IntOr("layout", 0) != 0;
    TESSERA_ASSIGN(x_, c_.Plain(node_, 0));
    if (make_.shape(x_).size() != 3)
      return bad(fmt::format("input shape {}; three axes are needed", ShapeText(make_.shape(x_))));
    if (batch_first_) {
      TESSERA_ASSIGN(x_, make_.Transpose(x_, {1, 0, 2}));
    }
    steps_ = make_.shape(x_)[0];
    batch_ = make_.shape(x_)[1];
    TESSERA_ASSIGN(const TensorId r, c_.Plain(node_, 2));
    const Shape& shape = make_.shape(r);
    if (shape.size() != 3 || shape[0] != directions_ || shape[1] != gates * shape[2])
      return bad(fmt::format("recurrent weights of shape {}", ShapeText(shape)));
    width_ = shape[2];
    if (steps_ > kMostSteps)
      return bad(fmt::format("{} steps, at most {} are supported", steps_, kMostSteps));
    if (QdqConverter::Has(node_, 4)) {
      TESSERA_ASSIGN(const std::vector<int64_t> lengths, c_.Integers(node_, 4));
      if (std::ranges::any_of(lengths, [&](int64_t n) { return n != steps_; }))
        return bad("sequences of lengths of their own");
    }
    return {};
  }

  // Rows of direction |d| of input |index|, [directions, n] or [directions, n, m]; zeros of |shape|
  // if the input is absent.
  Result<TensorId> Of(size_t index, int64_t d, Shape shape) {
    if (!QdqConverter::Has(node_, index)) {
      int64_t count = 1;
      for (const int64_t extent : shape) count *= extent;
      return make_.Floats(x_, std::vector<float>(static_cast<size_t>(count)), shape);
    }
    TESSERA_ASSIGN(TensorId all, c_.Plain(node_, index));
    if (batch_first_ && (index == 5 || index == 6)) {
      TESSERA_ASSIGN(all, make_.Transpose(all, {1, 0, 2}));
    }
    int64_t count = directions_;
    for (const int64_t extent : shape) count *= extent;
    if (make_.tensor(all).count() != count)
      return Fail(Code::kInvalidArgument, "{}: input '{}' of shape {}, {} times {} is needed",
                  node_.Place(), node_.inputs[index], ShapeText(make_.shape(all)), directions_,
                  ShapeText(shape));
    TESSERA_ASSIGN(all, make_.Part(all, 0, d, 1));
    return make_.Reshape(all, shape);
  }

  Result<RecurrentLayer> LayerOf(int64_t d, int64_t gates) {
    RecurrentLayer layer;
    layer.steps = steps_;
    layer.batch = batch_;
    layer.width = width_;
    const int64_t depth = make_.shape(x_)[2], rows = gates * width_;
    TESSERA_ASSIGN(const TensorId w, Of(1, d, {rows, depth}));
    TESSERA_ASSIGN(layer.weights, Of(2, d, {rows, width_}));
    TESSERA_ASSIGN(const TensorId bias, Of(3, d, {2 * rows}));
    TESSERA_ASSIGN(const TensorId input_bias, make_.Part(bias, 0, 0, rows));
    TESSERA_ASSIGN(layer.bias, make_.Part(bias, 0, rows, rows));
    TESSERA_ASSIGN(layer.hidden, Of(5, d, {batch_, width_}));
    if (gates == 4) {
      TESSERA_ASSIGN(layer.cell, Of(6, d, {batch_, width_}));
      if (QdqConverter::Has(node_, 7)) {
        TESSERA_ASSIGN(const TensorId holes, Of(7, d, {3, width_}));
        for (int64_t k = 0; k < 3; ++k) {
          TESSERA_ASSIGN(const TensorId hole, make_.Part(holes, 0, k, 1));
          layer.peepholes.push_back(hole);
        }
      }
    }
    TESSERA_ASSIGN(const TensorId flat, make_.Reshape(x_, {steps_ * batch_, depth}));
    TESSERA_ASSIGN(TensorId all, Product(flat, w));
    TESSERA_ASSIGN(all, make_(Op::kAdd, all, input_bias));
    TESSERA_ASSIGN(layer.inputs, make_.Reshape(all, {steps_, batch_, rows}));
    const size_t of = gates == 4 ? 3 : gates == 3 ? 2 : 1;
    const auto given = node_.attributes.find("activations");
    if (given != node_.attributes.end()) {
      const std::vector<std::string>& names = given->second.strings;
      if (names.size() < of * static_cast<size_t>(d + 1))
        return Fail(Code::kInvalidArgument, "{}: {} activations", node_.Place(), names.size());
      const auto begin = names.begin() + static_cast<int64_t>(of) * d;
      layer.functions.assign(begin, begin + static_cast<int64_t>(of));
    } else if (of == 1) {
      layer.functions = {"Tanh"};
    } else {
      layer.functions = {"Sigmoid", "Tanh", "Tanh"};
    }
    return layer;
  }

  // x [n, k] times w [m, k]^T.
  Result<TensorId> Product(TensorId x, TensorId w) {
    if (make_.tensor(w).constant() && !make_.tensor(x).constant())
      return make_({.op = Op::kDense, .inputs = {x, w}}, {make_.shape(x)[0], make_.shape(w)[0]});
    TESSERA_ASSIGN(const TensorId turned, make_.Transpose(w, {1, 0}));
    return make_({.op = Op::kMatMul, .inputs = {x, turned}},
                 {make_.shape(x)[0], make_.shape(w)[0]});
  }

  Result<TensorId> Apply(const std::string& function, TensorId x) {
    if (function == "Sigmoid") return make_(Op::kSigmoid, x);
    if (function == "Tanh") return make_(Op::kTanh, x);
    if (function == "Relu")
      return make_({.op = Op::kRescale, .inputs = {x}, .least = 0}, make_.shape(x));
    return Fail(Code::kUnsupported, "{}: activation {}; Sigmoid, Tanh and Relu are supported",
                node_.Place(), function);
  }

  // Gate |k| of |all|, [batch, gates * width].
  Result<TensorId> Gate(TensorId all, int64_t k) { return make_.Part(all, 1, k * width_, width_); }

  Status Step(RecurrentLayer& layer, int64_t at) {
    TESSERA_ASSIGN(TensorId x, make_.Part(layer.inputs, 0, at, 1));
    TESSERA_ASSIGN(x, make_.Reshape(x, {batch_, make_.shape(layer.inputs)[2]}));
    if (node_.op_type == "GRU") return GruStep(layer, x);
    TESSERA_ASSIGN(TensorId all, Product(layer.hidden, layer.weights));
    TESSERA_ASSIGN(all, make_(Op::kAdd, all, layer.bias));
    TESSERA_ASSIGN(all, make_(Op::kAdd, all, x));
    if (node_.op_type == "LSTM") return LstmStep(layer, all);
    TESSERA_ASSIGN(layer.hidden, Apply(layer.functions[0], all));
    return {};
  }

  // Gates in the order input, output, forget, cell.
  Status LstmStep(RecurrentLayer& layer, TensorId all) {
    TensorId gate[4];
    for (int64_t k = 0; k < 4; ++k) {
      TESSERA_ASSIGN(gate[k], Gate(all, k));
    }
    const auto through_hole = [&](size_t k, TensorId cell) -> Result<TensorId> {
      if (layer.peepholes.empty()) return gate[k];
      TESSERA_ASSIGN(const TensorId seen, make_(Op::kMul, cell, layer.peepholes[k]));
      return make_(Op::kAdd, gate[k], seen);
    };
    TESSERA_ASSIGN(TensorId in, through_hole(0, layer.cell));
    TESSERA_ASSIGN(in, Apply(layer.functions[0], in));
    TESSERA_ASSIGN(TensorId forget, through_hole(2, layer.cell));
    TESSERA_ASSIGN(forget, Apply(layer.functions[0], forget));
    TESSERA_ASSIGN(TensorId fresh, Apply(layer.functions[1], gate[3]));
    TESSERA_ASSIGN(fresh, make_(Op::kMul, in, fresh));
    TESSERA_ASSIGN(const TensorId kept, make_(Op::kMul, forget, layer.cell));
    TESSERA_ASSIGN(layer.cell, make_(Op::kAdd, kept, fresh));
    TESSERA_ASSIGN(TensorId out, through_hole(1, layer.cell));
    TESSERA_ASSIGN(out, Apply(layer.functions[0], out));
    TESSERA_ASSIGN(const TensorId shown, Apply(layer.functions[2], layer.cell));
    TESSERA_ASSIGN(layer.hidden, make_(Op::kMul, out, shown));
    return {};
  }

  // Gates in the order update, reset, hidden.
  Status GruStep(RecurrentLayer& layer, TensorId x) {
    const bool before = node_.IntOr("linear_before_reset", 0) != 0;
    TESSERA_ASSIGN(TensorId all, Product(layer.hidden, layer.weights));
    TESSERA_ASSIGN(all, make_(Op::kAdd, all, layer.bias));
    TensorId gate[2];
    for (int64_t k = 0; k < 2; ++k) {
      TESSERA_ASSIGN(gate[k], Gate(all, k));
      TESSERA_ASSIGN(const TensorId input, Gate(x, k));
      TESSERA_ASSIGN(gate[k], make_(Op::kAdd, gate[k], input));
      TESSERA_ASSIGN(gate[k], Apply(layer.functions[0], gate[k]));
    }
    TensorId fresh = -1;
    if (before) {
      TESSERA_ASSIGN(fresh, Gate(all, 2));
      TESSERA_ASSIGN(fresh, make_(Op::kMul, gate[1], fresh));
    } else {
      TESSERA_ASSIGN(const TensorId reset, make_(Op::kMul, gate[1], layer.hidden));
      TESSERA_ASSIGN(const TensorId rows, make_.Part(layer.weights, 0, 2 * width_, width_));
      TESSERA_ASSIGN(fresh, Product(reset, rows));
      TESSERA_ASSIGN(const TensorId bias, make_.Part(layer.bias, 0, 2 * width_, width_));
      TESSERA_ASSIGN(fresh, make_(Op::kAdd, fresh, bias));
    }
    TESSERA_ASSIGN(const TensorId input, Gate(x, 2));
    TESSERA_ASSIGN(fresh, make_(Op::kAdd, fresh, input));
    TESSERA_ASSIGN(fresh, Apply(layer.functions[1], fresh));
    TESSERA_ASSIGN(TensorId change, make_(Op::kSub, layer.hidden, fresh));
    TESSERA_ASSIGN(change, make_(Op::kMul, gate[0], change));
    TESSERA_ASSIGN(layer.hidden, make_(Op::kAdd, fresh, change));
    return {};
  }

  QdqConverter& c_;
  const OnnxNode& node_;
  Composer make_;
  TensorId x_ = -1;  // [steps, batch, depth]
  int64_t steps_ = 0, batch_ = 0, width_ = 0, directions_ = 1;
  bool reverse_ = false, batch_first_ = false;
};

Status RecurrenceFromOnnx(QdqConverter& c, const OnnxNode& node) {
  return Recurrence(c, node).Convert();
}

constexpr OnnxRow kRecurrentRows[] = {{"RNN", RecurrenceFromOnnx, 1, kNever},
                                      {"GRU", RecurrenceFromOnnx, 1, kNever},
                                      {"LSTM", RecurrenceFromOnnx, 1, kNever}};

}  // namespace

std::span<const OnnxRow> RecurrentRows() { return kRecurrentRows; }

}  // namespace tessera::ops
