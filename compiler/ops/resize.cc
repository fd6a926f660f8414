// SPDX-License-Identifier: Apache-2.0
//
// An image with other extents, each element that of the nearest one. ONNX Resize (nearest,
// asymmetric or half_pixel or align_corners); TFLite RESIZE_NEAREST_NEIGHBOR.
#include <cmath>

#include "compiler/ops/unit.h"

namespace tessera::ops {
namespace {

using graph::ResizeAttributes;

constexpr int64_t kMostExtent = 1 << 16;

bool Inside(const std::vector<int64_t>& from, int64_t extent) {
  return !from.empty() &&
         std::ranges::all_of(from, [&](int64_t at) { return at >= 0 && at < extent; });
}

Result<Shape> ShapeOf(const NodeCheck& node) {
  TESSERA_TRY(node.Image());
  const Shape& in = node.In(0).shape;
  const auto& [rows, columns] = node.node.As<ResizeAttributes>();
  if (!Inside(rows, in[2]) || !Inside(columns, in[3]))
    return node.Bad("rows or columns outside of an image of {} x {}", in[2], in[3]);
  return Shape{in[0], in[1], std::ssize(rows), std::ssize(columns)};
}

Status Check(const NodeCheck& node) { return node.KeepsScale(); }

// Element |i| of |from| as an expression: i / k where every element is k times there, else a table.
Expr At(RegionBuilder& b, const std::string& name, const std::vector<int64_t>& from, int64_t extent,
        Expr i) {
  const int64_t times = std::ssize(from) / extent;
  bool whole = times >= 1 && times * extent == std::ssize(from);
  for (size_t k = 0; whole && k < from.size(); ++k)
    whole = from[k] == static_cast<int64_t>(k) / times;
  if (whole) return te::DivBy(i, times);
  return b.Constant(name, DType::kInt64, {std::ssize(from)}, from)(i);
}

void Body(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]);
  const auto& [rows, columns] = node.As<ResizeAttributes>();
  const std::string& name = b.graph().tensor(node.output).name;
  const std::vector<int64_t>&y = rows, &z = columns;
  te::Elements(b, node, [&](const Indices& i) {
    return x(i[0], i[1], At(b, name + ".rows", y, x.shape()[2], i[2]),
             At(b, name + ".columns", z, x.shape()[3], i[3]));
  });
}

// As TFLite's kernel computes it, in float32.
std::vector<int64_t> Sources(int64_t in, int64_t out, bool align, bool half) {
  const float step = align && out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                                      : static_cast<float>(in) / static_cast<float>(out);
  std::vector<int64_t> from;
  for (int64_t k = 0; k < out; ++k) {
    const float at = (static_cast<float>(k) + (half ? 0.5f : 0.0f)) * step;
    from.push_back(std::min(static_cast<int64_t>(align ? std::round(at) : std::floor(at)), in - 1));
  }
  return from;
}

Status FromTflite(Converter& c) {
  TESSERA_ASSIGN(const auto* options, c.Options<tflite_file::ResizeNearestNeighborOptions>());
  TESSERA_ASSIGN(const TensorId x, c.Spatial());
  TESSERA_ASSIGN(const std::vector<int64_t> size, c.Integers(1));
  const Shape in = c.tensor(x).shape;
  if (size.size() != 2 || size[0] < 1 || size[1] < 1 || size[0] > kMostExtent ||
      size[1] > kMostExtent) {
    return c.Invalid("a size of {}; two extents of 1 to {} are accepted", ShapeText(size),
                     kMostExtent);
  }
  if (options->align_corners() && options->half_pixel_centers())
    return c.Unsupported("align_corners and half_pixel_centers at once");
  TESSERA_TRY(c.SameScale(x));
  const auto sources = [&](int64_t from, int64_t to) {
    return Sources(from, to, options->align_corners(), options->half_pixel_centers());
  };
  return c.Finish(
      {.op = Op::kResize,
       .inputs = {x},
       .attributes = ResizeAttributes{sources(in[2], size[0]), sources(in[3], size[1])}},
      {in[0], in[1], size[0], size[1]});
}

std::string TextOr(const OnnxNode& node, const std::string& name, const std::string& otherwise) {
  const auto found = node.attributes.find(name);
  return found == node.attributes.end() ? otherwise : found->second.s.value_or(otherwise);
}

