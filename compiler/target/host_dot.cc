// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/ir/intrin.h"
#include "compiler/target/host.h"

namespace tessera::target {

namespace {

using Parts = std::vector<Vreg>;

Vreg Part(ValueBuilder& b, Vreg v, int first, int count) {
  std::vector<int> picks(static_cast<size_t>(count));
  std::iota(picks.begin(), picks.end(), first);
  return b.Shuffle(v, v, picks);
}

// Concatenates |parts|, vectors of |lanes| lanes each; their number is a power of two.
Vreg Joined(ValueBuilder& b, Parts parts, int lanes) {
  for (; parts.size() > 1; lanes *= 2) {
    Parts wider;
    std::vector<int> picks(2 * static_cast<size_t>(lanes));
    std::iota(picks.begin(), picks.end(), 0);
    for (size_t i = 0; i < parts.size(); i += 2)
      wider.push_back(b.Shuffle(parts[i], parts[i + 1], picks));
    parts = std::move(wider);
  }
  return parts[0];
}

// pmaddwd on as many lanes as its vectors have, and their width in int16.
struct PairProducts {
  const char* name;
  int width;
};
PairProducts PairProductsOf(const CpuUnits& units, int lanes) {
  const int width = std::min(2 * lanes, units.pair_bits / 16);
  return {width == 32   ? "llvm.x86.avx512.pmaddw.d.512"
          : width == 16 ? "llvm.x86.avx2.pmadd.wd"
                        : "llvm.x86.sse2.pmadd.wd",
          width};
}

// Splits each int16 of |pairs| into its low and high byte, unsigned or signed.
struct Bytes {
  ValueBuilder& b;
  ValueType pairs;
  Vreg All(uint64_t v) const { return b.Constant(pairs, v); }
  Vreg LowUnsigned(Vreg v) const { return b.Op(ValueOp::kAnd, v, All(255)); }
  Vreg HighUnsigned(Vreg v) const { return b.Op(ValueOp::kShrUnsigned, v, All(8)); }
  Vreg Low(Vreg v) const { return b.Op(ValueOp::kShr, b.Op(ValueOp::kShl, v, All(8)), All(8)); }
  Vreg High(Vreg v) const { return b.Op(ValueOp::kShr, v, All(8)); }
};

// Multiplies bytes 0 and 2 of a lane as two int16, then bytes 1 and 3: two products each time,
// summed in int32 without loss (pmaddubsw would saturate).
Vreg DotInPairs(ValueBuilder& b, Vreg sum, Vreg x, Vreg w, int lanes) {
  const Bytes bytes{b, {16, 2 * lanes}};
  x = b.BitCast(x, bytes.pairs);
  w = b.BitCast(w, bytes.pairs);
  const Vreg xs[] = {bytes.LowUnsigned(x), bytes.HighUnsigned(x)};
  const Vreg ws[] = {bytes.Low(w), bytes.High(w)};
  const auto [name, step] = PairProductsOf(b.units(), lanes);
  Parts done;
  for (int first = 0; first < 2 * lanes; first += step) {
    Vreg s = Part(b, sum, first / 2, step / 2);
    for (int odd = 0; odd < 2; ++odd) {
      s = b.Op(ValueOp::kAdd, s,
               b.Call(name, {}, {Part(b, xs[odd], first, step), Part(b, ws[odd], first, step)}));
    }
    done.push_back(s);
  }
  return Joined(b, std::move(done), step / 2);
}

// Four lanes of 16 bytes each. Without quads: a product of uint8 and int8 fits in int16, and the
// sum of two neighbours in int32. sdot takes x - 128 as int8, so 128 times the sum of the weights
// is added; that value is the same for all points of a tile.
Vreg DotNeon(ValueBuilder& b, Vreg sum, Vreg x, Vreg w) {
  constexpr ValueType kBytes{8, 16}, kLanes{32, 4};
  if (b.units().neon_quads) {
    x = b.BitCast(x, kBytes);
    w = b.BitCast(w, kBytes);
    if (b.units().neon_mixed_quads)
      return b.Call("llvm.aarch64.neon.usdot", {kLanes, kBytes}, {sum, x, w});
    const auto dot = [&](Vreg to, Vreg a) {
      return b.Call("llvm.aarch64.neon.sdot", {kLanes, kBytes}, {to, a, w});
    };
    const Vreg half = b.Constant(kBytes, 64);
    const Vreg missing = dot(dot(b.Constant(kLanes, 0), half), half);
    return dot(b.Op(ValueOp::kAdd, sum, missing), b.Op(ValueOp::kXor, x, b.Constant(kBytes, 128)));
  }
  const Bytes bytes{b, {16, 8}};
  x = b.BitCast(x, bytes.pairs);
  w = b.BitCast(w, bytes.pairs);
  const auto neighbours = [&](Vreg v) {
    const Vreg even = b.Shuffle(v, v, {0, 2, 4, 6}), odd = b.Shuffle(v, v, {1, 3, 5, 7});
    return b.Op(ValueOp::kAdd, b.SignExtend(even, kLanes), b.SignExtend(odd, kLanes));
  };
  const Vreg low = b.Op(ValueOp::kMul, bytes.LowUnsigned(x), bytes.Low(w));
  const Vreg high = b.Op(ValueOp::kMul, bytes.HighUnsigned(x), bytes.High(w));
  return b.Op(ValueOp::kAdd, b.Op(ValueOp::kAdd, sum, neighbours(low)), neighbours(high));
}

// All in 32-bit lanes: each lane has four bytes of x, the same ones or, with |kOwn|, its own, and
// the four weights of its output.
template <int kLanes, bool kOwn = false>
void EmitDot(ValueBuilder& b) {
  constexpr ValueType kType{32, kLanes};
  const Vreg x = kOwn ? b.Load(1, kType) : b.Splat(b.Load(1, {32, 1}), kLanes);
  const Vreg w = b.Load(2, kType);
  Vreg sum = b.Load(0, kType);
  const CpuUnits& units = b.units();
  if (units.quads) {
    sum = b.Call(kLanes == 16 ? "llvm.x86.avx512.vpdpbusd.512" : "llvm.x86.avx512.vpdpbusd.256", {},
                 {sum, x, w});
  } else if (units.neon_pairs) {
    Parts done;
    for (int first = 0; first < kLanes; first += 4)
      done.push_back(
          DotNeon(b, Part(b, sum, first, 4), Part(b, x, first, 4), Part(b, w, first, 4)));
    sum = Joined(b, std::move(done), 4);
  } else {
    sum = DotInPairs(b, sum, x, w, kLanes);
  }
  b.Store(0, sum);
}

// Each lane has the same two int16 of x and the two weights of its output, of which bytes become
// int16 here.
template <int kLanes, int kWeightBits>
void EmitPairs(ValueBuilder& b) {
  constexpr ValueType kSums{32, kLanes}, kFactors{16, 2 * kLanes};
  const Vreg x = b.BitCast(b.Splat(b.Load(1, {32, 1}), kLanes), kFactors),
             loaded = b.Load(2, {kWeightBits, 2 * kLanes}),
             w = kWeightBits < 16 ? b.SignExtend(loaded, kFactors) : loaded;
  Vreg sum = b.Load(0, kSums);
  if (b.units().pair_bits > 0) {
    const auto [name, step] = PairProductsOf(b.units(), kLanes);
    Parts done;
    for (int first = 0; first < 2 * kLanes; first += step) {
      const Vreg products = b.Call(name, {}, {Part(b, x, first, step), Part(b, w, first, step)});
      done.push_back(b.Op(ValueOp::kAdd, Part(b, sum, first / 2, step / 2), products));
    }
    sum = Joined(b, std::move(done), step / 2);
  } else {
    for (int odd = 0; odd < 2; ++odd) {
      std::vector<int> picks(kLanes);
      for (int l = 0; l < kLanes; ++l) picks[static_cast<size_t>(l)] = 2 * l + odd;
      const auto wide = [&](Vreg v) { return b.SignExtend(b.Shuffle(v, v, picks), kSums); };
      sum = b.Op(ValueOp::kAdd, sum, b.Op(ValueOp::kMul, wide(x), wide(w)));
    }
  }
  b.Store(0, sum);
}

struct DotCost {
  double cycles, latency;  // of one register of sums
  OperandWork left, right;
  int64_t scratch = 0;  // registers
};

// The cost of the instructions for one register of sums; x86 starts two per cycle, Arm one. Without
// quads x86 needs two products of pairs and two additions, and splits each operand in two; Arm two
// products, sums of neighbours and additions. With quads one instruction suffices; with sdot Arm
// also adds the correction.
DotCost CostOfQuads(const CpuUnits& units) {
  if (units.quads) return {0.5, 5, {}, {}};
  if (units.neon_mixed_quads) return {1, 4, {}, {}};
  if (units.neon_quads) return {2, 5, {}, {}};
  if (units.neon_pairs) return {6, 4, {}, {}};
  return {2, 2, {1, 2}, {1.5, 2}, 1};
}

// x86: a product of pairs and an addition; bytes become int16 once for a tile. Arm: two products
// that add, of operands that are taken apart.
DotCost CostOfPairs(const CpuUnits& units, bool bytes) {
  if (units.pair_bits > 0) return {1, 1, {}, {bytes ? 0.5 : 0, 1}, 1};
  return {4, 4, {2, 2}, {2, 2}};
}

// out[l] += sum over k < |depth| of x[k] * w[l, k], of |left| and |right|, in int32. |own|: each
// lane has an x of its own, x[l, k].
TensorIntrin Dot(const std::string& name, DType left, DType right, int64_t depth, int64_t lanes,
                 bool own, const DotCost& cost, const HostLevel& level, EmitValues emit) {
  using Index = std::vector<ir::Expr>;
  const std::vector<int64_t> each{lanes, depth};
  const te::Tensor x = te::Placeholder("x", left, own ? each : std::vector{depth}),
                   w = te::Placeholder("w", right, each);
  const te::Axis k = te::ReduceAxis("k", depth);
  const te::Tensor out = te::Compute("out", {lanes}, {"l"}, [&](const Index& i) {
    const ir::Expr left_factor = own ? x(i[0], k.var) : x(k.var);
    return te::Sum(ir::Cast(DType::kInt32, left_factor) * ir::Cast(DType::kInt32, w(i[0], k.var)),
                   {k});
  });
  using ir::OperandKind;
  ir::RegisterTileIntrin({name,
                          {OperandKind::kUpdate, OperandKind::kRead, OperandKind::kRead},
                          [name, lanes, depth, own](std::span<ir::TileOperand> o) -> Status {
                            const int64_t step = own ? depth : 0;
                            if (!o[0].Holds(lanes) || !o[1].Holds(own ? lanes * depth : depth) ||
                                !o[2].Holds(lanes * depth))
                              return Fail(Code::kOutOfRange, "{}: an operand leaves its buffer",
                                          name);
                            for (int64_t l = 0; l < lanes; ++l) {
                              int64_t sum = o[0].array->Int(o[0].offset + l);
                              for (int64_t b = 0; b < depth; ++b) {
                                sum += o[1].array->Int(o[1].offset + l * step + b) *
                                       o[2].array->Int(o[2].offset + l * depth + b);
                              }
                              o[0].array->SetInt(o[0].offset + l, sum);
                            }
                            return {};
                          }});
  const auto registers = static_cast<double>(CeilDiv(4 * lanes, level.vector_bytes));
  return {.name = name,
          .call = name,
          .behaviour = out,
          .cycles = cost.cycles * registers,
          .latency = cost.latency,
          .left = cost.left,
          .right = cost.right,
          .scratch = cost.scratch,
          .emit = emit};
}

}  // namespace

TensorIntrin DotU8S8(int64_t lanes, const HostLevel& level) {
  TESSERA_CHECK(lanes == 16 || lanes == 8, "{} lanes", lanes);
  return Dot(fmt::format("dot_u8s8x{}", lanes), DType::kUint8, DType::kInt8, 4, lanes, false,
             CostOfQuads(level.units), level, lanes == 16 ? EmitDot<16> : EmitDot<8>);
}

TensorIntrin OwnU8S8(int64_t lanes, const HostLevel& level) {
  TESSERA_CHECK(lanes == 16 || lanes == 8, "{} lanes", lanes);
  return Dot(fmt::format("own_u8s8x{}", lanes), DType::kUint8, DType::kInt8, 4, lanes, true,
             CostOfQuads(level.units), level, lanes == 16 ? EmitDot<16, true> : EmitDot<8, true>);
}

TensorIntrin DotS16(DType right, int64_t lanes, const HostLevel& level) {
  TESSERA_CHECK(lanes == 16 || lanes == 8, "{} lanes", lanes);
  const bool bytes = right == DType::kInt8;
  TESSERA_CHECK(bytes || right == DType::kInt16, "{}", ir::DTypeName(right));
  const EmitValues of_bytes = lanes == 16 ? EmitPairs<16, 8> : EmitPairs<8, 8>,
                   of_words = lanes == 16 ? EmitPairs<16, 16> : EmitPairs<8, 16>;
  return Dot(fmt::format("dot_s16s{}x{}", bytes ? 8 : 16, lanes), DType::kInt16, right, 2, lanes,
             false, CostOfPairs(level.units, bytes), level, bytes ? of_bytes : of_words);
}

}  // namespace tessera::target
