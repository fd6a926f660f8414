// SPDX-License-Identifier: Apache-2.0
//
// Softmax on integers, as TFLite's reference kernel has it: differences to the greatest value in
// Q5.26, exponentials in Q0.31, their sum in Q12.19, its reciprocal by Newton's method. Source:
// gemmlowp's fixed-point functions (fixedpoint.h); a Qm.n number is an int32 with n fraction bits.
#include "compiler/te/ops/body.h"

namespace tessera::te {
namespace {

Expr I32(int64_t value) { return ir::Imm(DType::kInt32, value); }
Expr I64(Expr e) { return e.dtype() == DType::kInt64 ? e : ir::Cast(DType::kInt64, e); }
Expr Narrow(Expr e) { return ir::Cast(DType::kInt32, e); }
Expr Shl(Expr a, Expr b) { return ir::Bin(ir::BinOp::kShl, a, b); }
Expr Shr(Expr a, Expr b) { return ir::Bin(ir::BinOp::kShr, a, b); }
Expr BitAnd(Expr a, Expr b) { return ir::Bin(ir::BinOp::kAnd, a, b); }
Expr OneIf(Expr condition) { return ir::Select(condition, I32(1), I32(0)); }

// The high half of twice the product, rounded half up: the product of a Qm and a Qn number as a
// Qm+n one.
Expr Times(Expr a, Expr b) {
  const Expr product = I64(a) * I64(b) + ir::Imm(DType::kInt64, int64_t{1} << 30);
  return Narrow(Shr(product, ir::Imm(DType::kInt64, 31)));
}

// a / 2^n, rounded half away from zero.
Expr Halve(Expr a, Expr n) {
  const Expr mask = Shl(I32(1), n) - I32(1);
  const Expr threshold = Shr(mask, I32(1)) + OneIf(ir::Lt(a, I32(0)));
  return Shr(a, n) + OneIf(ir::Lt(threshold, BitAnd(a, mask)));
}

// a * 2^n, saturated.
Expr Double(Expr a, int n) {
  const Expr wide = I64(a) * ir::Imm(DType::kInt64, int64_t{1} << n);
  return Narrow(
      ir::Clamp(wide, ir::Imm(DType::kInt64, INT32_MIN), ir::Imm(DType::kInt64, INT32_MAX)));
}

// exp(a) of a Q5.26 number a <= 0, as Q0.31: a polynomial on (-1/4, 0] times the exponentials of
// the binary digits above.
Expr Exponential(Expr a) {
  constexpr int kFraction = 26;
  const int64_t quarter = int64_t{1} << (kFraction - 2);
  const Expr low = BitAnd(a, I32(quarter - 1)) - I32(quarter);
  const Expr x = Double(low, 5) + I32(int64_t{1} << 28);  // around -1/8
  const Expr x2 = Times(x, x), x3 = Times(x2, x), x4 = Times(x2, x2);
  const Expr third = I32(715827883), eighth = I32(1895147668);  // 1/3, exp(-1/8)
  const Expr tail = Halve(Times(Halve(x4, I32(2)) + x3, third) + x2, I32(1));
  Expr result = eighth + Times(eighth, x + tail);
  const Expr rest = low - a;
  constexpr int64_t kPowers[] = {1672461947, 1302514674, 790015084, 290630308,
                                 39332535,   720401,     242};  // exp(-2^k), k from -2
  for (int k = 0; k < 7; ++k) {
    // A factor of 2^31 leaves the value as it is.
    const Expr digit = BitAnd(rest, I32(quarter << k));
    const Expr factor = ir::Select(ir::Eq(digit, I32(0)), ir::Imm(DType::kInt64, int64_t{1} << 31),
                                   ir::Imm(DType::kInt64, kPowers[k]));
    result = Times(result, factor);
  }
  return ir::Select(ir::Eq(a, I32(0)), I32(INT32_MAX), result);
}

// Zero bits above the highest one of x > 0.
Expr LeadingZeros(Expr x) {
  Expr zeros = I32(1);
  for (int k = 1; k < 31; ++k) zeros = zeros + OneIf(ir::Lt(x, I32(int64_t{1} << k)));
  return zeros;
}

// 1 / (1 + a) of a Q0.31 number a in [0, 1), as Q0.31.
Expr Reciprocal(Expr a) {
  const Expr half = Narrow(
      Shr(I64(a) + ir::Imm(DType::kInt64, int64_t{INT32_MAX} + 1), ir::Imm(DType::kInt64, 1)));
  Expr x = I32(1515870810) + Times(half, I32(-1010580540));  // 48/17 - 32/17 * half, Q2.29
  for (int round = 0; round < 3; ++round) {
    x = x + Double(Times(x, I32(int64_t{1} << 29) - Times(half, x)), 2);
  }
  return Double(x, 1);
}

}  // namespace

void SoftmaxBody(RegionBuilder& b, const graph::Node& node) {
  const Tensor x = b.Value(node.inputs[0]);
  const std::string& name = b.graph().tensor(node.output).name;
  const graph::Requant& q =
      *node.requant;  // of a difference to Q5.26; bias: the least difference that counts
  const size_t axis = x.shape().size() - 1;
  std::vector<int64_t> rows = x.shape();
  rows[axis] = 1;
  const auto row_of = [&](std::vector<Expr> i) {
    i[axis] = Expr(0);
    return i;
  };
  const Axis k = ReduceAxis("k", x.shape()[axis]), l = ReduceAxis("l", x.shape()[axis]);
  const auto along = [&](std::vector<Expr> i, const Axis& reduce) {
    i[axis] = reduce.var;
    return i;
  };
  const Tensor most = Compute(b.Name(name + ".max"), rows, {}, [&](const std::vector<Expr>& i) {
    return MaxOf(x(along(i, k)), {k});
  });
  const auto difference = [&](const std::vector<Expr>& i) {
    return Narrow(x(i)) - Narrow(most(row_of(i)));
  };
  const Tensor exponential =
      Compute(b.Name(name + ".exp"), x.shape(), {}, [&](const std::vector<Expr>& i) {
        const Expr d = difference(i);
        const Expr scaled =
            Times(Shl(ir::Max(d, I32(q.bias[0])), I32(q.shift[0])), I32(q.multiplier[0]));
        return ir::Select(ir::Lt(d, I32(q.bias[0])), I32(0), Exponential(scaled));
      });
  const Tensor sum = Compute(b.Name(name + ".sum"), rows, {}, [&](const std::vector<Expr>& i) {
    return Sum(Halve(exponential(along(i, l)), I32(12)), {l});
  });
  const Tensor bits = Compute(b.Name(name + ".bits"), rows, {},
                              [&](const std::vector<Expr>& i) { return LeadingZeros(sum(i)); });
  const Tensor scale = Compute(b.Name(name + ".scale"), rows, {}, [&](const std::vector<Expr>& i) {
    const Expr shifted = Shl(I64(sum(i)), I64(bits(i))) - ir::Imm(DType::kInt64, int64_t{1} << 31);
    return Reciprocal(Narrow(shifted));
  });
  b.SetValue(
      node.output, Compute(b.Name(name), x.shape(), {}, [&](const std::vector<Expr>& i) {
        // 12 integer bits of the sum, less its leading zeros; the result has 8 bits of the
        // product's 31.
        const Expr shift = I32(12 + 31 - 8) - bits(row_of(i));
        // Rows so flat that every element is below half a step shift everything out.
        const Expr product = Times(scale(row_of(i)), exponential(i));
        const Expr value =
            ir::Select(ir::Lt(shift, I32(31)), Halve(product, ir::Min(shift, I32(30))), I32(0));
        const Expr counted = ir::Le(I32(q.bias[0]), difference(i));
        return ir::Cast(
            DType::kInt8,
            ir::Select(counted, ir::ClampAdd(value, I32(-128), I32(-128), I32(127)), I32(-128)));
      }));
}

}  // namespace tessera::te
