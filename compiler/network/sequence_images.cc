// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/sequence_images.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "compiler/network/into_parts.h"
#include "compiler/quantize/params.h"

namespace tessera::network {

using graph::Node;
using graph::Op;
using graph::Shape;
using graph::TensorId;

SequenceImages::SequenceImages(const graph::Graph& given) : graph_(given) { graph_.nodes.clear(); }

const Arrangement* SequenceImages::Of(TensorId id) const {
  const auto found = images_.find(id);
  return found == images_.end() ? nullptr : &found->second;
}

void SequenceImages::MayBe(TensorId id, std::vector<Factors> dims) {
  Put(id, {{}, ImageAxis::kImages, std::move(dims)});
  real_.insert(id);
}

TensorId SequenceImages::Add(Node node, TensorId like, const std::string& label,
                             const Shape& shape) {
  constexpr const char* kArranged = ".arranged";
  const std::string& name = tensor(like).name;
  const bool marked = name.find(kArranged) != std::string::npos;
  node.output = AddLike(graph_, like, name + (marked ? "" : kArranged) + label, shape);
  if (node.name.empty()) node.name = tensor(node.output).name;
  graph_.nodes.push_back(std::move(node));
  return graph_.nodes.back().output;
}

TensorId SequenceImages::Reshape(TensorId id, const Shape& shape) {
  if (ShapeOf(id) == shape) return id;
  TensorId& view = views_.try_emplace({id, shape}, -1).first->second;
  if (view < 0) {
    const std::string label = fmt::format(".view{}", views_.size());
    view = Add({.op = Op::kReshape, .name = "", .inputs = {id}}, id, label, shape);
  }
  return view;
}

TensorId SequenceImages::Cut(TensorId id, size_t axis, int64_t begin, int64_t count) {
  Shape shape = ShapeOf(id);
  if (count == shape[axis]) return id;
  graph::SliceAttributes cut;
  for (const int64_t extent : shape) cut.axes.push_back({0, 1, extent});
  cut.axes[axis] = {begin, 1, count};
  shape[axis] = count;
  const std::string label = fmt::format(".axis{}at{}n{}.cut", axis, begin, graph_.tensors.size());
  return Add({.op = Op::kSlice, .name = "", .inputs = {id}, .attributes = std::move(cut)}, id,
             label, shape);
}

TensorId SequenceImages::ImageFrom(TensorId real, const Arrangement& as) {
  const WayBack way = WayBackOf(as);
  std::vector<int> back(way.perm.size());
  Shape own;  // the tensor's factors
  for (size_t k = 0; k < way.perm.size(); ++k) {
    back[static_cast<size_t>(way.perm[k])] = static_cast<int>(k);
    own.push_back(way.factors[static_cast<size_t>(way.perm[k])]);
  }
  TensorId made = Reshape(real, own);
  if (!std::ranges::is_sorted(back)) {
    made = Add({.op = Op::kTranspose,
                .name = "",
                .inputs = {made},
                .attributes = graph::TransposeAttributes{back}},
               real, ".turned", way.factors);
  }
  return Reshape(made, as.Image());
}

TensorId SequenceImages::Join(const std::vector<TensorId>& parts, size_t axis, TensorId like,
                              const std::string& label) {
  Shape shape = ShapeOf(parts[0]);
  shape[axis] = 0;
  for (const TensorId part : parts) shape[axis] += ShapeOf(part)[axis];
  Node join{.op = Op::kConcat,
            .name = tensor(like).name + label,
            .inputs = parts,
            .attributes = graph::ConcatAttributes{static_cast<int>(axis)}};
  const TensorId joined = Add(std::move(join), like, label, shape);
  const Status attached = quantize::AttachRequant(graph_, graph_.nodes.back());
  TESSERA_CHECK(attached.has_value(), "{}", attached.error().message);  // of equal scales
  return joined;
}

TensorId SequenceImages::ImageOf(TensorId id) {
  Arrangement& from = images_.at(id);
  if (from.parts.empty()) from.parts = {ImageFrom(id, from)};
  if (from.parts.size() > 1) {
    TensorId& joined = joined_.try_emplace(from.parts, -1).first->second;
    if (joined < 0)
      joined = Join(from.parts, from.joined == ImageAxis::kImages ? 0 : 1, id, ".heads");
    from.parts = {joined};
  }
  return Reshape(from.parts[0], from.Image());
}

std::optional<TensorId> SequenceImages::ConstantFor(TensorId id, const Arrangement& like,
                                                    const Shape& shape) {
  const graph::GraphTensor constant = tensor(id);
  if (constant.quant && constant.quant->axis >= 0) return std::nullopt;
  if (constant.count() == 1) return id;
  const size_t lacks = shape.size() - constant.shape.size();
  // Along an image axis, the constant repeats unless an axis of its own counts along it.
  std::array<bool, 3> varies{};
  for (size_t d = lacks; d < shape.size(); ++d) {
    if (constant.shape[d - lacks] == 1) continue;
    for (const Factor& f : like.dims[d]) varies[static_cast<size_t>(f.axis)] = true;
  }
  const Shape image = like.Image();
  graph::GraphTensor made = constant;
  made.name += fmt::format(".arranged{}", graph_.tensors.size());
  made.shape = {varies[0] ? image[0] : 1, varies[1] ? image[1] : 1, 1, varies[2] ? image[3] : 1};
  made.order.clear();
  const std::vector<int64_t> elements = ElementsOf(like);
  const int64_t size = SizeOf(constant.dtype);
  std::vector<uint8_t> bytes(static_cast<size_t>(made.count() * size));
  for (size_t e = 0; e < elements.size(); ++e) {
    const auto at = static_cast<int64_t>(e);
    const int64_t n = at / (image[1] * image[3]), c = at / image[3] % image[1], p = at % image[3];
    int64_t to = varies[0] ? n : 0;
    to = to * made.shape[1] + (varies[1] ? c : 0);
    to = to * made.shape[3] + (varies[2] ? p : 0);
    int64_t from = 0, rest = elements[e], step = 1;
    for (size_t d = shape.size(); d-- > lacks;) {
      const int64_t own = constant.shape[d - lacks];
      from += own == 1 ? 0 : rest % shape[d] * step;
      rest /= shape[d];
      step *= own;
    }
    std::copy_n(constant.data->begin() + from * size, size, bytes.begin() + to * size);
  }
  made.data = std::move(bytes);
  return graph_.AddTensor(std::move(made));
}

void SequenceImages::MakeReal(TensorId id) {
  if (Of(id) == nullptr || !real_.insert(id).second) return;
  TensorId made = ImageOf(id);
  const WayBack way = WayBackOf(images_.at(id));
  if (!std::ranges::is_sorted(way.perm)) {
    made = Reshape(made, way.factors);
    Shape shape;
    for (const int d : way.perm) shape.push_back(way.factors[static_cast<size_t>(d)]);
    made = Add({.op = Op::kTranspose,
                .name = "",
                .inputs = {made},
                .attributes = graph::TransposeAttributes{way.perm}},
               id, ".back", shape);
  }
  graph_.nodes.push_back(
      {.op = Op::kReshape, .name = tensor(id).name + ".real", .inputs = {made}, .output = id});
}

}  // namespace tessera::network
