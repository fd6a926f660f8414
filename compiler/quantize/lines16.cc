// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/lines16.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tessera::quantize {
namespace {

// Entries are 2^16 / (1 + exp(-k / 24)), each moved by half of the line's error at its middle; the
// last is limited to 65535.
const std::array<int32_t, 256>& LogisticTable() {
  static const auto table = [] {
    const auto value = [](double k) { return 65536 / (1 + std::exp(-k / 24)); };
    std::array<int32_t, 256> made;
    for (size_t k = 0; k + 1 < made.size(); ++k) {
      const auto from = static_cast<double>(k);
      const double on_line = (value(from) + value(from + 1)) / 2;
      made[k] = static_cast<int32_t>(std::round(value(from) - (on_line - value(from + 0.5)) / 2));
    }
    made.back() = 65535;
    return made;
  }();
  return table;
}

// |q| * scale in steps of 1 / (3 * 4096), as the kernels compute it. A scale of 2^-12, or with
// |doubles| 2^-11, is exact; other scales use a factor of 15 bits.
int32_t Steps(int16_t q, float scale, bool doubles) {
  const float log2 = std::log(scale) * (1.0f / std::log(2.0f));
  const float power = std::round(log2);
  const auto left = static_cast<int>(power) + 12;
  if (std::abs(log2 - power) < 1e-3f && (left == 0 || (doubles && left == 1)))
    return q * (3 << left);
  double factor = static_cast<double>(scale) * 4096 * 3;
  int shift = 0;
  for (; factor <= 32767.0 / 2 && shift <= 30; ++shift) factor *= 2;
  const int64_t half = shift > 0 ? int64_t{1} << (shift - 1) : 0;
  return static_cast<int32_t>((q * static_cast<int64_t>(factor) + half) >> shift);
}

// The table interpolated at |steps| / 2^bits, times 2^bits; |most| beyond the table's end.
int32_t OnLine(int32_t steps, int bits, int32_t most) {
  const auto index = static_cast<size_t>(steps >> bits);
  if (index >= 255) return most;
  const int32_t from = LogisticTable()[index], to = LogisticTable()[index + 1];
  return (from << bits) + (steps & ((1 << bits) - 1)) * (to - from);
}

}  // namespace

int16_t LogisticByLines(int16_t q, float scale) {
  const int32_t steps = Steps(q, scale, false);
  const int32_t above = OnLine(std::abs(steps), 9, 0x7FFF << 10);
  const int32_t value = steps >= 0 ? above + (1 << 9) : (1 << 25) - above + (1 << 9) - 1;
  return static_cast<int16_t>(value >> 10);
}

int16_t TanhByLines(int16_t q, float scale) {
  const int32_t steps = Steps(q, scale, true);
  const int32_t above = OnLine(std::abs(steps), 8, 0xFFFF << 8);
  const int32_t value =
      steps >= 0 ? above - (1 << 23) + (1 << 7) : -above + (1 << 23) + (1 << 7) - 1;
  return static_cast<int16_t>(value >> 8);
}

// Each end of a line is moved by half of the line's error at its middle.
Lines512::Lines512(double least, double most, const std::function<double(double)>& f) {
  constexpr double kOne = 32768;
  constexpr int kLines = 512;
  const auto bounded = [](double value) {
    return static_cast<int16_t>(std::clamp(value, -kOne, kOne - 1));
  };
  const double step = (most - least) / kLines;
  for (int k = 0; k < kLines; ++k) {
    const double from = std::round(f(least + k * step) * kOne);
    const double middle = std::round(f(least + k * step + step / 2) * kOne);
    const double on_line = std::round((f(least + (k + 1) * step) * kOne + from) / 2);
    ends_[static_cast<size_t>(k)] = bounded(from - std::round((on_line - middle) / 2));
  }
  ends_.back() = bounded(std::round(f(most) * kOne));
}

int16_t Lines512::operator()(int16_t q) const {
  const auto index = static_cast<size_t>(256 + (q >> 7));
  const int32_t slope = ends_[index + 1] - ends_[index];
  return static_cast<int16_t>(ends_[index] + ((slope * (q & 127) + 64) >> 7));
}

}  // namespace tessera::quantize
