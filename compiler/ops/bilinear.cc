// SPDX-License-Identifier: Apache-2.0
//
// Resizes an image; each element is interpolated between four elements of the operand. TFLite
// RESIZE_BILINEAR: int8 and int16 use 10-bit fixed-point positions, floats and uint8 use float32.
#include <cmath>

#include "compiler/ops/unit.h"

namespace tessera::ops::bilinear_op {
namespace {

constexpr int kBits = 10;
constexpr int32_t kOne = 1 << kBits;
constexpr int64_t kMostExtent = 1 << 16;

// For each row (column) of the result: the two rows (columns) of the operand and the distance from
// the first, in 2^-10 and in float32.
struct BilinearAxis {
  std::vector<int64_t> low, high;
  std::vector<int32_t> steps;
  std::vector<float> part;
};
struct BilinearAttributes {
  BilinearAxis rows, columns;
  bool single = false;  // int8 that was uint8 in the file, computed in float32
};

Result<Shape> ShapeOf(const NodeCheck& node) {
  TESSERA_TRY(node.Image());
  const Shape& in = node.In(0).shape;
  Shape made{in[0], in[1]};
  const auto& [rows, columns, _] = node.node.As<BilinearAttributes>();
  for (size_t d = 0; d < 2; ++d) {
    const BilinearAxis& axis = d == 0 ? rows : columns;
    for (const auto* list : {&axis.low, &axis.high}) {
      for (const int64_t at : *list) {
        if (at < 0 || at >= in[2 + d]) return node.Bad("index {} of extent {}", at, in[2 + d]);
      }
    }
    const size_t count = axis.low.size();
    if (count == 0 || axis.high.size() != count || axis.steps.size() != count ||
        axis.part.size() != count)
      return node.Bad("lists of {} and {} indices", count, axis.high.size());
    made.push_back(static_cast<int64_t>(count));
  }
  return made;
}

Status Check(const NodeCheck& node) { return node.KeepsScale(); }

void Body(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]);
  const auto& [rows, columns, single] = node.As<BilinearAttributes>();
  const std::string& name = b.graph().tensor(node.output).name;
  const bool real = te::IsReal(b, node), floats = real || single;
  // The products have three factors, which for int16 elements exceed int32.
  const DType whole = x.dtype() == DType::kInt16 ? DType::kInt64 : DType::kInt32;
  const auto number = [&](int64_t value) { return ir::Imm(whole, value); };
  struct RowsBetween {
    te::Tensor low, high, part;
  };
  const auto place = [&](const BilinearAxis& axis, const std::string& what) {
    const std::vector<int64_t> shape{std::ssize(axis.low)};
    return RowsBetween{b.Constant(name + what + ".low", DType::kInt64, shape, axis.low),
                       b.Constant(name + what + ".high", DType::kInt64, shape, axis.high),
                       floats
                           ? b.Constant(name + what + ".part", DType::kFloat32, shape, axis.part)
                           : b.Constant(name + what + ".part", DType::kInt32, shape, axis.steps)};
  };
  const RowsBetween y = place(rows, ".rows"), z = place(columns, ".columns");
  te::Elements(b, node, [&](const Indices& i) {
    const auto at = [&](const te::Tensor& row, const te::Tensor& column) {
      const Expr value = Wide(x(i[0], i[1], row(i[2]), column(i[3])));
      if (!floats) return ir::Cast(whole, value);
      return real ? value : ir::Cast(DType::kFloat32, value + I32(128));
    };
    const auto part = [&](const te::Tensor& of, const Expr& index) {
      return floats ? of(index) : ir::Cast(whole, of(index));
    };
    const Expr one = floats ? ir::ImmF32(1) : number(kOne);
    const Expr down = part(y.part, i[2]), across = part(z.part, i[3]);
    const Expr up = one - down, back = one - across;
    const Expr sum = at(y.low, z.low) * up * back + at(y.high, z.low) * down * back +
                     at(y.low, z.high) * up * across + at(y.high, z.high) * down * across;
    if (real) return te::Real(b, node, sum);
    if (floats)  // truncates after adding a half
      return ir::Cast(DType::kInt8, ir::Cast(DType::kInt32, sum + ir::ImmF32(0.5f)) - I32(128));
    // Divide by 2^20, halves away from zero.
    const Expr half = number(1 << (2 * kBits - 1));
    const Expr magnitude = ir::Bin(ir::BinOp::kShr, ir::Abs(sum) + half, number(2 * kBits));
    return ir::Cast(x.dtype(), ir::Select(ir::Lt(sum, number(0)), ir::Neg(magnitude), magnitude));
  });
}

