// SPDX-License-Identifier: Apache-2.0
//
// The images that a graph's sequences have become, and the nodes that bring tensors into images and
// back. Internal to network/sequences.cc and network/sequence_products.cc. Depends on:
// compiler/graph, network/arrangement.h.
#ifndef TESSERA_COMPILER_NETWORK_SEQUENCE_IMAGES_H_
#define TESSERA_COMPILER_NETWORK_SEQUENCE_IMAGES_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/network/arrangement.h"

namespace tessera::network {

class SequenceImages {
 public:
  // A graph with the tensors of |given|, without nodes.
  explicit SequenceImages(const graph::Graph& given);

  graph::Graph& graph() { return graph_; }
  const graph::GraphTensor& tensor(graph::TensorId id) const { return graph_.tensor(id); }
  const graph::Shape& ShapeOf(graph::TensorId id) const { return tensor(id).shape; }

  // Where |id| is in images; null: it is made as it is.
  const Arrangement* Of(graph::TensorId id) const;
  void Put(graph::TensorId id, Arrangement made) { images_.insert_or_assign(id, std::move(made)); }
  // Lets |id|, which is made as it is, be an image too, as soon as somebody asks for it.
  void MayBe(graph::TensorId id, std::vector<Factors> dims);

  // Adds |node|, whose result is like |like| but has |shape| and the name of |like| with a mark and
  // |label| behind it; the mark alone for the image of all of |like|.
  graph::TensorId Add(graph::Node node, graph::TensorId like, const std::string& label,
                      const graph::Shape& shape);
  graph::TensorId Reshape(graph::TensorId id, const graph::Shape& shape);
  // The image of |id|, of all parts, as [images, channels, 1, positions].
  graph::TensorId ImageOf(graph::TensorId id);
  // Indices [begin, begin + count) of |axis| of image |id|, which may be all.
  graph::TensorId Cut(graph::TensorId id, size_t axis, int64_t begin, int64_t count);
  // |parts| behind each other along |axis|, with the name of |like| and |label|.
  graph::TensorId Join(const std::vector<graph::TensorId>& parts, size_t axis, graph::TensorId like,
                       const std::string& label);
  // Constant |id|, an operand of an elementwise operator with a result of |shape| arranged as
  // |like|, as an operand of that result's image; nothing: it has scales along an axis.
  std::optional<graph::TensorId> ConstantFor(graph::TensorId id, const Arrangement& like,
                                             const graph::Shape& shape);
  // Makes |id| as it is.
  void MakeReal(graph::TensorId id);

 private:
  graph::TensorId ImageFrom(graph::TensorId real, const Arrangement& as);

  graph::Graph graph_;
  std::map<graph::TensorId, Arrangement> images_;  // without parts: not made yet
  std::set<graph::TensorId> real_;                 // of them: those made as they are, too
  std::map<std::vector<graph::TensorId>, graph::TensorId> joined_;
  std::map<std::pair<graph::TensorId, graph::Shape>, graph::TensorId> views_;
};

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_SEQUENCE_IMAGES_H_
