// SPDX-License-Identifier: Apache-2.0
//
// Recipe: a small quantised network as a list of steps with integer fields, and as text. The fields
// determine the rest of the network (weights, biases, scales, input values), so a failing network
// is a few lines that can be read, shrunk and kept. Depends on: base, compiler/graph.
// Used by: the generator, the shrinker and tests/corpus/networks.
//
//   network seed 7
//   t0 = input shape 1 3 12 12 zero 4
//   t1 = conv t0 seed 19 outs 8 kernel 3 3 pads 1 1 1 1 zero -128 bounds -128 90
//   t2 = add t1 t0 seed 3
//   output t2
#ifndef TESSERA_TESTS_NETWORKS_RECIPE_H_
#define TESSERA_TESTS_NETWORKS_RECIPE_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "compiler/graph/graph.h"

namespace tessera::networks {

// The layer of a step: a block of these networks or, behind the blocks, an operator of
// graph::AllOps() without a block of its name, as in its own example (graph/example.h).
enum class Kind : uint8_t {
  kInput,
  kConv,
  kDepthwise,  // makes outs channels of each channel
  kDense,      // of [N, I]
  kAdd,
  kSub,
  kMul,
  kAvgPool,
  kMaxPool,
  kRescale,
  kFlatten,    // [N, C, H, W] to [N, C * H * W]
  kUnroll,     // [N, C, H, W] to [N, C, 1, H * W]
  kTranspose,  // exchanges y and x
  kPad,
  kConcat,
  kSlice,      // outs indices of an axis, from pads on
  kResize,     // each row and column as often as the kernel says
  kShift,      // a sum, a difference or a product with an int8 constant
  kReal,       // a function in floats between a dequantisation and a quantisation
  kShuffle,    // one channel of each of |groups| parts in turn
  kWiden,      // pads channels: pads[0] in front, pads[2] behind
  kPick,       // outs random channels, some of them twice
  kAttention,  // between the positions of an image, with |groups| heads of |outs| channels
};
inline constexpr size_t kBlocks = 23;
size_t KindCount();
// The operator of |kind|, which is not a block.
graph::Op OpOf(Kind kind);

enum class Field : uint8_t {
  kSeed,      // of weights, biases and scales
  kShape,     // input: batch, channels, y, x; y = 0: [batch, channels]
  kOuts,      // conv, dense, pick: output channels; depthwise: for each channel; slice: indices
  kGroups,    // conv, shuffle
  kKernel,    // y, x; 0: the whole extent; resize: factors
  kStride,    // y, x
  kDilation,  // y, x
  kPads,      // top, left, bottom, right; slice: the first index
  kChannels,  // whether weights have a scale an output channel
  kZero,      // zero point of the result, where it may have its own
  kBounds,    // fused activation
  kAxis,      // concat, slice
  kNhwc,      // the user's side of an input or output has the channels last
};
inline constexpr size_t kFields = 13;

// The name of each field, its number of integers, their defaults and ranges.
struct FieldInfo {
  std::string_view name;
  size_t count;
  std::array<int64_t, 4> usual;  // default, which the text leaves out
  int64_t least, most;
};
const FieldInfo& InfoOf(Field field);
std::string_view NameOf(Kind kind);
// The number of operands of a step of |kind|.
struct Operands {
  size_t least, most;
};
Operands OperandsOf(Kind kind);
// Whether |kind| uses |field|; an unused field has its default.
bool Has(Kind kind, Field field);

struct Step {
  Kind kind = Kind::kInput;
  std::vector<int> from;  // indices of earlier steps
  std::array<std::array<int64_t, 4>, kFields> fields;

  Step();
  explicit Step(Kind the_kind, std::vector<int> operands = {}) : Step() {
    kind = the_kind;
    from = std::move(operands);
  }
  std::array<int64_t, 4>& operator[](Field f) { return fields[static_cast<size_t>(f)]; }
  const std::array<int64_t, 4>& operator[](Field f) const { return fields[static_cast<size_t>(f)]; }
  bool operator==(const Step&) const = default;
};

struct Recipe {
  uint64_t seed = 0;  // of the input values
  std::vector<Step> steps;
  std::vector<int> outputs;
  bool operator==(const Recipe&) const = default;
};

// The recipe as text; Parse(Print(r)) is r.
std::string Print(const Recipe& recipe);

// |place| begins each message; lines that begin with # are comments.
//   errors  kInvalidArgument  with the line, the word and the words allowed there
Result<Recipe> Parse(std::string_view text, const std::string& place);

}  // namespace tessera::networks

#endif  // TESSERA_TESTS_NETWORKS_RECIPE_H_