// The extents that Resize's inputs 2 (scales) or 3 (sizes) ask for, of rows and columns, and the
// indices of the result to one of the operand: a float, which index / scale divides by.
struct Wanted {
  std::array<int64_t, 2> size{};
  std::array<float, 2> scale{};
};
Result<Wanted> WantedOf(const QdqConverter& c, const OnnxNode& node, const Shape& in) {
  const auto bad = [&](const char* why) {
    return Fail(Code::kUnsupported,
                "{}: {}; constant scales or sizes of [1, 1, y, x] are supported", node.Place(),
                why);
  };
  const auto constant = [&](size_t k) {
    return node.inputs.size() > k && !node.inputs[k].empty() ? c.Initializer(node.inputs[k])
                                                             : nullptr;
  };
  Wanted wanted;
  const HostTensor *scales = constant(2), *sizes = constant(3);
  if (sizes && sizes->dtype == DType::kInt64 && sizes->count() == 4) {
    const auto values = sizes->as<int64_t>();
    if (values[0] != in[0] || values[1] != in[1]) return bad("sizes that change batch or channels");
    for (size_t d = 0; d < 2; ++d) {
      wanted.size[d] = values[2 + d];
      wanted.scale[d] = static_cast<float>(values[2 + d]) / static_cast<float>(in[2 + d]);
    }
  } else if (scales && scales->dtype == DType::kFloat32 && scales->count() == 4) {
    const auto values = scales->as<float>();
    if (values[0] != 1 || values[1] != 1) return bad("scales that change batch or channels");
    for (size_t d = 0; d < 2; ++d) {
      const float scale = values[2 + d];
      if (!(scale > 0) || scale > static_cast<float>(kMostExtent))
        return bad("a scale out of range");
      wanted.size[d] = static_cast<int64_t>(static_cast<float>(in[2 + d]) * scale);
      wanted.scale[d] = scale;
    }
  } else {
    return bad("neither scales nor sizes are constants of four numbers");
  }
  for (const int64_t extent : wanted.size) {
    if (extent < 1 || extent > kMostExtent) {
      return Fail(Code::kInvalidArgument, "{}: an extent of {}; 1 to {} are accepted", node.Place(),
                  extent, kMostExtent);
    }
  }
  return wanted;
}

Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId x, c.Operand(node, 0));
  const Shape in = c.tensor(x).shape;
  if (in.size() != 4) {
    return Fail(Code::kUnsupported, "{}: input shape {}; [N, C, H, W] is supported", node.Place(),
                ShapeText(in));
  }
  const std::string mode = TextOr(node, "mode", "nearest");
  const std::string place = TextOr(node, "coordinate_transformation_mode", "half_pixel");
  const std::string nearest = TextOr(node, "nearest_mode", "round_prefer_floor");
  const bool known = place == "asymmetric" || place == "half_pixel" || place == "align_corners";
  const bool rounds =
      nearest == "floor" || nearest == "round_prefer_floor" || nearest == "round_prefer_ceil";
  if (mode != "nearest" || !known || !rounds) {
    return Fail(Code::kUnsupported,
                "{}: mode {}, {}, {}; nearest with asymmetric, half_pixel or align_corners and "
                "floor, round_prefer_floor or round_prefer_ceil is supported",
                node.Place(), mode, place, nearest);
  }
  TESSERA_ASSIGN(const Wanted wanted, WantedOf(c, node, in));
  ResizeAttributes made;
  for (size_t d = 0; d < 2; ++d) {
    const int64_t from = in[2 + d], to = wanted.size[d];
    std::vector<int64_t>& sources = d == 0 ? made.rows : made.columns;
    for (int64_t k = 0; k < to; ++k) {
      const auto index = static_cast<double>(k), scale = static_cast<double>(wanted.scale[d]);
      double at = place == "half_pixel" ? (index + 0.5) / scale - 0.5 : index / scale;
      if (place == "align_corners")
        at = to > 1 ? index * static_cast<double>(from - 1) / static_cast<double>(to - 1) : 0;
      at = nearest == "floor"                ? std::floor(at)
           : nearest == "round_prefer_floor" ? std::ceil(at - 0.5)
                                             : std::floor(at + 0.5);
      sources.push_back(std::clamp<int64_t>(static_cast<int64_t>(at), 0, from - 1));
    }
  }
  const Shape shape{in[0], in[1], wanted.size[0], wanted.size[1]};
  return c.EmitReal({.op = Op::kResize, .inputs = {x}, .attributes = std::move(made)}, node, shape);
}

void MakeExample(Example& example) {
  ResizeAttributes made;
  const Shape& in = example.first().shape;
  const int64_t rows = example.draw(2, 3), columns = example.draw(2, 3);
  for (int64_t k = 0; in.size() == 4 && k < in[2] * rows; ++k) made.rows.push_back(k / rows);
  for (int64_t k = 0; in.size() == 4 && k < in[3] * columns; ++k)
    made.columns.push_back(k / columns);
  example.node.attributes = std::move(made);
  example.KeepScale();
}

constexpr OnnxRow kOnnx[] = {{"Resize", FromOnnx, 1, graph::OnnxWhen::kAlways}};
constexpr TfliteRow kTflite[] = {{"RESIZE_NEAREST_NEIGHBOR", 2, 2, FromTflite}};

}  // namespace

constinit const OpDef kResizeDef = {
    .name = "resize",
    .meaning = "an image with other extents, each element that of the nearest one",
    .category = Category::kInjective,
    .types = kAllTypes,
    .shape = ShapeOf,
    .check = Check,
    .attributes = Fits<ResizeAttributes>,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
    .example = MakeExample,
};

}  // namespace tessera::ops
