// SPDX-License-Identifier: Apache-2.0
//
// TFLite operators on numbers, element by element or along axes: extremes, quotients, comparisons,
// logic, selection, functions, reductions, indices of extremes.
#include "compiler/ops/binary.h"
#include "compiler/ops/composed.h"
#include "compiler/ops/functions.h"

namespace tessera::ops {
namespace {

using tflite_model::GraphAxis;
using tflite_model::GraphShape;
using tflite_model::TensorType;

// Two operands that broadcast to one another, as graph tensors, and the broadcast shape.
struct Pair {
  TensorId a, b;
  Shape file;
};
Result<Pair> PairOf(Converter& c, size_t first = 0, size_t second = 1) {
  TESSERA_ASSIGN(const auto* a, c.In(first));
  TESSERA_ASSIGN(const auto* b, c.In(second));
  const auto file = RepeatedShape(a->shape, b->shape);
  if (!file)
    return c.Invalid("inputs {} and {} of shapes {} and {} do not repeat to one another",
                     a->Place(), b->Place(), ShapeText(a->shape), ShapeText(b->shape));
  TESSERA_ASSIGN(const TensorId x, c.Beside(first, *file));
  TESSERA_ASSIGN(const TensorId y, c.Beside(second, *file));
  return Pair{x, y, *file};
}

// All scales must be equal.
template <Op kOp>
Status FromExtreme(Converter& c) {
  TESSERA_ASSIGN(const Pair pair, PairOf(c));
  TESSERA_TRY(c.SameScale(pair.a));
  TESSERA_TRY(c.SameScale(pair.b));
  return c.Finish({.op = kOp, .inputs = {pair.a, pair.b}}, GraphShape(pair.file));
}

Status PlainAlone(const Converter& c) {
  if (c.real()) return {};
  return c.Unsupported("its result {} is quantised; plain values are supported", c.Out().Place());
}

Status FromDiv(Converter& c) {
  TESSERA_TRY(PlainAlone(c));
  return BinaryFromTflite<tflite_file::DivOptions>(c, {.op = Op::kDiv});
}

Status FromMod(Converter& c) {
  TESSERA_TRY(PlainAlone(c));
  TESSERA_ASSIGN(const Pair pair, PairOf(c));
  return c.Finish({.op = Op::kMod, .inputs = {pair.a, pair.b}}, GraphShape(pair.file));
}

// The quotient rounded down. For integers, divide x minus its remainder.
Status FromFloorDiv(Converter& c) {
  TESSERA_TRY(PlainAlone(c));
  TESSERA_ASSIGN(const Pair pair, PairOf(c));
  const Shape shape = GraphShape(pair.file);
  const auto step = [&](Op op, TensorId x, TensorId y, const char* suffix) {
    return c.Emit({.op = op, .inputs = {x, y}}, suffix, std::nullopt, shape);
  };
  if (IsFloat(c.tensor(pair.a).dtype)) {
    TESSERA_ASSIGN(const TensorId quotient, step(Op::kDiv, pair.a, pair.b, ".quotient"));
    return c.Finish({.op = Op::kFloor, .inputs = {quotient}}, shape);
  }
  TESSERA_ASSIGN(const TensorId rest, step(Op::kMod, pair.a, pair.b, ".rest"));
  TESSERA_ASSIGN(const TensorId whole, step(Op::kSub, pair.a, rest, ".whole"));
  return c.Finish({.op = Op::kDiv, .inputs = {whole, pair.b}}, shape);
}

// Inputs |first| and |second|, which share one plain type.
Result<Pair> OwnPair(Converter& c, size_t first, size_t second) {
  TESSERA_ASSIGN(const auto* a, c.In(first));
  TESSERA_ASSIGN(const auto* b, c.In(second));
  if (!tflite_model::PlainType(*a) || a->type != b->type)
    return c.Unsupported("inputs {} and {} are {} and {}; two of one plain type are supported",
                         a->Place(), b->Place(), tflite_model::TypeText(a->type),
                         tflite_model::TypeText(b->type));
  const auto file = RepeatedShape(a->shape, b->shape);
  if (!file)
    return c.Invalid("inputs {} and {} of shapes {} and {} do not repeat to one another",
                     a->Place(), b->Place(), ShapeText(a->shape), ShapeText(b->shape));
  TESSERA_ASSIGN(const TensorId x, c.Raised(first, file->size()));
  TESSERA_ASSIGN(const TensorId y, c.Raised(second, file->size()));
  return Pair{x, y, *file};
}

// |kTurned|: swap the operands.
template <Op kOp, bool kTurned>
Status FromTest(Converter& c) {
  TESSERA_ASSIGN(const Pair pair, OwnPair(c, 0, 1));
  const auto [a, b] = kTurned ? std::pair{pair.b, pair.a} : std::pair{pair.a, pair.b};
  return c.Finish({.op = kOp, .inputs = {a, b}}, GraphShape(pair.file));
}

Status FromNotEqual(Converter& c) {
  TESSERA_ASSIGN(const Pair pair, OwnPair(c, 0, 1));
  const Shape shape = GraphShape(pair.file);
  TESSERA_ASSIGN(const TensorId same, c.Emit({.op = Op::kEqual, .inputs = {pair.a, pair.b}},
                                             ".equal", std::nullopt, shape, DType::kBool));
  return c.Finish({.op = Op::kNot, .inputs = {same}}, shape);
}

Status FromSquaredDifference(Converter& c) {
  TESSERA_TRY(PlainAlone(c));
  TESSERA_ASSIGN(const Pair pair, PairOf(c));
  const Shape shape = GraphShape(pair.file);
  TESSERA_ASSIGN(const TensorId less, c.Emit({.op = Op::kSub, .inputs = {pair.a, pair.b}}, ".less",
                                             std::nullopt, shape));
  return c.Finish({.op = Op::kSquare, .inputs = {less}}, shape);
}

Status FromPow(Converter& c) {
  TESSERA_TRY(PlainAlone(c));
  TESSERA_ASSIGN(const Pair pair, PairOf(c));
  return c.Finish({.op = Op::kPow, .inputs = {pair.a, pair.b}}, GraphShape(pair.file));
}

// The sum of any number of tensors of one shape.
Status FromAddN(Converter& c) {
  TESSERA_TRY(PlainAlone(c));
  TESSERA_ASSIGN(const auto* first, c.In(0));
  TESSERA_ASSIGN(TensorId sum, c.Activation(0));
  const size_t count = c.op().inputs.size();
  const Shape shape = GraphShape(first->shape);
  if (count == 1) return c.Finish({.op = Op::kReshape, .inputs = {sum}}, shape);
  for (size_t k = 1; k < count; ++k) {
    TESSERA_ASSIGN(const auto* from, c.In(k));
    if (from->shape != first->shape)
      return c.Invalid("input {} of shape {} is not added to shape {}", from->Place(),
                       ShapeText(from->shape), ShapeText(first->shape));
    TESSERA_ASSIGN(const TensorId x, c.Activation(k));
    Node made{.op = Op::kAdd, .inputs = {sum, x}};
    if (k + 1 == count) return c.Finish(std::move(made), shape);
    TESSERA_ASSIGN(sum, c.Emit(std::move(made), fmt::format(".sum{}", k), std::nullopt, shape));
  }
  return {};
}

// Inputs: condition, values where it is true, values where it is false.
Status FromSelect(Converter& c) {
  TESSERA_TRY(PlainAlone(c));
  TESSERA_ASSIGN(const auto* which, c.In(0));
  TESSERA_ASSIGN(const auto* a, c.In(1));
  TESSERA_ASSIGN(const auto* b, c.In(2));
  const auto both = RepeatedShape(a->shape, b->shape);
  const auto all = both ? RepeatedShape(*both, which->shape) : std::nullopt;
  const bool rows = c.op().type == "SELECT" && which->shape.size() == 1 && a->shape.size() > 1;
  if (!all || which->type != TensorType::BOOL || rows)
    return c.Unsupported("inputs of shapes {}, {} and {}, the first of {}", ShapeText(which->shape),
                         ShapeText(a->shape), ShapeText(b->shape),
                         tflite_model::TypeText(which->type));
  TESSERA_ASSIGN(const TensorId w, c.Raised(0, all->size()));
  TESSERA_ASSIGN(const TensorId x, c.Raised(1, all->size()));
  TESSERA_ASSIGN(const TensorId y, c.Raised(2, all->size()));
  return c.Finish({.op = Op::kWhere, .inputs = {x, y, w}}, GraphShape(*all));
}

Status FromCast(Converter& c) {
  TESSERA_TRY(PlainAlone(c));
  TESSERA_ASSIGN(const auto* from, c.In(0));
  if (!tflite_model::PlainType(*from))
    return c.Unsupported("input {} is quantised; plain values are supported", from->Place());
  TESSERA_ASSIGN(const TensorId x, c.Operand(0));
  return c.Finish({.op = Op::kCast, .inputs = {x}}, c.tensor(x).shape);
}

// The reduced axes of the graph's tensor, and the shape left of |in|, in file order.
struct Along {
  std::vector<int> axes;
  Shape kept, file;  // in file order: with the reduced axes; as the result has it
};
Result<Along> AlongOf(const Converter& c, const Shape& in, const std::vector<bool>& reduced,
                      bool keep) {
  Along made;
  for (size_t d = 0; d < in.size(); ++d) {
    made.kept.push_back(reduced[d] ? 1 : in[d]);
    if (reduced[d]) made.axes.push_back(GraphAxis(in.size(), static_cast<int>(d)));
    if (!reduced[d] || keep) made.file.push_back(made.kept.back());
  }
  if (made.axes.empty()) return c.Unsupported("a reduction along no axis");
  return made;
}

// |kTruths|: bools, computed as numbers.
template <Op kOp, bool kTruths = false>
Status FromReduction(Converter& c) {
  TESSERA_TRY(PlainAlone(c));
  TESSERA_ASSIGN(TensorId x, c.Activation(0));
  TESSERA_ASSIGN(const auto* from, c.In(0));
  if (kTruths != (c.tensor(x).dtype == DType::kBool))
    return c.Unsupported("input {} is {}", from->Place(), tflite_model::TypeText(from->type));
  TESSERA_ASSIGN(const std::vector<bool> reduced, c.ReducedAxes());
  const auto* options = c.op().table->builtin_options_as<tflite_file::ReducerOptions>();
  TESSERA_ASSIGN(Along along, AlongOf(c, from->shape, reduced, options && options->keep_dims()));
  if (kTruths) {
    const Shape shape = c.tensor(x).shape;
    TESSERA_ASSIGN(
        x, c.Emit({.op = Op::kCast, .inputs = {x}}, ".int32", std::nullopt, shape, DType::kInt32));
  }
  Node made{.op = kOp, .inputs = {x}, .attributes = graph::AxesAttributes{along.axes}};
  if (kTruths) {
    const Shape shape = GraphShape(along.kept);
    TESSERA_ASSIGN(x, c.Emit(std::move(made), ".kept", std::nullopt, shape));
    made = {.op = Op::kCast, .inputs = {x}};
  }
  if (along.kept == along.file) return c.Finish(std::move(made), GraphShape(along.kept));
  TESSERA_ASSIGN(x, c.Emit(std::move(made), kTruths ? ".truths" : ".kept", std::nullopt,
                           GraphShape(along.kept), *tflite_model::PlainType(c.Out())));
  TESSERA_ASSIGN(x, c.ToFileOrder(x));
  return c.FinishAs(x, along.file);
}

// Along the last axis: x minus the greatest, minus the logarithm of the sum of exponentials.
Status FromLogSoftmax(Converter& c) {
  TESSERA_TRY(PlainAlone(c));
  TESSERA_ASSIGN(TensorId x, c.Activation(0));
  const Shape shape = c.tensor(x).shape;
  if (shape.empty() || !IsFloat(c.tensor(x).dtype)) return c.Unsupported("no floats with an axis");
  const int axis = GraphAxis(shape.size(), static_cast<int>(shape.size()) - 1);
  Shape kept = shape;
  kept[static_cast<size_t>(axis)] = 1;
  const auto along = [&](Op op, TensorId from, const char* suffix) {
    return c.Emit({.op = op, .inputs = {from}, .attributes = graph::AxesAttributes{{axis}}}, suffix,
                  std::nullopt, kept);
  };
  const auto step = [&](Op op, std::vector<TensorId> from, const char* suffix, const Shape& made) {
    return c.Emit({.op = op, .inputs = std::move(from)}, suffix, std::nullopt, made);
  };
  TESSERA_ASSIGN(const TensorId most, along(Op::kReduceMax, x, ".max"));
  TESSERA_ASSIGN(x, step(Op::kSub, {x, most}, ".less", shape));
  TESSERA_ASSIGN(const TensorId powers, step(Op::kExp, {x}, ".exp", shape));
  TESSERA_ASSIGN(const TensorId sum, along(Op::kReduceSum, powers, ".sum"));
  TESSERA_ASSIGN(const TensorId log, step(Op::kLog, {sum}, ".log", kept));
  return c.Finish({.op = Op::kSub, .inputs = {x, log}}, shape);
}

template <Op kOp>
Status FromArg(Converter& c) {
  TESSERA_TRY(PlainAlone(c));
  TESSERA_ASSIGN(const auto* from, c.In(0));
  TESSERA_ASSIGN(TensorId x, c.Operand(0));
  TESSERA_ASSIGN(const std::vector<int64_t> axes, c.Integers(1));
  const int64_t rank = std::ssize(from->shape);
  if (axes.size() != 1 || axes[0] < -rank || axes[0] >= rank)
    return c.Invalid("axes {} of {} with shape {}", ShapeText(axes), from->Place(),
                     ShapeText(from->shape));
  std::vector<bool> reduced(from->shape.size());
  reduced[static_cast<size_t>(axes[0] < 0 ? axes[0] + rank : axes[0])] = true;
  TESSERA_ASSIGN(const Along along, AlongOf(c, from->shape, reduced, false));
  TESSERA_ASSIGN(
      x,
      c.Emit({.op = kOp, .inputs = {x}, .attributes = graph::ArgAttributes{along.axes[0], false}},
             ".kept", std::nullopt, GraphShape(along.kept), *tflite_model::PlainType(c.Out())));
  TESSERA_ASSIGN(x, c.ToFileOrder(x));
  return c.FinishAs(x, along.file);
}

constexpr TfliteRow kNumberRows[] = {
    {"MAXIMUM", 2, 2, FromExtreme<Op::kMax>},
    {"MINIMUM", 2, 2, FromExtreme<Op::kMin>},
    {"DIV", 2, 2, FromDiv},
    {"POW", 2, 2, FromPow},
    {"SQUARED_DIFFERENCE", 2, 2, FromSquaredDifference},
    {"ADD_N", 1, 1024, FromAddN},
    {"FLOOR_DIV", 2, 2, FromFloorDiv},
    {"FLOOR_MOD", 2, 2, FromMod},
    {"EQUAL", 2, 2, FromTest<Op::kEqual, false>},
    {"NOT_EQUAL", 2, 2, FromNotEqual},
    {"LESS", 2, 2, FromTest<Op::kLess, false>},
    {"LESS_EQUAL", 2, 2, FromTest<Op::kLessEqual, false>},
    {"GREATER", 2, 2, FromTest<Op::kLess, true>},
    {"GREATER_EQUAL", 2, 2, FromTest<Op::kLessEqual, true>},
    {"LOGICAL_AND", 2, 2, FromTest<Op::kAnd, false>},
    {"LOGICAL_OR", 2, 2, FromTest<Op::kOr, false>},
    {"SELECT", 3, 3, FromSelect},
    {"SELECT_V2", 3, 3, FromSelect},
    {"CAST", 1, 1, FromCast},
    {"ABS", 1, 1, PlainFromTflite<Op::kAbs>},
    {"NEG", 1, 1, PlainFromTflite<Op::kNeg>},
    {"SQUARE", 1, 1, PlainFromTflite<Op::kSquare>},
    {"SIGN", 1, 1, PlainFromTflite<Op::kSign>},
    {"EXP", 1, 1, PlainFromTflite<Op::kExp>},
    {"FLOOR", 1, 1, PlainFromTflite<Op::kFloor>},
    {"CEIL", 1, 1, PlainFromTflite<Op::kCeil>},
    {"ROUND", 1, 1, PlainFromTflite<Op::kRound>},
    {"LOG_SOFTMAX", 1, 1, FromLogSoftmax},
    {"SUM", 2, 2, FromReduction<Op::kReduceSum>},
    {"REDUCE_MIN", 2, 2, FromReduction<Op::kReduceMin>},
    {"REDUCE_PROD", 2, 2, FromReduction<Op::kReduceProd>},
    {"REDUCE_ANY", 2, 2, FromReduction<Op::kReduceMax, true>},
    {"REDUCE_ALL", 2, 2, FromReduction<Op::kReduceMin, true>},
    {"ARG_MAX", 2, 2, FromArg<Op::kArgMax>},
    {"ARG_MIN", 2, 2, FromArg<Op::kArgMin>},
};

}  // namespace

std::span<const TfliteRow> TfliteNumberRows() { return kNumberRows; }

}  // namespace tessera::ops