// Computes the positions as TFLite's kernels do.
BilinearAxis AxisOf(int64_t in, int64_t out, bool align, bool half) {
  BilinearAxis made;
  const bool corners = align && out > 1;
  const auto scale = static_cast<int32_t>(corners ? (kOne * (in - 1) + (out - 1) / 2) / (out - 1)
                                                  : (kOne * in + out / 2) / out);
  const float step = corners ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                             : static_cast<float>(in) / static_cast<float>(out);
  for (int64_t k = 0; k < out; ++k) {
    const int64_t fixed = k * scale + (half ? scale / 2 - kOne / 2 : 0);
    const float real =
        half ? (static_cast<float>(k) + 0.5f) * step - 0.5f : static_cast<float>(k) * step;
    made.low.push_back(std::max<int64_t>(fixed / kOne, 0));
    made.high.push_back(std::min((fixed + kOne - 1) / kOne, in - 1));
    made.steps.push_back(static_cast<int32_t>(fixed - kOne * made.low.back()));
    made.part.push_back(real);
  }
  return made;
}

// Replaces indices by those of the float kernels, which may differ.
void UseFloats(BilinearAxis& axis, int64_t in) {
  for (size_t k = 0; k < axis.part.size(); ++k) {
    const float real = axis.part[k];
    axis.low[k] = std::max<int64_t>(static_cast<int64_t>(std::floor(real)), 0);
    axis.high[k] = std::min<int64_t>(static_cast<int64_t>(std::ceil(real)), in - 1);
    axis.part[k] = real - static_cast<float>(axis.low[k]);
  }
}

Status FromTflite(Converter& c) {
  TESSERA_ASSIGN(const auto* options, c.Options<tflite_file::ResizeBilinearOptions>());
  TESSERA_ASSIGN(const TensorId x, c.Spatial());
  TESSERA_ASSIGN(const std::vector<int64_t> size, c.Integers(1));
  const Shape in = c.tensor(x).shape;
  if (size.size() != 2 || size[0] < 1 || size[1] < 1 || size[0] > kMostExtent ||
      size[1] > kMostExtent || in[2] > kMostExtent || in[3] > kMostExtent) {
    return c.Invalid("a size of {}; two extents of 1 to {} are accepted", ShapeText(size),
                     kMostExtent);
  }
  if (options->align_corners() && options->half_pixel_centers())
    return c.Unsupported("align_corners and half_pixel_centers at once");
  TESSERA_TRY(c.SameScale(x));
  BilinearAttributes made;
  made.single = c.Out().type == tflite_model::TensorType::UINT8;
  for (size_t d = 0; d < 2; ++d) {
    BilinearAxis& axis = d == 0 ? made.rows : made.columns;
    axis = AxisOf(in[2 + d], size[d], options->align_corners(), options->half_pixel_centers());
    if (c.real() || made.single) UseFloats(axis, in[2 + d]);
  }
  return c.Finish({.op = Op::kBilinear, .inputs = {x}, .attributes = std::move(made)},
                  {in[0], in[1], size[0], size[1]});
}

void MakeExample(Example& example) {
  const Shape& in = example.first().shape;
  if (in.size() != 4) return;
  BilinearAttributes made{AxisOf(in[2], 2 * in[2], false, true),
                          AxisOf(in[3], 2 * in[3], false, true), false};
  if (IsFloat(example.first().dtype)) {
    UseFloats(made.rows, in[2]);
    UseFloats(made.columns, in[3]);
  }
  example.node.attributes = std::move(made);
  example.KeepScale();
}

constexpr TfliteRow kTflite[] = {{"RESIZE_BILINEAR", 2, 2, FromTflite}};

}  // namespace

constinit const OpDef kBilinearDef = {
    .name = "bilinear",
    .meaning = "an image with other extents, each element between four of the operand",
    .category = Category::kOpaque,
    .types = kWideTypes,
    .shape = ShapeOf,
    .check = Check,
    .attributes = Fits<BilinearAttributes>,
    .body = Body,
    .tflite = kTflite,
    .example = MakeExample,
};

}  // namespace tessera::ops::bilinear_op
