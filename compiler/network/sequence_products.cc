// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/sequence_products.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace tessera::network {
namespace {

using graph::Node;
using graph::Op;
using graph::Shape;
using graph::TensorId;

// An operand of a product: a matrix for each image and head.
struct Operand {
  TensorId id = -1;
  Arrangement image;
  std::optional<Factor> head;  // heads are channels or images; nothing: there is one
  int64_t summed = 0, other = 0;
  bool turned = false;  // positions are summed; channels otherwise
};

class ProductMaker {
 public:
  ProductMaker(const Node& node, const isa::Config& config, SequenceImages* images)
      : node_(node), config_(config), images_(*images), rank_(images->ShapeOf(node.output).size()) {
    for (size_t k = 0; k < 2; ++k) operands_[k].id = node.inputs[k];
  }

  bool Run() {
    const auto& attributes = node_.As<graph::ProductAttributes>();
    if (!node_.requant || attributes.columns || rank_ < 2) return false;
    for (Operand& operand : operands_) {
      const Arrangement* known = images_.Of(operand.id);
      if (known == nullptr || known->dims.size() != rank_) return false;
      operand.image = *known;
    }
    if (!FindHeads()) return false;
    for (size_t k = 0; k < 2; ++k) {
      if (!FindRoles(k)) return false;
    }
    // The second operand's columns are the result's last axis: they are channels, if they may be.
    weights_ = CanBeWeights(1) ? 1 : 0;
    if (!CanBeWeights(weights_) || !CanBeInput(1 - weights_)) return false;
    Make();
    return true;
  }

 private:
  // The leading axis with the heads is the one that is elsewhere in the two operands, or in
  // channels.
  bool FindHeads() {
    for (size_t d = 0; d + 2 < rank_; ++d) {
      const Factors &a = operands_[0].image.dims[d], &b = operands_[1].image.dims[d];
      const auto in_images = [](const Factors& dim) {
        return std::ranges::all_of(dim,
                                   [](const Factor& f) { return f.axis == ImageAxis::kImages; });
      };
      if (a == b && in_images(a)) continue;
      if (head_dim_ || a.size() != 1 || b.size() != 1 || a[0].extent != b[0].extent) return false;
      head_dim_ = d;
      heads_ = a[0].extent;
      operands_[0].head = a[0], operands_[1].head = b[0];
    }
    for (Operand& operand : operands_) {
      if (!operand.head) continue;
      const Factor& f = *operand.head;
      if (f.axis == ImageAxis::kPositions || f.stride * f.extent != operand.image.ExtentOf(f.axis))
        return false;  // a head's images or channels are apart
    }
    return ImagesOf(operands_[0]) == ImagesOf(operands_[1]);
  }

  // Of a head.
  static int64_t ImagesOf(const Operand& operand) {
    const int64_t all = operand.image.ExtentOf(ImageAxis::kImages);
    const bool heads = operand.head && operand.head->axis == ImageAxis::kImages;
    return heads ? all / operand.head->extent : all;
  }
  static int64_t ChannelsOf(const Operand& operand) {
    const int64_t all = operand.image.ExtentOf(ImageAxis::kChannels);
    const bool heads = operand.head && operand.head->axis == ImageAxis::kChannels;
    return heads ? all / operand.head->extent : all;
  }

  bool FindRoles(size_t k) {
    Operand& operand = operands_[k];
    const size_t summed = k == 0 ? rank_ - 1 : rank_ - 2, other = k == 0 ? rank_ - 2 : rank_ - 1;
    const auto is_channels = [&](const Factors& dim) {
      const int64_t own = ChannelsOf(operand);
      return dim == (own == 1 ? Factors{} : Factors{{ImageAxis::kChannels, 1, own}});
    };
    const Factors& dim = operand.image.dims[summed];
    const Factors& rest = operand.image.dims[other];
    operand.summed = images_.ShapeOf(operand.id)[summed];
    operand.other = images_.ShapeOf(operand.id)[other];
    if (operand.summed == 1) return false;
    operand.turned = !is_channels(dim);
    if (!operand.turned) return operand.image.IsWhole(other, ImageAxis::kPositions);
    return operand.image.IsWhole(summed, ImageAxis::kPositions) && is_channels(rest);
  }

  bool IsBlocks(int64_t count) const { return count % config_.block_out == 0; }
  // Whether a head of the image [images, summed, other] lies as weights.
  bool Lies(int64_t summed, int64_t other) const {
    return IsBlocks(summed) && IsBlocks(other) && config_.block_in == config_.block_out &&
           std::min(ImagesOf(operands_[0]), config_.batch) == 1;
  }
  bool CanBeWeights(size_t k) const { return Lies(operands_[k].summed, operands_[k].other); }
  // Of one row, another shape turns it.
  bool CanBeInput(size_t k) const {
    const Operand& operand = operands_[k];
    return !operand.turned || operand.other == 1 || Lies(operand.summed, operand.other);
  }

  // Whether the heads of operand |k| are images.
  bool HeadsAreImages(size_t k) const {
    return operands_[k].head && operands_[k].head->axis == ImageAxis::kImages;
  }

