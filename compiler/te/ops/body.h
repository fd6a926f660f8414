// SPDX-License-Identifier: Apache-2.0
//
// What the operator bodies share while a region is built. Internal to compiler/te/ops.
#ifndef TESSERA_COMPILER_TE_OPS_BODY_H_
#define TESSERA_COMPILER_TE_OPS_BODY_H_

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
  // |name|, or |name| with a number where the region has a tensor of that name: models choose names
  // too.
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

// e / k without the division when k is 1.
Expr DivBy(Expr e, int64_t k);

// |x| grown along its last two axes by the window's pads, which hold |fill|; |x| itself without
// pads.
Tensor PadSpatial(const std::string& name, const Tensor& x, const graph::Window& window,
                  int64_t fill);

// int8 clamp(rescale(sum + bias) + zero, lo, hi) of the int32 tensor |sum|; per channel along axis
// 1 when there is more than one multiplier.
Tensor Requantize(RegionBuilder& b, const graph::Node& node, const Tensor& sum);

// The bodies. Each sets the value of node.output.
void ConvBody(RegionBuilder& b, const graph::Node& node);
void DenseBody(RegionBuilder& b, const graph::Node& node);
void AddBody(RegionBuilder& b, const graph::Node& node);
void SubBody(RegionBuilder& b, const graph::Node& node);
void MulBody(RegionBuilder& b, const graph::Node& node);
void AvgPoolBody(RegionBuilder& b, const graph::Node& node);
void MaxPoolBody(RegionBuilder& b, const graph::Node& node);
void MeanBody(RegionBuilder& b, const graph::Node& node);
void SoftmaxBody(RegionBuilder& b, const graph::Node& node);
void RescaleBody(RegionBuilder& b, const graph::Node& node);
void ReshapeBody(RegionBuilder& b, const graph::Node& node);
void TransposeBody(RegionBuilder& b, const graph::Node& node);
void PadBody(RegionBuilder& b, const graph::Node& node);
void ConcatBody(RegionBuilder& b, const graph::Node& node);
void QuantizeBody(RegionBuilder& b, const graph::Node& node);
void DequantizeBody(RegionBuilder& b, const graph::Node& node);

}  // namespace tessera::te

#endif  // TESSERA_COMPILER_TE_OPS_BODY_H_
