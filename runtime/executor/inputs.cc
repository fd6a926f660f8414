// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor/inputs.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "base/copy.h"

namespace tessera {
namespace {

bool TakesPixels(const artifact::TensorInfo& want) {
  return want.shape.size() == 4 && want.shape[0] == 1 &&
         (want.dtype == DType::kFloat32 || want.dtype == DType::kInt8 ||
          (want.dtype == DType::kInt16 && want.quant));
}

// The shape [H, W] of an image of |want| if its pixels have one channel; empty if they have more.
std::vector<int64_t> PlainImage(const artifact::TensorInfo& want) {
  if (want.shape[1] == 1) return {want.shape[2], want.shape[3]};
  if (want.shape[3] == 1) return {want.shape[1], want.shape[2]};
  return {};
}

std::string WithCount(std::span<const int64_t> item) {
  std::string text = "[N";
  for (const int64_t extent : item) text += fmt::format(", {}", extent);
  return text + "]";
}

// Whether |shape| is [N, item...].
bool Holds(std::span<const int64_t> shape, std::span<const int64_t> item) {
  return shape.size() == item.size() + 1 && std::equal(item.begin(), item.end(), shape.begin() + 1);
}

std::string NumbersText(const std::vector<double>& numbers) {
  return numbers.size() == 1 ? fmt::format("{:g}", numbers[0])
                             : fmt::format("[{:g}]", fmt::join(numbers, ", "));
}

// The value of each of the 256 pixels of a channel, in |want|'s type.
template <typename T>
std::array<T, 256> PixelTable(const artifact::TensorInfo& want, const PixelRule& rule,
                              size_t channel) {
  const double mean = rule.mean[rule.mean.size() == 1 ? 0 : channel],
               std = rule.std[rule.std.size() == 1 ? 0 : channel];
  std::array<T, 256> table;
  for (int p = 0; p < 256; ++p) {
    double value = (p * rule.scale - mean) / std;
    if constexpr (std::is_integral_v<T>) {
      const bool raw = !rule.given && want.dtype == DType::kInt8;
      value = raw ? p - 128 : std::nearbyint(value / want.quant->scale) + want.quant->zero;
      const auto [lo, hi] = LimitsOf(want.dtype);
      value = std::clamp(value, static_cast<double>(lo), static_cast<double>(hi));
    }
    table[static_cast<size_t>(p)] = static_cast<T>(value);
  }
  return table;
}

template <typename T>
void FillPixels(const artifact::TensorInfo& want, std::span<const uint8_t> pixels,
                const PixelRule& rule, std::span<uint8_t> out) {
  const std::optional<size_t> axis = ChannelAxis(want.shape);
  const bool each = rule.mean.size() > 1 || rule.std.size() > 1;  // CheckPixelRule: |axis| is known
  const size_t channels = each ? static_cast<size_t>(want.shape[*axis]) : 1;
  // Elements between two changes of the channel.
  const size_t step = each && *axis == 1 ? pixels.size() / channels : 1;
  std::vector<std::array<T, 256>> tables;
  for (size_t c = 0; c < channels; ++c) tables.push_back(PixelTable<T>(want, rule, c));
  for (size_t i = 0; i < pixels.size(); ++i) {
    const T value = tables[i / step % channels][pixels[i]];
    std::memcpy(&out[sizeof(T) * i], &value, sizeof(T));
  }
}

}  // namespace

std::vector<int64_t> ItemShape(std::span<const int64_t> shape) {
  const bool drops = !shape.empty() && shape[0] == 1;
  return {shape.begin() + (drops ? 1 : 0), shape.end()};
}

std::optional<size_t> ChannelAxis(std::span<const int64_t> shape) {
  if (shape.size() != 4) return std::nullopt;
  const auto could = [&](size_t axis) { return shape[axis] == 1 || shape[axis] == 3; };
  if (could(1) == could(3)) return std::nullopt;
  return could(1) ? 1 : 3;
}

bool ArePixels(const artifact::TensorInfo& want, const HostTensor& given) {
  return given.dtype == DType::kUint8 && TakesPixels(want);
}

Result<int64_t> CountInferences(const artifact::TensorInfo& want, const HostTensor& given) {
  const std::vector<int64_t> item = ItemShape(want.shape);
  if (given.dtype == want.dtype && Holds(given.shape, item)) return given.shape[0];
  std::string expected = fmt::format("{} {}", Text(want.dtype), WithCount(item));
  if (TakesPixels(want)) {
    const std::vector<int64_t> plain = PlainImage(want);
    const bool holds = Holds(given.shape, item) || (!plain.empty() && Holds(given.shape, plain));
    if (ArePixels(want, given) && holds) return given.shape[0];
    expected += fmt::format(" or uint8 images {}", WithCount(plain.empty() ? item : plain));
  }
  return Fail(Code::kInvalidArgument, "input '{}' takes {}; given is {} {}", want.name, expected,
              Text(given.dtype), ShapeText(given.shape));
}

Result<int64_t> CountTogether(std::span<const artifact::TensorInfo> wants,
                              std::span<const HostTensor> given, const PixelRule& rule) {
  if (given.size() != wants.size()) {
    return Fail(Code::kInvalidArgument, "the model takes {} inputs, {} are given", wants.size(),
                given.size());
  }
  std::optional<int64_t> count;
  for (size_t i = 0; i < wants.size(); ++i) {
    TESSERA_ASSIGN(const int64_t n, CountInferences(wants[i], given[i]));
    if (count && *count != n) {
      return Fail(Code::kInvalidArgument, "input '{}' holds {} inferences, the input before it {}",
                  wants[i].name, n, *count);
    }
    if (ArePixels(wants[i], given[i])) TESSERA_TRY(CheckPixelRule(wants[i], rule));
    count = n;
  }
  return count.value_or(1);
}

void AddItemAxis(const artifact::TensorInfo& want, HostTensor& given) {
  if (!want.shape.empty() && want.shape[0] != 1 && given.shape == want.shape)
    given.shape.insert(given.shape.begin(), 1);
}

Status CheckPixelRule(const artifact::TensorInfo& want, const PixelRule& rule) {
  const std::optional<size_t> axis = ChannelAxis(want.shape);
  for (const auto* numbers : {&rule.mean, &rule.std}) {
    const char* option = numbers == &rule.mean ? "--mean" : "--std";
    if (numbers->size() == 1) continue;
    if (!axis) {
      return Fail(Code::kInvalidArgument,
                  "{} {}: which axis of input '{}', {}, has the channels cannot be told; give one "
                  "number for all",
                  option, NumbersText(*numbers), want.name, ShapeText(want.shape));
    }
    if (std::ssize(*numbers) != want.shape[*axis]) {
      return Fail(Code::kInvalidArgument,
                  "{} {}: {} numbers, input '{}' has {} channels; give one for each or one for all",
                  option, NumbersText(*numbers), numbers->size(), want.name, want.shape[*axis]);
    }
  }
  for (const double value : rule.std) {
    if (!(value > 0) || !std::isfinite(value))
      return Fail(Code::kInvalidArgument, "--std {}: each must be greater than 0",
                  NumbersText(rule.std));
  }
  if (rule.given && want.dtype == DType::kInt8 && !want.quant) {
    return Fail(Code::kInvalidArgument,
                "--mean, --std, --scale: input '{}' is int8 without a scale, so that no real "
                "number can be put there; give a .npy file of int8",
                want.name);
  }
  return {};
}

std::string PixelText(const artifact::TensorInfo& want, const PixelRule& rule) {
  if (!rule.given && want.dtype != DType::kInt16)
    return want.dtype == DType::kInt8 ? "p - 128" : "p / 255";
  std::string text = rule.scale == 1.0 / 255 ? "p / 255" : fmt::format("p * {:g}", rule.scale);
  text = fmt::format("({} - {}) / {}", text, NumbersText(rule.mean), NumbersText(rule.std));
  if (!IsFloat(want.dtype))
    text += fmt::format(", quantised by scale {:g} and zero point {}", want.quant->scale,
                        want.quant->zero);
  return text;
}

void FillInput(const artifact::TensorInfo& want, const HostTensor& given, int64_t n,
               const PixelRule& rule, std::span<uint8_t> out) {
  const size_t count = out.size() / static_cast<size_t>(SizeOf(want.dtype));
  const size_t item_bytes = count * static_cast<size_t>(SizeOf(given.dtype));
  TESSERA_CHECK((static_cast<size_t>(n) + 1) * item_bytes <= given.bytes.size(), "inference {}", n);
  const std::span<const uint8_t> item =
      std::span(given.bytes).subspan(static_cast<size_t>(n) * item_bytes, item_bytes);
  if (given.dtype == want.dtype) {
    CopyBytes(item, out.data());
  } else if (want.dtype == DType::kInt8) {
    FillPixels<int8_t>(want, item, rule, out);
  } else if (want.dtype == DType::kInt16) {
    FillPixels<int16_t>(want, item, rule, out);
  } else {
    FillPixels<float>(want, item, rule, out);
  }
}

}  // namespace tessera
