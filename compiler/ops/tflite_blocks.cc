// SPDX-License-Identifier: Apache-2.0
//
// Moves blocks of an image to channels or to the batch, and back. TFLite DEPTH_TO_SPACE,
// SPACE_TO_DEPTH, SPACE_TO_BATCH_ND, BATCH_TO_SPACE_ND.
#include "compiler/ops/composed.h"
#include "compiler/ops/slice.h"

namespace tessera::ops {
namespace {

constexpr int64_t kMostBlock = 1 << 12;

// |x| reshaped to |split|, transposed by |perm|, reshaped to the result's |shape|; all [N, C, H,
// W].
Status Regrouped(Converter& c, TensorId x, const Shape& split, const std::vector<int>& perm,
                 const Shape& shape) {
  const auto quant = c.tensor(x).quant;
  Shape moved;
  for (const int d : perm) moved.push_back(split[static_cast<size_t>(d)]);
  TESSERA_ASSIGN(x, c.Emit({.op = Op::kReshape, .inputs = {x}}, ".split", quant, split));
  TESSERA_ASSIGN(
      x,
      c.Emit({.op = Op::kTranspose, .inputs = {x}, .attributes = graph::TransposeAttributes{perm}},
             ".moved", quant, moved));
  return c.Finish({.op = Op::kReshape, .inputs = {x}}, shape);
}

Status FromDepthToSpace(Converter& c) {
  TESSERA_ASSIGN(const auto* options, c.Options<tflite_file::DepthToSpaceOptions>());
  TESSERA_ASSIGN(const TensorId x, c.Spatial());
  const int64_t b = options->block_size();
  const Shape in = c.tensor(x).shape;
  if (b < 1 || b > kMostBlock || in[1] % (b * b) != 0)
    return c.Invalid("blocks of {} x {} of {} channels", b, b, in[1]);
  TESSERA_TRY(c.SameScale(x));
  const int64_t left = in[1] / (b * b);
  return Regrouped(c, x, {in[0], b, b, left, in[2], in[3]}, {0, 3, 4, 1, 5, 2},
                   {in[0], left, in[2] * b, in[3] * b});
}

Status FromSpaceToDepth(Converter& c) {
  TESSERA_ASSIGN(const auto* options, c.Options<tflite_file::SpaceToDepthOptions>());
  TESSERA_ASSIGN(const TensorId x, c.Spatial());
  const int64_t b = options->block_size();
  const Shape in = c.tensor(x).shape;
  if (b < 1 || b > kMostBlock || in[2] % b != 0 || in[3] % b != 0)
    return c.Invalid("blocks of {} x {} of an image of {} x {}", b, b, in[2], in[3]);
  TESSERA_TRY(c.SameScale(x));
  const int64_t high = in[2] / b, wide = in[3] / b;
  return Regrouped(c, x, {in[0], in[1], high, b, wide, b}, {0, 3, 5, 1, 2, 4},
                   {in[0], in[1] * b * b, high, wide});
}

// The block sizes of input 1; input 2 gives the padding around the image, or the crop.
struct Blocks {
  std::array<int64_t, 2> size{}, before{}, after{};
};
Result<Blocks> BlocksOf(const Converter& c) {
  TESSERA_ASSIGN(const std::vector<int64_t> size, c.Integers(1));
  TESSERA_ASSIGN(const std::vector<int64_t> edges, c.Integers(2));
  if (size.size() != 2 || edges.size() != 4)
    return c.Unsupported("{} block extents and {} edges; 2 and 4, of an image, are supported",
                         size.size(), edges.size());
  for (const int64_t v : size) {
    if (v < 1 || v > kMostBlock) return c.Invalid("a block of extent {}", v);
  }
  for (const int64_t v : edges) {
    if (v < 0 || v > 1 << 20) return c.Invalid("an edge of {}", v);
  }
  return Blocks{{size[0], size[1]}, {edges[0], edges[2]}, {edges[1], edges[3]}};
}

Status FromSpaceToBatch(Converter& c) {
  TESSERA_ASSIGN(TensorId x, c.Spatial());
  TESSERA_ASSIGN(const Blocks blocks, BlocksOf(c));
  TESSERA_TRY(c.SameScale(x));
  Shape in = c.tensor(x).shape;
  const auto quant = c.tensor(x).quant;
  graph::PadAttributes pad{.pads = {{0, 0}, {0, 0}}, .value = c.tensor(x).zero()};
  for (size_t d = 0; d < 2; ++d) {
    pad.pads.push_back({blocks.before[d], blocks.after[d]});
    in[2 + d] += blocks.before[d] + blocks.after[d];
    if (in[2 + d] % blocks.size[d] != 0)
      return c.Invalid("an extent of {} does not divide into blocks of {}", in[2 + d],
                       blocks.size[d]);
  }
  if (in != c.tensor(x).shape) {
    TESSERA_ASSIGN(x, c.Emit({.op = Op::kPad, .inputs = {x}, .attributes = std::move(pad)},
                             ".padded", quant, in));
  }
  const auto [b, d] = blocks.size;
  return Regrouped(c, x, {in[0], in[1], in[2] / b, b, in[3] / d, d}, {3, 5, 0, 1, 2, 4},
                   {in[0] * b * d, in[1], in[2] / b, in[3] / d});
}

Status FromBatchToSpace(Converter& c) {
  TESSERA_ASSIGN(TensorId x, c.Spatial());
  TESSERA_ASSIGN(const Blocks blocks, BlocksOf(c));
  TESSERA_TRY(c.SameScale(x));
  const auto [b, d] = blocks.size;
  const Shape in = c.tensor(x).shape;
  if (in[0] % (b * d) != 0) return c.Invalid("{} images in blocks of {} x {}", in[0], b, d);
  const int64_t images = in[0] / (b * d);
  const Shape full{images, in[1], in[2] * b, in[3] * d};
  graph::SliceAttributes cut = Whole(full);
  Shape shape = full;
  for (size_t k = 0; k < 2; ++k) {
    shape[2 + k] -= blocks.before[k] + blocks.after[k];
    if (shape[2 + k] < 1) return c.Invalid("nothing is left of an extent of {}", full[2 + k]);
    cut.axes[2 + k] = {blocks.before[k], 1, shape[2 + k]};
  }
  if (shape == full)
    return Regrouped(c, x, {b, d, images, in[1], in[2], in[3]}, {2, 3, 4, 0, 5, 1}, shape);
  const auto quant = c.tensor(x).quant;
  TESSERA_ASSIGN(x, c.Emit({.op = Op::kReshape, .inputs = {x}}, ".split", quant,
                           {b, d, images, in[1], in[2], in[3]}));
  TESSERA_ASSIGN(x, c.Emit({.op = Op::kTranspose,
                            .inputs = {x},
                            .attributes = graph::TransposeAttributes{{2, 3, 4, 0, 5, 1}}},
                           ".moved", quant, {images, in[1], in[2], b, in[3], d}));
  TESSERA_ASSIGN(x, c.Emit({.op = Op::kReshape, .inputs = {x}}, ".full", quant, full));
  return c.Finish({.op = Op::kSlice, .inputs = {x}, .attributes = std::move(cut)}, shape);
}

constexpr TfliteRow kBlockRows[] = {{"DEPTH_TO_SPACE", 1, 1, FromDepthToSpace},
                                    {"SPACE_TO_DEPTH", 1, 1, FromSpaceToDepth},
                                    {"SPACE_TO_BATCH_ND", 3, 3, FromSpaceToBatch},
                                    {"BATCH_TO_SPACE_ND", 3, 3, FromBatchToSpace}};

}  // namespace

std::span<const TfliteRow> TfliteBlockRows() { return kBlockRows; }

}  // namespace tessera::ops
