// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/gpu/ptx_alu.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.h"

namespace tessera::test {
namespace {

using Wide = __int128;

uint64_t Mask(int bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }
uint64_t Unsigned(uint64_t v, int bits) { return v & Mask(bits); }
int64_t Signed(uint64_t v, int bits) {
  return static_cast<int64_t>(v << (64 - bits)) >> (64 - bits);
}
Wide Whole(uint64_t v, PtxType t) {
  return t.kind == 's' ? Wide{Signed(v, t.bits)} : Wide{Unsigned(v, t.bits)};
}

float Float(uint64_t v, int bits) {
  if (bits == 32) return std::bit_cast<float>(static_cast<uint32_t>(v));
  return static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(v)));
}
uint64_t Bits(float v, int bits) {
  if (bits == 32) return std::bit_cast<uint32_t>(v);
  return std::bit_cast<uint16_t>(static_cast<_Float16>(v));
}

uint64_t FloatResult(const PtxInsn& insn, std::span<const uint64_t> v) {
  const int bits = insn.type.bits;
  const float a = Float(v[0], bits), b = v.size() > 1 ? Float(v[1], bits) : 0;
  switch (insn.op) {
    case PtxOp::kAdd:
      return Bits(a + b, bits);
    case PtxOp::kSub:
      return Bits(a - b, bits);
    case PtxOp::kMul:
      return Bits(a * b, bits);
    case PtxOp::kDiv:
      return Bits(a / b, bits);
    case PtxOp::kRcp:
      return Bits(1 / a, bits);
    case PtxOp::kSqrt:
      TESSERA_CHECK(insn.words.contains("rn"), "{} is not rounded to the nearest", insn.text);
      return Bits(std::sqrt(a), bits);
    case PtxOp::kFma:
      return Bits(std::fma(a, b, Float(v[2], bits)), bits);
    case PtxOp::kMin:
      return Bits(std::isnan(a)                                ? b
                  : std::isnan(b)                              ? a
                  : a < b || std::signbit(a) > std::signbit(b) ? a
                                                               : b,
                  bits);
    case PtxOp::kMax:
      return Bits(std::isnan(a)                                ? b
                  : std::isnan(b)                              ? a
                  : a > b || std::signbit(a) < std::signbit(b) ? a
                                                               : b,
                  bits);
    case PtxOp::kNeg:
      return v[0] ^ (uint64_t{1} << (bits - 1));
    case PtxOp::kAbs:
      return v[0] & Mask(bits - 1);
    default:
      TESSERA_CHECK(false, "{} of floats", insn.text);
  }
}

template <typename T>
bool Compare(std::string_view how, T a, T b) {
  return how == "eq"   ? a == b
         : how == "ne" ? a != b
         : how == "lt" ? a < b
         : how == "le" ? a <= b
         : how == "gt" ? a > b
                       : a >= b;
}

bool Setp(const PtxInsn& insn, std::span<const uint64_t> v) {
  std::string_view how = insn.compare;
  if (insn.type.kind != 'f') return Compare(how, Whole(v[0], insn.type), Whole(v[1], insn.type));
  const float a = Float(v[0], insn.type.bits), b = Float(v[1], insn.type.bits);
  const bool unordered = std::isnan(a) || std::isnan(b);
  if (how == "nan") return unordered;
  if (how == "num") return !unordered;
  if (unordered) return how.ends_with('u');
  return Compare(how.substr(0, 2), a, b);
}

uint64_t Convert(const PtxInsn& insn, uint64_t v) {
  const PtxType to = insn.type, from = insn.from;
  if (from.kind == 'f' && to.kind == 'f') {
    const float x = Float(v, from.bits);
    if (insn.words.contains("rni")) return Bits(std::nearbyint(x), to.bits);
    if (insn.words.contains("rmi")) return Bits(std::floor(x), to.bits);
    return Bits(x, to.bits);
  }
  if (from.kind == 'f') {
    const double x = Float(v, from.bits);
    if (std::isnan(x)) return 0;
    const double top = std::ldexp(1.0, to.kind == 's' ? to.bits - 1 : to.bits);
    const double bottom = to.kind == 's' ? -top : 0, whole = std::trunc(x);
    if (whole >= top) return to.kind == 's' ? Mask(to.bits - 1) : Mask(to.bits);
    if (whole <= bottom) return to.kind == 's' ? ~Mask(to.bits - 1) : 0;
    return static_cast<uint64_t>(static_cast<Wide>(whole));
  }
  const Wide x = Whole(v, from);
  if (to.kind == 'f') return Bits(static_cast<float>(x), to.bits);
  return static_cast<uint64_t>(
      to.kind == 's' ? Signed(static_cast<uint64_t>(x), to.bits)
                     : static_cast<int64_t>(Unsigned(static_cast<uint64_t>(x), to.bits)));
}

uint64_t Product(const PtxInsn& insn, uint64_t a, uint64_t b) {
  const Wide product = Whole(a, insn.type) * Whole(b, insn.type);
  return static_cast<uint64_t>(insn.part == 'h' ? product >> insn.type.bits : product);
}

uint64_t Shift(const PtxInsn& insn, uint64_t v, uint64_t by) {
  const int bits = insn.type.bits;
  const auto n = static_cast<int>(std::min<uint64_t>(Unsigned(by, 32), 64));
  if (insn.op == PtxOp::kShl) return n >= bits ? 0 : v << n;
  if (insn.type.kind == 's') return static_cast<uint64_t>(Signed(v, bits) >> std::min(n, bits - 1));
  return n >= bits ? 0 : Unsigned(v, bits) >> n;
}

