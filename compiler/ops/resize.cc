// SPDX-License-Identifier: Apache-2.0
//
// Resizes an image by copying the nearest element. ONNX Resize and Upsample; their interpolating
// modes become gathers and sums (interpolate.h). TFLite RESIZE_NEAREST_NEIGHBOR.
#include "compiler/ops/resize.h"

#include <cmath>
#include <ranges>

#include "compiler/ops/interpolate.h"

namespace tessera::ops::resize_op {
namespace {

using graph::ResizeAttributes;

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

// Entry |i| of |from| as an expression: i / k if every index occurs k times in a row, else a table.
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

// The source indices that TFLite's kernel computes in float32.
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

// ONNX Runtime 1.31.1 finds the nearest element on a CPU in float32, in these steps. Where the
// exact position is a whole number or halfway between two, the rounding of the steps decides.

// The position in an operand of extent |from| of element |k| of a result of extent |to|.
struct PlaceRule {
  std::string_view name;
  float (*at)(float k, float scale, float from, float to);
};
float HalfPixel(float k, float scale, float, float) { return (k + 0.5f) / scale - 0.5f; }
constexpr PlaceRule kPlaces[] = {
    {"half_pixel", HalfPixel},
    {"asymmetric", [](float k, float scale, float, float) { return k / scale; }},
    {"align_corners", [](float k, float, float from,
                         float to) { return to == 1 ? 0.0f : k * (from - 1) / (to - 1); }},
    {"pytorch_half_pixel", [](float k, float scale, float from,
                              float to) { return to > 1 ? HalfPixel(k, scale, from, to) : 0.0f; }},
    {"half_pixel_symmetric",
     [](float k, float scale, float from, float to) {
       const float cut = from / 2 * (1 - to / (scale * from));  // half of what rounding cut off
       const double at = double{cut} + (double{k} + 0.5) / double{scale} - 0.5;
       return static_cast<float>(at);
     }},
    {"tf_half_pixel_for_nn", [](float k, float scale, float, float) { return (k + 0.5f) / scale; }},
};

struct NearestRule {
  std::string_view name;
  float (*of)(float at, bool shrinks);
};
bool InTheMiddle(float at) { return std::abs(at - std::floor(at) - 0.5f) <= 1e-6f; }
constexpr NearestRule kNearest[] = {
    // Positions within 1e-6 of the middle count as the middle.
    {"round_prefer_floor",
     [](float at, bool) { return InTheMiddle(at) ? std::floor(at) : std::round(at); }},
    {"round_prefer_ceil",
     [](float at, bool) { return InTheMiddle(at) ? std::floor(at) + 1 : std::round(at); }},
    {"floor", [](float at, bool) { return std::floor(at); }},
    {"ceil", [](float at, bool) { return std::ceil(at); }},
};
// Upsample, and Resize in opset 10, have no name for their rule.
constexpr NearestRule kOldNearest{
    "", [](float at, bool shrinks) { return shrinks ? std::ceil(at) : std::trunc(at); }};

struct Rule {
  PlaceRule place;
  NearestRule nearest;
  std::vector<int64_t> Sources(int64_t in, int64_t out, float scale) const {
    std::vector<int64_t> from;
    for (int64_t k = 0; k < out; ++k) {
      const float at =
          place.at(static_cast<float>(k), scale, static_cast<float>(in), static_cast<float>(out));
      const auto index = static_cast<int64_t>(nearest.of(at, scale < 1));
      from.push_back(scale == 1 ? k : std::clamp<int64_t>(index, 0, in - 1));
    }
    return from;
  }
};

template <typename Rules>
std::string NamesOf(const Rules& rules) {
  std::string text;
  for (const auto& rule : rules) text += fmt::format("{}{}", text.empty() ? "" : ", ", rule.name);
  return text;
}

Result<PlaceRule> PlaceOf(const QdqConverter& c, const OnnxNode& node) {
  if (node.op_type == "Upsample" && c.opset() > 9) {
    return Fail(Code::kInvalidArgument,
                "{}: Upsample in opset {}, which ends with opset 9; convert it to Resize",
                node.Place(), c.opset());
  }
  const std::string place =
      IsOld(c, node) ? "asymmetric" : TextOr(node, "coordinate_transformation_mode", "half_pixel");
  const auto* at = std::ranges::find(kPlaces, place, &PlaceRule::name);
  if (at != std::end(kPlaces)) return *at;
  return Fail(Code::kUnsupported, "{}: coordinate_transformation_mode {}; {} are supported",
              node.Place(), place, NamesOf(kPlaces));
}

Result<Rule> RuleOf(const QdqConverter& c, const OnnxNode& node) {
  const bool old = IsOld(c, node);
  TESSERA_ASSIGN(const PlaceRule place, PlaceOf(c, node));
  const std::string nearest = old ? "" : TextOr(node, "nearest_mode", "round_prefer_floor");
  const auto* to = std::ranges::find(kNearest, nearest, &NearestRule::name);
  if (!old && to == std::end(kNearest)) {
    return Fail(Code::kUnsupported, "{}: nearest_mode {}; {} are supported", node.Place(), nearest,
                NamesOf(kNearest));
  }
  for (const char* other : {"antialias", "exclude_outside"}) {
    if (node.IntOr(other, 0) != 0) {
      return Fail(Code::kInvalidArgument, "{}: {} {} with mode nearest; 0 is accepted",
                  node.Place(), other, node.IntOr(other, 0));
    }
  }
  return Rule{place, old ? kOldNearest : *to};
}

// Modes linear and cubic, in floats.
Status FromInterpolating(QdqConverter& c, const OnnxNode& node, bool cubic) {
  TESSERA_ASSIGN(TensorId x, c.Plain(node, 0));
  const Shape in = c.tensor(x).shape;
  TESSERA_ASSIGN(const PlaceRule rule, PlaceOf(c, node));
  if (rule.name == "tf_half_pixel_for_nn" || node.IntOr("antialias", 0) != 0)
    return Fail(Code::kUnsupported, "{}: mode {} with {}", node.Place(), cubic ? "cubic" : "linear",
                node.IntOr("antialias", 0) != 0 ? "antialias" : rule.name);
  TESSERA_ASSIGN(const ResizeWanted wanted, ResizeWantedOf(c, node, in));
  std::vector<AxisPlaces> places;
  for (size_t d = 0; d < in.size(); ++d) {
    if (wanted.size[d] == in[d] && wanted.scale[d] == 1) continue;
    places.push_back({d, {}});
    for (int64_t k = 0; k < wanted.size[d]; ++k)
      places.back().at.push_back(rule.at(static_cast<float>(k), wanted.scale[d],
                                         static_cast<float>(in[d]),
                                         static_cast<float>(wanted.size[d])));
  }
  const auto a = node.attributes.find("cubic_coeff_a");
  const Interpolation how{cubic, a == node.attributes.end() ? -0.75f : a->second.f.value_or(-0.75f),
                          node.IntOr("exclude_outside", 0) != 0};
  Composer make(c, node);
  TESSERA_ASSIGN(x, Interpolated(make, x, places, how));
  return make.Finish(x);
}

Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  const std::string mode = TextOr(node, "mode", "nearest");
  if (mode == "linear" || mode == "bilinear") return FromInterpolating(c, node, false);
  if (mode == "cubic") return FromInterpolating(c, node, true);
  if (mode != "nearest") {
    return Fail(Code::kUnsupported, "{}: mode {}; nearest, linear and cubic are supported",
                node.Place(), mode);
  }
  TESSERA_ASSIGN(const TensorId x, c.Operand(node, 0));
  const Shape in = c.tensor(x).shape;
  if (in.size() != 4) {
    return Fail(Code::kUnsupported, "{}: input shape {}; [N, C, H, W] is supported", node.Place(),
                ShapeText(in));
  }
  TESSERA_ASSIGN(const Rule rule, RuleOf(c, node));
  TESSERA_ASSIGN(const ResizeWanted wanted, ResizeWantedOf(c, node, in));
  const auto sources = [&](size_t d) {
    return rule.Sources(in[d], wanted.size[d], wanted.scale[d]);
  };
  for (size_t d = 0; d < 2; ++d) {
    if (wanted.scale[d] == 1 || std::ranges::equal(sources(d), std::views::iota(int64_t{0}, in[d])))
      continue;
    return Fail(Code::kUnsupported,
                "{}: a scale of {} moves batch or channels; rows and columns can move",
                node.Place(), wanted.scale[d]);
  }
  return c.EmitReal(
      {.op = Op::kResize, .inputs = {x}, .attributes = ResizeAttributes{sources(2), sources(3)}},
      node, wanted.size);
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

constexpr OnnxRow kOnnx[] = {{"Resize", FromOnnx, 1, graph::OnnxWhen::kAlways},
                             {"Upsample", FromOnnx, 1, graph::OnnxWhen::kAlways}};
constexpr TfliteRow kTflite[] = {{"RESIZE_NEAREST_NEIGHBOR", 2, 2, FromTflite}};

}  // namespace

constinit const OpDef kResizeDef = {
    .name = "resize",
    .meaning = "an image with other extents, each element that of the nearest one",
    .category = Category::kInjective,
    .types = kWideTypes,
    .shape = ShapeOf,
    .check = Check,
    .attributes = Fits<ResizeAttributes>,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
    .example = MakeExample,
};

}  // namespace tessera::ops::resize_op
