// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor/inputs.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace tessera {
namespace {

bool IsImage(const artifact::TensorInfo& want) {
  return want.shape.size() == 4 && want.shape[0] == 1;
}

// Whether |given| is pixels that become |want|.
bool ArePixels(const artifact::TensorInfo& want, const HostTensor& given) {
  return given.dtype == DType::kUint8 && IsImage(want) &&
         (want.dtype == DType::kFloat32 || want.dtype == DType::kInt8);
}

std::string WithCount(std::span<const int64_t> item) {
  std::string text = "[N";
  for (const int64_t extent : item) text += fmt::format(", {}", extent);
  return text + "]";
}

}  // namespace

std::vector<int64_t> ItemShape(std::span<const int64_t> shape) {
  const bool drops = !shape.empty() && shape[0] == 1;
  return {shape.begin() + (drops ? 1 : 0), shape.end()};
}

Result<int64_t> CountInferences(const artifact::TensorInfo& want, const HostTensor& given) {
  const std::vector<int64_t> item = ItemShape(want.shape);
  const auto holds = [&](std::span<const int64_t> one) {
    return given.shape.size() == one.size() + 1 &&
           std::equal(one.begin(), one.end(), given.shape.begin() + 1);
  };
  if (given.dtype == want.dtype && holds(item)) return given.shape[0];
  if (ArePixels(want, given)) {
    if (holds(item) || (item[0] == 1 && holds(std::span(item).subspan(1)))) return given.shape[0];
  }
  std::string expected = fmt::format("{} {}", Text(want.dtype), WithCount(item));
  if (IsImage(want) && (want.dtype == DType::kFloat32 || want.dtype == DType::kInt8)) {
    expected += fmt::format(" or uint8 images {}",
                            WithCount(item[0] == 1 ? std::span(item).subspan(1) : std::span(item)));
  }
  return Fail(Code::kInvalidArgument, "input '{}' takes {}; given is {} {}", want.name, expected,
              Text(given.dtype), ShapeText(given.shape));
}

void FillInput(const artifact::TensorInfo& want, const HostTensor& given, int64_t n,
               std::span<uint8_t> out) {
  const size_t count = out.size() / static_cast<size_t>(SizeOf(want.dtype));
  const size_t item_bytes = count * static_cast<size_t>(SizeOf(given.dtype));
  TESSERA_CHECK((static_cast<size_t>(n) + 1) * item_bytes <= given.bytes.size(), "inference {}", n);
  const std::span<const uint8_t> item =
      std::span(given.bytes).subspan(static_cast<size_t>(n) * item_bytes, item_bytes);
  if (given.dtype == want.dtype) {
    std::ranges::copy(item, out.begin());
  } else if (want.dtype == DType::kInt8) {
    std::ranges::transform(item, out.begin(),
                           [](uint8_t p) { return static_cast<uint8_t>(p ^ 0x80); });
  } else {
    for (size_t i = 0; i < count; ++i) {
      const float value = static_cast<float>(item[i]) / 255.0f;
      std::memcpy(&out[4 * i], &value, 4);
    }
  }
}

}  // namespace tessera
