// SPDX-License-Identifier: Apache-2.0
#include "tools/compare_apart.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/half.h"

namespace tessera::tools {
namespace {

double FloatAt(const HostTensor& t, size_t at) {
  if (t.dtype == DType::kFloat16) {
    uint16_t bits = 0;
    std::memcpy(&bits, &t.bytes[at], sizeof bits);
    return double{HalfToFloat(bits)};
  }
  float value = 0;
  std::memcpy(&value, &t.bytes[at], sizeof value);
  return double{value};
}

}  // namespace

bool HasFastFloats(const artifact::Artifact& net) {
  return std::ranges::any_of(net.layers, [](const artifact::Layer& l) { return l.error > 0; });
}

std::vector<double> AllowedApart(const artifact::Artifact& net) {
  if (!HasFastFloats(net)) return {};
  std::vector<double> allowed;
  double sum = 0;
  for (const artifact::Layer& layer : net.layers) allowed.push_back(sum += layer.error);
  allowed.push_back(sum);
  return allowed;
}

int64_t Apart::Add(const HostTensor& a, const HostTensor& b, double allowed) {
  if (a.dtype != b.dtype || a.shape != b.shape) return a.count();
  const auto size = static_cast<size_t>(SizeOf(a.dtype));
  double most = 0;
  for (size_t at = 0; at < a.bytes.size() && allowed > 0 && IsFloat(a.dtype); at += size)
    most = std::max(most, std::abs(FloatAt(a, at)));
  int64_t different = 0;
  for (size_t at = 0; at < a.bytes.size(); at += size) {
    if (std::memcmp(&a.bytes[at], &b.bytes[at], size) == 0) continue;
    const double apart = most > 0 ? std::abs(FloatAt(a, at) - FloatAt(b, at)) / most : 1;
    if (most > 0 && apart <= allowed) {  // not with NaN
      ++within;
      greatest = std::max(greatest, apart);
    } else {
      ++different;
    }
  }
  return different;
}

}  // namespace tessera::tools
