// SPDX-License-Identifier: Apache-2.0
#include "bench/peers/gpu_bytes.h"

#include <algorithm>
#include <cstring>

#include "base/half.h"

namespace tessera {
namespace {

Status Check(const char* call, int code) {
  if (code == 0) return {};
  return Fail(Code::kUnavailable, "{} gives code {}", call, code);
}

template <typename T>
T ElementAt(const std::vector<uint8_t>& bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + sizeof value * i, sizeof value);
  return value;
}

}  // namespace

GpuBytes::~GpuBytes() {
  if (at_ != 0) api_.MemFree(at_);
}

Result<std::shared_ptr<GpuBytes>> GpuBytes::Make(const CudaApi& api, size_t bytes) {
  auto made = std::make_shared<GpuBytes>(api);
  TESSERA_TRY(Check("cuMemAlloc", api.MemAlloc(&made->at_, std::max<size_t>(bytes, 1))));
  made->size_ = bytes;
  return made;
}

Result<std::shared_ptr<GpuBytes>> GpuBytes::Of(const CudaApi& api, std::span<const uint8_t> data) {
  TESSERA_ASSIGN(auto made, Make(api, data.size()));
  TESSERA_TRY(Check("cuMemcpyHtoD", api.MemcpyHtoD(made->at_, data.data(), data.size())));
  return made;
}

Result<std::vector<float>> GpuBytes::Floats(DType dtype) const {
  std::vector<uint8_t> bytes(size_);
  TESSERA_TRY(Check("cuMemcpyDtoH", api_.MemcpyDtoH(bytes.data(), at_, bytes.size())));
  std::vector<float> values(bytes.size() / static_cast<size_t>(SizeOf(dtype)));
  for (size_t i = 0; i < values.size(); ++i) {
    if (dtype == DType::kFloat32) values[i] = ElementAt<float>(bytes, i);
    if (dtype == DType::kInt32) values[i] = static_cast<float>(ElementAt<int32_t>(bytes, i));
    if (dtype == DType::kInt8) values[i] = static_cast<float>(ElementAt<int8_t>(bytes, i));
    if (dtype == DType::kFloat16) values[i] = HalfToFloat(ElementAt<uint16_t>(bytes, i));
  }
  return values;
}

}  // namespace tessera
