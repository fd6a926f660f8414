// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/accel/packing.h"

#include <algorithm>

#include "base/check.h"

namespace tessera::schedule::accel {
namespace {

void CheckSizes(const Packing& p, size_t tensor, size_t packed) {
  TESSERA_CHECK(
      static_cast<int64_t>(tensor) == p.elements() && static_cast<int64_t>(packed) == p.bytes(),
      "{} elements of {}, {} bytes of {}", tensor, p.elements(), packed, p.bytes());
}

}  // namespace

Layout BlockedLayout(int64_t rows, int64_t block) {
  Layout layout{{{0, rows, 0}, {1, block, 0}, {2, 1, 0}, {3, 1, 0}}, 0, {}};
  if (rows > 1) layout.dims.push_back({0, 1, rows});
  layout.dims.push_back({1, 1, block});
  return layout;
}

Packing BlockedPacking(const std::array<int64_t, 4>& shape, int64_t rows, int64_t block) {
  return {shape, {}, BlockedLayout(rows, block)};
}

void Pack(const Packing& p, std::span<const int8_t> tensor, std::span<uint8_t> packed) {
  CheckSizes(p, tensor.size(), packed.size());
  std::vector<uint8_t> values(tensor.begin(), tensor.end());
  if (p.prepared) {
    const std::vector<te::Tensor> inputs = te::Inputs(p.prepared);
    TESSERA_CHECK(inputs.size() == 1, "{} reads {} tensors", p.prepared.name(), inputs.size());
    te::Values known;
    known.emplace(inputs[0].get(), ir::Array(DType::kInt8, std::move(values)));
    const Status made = te::Evaluate({p.prepared}, &known);
    TESSERA_CHECK(made.has_value(), "{}", made.error().message);
    values = known.at(p.prepared.get()).bytes();
  }
  std::ranges::copy(PackLayout(p.packed_shape(), p.layout, 1, values), packed.begin());
}

void Unpack(const Packing& p, std::span<const uint8_t> packed, std::span<int8_t> tensor) {
  CheckSizes(p, tensor.size(), packed.size());
  TESSERA_CHECK(p.plain());
  std::ranges::transform(UnpackLayout(p.shape, p.layout, 1, packed), tensor.begin(),
                         [](uint8_t byte) { return static_cast<int8_t>(byte); });
}

}  // namespace tessera::schedule::accel
