// SPDX-License-Identifier: Apache-2.0
//
// The functions that a Call can name. Scalar intrinsics are a fixed table of pure functions,
// applied lane by lane, which every back end implements. Tile intrinsics act on memory, and their
// set is open: a back end registers a name with its operand kinds and a function for the
// interpreter. Depends on ir.h.
#ifndef TESSERA_COMPILER_IR_INTRIN_H_
#define TESSERA_COMPILER_IR_INTRIN_H_

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/ir/array.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/scalar_math.h"

namespace tessera::ir {

enum class ScalarIntrin : uint8_t {
  kRequant,    // requant(a, multiplier, shift, rounding)   i32; rounding: a constant isa::Round
  kClampAdd,   // clamp_add(y, zero, lo, hi)                i32
  kClamp,      // clamp(x, lo, hi)                          all numbers but f16
  kAbs,        // abs(x)                                    i32, i64, f32; lowest integer unchanged
  kRoundEven,  // round_even(x)                             f32
  kFloor,      // floor(x)                                  f32
  kFma,        // fma(x, y, z): x y + z, rounded once       f32
  // Functions of f32 (functions.h).
  kSqrt,   // sqrt(x)
  kExp,    // exp(x)
  kExpm1,  // expm1(x): e^x - 1
  kLog,    // log(x), to base e
  kLog1p,  // log1p(x): log(1 + x)
  kPow,    // pow(x, y)
  kErf,    // erf(x)
  kSin,    // sin(x)
  kCos,    // cos(x)
  kAtan,   // atan(x)
  kFmod,   // fmod(x, y), as in C, with the sign of x
  // requant_clamp(a, multiplier, shift, rounding, zero, lo, hi, offset, high, low, start)
  kRequantClamp,  // i32, the last three f32: see RequantClamp
};

struct ScalarIntrinInfo {
  ScalarIntrin id;
  const char* name;
  int operands;
  bool function = false;  // an f32 function of functions.h
};
std::optional<ScalarIntrinInfo> FindScalarIntrin(const std::string& name);
const ScalarIntrinInfo& InfoOf(ScalarIntrin id);
std::span<const ScalarIntrinInfo> ScalarIntrins();

// Checks operand count and types; the result has the type of the first operand.
Result<Type> ScalarIntrinType(const std::string& name, const std::vector<Expr>& args);

Expr Requant(Expr a, Expr multiplier, Expr shift, isa::Round rounding);
// clamp_add(requant(a - offset, multiplier, shift, rounding), zero, lo, hi). The maker of the call
// has proved that it equals clamp(floor(a * high + (a * low + start)), lo, hi), with |a| as
// float32, the inner product and sum fused and rounded to float32, and the outer ones exact. A back
// end may emit either form.
//   high   2^-18 to 1/2; |low| and |start| are below 1
struct FloatScale {
  Expr offset, high, low, start;
};
Expr RequantClamp(Expr a, Expr multiplier, Expr shift, isa::Round rounding, Expr zero, Expr lo,
                  Expr hi, const FloatScale& scale);
// Operand positions in a call of requant_clamp.
struct RequantClampAt {
  enum : size_t {
    kA,
    kMultiplier,
    kShift,
    kRounding,
    kZero,
    kLo,
    kHi,
    kOffset,
    kHigh,
    kLow,
    kStart
  };
};
// |call| of requant_clamp in its integer form.
Expr InIntegers(const Expr& call);
Expr ClampAdd(Expr y, Expr zero, Expr lo, Expr hi);
Expr Clamp(Expr x, Expr lo, Expr hi);
Expr Abs(Expr x);
Expr RoundEven(Expr x);
Expr Floor(Expr x);
Expr Fma(Expr x, Expr y, Expr z);
Expr Ceil(Expr x);   // from Floor
Expr Trunc(Expr x);  // towards zero, from Floor
Expr Sqrt(Expr x);
Expr Exp(Expr x);
Expr Expm1(Expr x);
Expr Log(Expr x);
Expr Log1p(Expr x);
Expr Pow(Expr x, Expr y);
Expr Erf(Expr x);
Expr Sin(Expr x);
Expr Cos(Expr x);
Expr Atan(Expr x);
Expr Fmod(Expr x, Expr y);

// How a tile intrinsic uses an operand. The last three kinds are Loads that name the first element
// of the tile; the intrinsic knows the tile's extent.
enum class OperandKind : uint8_t { kValue, kRead, kWrite, kUpdate };

// One operand at run time.
struct TileOperand {
  int64_t value = 0;       // kValue
  Array* array = nullptr;  // others: the buffer's elements in physical order,
  int64_t offset = 0;      //         and the first element of the tile
  // Whether elements [offset, offset + count) are inside the array.
  bool Holds(int64_t count) const { return offset >= 0 && offset + count <= array->size(); }
};

struct TileIntrin {
  std::string name;
  std::vector<OperandKind> operands;
  std::function<Status(std::span<TileOperand>)> interpret;
};

// Adds |intrin|, or replaces the one with its name. Thread-safe.
void RegisterTileIntrin(TileIntrin intrin);
// Empty if the name is not registered.
std::optional<TileIntrin> FindTileIntrin(const std::string& name);

// A call of a registered tile intrinsic; the operand kinds are checked.
Expr TileCall(const std::string& name, std::vector<Expr> args);

}  // namespace tessera::ir

#endif  // TESSERA_COMPILER_IR_INTRIN_H_
