// SPDX-License-Identifier: Apache-2.0
//
// The operations in which float32 functions are written (exponential.h, trigonometric.h,
// functions.h): single operations on float, int32_t and bool, each rounded once. The same source
// computes values or generates code: for code, Emitted, a value of a code generator, replaces
// float. Depends on: scalar_math.h, for rounding.
#ifndef TESSERA_COMPILER_IR_REAL_H_
#define TESSERA_COMPILER_IR_REAL_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "compiler/ir/scalar_math.h"

namespace tessera::ir::real {

// Values. Also the operators + - * / < ==, and for integers + - << >> & |.
inline float Select(bool condition, float yes, float no) { return condition ? yes : no; }
inline int32_t Select(bool condition, int32_t yes, int32_t no) { return condition ? yes : no; }
inline bool And(bool a, bool b) { return a && b; }
inline bool Or(bool a, bool b) { return a || b; }
inline bool Not(bool a) { return !a; }
inline float Absolute(float x) { return std::fabs(x); }
inline float RoundDown(float x) { return std::floor(x); }
inline float RoundNearest(float x) { return RoundEvenValue(x); }
inline float Root(float x) { return std::sqrt(x); }  // rounded to nearest as in IEEE 754
inline int32_t Bits(float x) { return std::bit_cast<int32_t>(x); }
inline float OfBits(int32_t bits) { return std::bit_cast<float>(bits); }
inline int32_t Whole(float x) { return static_cast<int32_t>(x); }  // x is an int32 value
inline float OfWhole(int32_t i) { return static_cast<float>(i); }

enum class RealOp : uint8_t {
  kAdd,  // floats
  kSubtract,
  kMultiply,
  kDivide,
  kNegate,
  kAbsolute,
  kRoundDown,
  kRoundNearest,
  kRoot,
  kLess,
  kEqual,
  kBits,  // between floats and integers
  kOfBits,
  kWhole,
  kOfWhole,
  kIntAdd,  // integers
  kIntSubtract,
  kShiftLeft,
  kShiftRight,  // arithmetic
  kIntAnd,
  kIntOr,
  kIntEqual,
  kAnd,  // bools
  kOr,
  kNot,
  kSelect,
};

// A value of type |T| (float, int32_t or bool) in the code that a |Generator| makes, or a literal.
// A generator has
//   Handle Literal(T) for each type
//   Handle Emit(RealOp, std::initializer_list<Handle> operands, T result), |result| for its type
// where Handle is its own type for values.
template <typename Generator, typename T>
class Emitted {
 public:
  using Handle = decltype(std::declval<Generator&>().Literal(0.0f));
  Emitted(T literal) : literal_(literal) {}  // NOLINT(google-explicit-constructor)
  Emitted(Generator* generator, Handle handle) : generator_(generator), handle_(handle) {}

  Generator* generator() const { return generator_; }
  Handle In(Generator* g) const { return generator_ == nullptr ? g->Literal(literal_) : handle_; }

  // The result of |op| on values, at least one of which is not a literal.
  template <typename... Operands>
  static Emitted Make(RealOp op, const Operands&... operands) {
    Generator* g = nullptr;
    ((g = g == nullptr ? operands.generator() : g), ...);
    return {g, g->Emit(op, {operands.In(g)...}, T{})};
  }

  using Float = Emitted<Generator, float>;
  using Int = Emitted<Generator, int32_t>;
  using Bool = Emitted<Generator, bool>;
  static constexpr bool kReal = std::is_same_v<T, float>;

  friend Emitted operator+(const Emitted& a, const Emitted& b) {
    return Make(kReal ? RealOp::kAdd : RealOp::kIntAdd, a, b);
  }
  friend Emitted operator-(const Emitted& a, const Emitted& b) {
    return Make(kReal ? RealOp::kSubtract : RealOp::kIntSubtract, a, b);
  }
  friend Bool operator==(const Emitted& a, const Emitted& b) {
    return Bool::Make(kReal ? RealOp::kEqual : RealOp::kIntEqual, a, b);
  }
  friend Emitted Select(const Bool& condition, const Emitted& yes, const Emitted& no) {
    return Make(RealOp::kSelect, condition, yes, no);
  }
  // Floats.
  friend Emitted operator*(const Emitted& a, const Emitted& b) {
    return Make(RealOp::kMultiply, a, b);
  }
  friend Emitted operator/(const Emitted& a, const Emitted& b) {
    return Make(RealOp::kDivide, a, b);
  }
  friend Emitted operator-(const Emitted& a) { return Make(RealOp::kNegate, a); }
  friend Bool operator<(const Emitted& a, const Emitted& b) {
    return Bool::Make(RealOp::kLess, a, b);
  }
  friend Emitted Absolute(const Emitted& x) { return Make(RealOp::kAbsolute, x); }
  friend Emitted RoundDown(const Emitted& x) { return Make(RealOp::kRoundDown, x); }
  friend Emitted RoundNearest(const Emitted& x) { return Make(RealOp::kRoundNearest, x); }
  friend Emitted Root(const Emitted& x) { return Make(RealOp::kRoot, x); }
  friend Int Bits(const Emitted& x) { return Int::Make(RealOp::kBits, x); }
  friend Int Whole(const Emitted& x) { return Int::Make(RealOp::kWhole, x); }
  // Integers.
  friend Emitted operator<<(const Emitted& a, const Emitted& b) {
    return Make(RealOp::kShiftLeft, a, b);
  }
  friend Emitted operator>>(const Emitted& a, const Emitted& b) {
    return Make(RealOp::kShiftRight, a, b);
  }
  friend Emitted operator&(const Emitted& a, const Emitted& b) {
    return Make(RealOp::kIntAnd, a, b);
  }
  friend Emitted operator|(const Emitted& a, const Emitted& b) {
    return Make(RealOp::kIntOr, a, b);
  }
  friend Float OfBits(const Emitted& bits) { return Float::Make(RealOp::kOfBits, bits); }
  friend Float OfWhole(const Emitted& i) { return Float::Make(RealOp::kOfWhole, i); }
  // Bools.
  friend Emitted And(const Emitted& a, const Emitted& b) { return Make(RealOp::kAnd, a, b); }
  friend Emitted Or(const Emitted& a, const Emitted& b) { return Make(RealOp::kOr, a, b); }
  friend Emitted Not(const Emitted& a) { return Make(RealOp::kNot, a); }

 private:
  Generator* generator_ = nullptr;  // null: a literal
  T literal_{};
  Handle handle_{};
};

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// F is float or an Emitted float.
template <typename F>
auto IsNan(const F& x) {
  return Not(x == x);
}
template <typename F>
F Least(const F& x, const F& y) {
  return Select(x < y, x, y);
}
template <typename F>
F Greatest(const F& x, const F& y) {
  return Select(y < x, x, y);
}
// |x| >= 0 with the sign of |sign|.
template <typename F>
F WithSign(const F& x, const F& sign) {
  return OfBits(Bits(x) | (Bits(sign) & INT32_MIN));
}
// c[0] x^(n-1) + ... + c[n-1].
template <typename F, int kCount>
F Polynomial(const float (&c)[kCount], const F& x) {
  F sum = c[0];
  for (int k = 1; k < kCount; ++k) sum = sum * x + c[k];
  return sum;
}

}  // namespace tessera::ir::real

#endif  // TESSERA_COMPILER_IR_REAL_H_
