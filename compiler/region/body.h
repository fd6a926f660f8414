// SPDX-License-Identifier: Apache-2.0
//
// Building blocks of the operators' bodies: the builder of a region, and common parts: padding,
// windows, the quantised epilogue. Depends on: graph, te. Used by: compiler/ops.
#ifndef TESSERA_COMPILER_REGION_BODY_H_
#define TESSERA_COMPILER_REGION_BODY_H_

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "compiler/region/region.h"

namespace tessera::te {

class RegionBuilder {
 public:
  explicit RegionBuilder(const graph::Graph& graph) : graph_(graph) {}

  const graph::Graph& graph() const { return graph_; }
  // The tensor for |id|: a stage of this region, or a placeholder that is made on first use.
  Tensor Value(graph::TensorId id);
  void SetValue(graph::TensorId id, Tensor tensor) { values_[id] = tensor; }
  // Word(name), with a number appended if the region has that name already (models choose names).
  std::string Name(const std::string& name);
  // A placeholder with constant contents.
  template <typename T>
  Tensor Constant(const std::string& name, DType dtype, std::vector<int64_t> shape,
                  const std::vector<T>& values) {
    return ConstantBytes(
        name, dtype, std::move(shape),
        {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)});
  }
  Tensor ConstantBytes(const std::string& name, DType dtype, std::vector<int64_t> shape,
                       std::span<const uint8_t> bytes);

  std::vector<Binding> TakeBindings() { return std::move(bindings_); }

 private:
  const graph::Graph& graph_;
  std::map<graph::TensorId, Tensor> values_;
  std::vector<Binding> bindings_;
  std::set<std::string> names_;
};

// I32: an int32 constant. Wide: |e| in the type in which its kind is computed: float32 for floats,
// int64 for int64, int32 for narrower integers.
Expr I32(int64_t value);
Expr Wide(Expr e);
// Whether |node|'s result is plain: floats, or integers without a scale.
bool IsReal(const RegionBuilder& b, const graph::Node& node);
// |node|'s plain result from the wide |value|: clamped to its bounds (a NaN stays a NaN) and
// rounded once; narrower integers take the low bits.
Expr Real(const RegionBuilder& b, const graph::Node& node, Expr value);
// "n", "c", "y", "x" for four axes, "n", "c" for two, else empty (Compute then chooses).
std::vector<std::string> AxisNames(size_t rank);

// e / k; e itself if k is 1.
Expr DivBy(Expr e, int64_t k);

// |x| padded along its last two axes by the window's pads, filled with |fill|; |x| itself without
// pads.
Tensor PadSpatial(const std::string& name, const Tensor& x, const graph::Window& window, Expr fill);
// The input index of tap |tap| for output index |at|, along axis |d| of |window|.
Expr Tap(const graph::Window& window, int d, Expr at, const Axis& tap);

// |node|'s quantised result clamp(y + zero, lo, hi) of an int32 |y|.
Expr Narrow(const RegionBuilder& b, const graph::Node& node, Expr y);
// An element of |node|'s operand times one of its weights, in the type of their sums
// (graph::SumType): float32, int32, or int64 for int16 elements with an int64 bias.
Expr Product(const RegionBuilder& b, const graph::Node& node, Expr x, Expr w);
// The result from the sums. Integers: clamp(rescale(sum + bias) + zero, lo, hi), per channel along
// axis 1 if there are several multipliers. Float32: sum / count, plus operand 2, the bias.
Tensor Epilogue(RegionBuilder& b, const graph::Node& node, const Tensor& sum, int64_t count = 1);
// Sets node.output to |value|, element by element at the same index. AxisNames names the axes.
void Elements(RegionBuilder& b, const graph::Node& node,
              const std::function<Expr(const std::vector<Expr>&)>& value);

}  // namespace tessera::te

#endif  // TESSERA_COMPILER_REGION_BODY_H_
