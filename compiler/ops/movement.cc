// SPDX-License-Identifier: Apache-2.0
//
// Operators that move or select elements, built from several of the graph: blocks to depth and
// back, triangles, one-hot rows. ONNX DepthToSpace, SpaceToDepth, Trilu, OneHot, Hardmax; TFLite
// ONE_HOT.
#include "compiler/ops/compose.h"
#include "compiler/ops/composed.h"

namespace tessera::ops {
namespace {

// DepthToSpace and SpaceToDepth: reshape to an image with block axes, transpose, reshape.
Status FromBlocks(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(TensorId x, c.Plain(node, 0));
  Composer make(c, node);
  const Shape in = make.shape(x);
  const int64_t b = node.IntOr("blocksize", 0);
  const bool to_space = node.op_type == "DepthToSpace";
  const bool fits = in.size() == 4 && b > 0 && b <= 1 << 12 &&
                    (to_space ? in[1] % (b * b) == 0 : in[2] % b == 0 && in[3] % b == 0);
  if (!fits)
    return Fail(Code::kInvalidArgument, "{}: blocks of {} and shape {}", node.Place(), b,
                ShapeText(in));
  if (to_space) {
    const auto mode = node.attributes.find("mode");
    const bool columns = mode != node.attributes.end() && mode->second.s.value_or("DCR") == "CRD";
    const int64_t depth = in[1] / (b * b);
    TESSERA_ASSIGN(x, make.Reshape(x, columns ? Shape{in[0], depth, b, b, in[2], in[3]}
                                              : Shape{in[0], b, b, depth, in[2], in[3]}));
    TESSERA_ASSIGN(x, make.Transpose(x, columns ? std::vector<int>{0, 1, 4, 2, 5, 3}
                                                : std::vector<int>{0, 3, 4, 1, 5, 2}));
    TESSERA_ASSIGN(x, make.Reshape(x, {in[0], depth, in[2] * b, in[3] * b}));
    return make.Finish(x);
  }
  TESSERA_ASSIGN(x, make.Reshape(x, {in[0], in[1], in[2] / b, b, in[3] / b, b}));
  TESSERA_ASSIGN(x, make.Transpose(x, {0, 3, 5, 1, 2, 4}));
  TESSERA_ASSIGN(x, make.Reshape(x, {in[0], in[1] * b * b, in[2] / b, in[3] / b}));
  return make.Finish(x);
}

// x where |where| (bools) is true, else 0 of x's type.
Result<TensorId> Kept(QdqConverter& c, const OnnxNode& node, Composer& make, TensorId where,
                      TensorId x) {
  const DType dtype = make.tensor(x).dtype;
  GraphTensor zero{.name = node.outputs[0] + ".zero", .dtype = dtype, .shape = {}};
  zero.data = std::vector<uint8_t>(static_cast<size_t>(SizeOf(dtype)));
  TESSERA_ASSIGN(const TensorId none, c.AddConstant(node, std::move(zero)));
  return make({.op = Op::kWhere, .inputs = {x, none, where}}, make.shape(x));
}

Status FromTrilu(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(TensorId x, c.Plain(node, 0));
  const Shape in = c.tensor(x).shape;
  const size_t rank = in.size();
  if (rank < 2)
    return Fail(Code::kInvalidArgument, "{}: shape {} has no rows", node.Place(), ShapeText(in));
  int64_t k = 0;
  if (QdqConverter::Has(node, 1)) {
    TESSERA_ASSIGN(const std::vector<int64_t> given, c.Integers(node, 1));
    k = given.empty() ? 0 : given[0];
  }
  Composer make(c, node);
  TESSERA_ASSIGN(TensorId rows, make.Counting(in[rank - 2], rank - 2, rank));
  TESSERA_ASSIGN(const TensorId columns, make.Counting(in[rank - 1], rank - 1, rank));
  TESSERA_ASSIGN(const TensorId diagonal, make.Wholes({k}, {}));
  TESSERA_ASSIGN(rows, make(Op::kAdd, rows, diagonal));
  const bool upper = node.IntOr("upper", 1) != 0;
  TESSERA_ASSIGN(const TensorId where,
                 upper ? make(Op::kLessEqual, rows, columns) : make(Op::kLessEqual, columns, rows));
  TESSERA_ASSIGN(x, Kept(c, node, make, where, x));
  return make.Finish(x);
}

// |on| where |at| equals the index along a new axis |axis| of extent |depth|, |off| elsewhere. An
// index outside matches nowhere.
Result<TensorId> OneHotOf(Composer& make, TensorId at, int64_t depth, size_t axis, TensorId on,
                          TensorId off) {
  if (depth < 1 || depth > 1 << 24) return make.Bad(Code::kInvalidArgument, "depth {}", depth);
  Shape shape = make.shape(at);
  shape.insert(shape.begin() + static_cast<int64_t>(axis), 1);
  TESSERA_ASSIGN(at, make.As(at, DType::kInt64));
  TESSERA_ASSIGN(at, make.Reshape(at, shape));
  TESSERA_ASSIGN(const TensorId count, make.Counting(depth, axis, shape.size()));
  shape[axis] = depth;
  TESSERA_ASSIGN(const TensorId here,
                 make({.op = Op::kEqual, .inputs = {at, count}}, shape, DType::kBool));
  return make({.op = Op::kWhere, .inputs = {on, off, here}}, shape);
}

// Inputs: indices, depth, [off, on]. Negative indices count from the end.
Status FromOneHot(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(TensorId at, c.Plain(node, 0));
  TESSERA_ASSIGN(const double wanted, c.Number(node, 1));
  TESSERA_ASSIGN(const TensorId values, c.Plain(node, 2));
  Composer make(c, node);
  Shape shape = make.shape(at);
  shape.push_back(1);
  TESSERA_ASSIGN(const size_t axis, AxisOf(node, node.IntOr("axis", -1), shape));
  if (make.shape(values) != Shape{2})
    return Fail(Code::kInvalidArgument, "{}: values of shape {}", node.Place(),
                ShapeText(make.shape(values)));
  const int64_t depth = static_cast<int64_t>(wanted);
  TESSERA_ASSIGN(at, make.As(at, DType::kInt64));
  TESSERA_ASSIGN(const TensorId extent, make.Wholes({depth}, {}));
  TESSERA_ASSIGN(const TensorId zero, make.Wholes({0}, {}));
  TESSERA_ASSIGN(const TensorId below, make(Op::kLess, at, zero));
  TESSERA_ASSIGN(const TensorId ahead, make(Op::kAdd, at, extent));
  TESSERA_ASSIGN(at, make({.op = Op::kWhere, .inputs = {ahead, at, below}}, make.shape(at)));
  TESSERA_ASSIGN(const TensorId off, make.Part(values, 0, 0, 1));
  TESSERA_ASSIGN(const TensorId on, make.Part(values, 0, 1, 1));
  TESSERA_ASSIGN(const TensorId x, OneHotOf(make, at, depth, axis, on, off));
  return make.Finish(x);
}

// 1 at the greatest value along an axis, the first of equals, else 0. Before opset 13 all axes from
// the given one on form one row.
Status FromHardmax(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(TensorId x, c.Plain(node, 0));
  Composer make(c, node);
  const Shape in = make.shape(x);
  const bool rows = c.opset() < 13;
  TESSERA_ASSIGN(size_t axis, AxisOf(node, node.IntOr("axis", rows ? 1 : -1), in));
  Shape shape = in;
  if (rows) {
    shape.assign(2, 1);
    for (size_t d = 0; d < in.size(); ++d) shape[d < axis ? 0 : 1] *= in[d];
    TESSERA_ASSIGN(x, make.Reshape(x, shape));
    axis = 1;
  }
  const int64_t depth = shape[axis];
  shape[axis] = 1;
  const graph::ArgAttributes first{static_cast<int>(axis), false};
  TESSERA_ASSIGN(TensorId at, make({.op = Op::kArgMax, .inputs = {x}, .attributes = first}, shape,
                                   DType::kInt64));
  shape.erase(shape.begin() + static_cast<int64_t>(axis));
  TESSERA_ASSIGN(at, make.Reshape(at, shape));
  TESSERA_ASSIGN(const TensorId on, make.Number(x, 1));
  TESSERA_ASSIGN(const TensorId off, make.Number(x, 0));
  TESSERA_ASSIGN(x, OneHotOf(make, at, depth, axis, on, off));
  TESSERA_ASSIGN(x, make.Reshape(x, in));
  return make.Finish(x);
}

// Inputs: indices, depth, on, off. Negative indices match nowhere.
Status FromTfliteOneHot(Converter& c) {
  TESSERA_ASSIGN(const auto* options, c.Options<tflite_file::OneHotOptions>());
  TESSERA_ASSIGN(const auto* from, c.In(0));
  TESSERA_ASSIGN(const std::vector<int64_t> depth, c.Integers(1));
  const int64_t rank = std::ssize(from->shape);
  if (depth.size() != 1 || options->axis() < -1 || options->axis() > rank)
    return c.Invalid("{} depths, axis {} of {}", depth.size(), options->axis(), rank + 1);
  TensorId operand[4];
  for (const size_t k : {0, 2, 3}) {
    TESSERA_ASSIGN(operand[k], c.InFileOrder(k));
  }
  if (!c.real()) return c.Unsupported("its result {} is quantised", c.Out().Place());
  Composer make(c);
  const auto axis = static_cast<size_t>(options->axis() < 0 ? rank : options->axis());
  TESSERA_ASSIGN(const TensorId x,
                 OneHotOf(make, operand[0], depth[0], axis, operand[2], operand[3]));
  return make.Finish(x);
}

constexpr OnnxRow kMovementRows[] = {{"DepthToSpace", FromBlocks, 1, kNever},
                                     {"SpaceToDepth", FromBlocks, 1, kNever},
                                     {"Trilu", FromTrilu, 1, kNever},
                                     {"OneHot", FromOneHot, 1, kNever},
                                     {"Hardmax", FromHardmax, 1, kNever}};
constexpr TfliteRow kTfliteRows[] = {{"ONE_HOT", 4, 4, FromTfliteOneHot}};

}  // namespace

std::span<const OnnxRow> MovementRows() { return kMovementRows; }
std::span<const TfliteRow> TfliteMovementRows() { return kTfliteRows; }

}  // namespace tessera::ops
