// SPDX-License-Identifier: Apache-2.0
//
// The layers that random networks are made of, each with random fields. Depends on: the recipe.
// Used by: generate.cc.
#ifndef TESSERA_TESTS_NETWORKS_BLOCKS_H_
#define TESSERA_TESTS_NETWORKS_BLOCKS_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "base/rng.h"
#include "tests/networks/recipe.h"

namespace tessera::networks {

// [batch, channels, y, x], or y = 0: [batch, channels].
using ImageShape = std::array<int64_t, 4>;

// Upper limits for the layers of a network.
struct BlockLimits {
  int64_t channels = 48;
  int64_t macs = 300'000;     // of a layer
  int64_t elements = 16'384;  // of what an operator's example makes
};

class Blocks {
 public:
  Blocks(uint64_t seed, BlockLimits limits) : limits_(limits), rng_(seed) { recipe_.seed = seed; }

 protected:
  const ImageShape& S(int id) const { return shapes_[static_cast<size_t>(id)]; }
  const ImageShape& Cur() const { return S(cur_); }
  int64_t CountOf(int id) const { return S(id)[0] * S(id)[1] * S(id)[2] * S(id)[3]; }
  bool Chance(int64_t percent) { return rng_.Range(1, 100) <= percent; }
  int64_t Pick(std::initializer_list<int64_t> of) {
    return of.begin()[rng_.Range(0, static_cast<int64_t>(of.size()) - 1)];
  }
  int64_t Channels();
  // Output channels, |wanted| or fewer, within the limit when a channel takes |each| products.
  int64_t Fewer(int64_t wanted, int64_t each) const;

  // Each function adds a step, returns its number and makes it the current one.
  int Add(Step step, ImageShape shape);
  int Conv(int from);
  // A convolution of kernel |k| with |outs| channels; at stride 1 the extents stay.
  int Same(int from, int64_t outs, int64_t k, int64_t stride);
  int Depthwise(int from);
  int Elementwise(Kind kind, int a, int b);
  int Pool(int from);
  // A pool of kernel |k| by |k|; the extents stay.
  int SamePool(int from, int64_t k);
  int Pad(int from, int64_t most);
  int Concat(std::vector<int> parts);
  // |count| channels from channel |first| on.
  int Slice(int from, int64_t first, int64_t count);
  // One channel of each of |groups| parts in turn.
  int Shuffle(int from, int64_t groups);
  // |before| channels of zeros in front, |after| behind.
  int Widen(int from, int64_t before, int64_t after);
  // |count| random channels.
  int Gather(int from, int64_t count);
  // Each row and column |times| times.
  int Resize(int from, int64_t times);
  // Attention between the positions of an image, of 64 at most; mostly they and the channels of a
  // head fill blocks of 16. Adds nothing to a large image of several in a batch.
  void Attention();
  int Dense(int64_t outs);
  // A sum or a product with a constant, or a function in floats.
  int Function();
  // Adds a random operator that no block covers; at the |end| also one whose result is not an
  // image. Adds nothing if the operator does not take the current result, or exceeds the limits.
  void Operator(bool end);
  // Multiplies the matrices of |a| by the transposed matrices of |b|, which has the same shape;
  // adds nothing beyond the limits.
  void Product(int a, int b);
  // A transposed convolution; adds nothing beyond the limits.
  void Up(int from);
  void Residual();

  // Adds |step| as the current one, if it makes a network within the limits.
  void Try(Step step, bool end);

  // Draws a zero point, and the bounds of a fused activation.
  void Result(Step& step);
  // Fills in |step|'s window over |in|; returns the result's y and x.
  std::array<int64_t, 2> Window(Step& step, const ImageShape& in, bool pads, bool dilate);
  // Draws strides, dilations and pads for the kernel of |step|.
  std::array<int64_t, 2> FitWindow(Step& step, const ImageShape& in, bool pads, bool dilate);

  const BlockLimits limits_;
  Rng rng_;
  Recipe recipe_;
  std::vector<ImageShape> shapes_;
  int cur_ = -1;
};

}  // namespace tessera::networks

#endif  // TESSERA_TESTS_NETWORKS_BLOCKS_H_
