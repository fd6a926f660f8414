// SPDX-License-Identifier: Apache-2.0
//
// Attributes: the parameters of a node besides its operands, in a struct that the operator chooses.
// This file holds structs that several files read; a struct that only one operator's file uses is
// in that file. Depends on: base. Used by: graph.h, the operators, the importers, the passes.
#ifndef TESSERA_COMPILER_GRAPH_ATTRIBUTES_H_
#define TESSERA_COMPILER_GRAPH_ATTRIBUTES_H_

#include <any>
#include <array>
#include <concepts>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"

namespace tessera::graph {

// A struct of any copyable type, or nothing, which means the defaults of the struct.
class Attributes {
 public:
  Attributes() = default;
  template <typename T>
  requires(!std::same_as<std::remove_cvref_t<T>, Attributes>) Attributes(T value)
      : value_(std::move(value)) {}  // NOLINT: a node is written with its struct

  // Whether the attributes are of type T or nothing.
  template <typename T>
  bool Fit() const {
    return !value_.has_value() || std::any_cast<T>(&value_) != nullptr;
  }
  bool empty() const { return !value_.has_value(); }

  // Attributes of another type are a bug in the caller: graph::Verify refuses them.
  template <typename T>
  const T& As() const {
    static const T kUsual{};
    if (!value_.has_value()) return kUsual;
    const T* value = std::any_cast<T>(&value_);
    TESSERA_CHECK(value != nullptr, "attributes of another operator");
    return *value;
  }
  template <typename T>
  T& Edit() {
    if (!value_.has_value()) value_ = T{};
    T* value = std::any_cast<T>(&value_);
    TESSERA_CHECK(value != nullptr, "attributes of another operator");
    return *value;
  }

 private:
  std::any value_;
};

// The fill around a tensor: a value; the elements mirrored at the edge, without repeating the edge;
// the edge element; the elements again from the other side.
enum class PadMode : uint8_t { kConstant, kReflect, kEdge, kWrap };

// A window over the two spatial axes (y, x). 1-D operators have extent 1 along y.
struct Window {
  std::array<int64_t, 2> kernel{1, 1}, stride{1, 1}, dilation{1, 1};
  std::array<int64_t, 2> pad_before{0, 0}, pad_after{0, 0};
  // Elements along axis |d| from its first tap to its last.
  int64_t Reach(int d) const;
  // Output extent along axis |d| for input extent |in|; <= 0: the window does not fit.
  int64_t OutExtent(int d, int64_t in) const;
  bool operator==(const Window&) const = default;
};

struct ConvAttributes {
  Window window;
  int64_t groups = 1;
  bool single = false;  // input and weight scales are multiplied in float32
  // What passes added with weights of 0; products with it do not count. Taps of each row of the
  // window (network/group_columns.h); channels of the operand, in each group, and of the result
  // (network/move_channels.h).
  int64_t idle = 0, idle_inputs = 0, idle_outputs = 0;
};
struct PoolAttributes {
  Window window;
  bool upwards = false;  // int8 averages round halves up instead of away from zero
};
struct TransposeAttributes {
  std::vector<int> perm;  // dimension k of the result is dimension perm[k] of the operand
};
struct PadAttributes {
  std::vector<std::array<int64_t, 2>> pads;  // pads before and after, for each dimension
  int32_t value = 0;                         // for integers
  float real = 0;                            // for floats
  PadMode mode = PadMode::kConstant;
};
// Indices begin, begin + step, ... of an axis, |count| of them.
struct AxisCut {
  int64_t begin = 0, step = 1, count = 1;
};
struct SliceAttributes {
  std::vector<AxisCut> axes;  // one per axis
};
// The meaning of the index tensor. kSlices: slices of axis |axis|. kElements: one element for each
// index, along |axis|. kPoints: rows of indices behind |axis| batch axes.
struct GatherAttributes {
  enum class Form : uint8_t { kSlices, kElements, kPoints };
  Form form = Form::kSlices;
  int axis = 0;
};
// Reductions along |axes|; each axis occurs once.
struct AxesAttributes {
  std::vector<int> axes;
};
struct ArgAttributes {
  int axis = 0;
  bool last = false;  // of equal values take the last, else the first
};
struct ConcatAttributes {
  int axis = 0;
};
// Element (y, x) of the result is element (y / steps[0], x / steps[1]) of image
// y % steps[0] * steps[1] + x % steps[1]. An operand is an image, with |columns| neighbouring
// columns as channels: channel c of the image's column x is channel x % columns * C + c of the
// operand's column x / columns, where the image has C channels. With |channels|, so many of each
// operand take turns instead.
struct InterleaveAttributes {
  std::array<int64_t, 2> steps{1, 1};
  int64_t columns = 1;
  int64_t channels = 0;
};
struct SoftmaxAttributes {
  double beta = 1;  // softmax(beta * x)
  int axis = -1;    // -1: the last one
};
struct LeakyReluAttributes {
  float alpha = 0.01f;
};
// Parameters of functions of one value (elu, hardsigmoid and so on), in ONNX's order.
struct CurveAttributes {
  float first = 0, second = 0;
};
// IsInf: the signs to look for.
struct InfinityAttributes {
  bool negative = true, positive = true;
};
// For each int8 value, the least one first, the result's.
struct TableAttributes {
  std::vector<int8_t> values;
};
// For each row (column) of the result: the row (column) of the operand to copy.
struct ResizeAttributes {
  std::vector<int64_t> rows, columns;
};
// |window|'s pads are the rows and columns cut off the full result; |out| is the remaining extent.
struct TransposedConvAttributes {
  Window window;
  std::array<int64_t, 2> out{1, 1};
  bool single = false;  // see ConvAttributes
};
// Scale: multiply by 31-bit multipliers, shift (positive: left) and add |zero|. One multiplier for
// each index of the last axis, or one for all.
struct ScaleAttributes {
  std::vector<int32_t> multiplier{1 << 30};
  std::vector<int8_t> shift{0};
  int32_t zero = 0;
};
// Add, Sub of int16 with scales that are powers of two: one operand has the result's scale, the
// other is shifted to it first.
struct SumAttributes {
  bool shifted = false;
};
// MatMul.
struct ProductAttributes {
  bool single = false;   // see FactorAttributes
  bool columns = false;  // the first operand is [.., K, M], not [.., M, K]
  // The second operand has one 1 in each column and zeros: the product has the first one's integers
  // and scale, at other places.
  bool moves = false;
};
// Mul, Rescale.
struct FactorAttributes {
  bool single = false;  // the scales are multiplied and divided in float32, not in double
};

}  // namespace tessera::graph

#endif  // TESSERA_COMPILER_GRAPH_ATTRIBUTES_H_
