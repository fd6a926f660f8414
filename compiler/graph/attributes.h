// SPDX-License-Identifier: Apache-2.0
//
// Attributes: what a node says beside its operands, a struct that its operator chooses. The structs
// here are those that more than one file reads; an operator may as well have one that only its own
// file knows. Depends on: base. Used by: graph.h, the operators, the importers, the passes.
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

// A struct of any copyable type, or nothing, which stands for the struct's defaults.
class Attributes {
 public:
  Attributes() = default;
  template <typename T>
  requires(!std::same_as<std::remove_cvref_t<T>, Attributes>) Attributes(T value)
      : value_(std::move(value)) {}  // NOLINT: a node is written with its struct

  // Whether these are attributes of type T.
  template <typename T>
  bool Fit() const {
    return !value_.has_value() || std::any_cast<T>(&value_) != nullptr;
  }
  bool empty() const { return !value_.has_value(); }

  // Attributes of another type are a bug: graph::Verify refuses them.
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

// What stands around a tensor: a value; its elements mirrored at the edge, which is not repeated;
// the edge; its elements again.
enum class PadMode : uint8_t { kConstant, kReflect, kEdge, kWrap };

// A window over the two spatial axes (y, x). 1-D operators have extent 1 along y.
struct Window {
  std::array<int64_t, 2> kernel{1, 1}, stride{1, 1}, dilation{1, 1};
  std::array<int64_t, 2> pad_before{0, 0}, pad_after{0, 0};
  // Output extent along axis |d| of an input extent; <= 0: the window does not fit.
  int64_t OutExtent(int d, int64_t in) const;
  bool operator==(const Window&) const = default;
};

struct ConvAttributes {
  Window window;
  int64_t groups = 1;
  bool single = false;  // the operand's scale and the weights' one are multiplied in float32
};
struct PoolAttributes {
  Window window;
  bool upwards = false;  // halves of int8 averages go up, not away from zero
};
struct TransposeAttributes {
  std::vector<int> perm;  // dimension k of the result is dimension perm[k] of the operand
};
struct PadAttributes {
  std::vector<std::array<int64_t, 2>> pads;  // before and after, a pair a dimension
  int32_t value = 0;                         // of int8
  float real = 0;                            // of floats
  PadMode mode = PadMode::kConstant;
};
// Indices begin, begin + step, ... of an axis, |count| of them.
struct AxisCut {
  int64_t begin = 0, step = 1, count = 1;
};
struct SliceAttributes {
  std::vector<AxisCut> axes;  // one an axis
};
// What an index tensor points at: slices of axis |axis|; an element beside each, along |axis|; or
// elements by rows of indices, behind |axis| axes that go along with theirs.
struct GatherAttributes {
  enum class Form : uint8_t { kSlices, kElements, kPoints };
  Form form = Form::kSlices;
  int axis = 0;
};
// Reductions: along |axes|, each once.
struct AxesAttributes {
  std::vector<int> axes;
};
struct ArgAttributes {
  int axis = 0;
  bool last = false;  // of equals the last, else the first
};
struct ConcatAttributes {
  int axis = 0;
};
struct SoftmaxAttributes {
  double beta = 1;  // of beta * x
};
struct LeakyReluAttributes {
  float alpha = 0.01f;
};
// Of functions of one value that have numbers: elu, hardsigmoid and so on, in ONNX's order.
struct CurveAttributes {
  float first = 0, second = 0;
};
// IsInf: of which signs.
struct InfinityAttributes {
  bool negative = true, positive = true;
};
// For each row (column) of the result the row (column) of the operand.
struct ResizeAttributes {
  std::vector<int64_t> rows, columns;
};
// |window|'s pads are rows and columns of the full result that are cut off; |out| is what is left.
struct TransposedConvAttributes {
  Window window;
  std::array<int64_t, 2> out{1, 1};
  bool single = false;  // as in ConvAttributes
};
// Scale: by 31-bit multipliers and shifts (positive: left), one an index of the last axis or one
// for all, then |zero| is added.
struct ScaleAttributes {
  std::vector<int32_t> multiplier{1 << 30};
  std::vector<int8_t> shift{0};
  int32_t zero = 0;
};
// Add, Sub of int16 whose scales are powers of two: one operand has the result's scale, the other
// is shifted to it first.
struct SumAttributes {
  bool shifted = false;
};
// Mul, Rescale.
struct FactorAttributes {
  bool single = false;  // the scales are multiplied and divided in float32, not in double
};

}  // namespace tessera::graph

#endif  // TESSERA_COMPILER_GRAPH_ATTRIBUTES_H_
