// SPDX-License-Identifier: Apache-2.0
//
// Passes over graphs make layers that compute a part of a tensor of the definition. The marks
// behind a layer's name say which part. Depends on: compiler/graph, runtime/tensor. Used by:
// agree.cc.
#ifndef TESSERA_TESTS_NETWORKS_PIECE_H_
#define TESSERA_TESTS_NETWORKS_PIECE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "runtime/tensor/tensor.h"

namespace tessera::networks {

class Piece {
 public:
  // |name|: of a layer's result, with its marks.
  explicit Piece(std::string name);

  const std::string& of() const { return of_; }       // the tensor
  bool shared() const { return first_.has_value(); }  // a part of a layer that two devices make
  // What |got| should be, if the tensor of |graph| is |whole|.
  std::vector<uint8_t> ValuesIn(const graph::Graph& graph, const std::vector<uint8_t>& whole,
                                const HostTensor& got) const;

 private:
  size_t ChannelsIn(const graph::Graph& graph) const;  // of an image of the tensor of ValuesIn

  std::string of_;
  bool arranged_ = false;      // a sequence as an image: it has the elements at other places
  std::optional<bool> first_;  // of a shared layer: whether it has the first channels or rows
  std::optional<size_t> part_, phase_, row_, columns_, image_;
  // Its channels are in another order: those of an operand of a concatenation.
  bool moved_ = false;
  std::optional<size_t> moved_part_;
};

}  // namespace tessera::networks

#endif  // TESSERA_TESTS_NETWORKS_PIECE_H_