uint64_t Field(const PtxInsn& insn, uint64_t v, uint64_t pos, uint64_t len) {
  const int bits = insn.type.bits;
  const uint64_t p = pos & 255, n = len & 255;
  if (n == 0) return 0;
  const auto sign_at = static_cast<int>(std::min<uint64_t>(p + n, static_cast<uint64_t>(bits)));
  const auto first = static_cast<int>(std::min<uint64_t>(p, 63));
  if (insn.type.kind == 's') return static_cast<uint64_t>(Signed(v, sign_at) >> first);
  return Unsigned(v, sign_at) >> first;
}

}  // namespace

uint64_t PtxResult(const PtxInsn& insn, std::span<const uint64_t> v) {
  const int bits = insn.type.bits;
  switch (insn.op) {
    case PtxOp::kSetp:
      return Setp(insn, v);
    case PtxOp::kSelp:
      return v[2] & 1 ? v[0] : v[1];
    case PtxOp::kCvt:
      return Convert(insn, v[0]);
    case PtxOp::kMov:
    case PtxOp::kCvta:
      return v[0];
    default:
      break;
  }
  if (insn.type.kind == 'f') return FloatResult(insn, v);
  switch (insn.op) {
    case PtxOp::kAdd:
      return v[0] + v[1];
    case PtxOp::kSub:
      return v[0] - v[1];
    case PtxOp::kMul:
      return Product(insn, v[0], v[1]);
    case PtxOp::kMad:
      return Product(insn, v[0], v[1]) + v[2];
    case PtxOp::kDiv:
    case PtxOp::kRem: {
      const Wide a = Whole(v[0], insn.type), b = Whole(v[1], insn.type);
      if (b == 0) return ~uint64_t{0};
      return static_cast<uint64_t>(insn.op == PtxOp::kDiv ? a / b : a % b);
    }
    case PtxOp::kMin:
      return Whole(v[0], insn.type) < Whole(v[1], insn.type) ? v[0] : v[1];
    case PtxOp::kMax:
      return Whole(v[0], insn.type) > Whole(v[1], insn.type) ? v[0] : v[1];
    case PtxOp::kNeg:
      return -v[0];
    case PtxOp::kAbs:
      return Signed(v[0], bits) < 0 ? -v[0] : v[0];
    case PtxOp::kAnd:
      return v[0] & v[1];
    case PtxOp::kOr:
      return v[0] | v[1];
    case PtxOp::kXor:
      return v[0] ^ v[1];
    case PtxOp::kNot:
      return ~v[0];
    case PtxOp::kShl:
    case PtxOp::kShr:
      return Shift(insn, v[0], v[1]);
    case PtxOp::kBfe:
      return Field(insn, v[0], v[1], v[2]);
    case PtxOp::kBfi: {
      const uint64_t p = v[2] & 255, n = v[3] & 255;
      const uint64_t mask = p > 63 ? 0 : Mask(static_cast<int>(n)) << p;
      return (v[1] & ~mask) | ((v[0] << (p & 63)) & mask);
    }
    case PtxOp::kPrmt: {
      const uint64_t both = Unsigned(v[0], 32) | v[1] << 32;
      uint64_t out = 0;
      for (int byte = 0; byte < 4; ++byte) {
        const uint64_t pick = v[2] >> (4 * byte) & 15;
        uint64_t x = both >> (8 * (pick & 7)) & 255;
        if (pick & 8) x = x & 128 ? 255 : 0;
        out |= x << (8 * byte);
      }
      return out;
    }
    default:
      TESSERA_CHECK(false, "{}", insn.text);
  }
}

// The lane of each element is that of "Matrix fragments for mma.m16n8k16" and "m16n8k32" in the
// description of PTX. Sums of f32 are in the order of k; the GPU may add in another order.
Status PtxMma(const PtxInsn& insn, std::span<PtxLane> lanes) {
  const bool bytes = insn.words.contains("m16n8k32");
  if (!bytes && !insn.words.contains("m16n8k16"))
    return Fail(Code::kUnsupported, "ptx: {}", insn.text);
  const int each = bytes ? 4 : 2, depth = bytes ? 32 : 16;
  uint64_t a[16][32] = {}, b[32][8] = {};
  for (int lane = 0; lane < 32; ++lane) {
    const int group = lane / 4, thread = lane % 4;
    const uint64_t* v = lanes[static_cast<size_t>(lane)].values + 4;
    for (int i = 0; i < 4 * each; ++i) {
      const int row = group + (i / each % 2) * 8;
      const int col = thread * each + i % each + i / (2 * each) * (depth / 2);
      a[row][col] = v[i / each] >> (32 / each * (i % each));
    }
    for (int i = 0; i < 2 * each; ++i) {
      const int row = thread * each + i % each + i / each * (depth / 2);
      b[row][group] = v[4 + i / each] >> (32 / each * (i % each));
    }
  }
  for (int lane = 0; lane < 32; ++lane) {
    uint64_t* v = lanes[static_cast<size_t>(lane)].values;
    for (int i = 0; i < 4; ++i) {
      const int row = lane / 4 + i / 2 * 8, col = lane % 4 * 2 + i % 2;
      const uint64_t c = v[10 + i];
      if (bytes) {
        uint64_t sum = c;
        for (int k = 0; k < depth; ++k)
          sum += static_cast<uint64_t>(Signed(a[row][k], 8) * Signed(b[k][col], 8));
        v[i] = Unsigned(sum, 32);
      } else {
        float sum = Float(c, 32);
        for (int k = 0; k < depth; ++k) sum += Float(a[row][k], 16) * Float(b[k][col], 16);
        v[i] = Bits(sum, 32);
      }
    }
  }
  return {};
}

}  // namespace tessera::test
