// SPDX-License-Identifier: Apache-2.0
//
// Operators of ONNX that move elements or choose among them, made of several of the graph: blocks
// to depth and back, triangles, sums along an axis, one-hot rows.
#include <numeric>

#include "compiler/ops/composed.h"
#include "compiler/ops/reduce.h"

namespace tessera::ops {
namespace {

// DepthToSpace and back: an image of blocks as axes, in another order.
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

// A constant of whole numbers 0, 1, ..., |count| - 1, along axis |axis| of |rank| axes.
Result<TensorId> Counting(Composer& make, int64_t count, size_t axis, size_t rank) {
  std::vector<int64_t> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), int64_t{0});
  Shape shape(rank, 1);
  shape[axis] = count;
  return make.Wholes(values, std::move(shape));
}

// |where| (bools) x, else 0 of x's type.
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
  TESSERA_ASSIGN(TensorId rows, Counting(make, in[rank - 2], rank - 2, rank));
  TESSERA_ASSIGN(const TensorId columns, Counting(make, in[rank - 1], rank - 1, rank));
  TESSERA_ASSIGN(const TensorId diagonal, make.Wholes({k}, {}));
  TESSERA_ASSIGN(rows, make(Op::kAdd, rows, diagonal));
  const bool upper = node.IntOr("upper", 1) != 0;
  TESSERA_ASSIGN(const TensorId where,
                 upper ? make(Op::kLessEqual, rows, columns) : make(Op::kLessEqual, columns, rows));
  TESSERA_ASSIGN(x, Kept(c, node, make, where, x));
  return make.Finish(x);
}

// Element i is the sum of those up to it: a sum of products with a triangle.
Status FromCumSum(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(TensorId x, c.Plain(node, 0));
  TESSERA_ASSIGN(const std::vector<int64_t> given, c.Integers(node, 1));
  const Shape in = c.tensor(x).shape;
  TESSERA_ASSIGN(const size_t axis, AxisOf(node, given.empty() ? 0 : given[0], in));
  const size_t rank = in.size();
  const int64_t n = in[axis];
  Composer make(c, node);
  // x with its axis last and one more in front of it: [..., 1, n]; kept where column <= row.
  Shape wide = in;
  wide.insert(wide.begin() + static_cast<int64_t>(axis), 1);
  TESSERA_ASSIGN(x, make.Reshape(x, wide));
  wide[axis] = n;
  TESSERA_ASSIGN(x, make({.op = Op::kRepeat, .inputs = {x}}, wide));
  TESSERA_ASSIGN(TensorId row, Counting(make, n, axis, rank + 1));
  TESSERA_ASSIGN(TensorId column, Counting(make, n, axis + 1, rank + 1));
  if (node.IntOr("reverse", 0) != 0) std::swap(row, column);
  const bool exclusive = node.IntOr("exclusive", 0) != 0;
  TESSERA_ASSIGN(const TensorId where, make(exclusive ? Op::kLess : Op::kLessEqual, column, row));
  TESSERA_ASSIGN(x, Kept(c, node, make, where, x));
  TESSERA_ASSIGN(x, ReducedAlong(make, Op::kReduceSum, x, {static_cast<int>(axis) + 1}));
  TESSERA_ASSIGN(x, make.Reshape(x, in));
  return make.Finish(x);
}

// values[1] where the index is the position along the new axis, values[0] elsewhere.
Status FromOneHot(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(TensorId at, c.Plain(node, 0));
  TESSERA_ASSIGN(const double wanted, c.Number(node, 1));
  TESSERA_ASSIGN(const TensorId values, c.Plain(node, 2));
  const int64_t depth = static_cast<int64_t>(wanted);
  Composer make(c, node);
  Shape shape = make.shape(at);
  shape.push_back(1);
  TESSERA_ASSIGN(const size_t axis, AxisOf(node, node.IntOr("axis", -1), shape));
  if (depth < 1 || depth > 1 << 24 || make.shape(values) != Shape{2})
    return Fail(Code::kInvalidArgument, "{}: depth {}, values of shape {}", node.Place(), depth,
                ShapeText(make.shape(values)));
  shape.pop_back();
  shape.insert(shape.begin() + static_cast<int64_t>(axis), 1);
  if (make.tensor(at).dtype != DType::kInt64) {
    TESSERA_ASSIGN(at, make({.op = Op::kCast, .inputs = {at}}, make.shape(at), DType::kInt64));
  }
  TESSERA_ASSIGN(const TensorId extent, make.Wholes({depth}, {}));
  TESSERA_ASSIGN(at, make(Op::kMod, at, extent));  // negative ones count from the end
  TESSERA_ASSIGN(at, make.Reshape(at, shape));
  TESSERA_ASSIGN(const TensorId count, Counting(make, depth, axis, shape.size()));
  TESSERA_ASSIGN(const TensorId here, make(
                                          {.op = Op::kEqual, .inputs = {at, count}},
                                          [&] {
                                            Shape all = shape;
                                            all[axis] = depth;
                                            return all;
                                          }(),
                                          DType::kBool));
  TESSERA_ASSIGN(const TensorId off, make.Part(values, 0, 0, 1));
  TESSERA_ASSIGN(const TensorId on, make.Part(values, 0, 1, 1));
  TESSERA_ASSIGN(const TensorId x,
                 make({.op = Op::kWhere, .inputs = {on, off, here}}, make.shape(here)));
  return make.Finish(x);
}

constexpr graph::OnnxWhen kNever = graph::OnnxWhen::kNever;
constexpr OnnxRow kRows[] = {{"DepthToSpace", FromBlocks, 1, kNever},
                             {"SpaceToDepth", FromBlocks, 1, kNever},
                             {"Trilu", FromTrilu, 1, kNever},
                             {"CumSum", FromCumSum, 1, kNever},
                             {"OneHot", FromOneHot, 1, kNever}};

}  // namespace

std::span<const OnnxRow> MovementRows() { return kRows; }

}  // namespace tessera::ops
