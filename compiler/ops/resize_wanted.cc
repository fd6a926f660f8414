// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "compiler/ops/resize.h"

namespace tessera::ops {

std::string TextOr(const OnnxNode& node, const std::string& name, const std::string& otherwise) {
  const auto found = node.attributes.find(name);
  return found == node.attributes.end() ? otherwise : found->second.s.value_or(otherwise);
}

bool IsOld(const QdqConverter& c, const OnnxNode& node) {
  return node.op_type == "Upsample" || c.opset() <= 10;
}

namespace {

// The axes to which the values of scales or sizes belong.
Result<std::vector<size_t>> AxesOf(const OnnxNode& node, int64_t rank) {
  std::vector<int64_t> named = node.Ints("axes");
  std::vector<size_t> axes;
  for (int64_t d = 0; named.empty() && d < rank; ++d) axes.push_back(static_cast<size_t>(d));
  for (const int64_t axis : named) {
    const auto d = static_cast<size_t>(axis < 0 ? axis + rank : axis);
    if (axis < -rank || axis >= rank || std::ranges::count(axes, d) > 0) {
      return Fail(Code::kInvalidArgument, "{}: axes {} of an operand with {} axes", node.Place(),
                  ShapeText(named), rank);
    }
    axes.push_back(d);
  }
  return axes;
}

// keep_aspect_ratio_policy: all |axes| use the least or the greatest of their factors.
Status KeepAspect(const OnnxNode& node, const Shape& in, const std::vector<size_t>& axes,
                  ResizeWanted& wanted) {
  const std::string policy = TextOr(node, "keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch") return {};
  if (policy != "not_larger" && policy != "not_smaller") {
    return Fail(Code::kInvalidArgument,
                "{}: keep_aspect_ratio_policy {}; stretch, not_larger and not_smaller are known",
                node.Place(), policy);
  }
  if (std::ranges::any_of(node.Ints("axes"), [](int64_t axis) { return axis < 0; })) {
    return Fail(Code::kUnsupported,
                "{}: keep_aspect_ratio_policy {} with axes {}, which ONNX Runtime leaves as they "
                "are; count the axes from the front",
                node.Place(), policy, ShapeText(node.Ints("axes")));
  }
  float factor = wanted.scale[axes[0]];
  for (const size_t d : axes) {
    factor = policy == "not_larger" ? std::min(factor, wanted.scale[d])
                                    : std::max(factor, wanted.scale[d]);
  }
  for (const size_t d : axes) {
    wanted.scale[d] = factor;
    wanted.size[d] = static_cast<int64_t>(std::round(factor * static_cast<float>(in[d])));
  }
  return {};
}

// The constant numbers of a Resize or Upsample: scales, or sizes.
struct ResizeNumbers {
  std::vector<float> scales;
  std::vector<int64_t> sizes;
};
Result<ResizeNumbers> NumbersOf(const QdqConverter& c, const OnnxNode& node) {
  const bool old = IsOld(c, node);
  const auto constant = [&](size_t k) {
    return node.inputs.size() > k && !node.inputs[k].empty() ? c.Initializer(node.inputs[k])
                                                             : nullptr;
  };
  ResizeNumbers numbers;
  const HostTensor *scales = constant(old ? 1 : 2), *sizes = old ? nullptr : constant(3);
  if (const auto given = node.attributes.find("scales"); old && given != node.attributes.end())
    numbers.scales = given->second.floats;
  if (scales && scales->dtype == DType::kFloat32)
    numbers.scales.assign(scales->as<float>().begin(), scales->as<float>().end());
  if (sizes && sizes->dtype == DType::kInt64)
    numbers.sizes.assign(sizes->as<int64_t>().begin(), sizes->as<int64_t>().end());
  if (numbers.scales.empty() == numbers.sizes.empty()) {
    return Fail(Code::kUnsupported,
                "{}: {} of scales and sizes are constants; one of them has to be, so fold the "
                "model's constants or leave one out",
                node.Place(), numbers.scales.empty() ? "none" : "both");
  }
  return numbers;
}

// Checks an extent of the result for an operand of extent |in|.
Status InRange(const OnnxNode& node, int64_t extent, int64_t in) {
  if (extent == in || (extent >= 1 && extent <= kMostExtent)) return {};
  return Fail(Code::kInvalidArgument, "{}: an extent of {}; 1 to {} are accepted", node.Place(),
              extent, kMostExtent);
}

}  // namespace

Result<ResizeWanted> ResizeWantedOf(const QdqConverter& c, const OnnxNode& node, const Shape& in) {
  TESSERA_ASSIGN(const ResizeNumbers numbers, NumbersOf(c, node));
  TESSERA_ASSIGN(const std::vector<size_t> axes, AxesOf(node, std::ssize(in)));
  const bool by_scale = numbers.sizes.empty();
  const char* what = by_scale ? "scales" : "sizes";
  const size_t count = by_scale ? numbers.scales.size() : numbers.sizes.size();
  if (count != axes.size()) {
    return Fail(Code::kInvalidArgument, "{}: {} {} for {} axes", node.Place(), count, what,
                axes.size());
  }
  const float least = node.op_type == "Upsample" ? 1.0f : 1.0f / static_cast<float>(kMostExtent);
  ResizeWanted wanted{in, std::vector<float>(in.size(), 1.0f)};
  for (size_t k = 0; k < count; ++k) {
    const auto extent = static_cast<float>(in[axes[k]]);
    float& scale = wanted.scale[axes[k]];
    if (by_scale) {
      scale = numbers.scales[k];
      if (!(scale >= least) || scale > static_cast<float>(kMostExtent)) {
        return Fail(Code::kInvalidArgument, "{}: a scale of {}; {} to {} are accepted",
                    node.Place(), scale, least, kMostExtent);
      }
      wanted.size[axes[k]] = static_cast<int64_t>(scale * extent);
    } else {
      TESSERA_TRY(InRange(node, numbers.sizes[k], in[axes[k]]));
      wanted.size[axes[k]] = numbers.sizes[k];
      scale = static_cast<float>(numbers.sizes[k]) / extent;
    }
  }
  if (!by_scale) {
    TESSERA_TRY(KeepAspect(node, in, axes, wanted));
  } else if (TextOr(node, "keep_aspect_ratio_policy", "stretch") != "stretch") {
    return Fail(Code::kInvalidArgument,
                "{}: keep_aspect_ratio_policy with scales; it belongs to sizes", node.Place());
  }
  for (size_t d = 0; d < in.size(); ++d) {
    if (d < 2 && wanted.size[d] != in[d]) {
      return Fail(
          Code::kUnsupported,
          "{}: {} that change batch or channels, from {} to {}; rows and columns can change",
          node.Place(), what, ShapeText(in), ShapeText(wanted.size));
    }
    TESSERA_TRY(InRange(node, wanted.size[d], in[d]));
  }
  return wanted;
}

}  // namespace tessera::ops
