// SPDX-License-Identifier: Apache-2.0
//
// Arrangement: where the elements of a tensor are in images of sequences. Reshapes and
// transpositions only change it. Depends on: compiler/graph. Used by: network/sequences.h.
#ifndef TESSERA_COMPILER_NETWORK_ARRANGEMENT_H_
#define TESSERA_COMPILER_NETWORK_ARRANGEMENT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/graph/graph.h"

namespace tessera::network {

// The axes of an image [images, channels, y, x], whose positions are y and x together.
enum class ImageAxis : uint8_t { kImages, kChannels, kPositions };

// A factor of an index: it counts so many images, channels or positions, |stride| apart.
struct Factor {
  ImageAxis axis = ImageAxis::kImages;
  int64_t stride = 1, extent = 1;
  bool operator==(const Factor&) const = default;
};
// The factors of one axis of a tensor, the outermost first, without those of extent 1.
using Factors = std::vector<Factor>;

// The elements of a tensor are those of |parts|, images that follow each other along |joined|. Each
// element of the images is there once.
struct Arrangement {
  std::vector<graph::TensorId> parts;
  ImageAxis joined = ImageAxis::kImages;
  std::vector<Factors> dims;  // by axis of the tensor

  int64_t ExtentOf(ImageAxis axis) const;  // of all parts together
  graph::Shape Image() const;              // [images, channels, 1, positions]
  // Whether axis |dim| is all of |axis| in order, and that alone.
  bool IsWhole(size_t dim, ImageAxis axis) const;
};

// The arrangement of image |id|, under its own shape.
Arrangement ArrangementOf(const graph::Graph& graph, graph::TensorId id);

// The elements in the same order under |shape|, which has as many; nothing: a factor of an index is
// cut unevenly.
std::optional<Arrangement> Reshaped(const Arrangement& from, const graph::Shape& shape);
// Axis k of the result is axis |perm|[k].
Arrangement Transposed(const Arrangement& from, const std::vector<int>& perm);

// The steps from the joined image back to the tensor: a reshape, a transposition, a reshape.
struct WayBack {
  graph::Shape factors;   // of the image, row-major
  std::vector<int> perm;  // of these, to those of the tensor
};
WayBack WayBackOf(const Arrangement& from);

// By element of the image, row-major: the tensor's element that it is, row-major.
std::vector<int64_t> ElementsOf(const Arrangement& from);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_ARRANGEMENT_H_
