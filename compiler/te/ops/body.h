// SPDX-License-Identifier: Apache-2.0
//
// What the operators' bodies are made with: the builder of a region, and pieces that many have:
// padding, windows, the quantised epilogue. Depends on: graph, te. Used by: compiler/ops.
#ifndef TESSERA_COMPILER_TE_OPS_BODY_H_
#define TESSERA_COMPILER_TE_OPS_BODY_H_

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "compiler/te/ops/region.h"

namespace tessera::te {

class RegionBuilder {
 public:
  explicit RegionBuilder(const graph::Graph& graph) : graph_(graph) {}

  const graph::Graph& graph() const { return graph_; }
  // The tensor that stands for |id|: a stage of this region, or a placeholder made on first use.
  Tensor Value(graph::TensorId id);
  void SetValue(graph::TensorId id, Tensor tensor) { values_[id] = tensor; }
  // Word(name), with a number behind it where the region has a tensor of that name: models choose
  // names too.
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

// An int32 constant, and a value in the type in which its kind is computed: float32, int64 or, of
// narrower integers, int32.
Expr I32(int64_t value);
Expr Wide(Expr e);
// Whether |node|'s result is plain: floats, or integers without a scale.
bool IsReal(const RegionBuilder& b, const graph::Node& node);
// |node|'s plain result of the wide |value|: inside of its bounds (a NaN stays one), rounded once;
// integers that are narrower take the low bits.
Expr Real(const RegionBuilder& b, const graph::Node& node, Expr value);
// "n", "c", "y", "x" for four axes, "n", "c" for two, else none of our choosing.
std::vector<std::string> AxisNames(size_t rank);

// e / k without the division when k is 1.
Expr DivBy(Expr e, int64_t k);

// |x| grown along its last two axes by the window's pads, which hold |fill|; |x| itself without
// pads.
Tensor PadSpatial(const std::string& name, const Tensor& x, const graph::Window& window, Expr fill);
// The input index of tap |tap| for output index |at|, along axis |d| of |window|.
Expr Tap(const graph::Window& window, int d, Expr at, const Axis& tap);

// |node|'s quantised result clamp(y + zero, lo, hi) of an int32 |y|.
Expr Narrow(const RegionBuilder& b, const graph::Node& node, Expr y);
// An element of |node|'s operand times one of its weights, in the type of their sums: float32 or
// int32; of int16 elements with a bias of int64 that (graph::SumType).
Expr Product(const RegionBuilder& b, const graph::Node& node, Expr x, Expr w);
// The result of sums. Of integers clamp(rescale(sum + bias) + zero, lo, hi), per channel along
// axis 1 when there is more than one multiplier; of float32 sum / count, plus operand 2, the bias,
// where there is one.
Tensor Epilogue(RegionBuilder& b, const graph::Node& node, const Tensor& sum, int64_t count = 1);
// Sets the value of node.output, element by element from |value| at the same index. A rank with
// usual names has them.
void Elements(RegionBuilder& b, const graph::Node& node,
              const std::function<Expr(const std::vector<Expr>&)>& value);

}  // namespace tessera::te

#endif  // TESSERA_COMPILER_TE_OPS_BODY_H_