  // Head |head| of operand |k| as [images, summed, other]; -1: all heads, which are images.
  TensorId Piece(size_t k, int64_t head) {
    const Operand& operand = operands_[k];
    const int64_t channels = ChannelsOf(operand), images = head < 0 ? heads_ : ImagesOf(operand);
    TensorId piece = images_.ImageOf(operand.id);
    if (head >= 0 && HeadsAreImages(k)) piece = images_.Cut(piece, 0, head * images, images);
    if (operand.head && operand.head->axis == ImageAxis::kChannels)
      piece = images_.Cut(piece, 1, head * channels, channels);
    const Shape natural{images, operand.summed, operand.other};
    if (!operand.turned || operand.other == 1) return images_.Reshape(piece, natural);
    piece = images_.Reshape(piece, {images, operand.other, operand.summed});
    const std::string label = fmt::format("{}.turned{}.", node_.name, k);
    Node turn{.op = Op::kMatMul,
              .name = label + std::to_string(head),
              .inputs = {piece, Identity(images, operand.other, label)},
              .attributes = graph::ProductAttributes{.columns = true, .moves = true}};
    turn.requant = graph::Requant{.bias = {0}, .multiplier = {1 << 30}, .shift = {1}};
    return images_.Add(std::move(turn), operand.id, fmt::format(".{}{}", label, head), natural);
  }

  // The identity of |size| rows, for each image.
  TensorId Identity(int64_t images, int64_t size, const std::string& label) {
    const auto known = identities_.find(size);
    if (known != identities_.end()) return known->second;
    graph::GraphTensor made{.name = label + "identity",
                            .shape = {images, size, size},
                            .quant = graph::Quant{{1.0}, {0}, -1}};
    made.data.emplace(static_cast<size_t>(made.count()));
    for (int64_t k = 0; k < images * size; ++k)
      (*made.data)[static_cast<size_t>(k * size + k % size)] = 1;
    return identities_[size] = images_.graph().AddTensor(std::move(made));
  }

  // All heads of operand |k| as images.
  TensorId Together(size_t k) {
    if (HeadsAreImages(k)) return Piece(k, -1);
    std::vector<TensorId> pieces;
    for (int64_t head = 0; head < heads_; ++head) pieces.push_back(Piece(k, head));
    return images_.Join(pieces, 0, operands_[k].id, fmt::format(".{}.operand{}", node_.name, k));
  }

  TensorId Product(TensorId weights, TensorId input, const std::string& label) {
    Node product = node_;
    product.name += label;
    product.Edit<graph::ProductAttributes>().columns = true;
    product.inputs = {weights, input};
    const Shape shape{images_.ShapeOf(input)[0], operands_[weights_].other,
                      operands_[1 - weights_].other};
    return images_.Add(std::move(product), node_.output, label.empty() ? ".product" : label, shape);
  }

  void Make() {
    const Operand &weights = operands_[weights_], &input = operands_[1 - weights_];
    const int64_t images = ImagesOf(weights);
    // Heads of channels on both sides become images, which softmax takes together; others go back
    // to the channels.
    const auto by = [](const Operand& o) { return o.head ? o.head->axis : ImageAxis::kImages; };
    const bool to_images = by(weights) == by(input) && by(weights) == ImageAxis::kChannels;
    Arrangement made{.joined = to_images ? ImageAxis::kImages : ImageAxis::kChannels, .dims = {}};
    // One product has a matrix for each image. Heads that are images on one side become so on the
    // other; of one image, whole blocks of channels of the result are its heads then.
    const bool together = heads_ > 1 && images == 1 && config_.batch == 1 &&
                          (HeadsAreImages(0) || HeadsAreImages(1)) && IsBlocks(weights.other);
    if (together) {
      const TensorId all = Product(Together(weights_), Together(1 - weights_), "");
      made.parts = {images_.Reshape(all, {1, heads_ * weights.other, 1, input.other})};
    }
    for (int64_t head = 0; head < heads_ && !together; ++head) {
      made.parts.push_back(Product(Piece(weights_, head), Piece(1 - weights_, head),
                                   heads_ == 1 ? "" : fmt::format(".head{}", head)));
    }
    made.dims = operands_[0].image.dims;
    if (head_dim_)
      made.dims[*head_dim_] = {{made.joined, to_images ? images : weights.other, heads_}};
    const auto all = [](ImageAxis axis, int64_t extent) {
      return extent == 1 ? Factors{} : Factors{{axis, 1, extent}};
    };
    const size_t channels = weights_ == 1 ? rank_ - 1 : rank_ - 2;
    made.dims[channels] = all(ImageAxis::kChannels, weights.other);
    made.dims[2 * rank_ - 3 - channels] = all(ImageAxis::kPositions, input.other);
    images_.Put(node_.output, std::move(made));
  }

  const Node& node_;
  const isa::Config& config_;
  SequenceImages& images_;
  const size_t rank_;
  Operand operands_[2];
  std::optional<size_t> head_dim_;
  int64_t heads_ = 1;
  size_t weights_ = 1;                      // the operand that is weights
  std::map<int64_t, TensorId> identities_;  // by rows
};

}  // namespace

bool ProductInImages(const Node& node, const isa::Config& config, SequenceImages* images) {
  return ProductMaker(node, config, images).Run();
}

}  // namespace tessera::network
