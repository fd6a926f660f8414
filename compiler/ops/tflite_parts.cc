// SPDX-License-Identifier: Apache-2.0
//
// Parts and compositions of tensors. TFLite SLICE, STRIDED_SLICE, SPLIT, SPLIT_V, UNPACK, PACK,
// GATHER, GATHER_ND, EMBEDDING_LOOKUP, TILE, BROADCAST_TO, REVERSE_V2, MIRROR_PAD.
#include <limits>

#include "compiler/ops/binary.h"
#include "compiler/ops/composed.h"
#include "compiler/ops/slice.h"

namespace tessera::ops {
namespace {

using graph::AxisCut;
using graph::GatherAttributes;
using tflite_model::GraphAxis;
using tflite_model::GraphShape;

// Axis |axis| of |rank|; a negative number counts from the end.
Result<size_t> AxisIn(const Converter& c, int64_t axis, size_t rank) {
  const auto count = static_cast<int64_t>(rank);
  if (axis < -count || axis >= count) return c.Invalid("axis {} of {}", axis, rank);
  return static_cast<size_t>(axis < 0 ? axis + count : axis);
}

// Input |i|, a constant of one number.
Result<int64_t> NumberOf(const Converter& c, size_t i) {
  TESSERA_ASSIGN(const std::vector<int64_t> values, c.Integers(i));
  if (values.size() == 1) return values[0];
  return c.Invalid("input {} has {} values, one is needed", i, values.size());
}

// |x|, whose shape in the file is |in|, cut along each axis and reshaped to |file|, which drops or
// adds axes of extent 1.
Status FinishCut(Converter& c, TensorId x, const Shape& in, const std::vector<AxisCut>& cuts,
                 const Shape& file) {
  graph::SliceAttributes made;
  made.axes.resize(in.size());
  Shape cut(in.size());
  for (size_t d = 0; d < in.size(); ++d) {
    if (cuts[d].count < 1)
      return c.Unsupported("nothing is left of axis {} with extent {}", d, in[d]);
    cut[d] = cuts[d].count;
    made.axes[static_cast<size_t>(GraphAxis(in.size(), static_cast<int>(d)))] = cuts[d];
  }
  TESSERA_TRY(c.SameScale(x));
  Node slice{.op = Op::kSlice, .inputs = {x}, .attributes = std::move(made)};
  if (cut == file) return c.Finish(std::move(slice), GraphShape(file));
  const auto quant = c.tensor(x).quant;
  if (cut != in) {
    TESSERA_ASSIGN(x, c.Emit(std::move(slice), ".cut", quant, GraphShape(cut)));
  }
  TESSERA_ASSIGN(x, c.ToFileOrder(x));
  return c.FinishAs(x, file);
}

std::vector<AxisCut> WholeCuts(const Shape& shape) { return Whole(shape).axes; }

// Inputs: the tensor, first indices, extents (-1: all that is left).
Status FromSlice(Converter& c) {
  TESSERA_ASSIGN(const TensorId x, c.Activation(0));
  TESSERA_ASSIGN(const auto* from, c.In(0));
  TESSERA_ASSIGN(const std::vector<int64_t> begin, c.Integers(1));
  TESSERA_ASSIGN(std::vector<int64_t> size, c.Integers(2));
  const Shape in = from->shape;
  if (begin.size() != in.size() || size.size() != in.size())
    return c.Invalid("{} beginnings and {} extents for {} axes", begin.size(), size.size(),
                     in.size());
  std::vector<AxisCut> cuts;
  Shape shape;
  for (size_t d = 0; d < in.size(); ++d) {
    if (begin[d] >= 0 && begin[d] < in[d] && size[d] == -1) size[d] = in[d] - begin[d];
    if (begin[d] < 0 || size[d] < 1 || begin[d] > in[d] || size[d] > in[d] - begin[d])
      return c.Invalid("{} from {} on of axis {} with extent {}", size[d], begin[d], d, in[d]);
    cuts.push_back({begin[d], 1, size[d]});
    shape.push_back(size[d]);
  }
  return FinishCut(c, x, in, cuts, shape);
}

// Inputs: the tensor, first indices, ends, steps. The lists may skip axes of the tensor.
Status FromStridedSlice(Converter& c) {
  TESSERA_ASSIGN(const auto* options, c.Options<tflite_file::StridedSliceOptions>());
  TESSERA_ASSIGN(const TensorId x, c.Activation(0));
  TESSERA_ASSIGN(const auto* from, c.In(0));
  TESSERA_ASSIGN(const std::vector<int64_t> begin, c.Integers(1));
  TESSERA_ASSIGN(const std::vector<int64_t> end, c.Integers(2));
  TESSERA_ASSIGN(const std::vector<int64_t> steps, c.Integers(3));
  const Shape in = from->shape;
  if (end.size() != begin.size() || steps.size() != begin.size() || begin.size() > 16)
    return c.Invalid("{} beginnings, {} ends and {} steps", begin.size(), end.size(), steps.size());
  const auto marked = [&](int32_t mask, size_t k) { return (mask >> k & 1) != 0; };
  size_t named = 0;  // axes of the operand that the lists name
  for (size_t k = 0; k < begin.size(); ++k)
    named += !marked(options->new_axis_mask(), k) && !marked(options->ellipsis_mask(), k);
  if (named > in.size()) return c.Invalid("{} axes are cut of {}", named, in.size());
  std::vector<AxisCut> cuts = WholeCuts(in);
  Shape shape;
  size_t d = 0;
  const auto keep = [&](size_t count) {
    for (; count > 0; --count) shape.push_back(in[d++]);
  };
  bool filled = false;
  for (size_t k = 0; k < begin.size(); ++k) {
    if (marked(options->ellipsis_mask(), k)) {
      if (!std::exchange(filled, true)) keep(in.size() - named);
      continue;
    }
    if (marked(options->new_axis_mask(), k)) {
      shape.push_back(1);
      continue;
    }
    const int64_t extent = in[d], step = steps[k];
    if (step == 0) return c.Invalid("a step of 0 along axis {}", d);
    if (marked(options->shrink_axis_mask(), k)) {
      const int64_t at = begin[k] < 0 ? begin[k] + extent : begin[k];
      if (at < 0 || at >= extent)
        return c.Invalid("index {} of axis {} with extent {}", begin[k], d, extent);
      cuts[d++] = {at, 1, 1};
      continue;
    }
    constexpr int64_t kEnd = int64_t{1} << 40;
    const int64_t start = marked(options->begin_mask(), k) ? (step > 0 ? 0 : kEnd) : begin[k];
    int64_t stop = end[k] + (options->offset() ? begin[k] : 0);
    if (marked(options->end_mask(), k)) stop = step > 0 ? kEnd : -kEnd;
    cuts[d] = CutOf(start, stop, step, extent);
    shape.push_back(cuts[d++].count);
  }
  keep(in.size() - d);
  return FinishCut(c, x, in, cuts, shape);
}

// The results are consecutive |parts| along |axis|; with |drop| the results lack that axis.
Status Parts(Converter& c, size_t operand, size_t axis, const std::vector<int64_t>& parts,
             bool drop) {
  TESSERA_ASSIGN(const TensorId x, c.Activation(operand));
  TESSERA_ASSIGN(const auto* from, c.In(operand));
  const Shape in = from->shape;
  int64_t sum = 0;
  for (const int64_t part : parts) sum += part;
  if (parts.size() != c.op().outputs.size() || sum != in[axis] ||
      std::ranges::any_of(parts, [](int64_t p) { return p < 1; })) {
    return c.Invalid("{} results, parts {} of extent {}", c.op().outputs.size(), ShapeText(parts),
                     in[axis]);
  }
  int64_t begin = 0;
  for (size_t k = 0; k < parts.size(); ++k) {
    c.Select(k);
    std::vector<AxisCut> cuts = WholeCuts(in);
    cuts[axis] = {begin, 1, parts[k]};
    begin += parts[k];
    Shape shape = in;
    shape[axis] = parts[k];
    if (drop) shape.erase(shape.begin() + static_cast<int64_t>(axis));
    TESSERA_TRY(FinishCut(c, x, in, cuts, shape));
  }
  return {};
}

Status FromSplit(Converter& c) {
  TESSERA_ASSIGN(const auto* from, c.In(1));
  TESSERA_ASSIGN(const int64_t given, NumberOf(c, 0));
  TESSERA_ASSIGN(const size_t axis, AxisIn(c, given, from->shape.size()));
  const size_t count = c.op().outputs.size();
  const std::vector<int64_t> parts(count, from->shape[axis] / static_cast<int64_t>(count));
  return Parts(c, 1, axis, parts, false);
}

// Inputs: the tensor, extents (one may be -1), the axis.
Status FromSplitV(Converter& c) {
  TESSERA_ASSIGN(const auto* from, c.In(0));
  TESSERA_ASSIGN(std::vector<int64_t> parts, c.Integers(1));
  TESSERA_ASSIGN(const int64_t given, NumberOf(c, 2));
  TESSERA_ASSIGN(const size_t axis, AxisIn(c, given, from->shape.size()));
  int64_t rest = from->shape[axis] - 1;
  for (const int64_t part : parts) rest -= part;
  if (const auto open = std::ranges::find(parts, -1); open != parts.end()) *open = rest;
  return Parts(c, 0, axis, parts, false);
}

Status FromUnpack(Converter& c) {
  TESSERA_ASSIGN(const auto* options, c.Options<tflite_file::UnpackOptions>());
  TESSERA_ASSIGN(const auto* from, c.In(0));
  TESSERA_ASSIGN(const size_t axis, AxisIn(c, options->axis(), from->shape.size()));
  return Parts(c, 0, axis, std::vector<int64_t>(c.op().outputs.size(), 1), true);
}

Status FromPack(Converter& c) {
  TESSERA_ASSIGN(const auto* options, c.Options<tflite_file::PackOptions>());
  TESSERA_ASSIGN(const auto* first, c.In(0));
  Shape wide = first->shape;
  TESSERA_ASSIGN(const size_t axis, AxisIn(c, options->axis(), wide.size() + 1));
  const Shape each = wide;
  wide.insert(wide.begin() + static_cast<int64_t>(axis), 1);
  Node made{.op = Op::kConcat,
            .attributes = graph::ConcatAttributes{GraphAxis(wide.size(), static_cast<int>(axis))}};
  const size_t count = c.op().inputs.size();
  for (size_t i = 0; i < count; ++i) {
    TESSERA_ASSIGN(const auto* from, c.In(i));
    if (from->shape != each)
      return c.Invalid("input {} of shape {} does not go beside {}", from->Place(),
                       ShapeText(from->shape), ShapeText(each));
    TESSERA_ASSIGN(TensorId x, c.Activation(i));
    TESSERA_TRY(c.SameScale(x));
    const std::string prefix = fmt::format(".in{}", i);
    TESSERA_ASSIGN(x, c.ToFileOrder(x, prefix));
    if (count == 1) return c.FinishAs(x, wide);
    TESSERA_ASSIGN(x, c.ToGraphOrder(x, wide, prefix));
    made.inputs.push_back(x);
  }
  wide[axis] = static_cast<int64_t>(count);
  return c.Finish(std::move(made), GraphShape(wide));
}

// Gathers from input |tensor|, 0 or 1; the other input holds indices along |axis|, or rows of
// indices.
Status Pointed(Converter& c, const GatherAttributes& how, const Shape& file, size_t tensor = 0) {
  TESSERA_ASSIGN(TensorId x, c.Activation(tensor));
  TESSERA_ASSIGN(const auto* from, c.In(tensor));
  TESSERA_ASSIGN(const auto* by, c.In(1 - tensor));
  const Shape in = from->shape;
  TESSERA_ASSIGN(const TensorId at, c.InFileOrder(1 - tensor));
  if (c.tensor(at).dtype != DType::kInt32 && c.tensor(at).dtype != DType::kInt64)
    return c.Unsupported("indices {} are {}; INT32 and INT64 are supported", by->Place(),
                         tflite_model::TypeText(by->type));
  const auto quant = c.tensor(x).quant;
  TESSERA_ASSIGN(x, c.ToFileOrder(x));
  TESSERA_ASSIGN(x, c.Shaped(x, in, ".shaped"));
  TESSERA_TRY(c.ShapeIs(file));
  Node made{.op = Op::kGather, .inputs = {x, at}, .attributes = how};
  if (file.size() != 4) return c.Finish(std::move(made), file);
  TESSERA_ASSIGN(x, c.Emit(std::move(made), ".gather", quant, file));
  return c.FinishFromFileOrder(x);
}

Status FromGather(Converter& c) {
  TESSERA_ASSIGN(const auto* options, c.Options<tflite_file::GatherOptions>());
  TESSERA_ASSIGN(const auto* from, c.In(0));
  TESSERA_ASSIGN(const auto* by, c.In(1));
  if (options->batch_dims() != 0)
    return c.Unsupported("batch_dims {}; 0 is supported", options->batch_dims());
  TESSERA_ASSIGN(const size_t axis, AxisIn(c, options->axis(), from->shape.size()));
  Shape file = from->shape;
  file.erase(file.begin() + static_cast<int64_t>(axis));
  file.insert(file.begin() + static_cast<int64_t>(axis), by->shape.begin(), by->shape.end());
  return Pointed(c, {GatherAttributes::Form::kSlices, static_cast<int>(axis)}, file);
}

Status FromGatherNd(Converter& c) {
  TESSERA_ASSIGN(const auto* from, c.In(0));
  TESSERA_ASSIGN(const auto* by, c.In(1));
  const Shape &in = from->shape, &rows = by->shape;
  if (rows.empty() || rows.back() < 1 || rows.back() > std::ssize(in))
    return c.Invalid("indices of shape {} for a tensor of shape {}", ShapeText(rows),
                     ShapeText(in));
  Shape file(rows.begin(), rows.end() - 1);
  file.insert(file.end(), in.begin() + rows.back(), in.end());
  return Pointed(c, {GatherAttributes::Form::kPoints, 0}, file);
}

// Inputs: indices of rows, the rows.
Status FromEmbedding(Converter& c) {
  TESSERA_ASSIGN(const auto* by, c.In(0));
  TESSERA_ASSIGN(const auto* from, c.In(1));
  if (from->shape.empty() || by->shape.size() != 1)
    return c.Invalid("indices of shape {} for rows of shape {}", ShapeText(by->shape),
                     ShapeText(from->shape));
  Shape file = from->shape;
  file[0] = by->shape[0];
  return Pointed(c, {GatherAttributes::Form::kSlices, 0}, file, 1);
}

Status FromTile(Converter& c) {
  TESSERA_ASSIGN(const TensorId x, c.Activation(0));
  TESSERA_ASSIGN(const auto* from, c.In(0));
  TESSERA_ASSIGN(const std::vector<int64_t> times, c.Integers(1));
  Shape shape = from->shape;
  if (times.size() != shape.size() ||
      std::ranges::any_of(times, [](int64_t n) { return n < 1 || n > 1 << 24; }))
    return c.Invalid("{} times shape {}", ShapeText(times), ShapeText(shape));
  for (size_t d = 0; d < shape.size(); ++d) shape[d] *= times[d];
  TESSERA_TRY(c.SameScale(x));
  return c.Finish({.op = Op::kRepeat, .inputs = {x}}, GraphShape(shape));
}

Status FromBroadcastTo(Converter& c) {
  TESSERA_ASSIGN(const auto* from, c.In(0));
  TESSERA_ASSIGN(const std::vector<int64_t> wanted, c.Integers(1));
  if (RepeatedShape(from->shape, wanted) != wanted)
    return c.Invalid("shape {} does not repeat to {}", ShapeText(from->shape), ShapeText(wanted));
  TESSERA_ASSIGN(const TensorId x, c.Beside(0, wanted));
  TESSERA_TRY(c.SameScale(x));
  return c.Finish({.op = Op::kRepeat, .inputs = {x}}, GraphShape(wanted));
}

// Reverses the tensor along the axes in input 1.
Status FromReverse(Converter& c) {
  TESSERA_ASSIGN(const TensorId x, c.Activation(0));
  TESSERA_ASSIGN(const auto* from, c.In(0));
  TESSERA_ASSIGN(const std::vector<bool> reversed, c.ReducedAxes());
  std::vector<AxisCut> cuts = WholeCuts(from->shape);
  for (size_t d = 0; d < cuts.size(); ++d) {
    if (reversed[d]) cuts[d] = {from->shape[d] - 1, -1, from->shape[d]};
  }
  return FinishCut(c, x, from->shape, cuts, from->shape);
}

// Pads the tensor by mirroring it at its edges; with |repeated| the edge element occurs twice. Each
// side is a reversed part of the tensor.
Result<TensorId> Mirrored(Converter& c, TensorId x, size_t axis, int64_t before, int64_t after,
                          bool repeated) {
  const Shape in = c.tensor(x).shape;
  const auto quant = c.tensor(x).quant;
  const int64_t extent = in[axis], inner = repeated ? 0 : 1;
  const auto side = [&](int64_t first, int64_t count, const char* name) {
    graph::SliceAttributes cut = Whole(in);
    cut.axes[axis] = {first, -1, count};
    Shape shape = in;
    shape[axis] = count;
    return c.Emit({.op = Op::kSlice, .inputs = {x}, .attributes = std::move(cut)},
                  fmt::format(".{}{}", name, axis), quant, shape);
  };
  Node made{.op = Op::kConcat, .attributes = graph::ConcatAttributes{static_cast<int>(axis)}};
  if (before > 0) {
    TESSERA_ASSIGN(const TensorId part, side(before - 1 + inner, before, "before"));
    made.inputs.push_back(part);
  }
  made.inputs.push_back(x);
  if (after > 0) {
    TESSERA_ASSIGN(const TensorId part, side(extent - 1 - inner, after, "after"));
    made.inputs.push_back(part);
  }
  Shape shape = in;
  shape[axis] += before + after;
  return c.Emit(std::move(made), fmt::format(".around{}", axis), quant, shape);
}

// Inputs: the tensor, two pads for each axis.
Status FromMirrorPad(Converter& c) {
  TESSERA_ASSIGN(const auto* options, c.Options<tflite_file::MirrorPadOptions>());
  TESSERA_ASSIGN(TensorId x, c.Activation(0));
  TESSERA_ASSIGN(const auto* from, c.In(0));
  TESSERA_ASSIGN(const std::vector<int64_t> pads, c.Integers(1));
  const size_t rank = from->shape.size();
  const bool repeated = options->mode() == tflite_file::MirrorPadMode::SYMMETRIC;
  if (pads.size() != 2 * rank) return c.Invalid("{} pads for {} axes", pads.size(), rank);
  TESSERA_TRY(c.SameScale(x));
  for (size_t d = 0; d < rank; ++d) {
    const int64_t before = pads[2 * d], after = pads[2 * d + 1];
    const int64_t most = from->shape[d] - (repeated ? 0 : 1);
    if (std::min(before, after) < 0 || std::max(before, after) > most)
      return c.Invalid("pads {} and {} of axis {}; 0 to {} are accepted", before, after, d, most);
    if (before == 0 && after == 0) continue;
    const auto axis = static_cast<size_t>(GraphAxis(rank, static_cast<int>(d)));
    TESSERA_ASSIGN(x, Mirrored(c, x, axis, before, after, repeated));
  }
  return c.Finish({.op = Op::kReshape, .inputs = {x}}, c.tensor(x).shape);
}

constexpr TfliteRow kPartRows[] = {{"REVERSE_V2", 2, 2, FromReverse},
                                   {"MIRROR_PAD", 2, 2, FromMirrorPad},
                                   {"SLICE", 3, 3, FromSlice},
                                   {"STRIDED_SLICE", 4, 4, FromStridedSlice},
                                   {"SPLIT", 2, 2, FromSplit, 1024},
                                   {"SPLIT_V", 3, 3, FromSplitV, 1024},
                                   {"UNPACK", 1, 1, FromUnpack, 1024},
                                   {"PACK", 1, 1024, FromPack},
                                   {"EMBEDDING_LOOKUP", 2, 2, FromEmbedding},
                                   {"GATHER", 2, 2, FromGather},
                                   {"GATHER_ND", 2, 2, FromGatherNd},
                                   {"TILE", 2, 2, FromTile},
                                   {"BROADCAST_TO", 2, 2, FromBroadcastTo}};

}  // namespace

std::span<const TfliteRow> TflitePartRows() { return kPartRows; }

}  // namespace tessera::ops
