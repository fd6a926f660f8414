// SPDX-License-Identifier: Apache-2.0
//
// The interface by which the file of a host's or GPU's intrinsic emits code: values in registers,
// from the tiles of a call's operands. Instructions without an operation here are named as in LLVM,
// as text, so that this folder needs no LLVM headers. Depends on nothing. Used by: host_*.cc,
// mma.cc, codegen/llvm.
#ifndef TESSERA_COMPILER_TARGET_VALUE_BUILDER_H_
#define TESSERA_COMPILER_TARGET_VALUE_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::target {

// The units of a processor that change the generated code.
struct CpuUnits {
  bool fma = false;       // multiplies and adds f32 with one rounding
  bool directed = false;  // rounds sixteen f32 and their products down on request
  bool half = false;      // converts between f16 and f32
  int pair_bits = 0;      // width of vectors of pmaddwd, sums of two int16 products; 0: none
  bool tiles = false;     // products of AMX tiles of uint8 and int8: tdpbusd
  bool quads = false;     // sums of four products of uint8 and int8 in int32: vpdpbusd
  // For Arm's vectors of 16 bytes: sums of neighbours; sums of four products of int8; sums of four
  // products of uint8 and int8.
  bool neon_pairs = false, neon_quads = false, neon_mixed_quads = false;
};

// A number, or a vector of |lanes|.
struct ValueType {
  int bits = 32;
  int lanes = 1;
  bool floats = false;
};

struct EmittedValue;  // the back end's
using Vreg = EmittedValue*;

enum class ValueOp : uint8_t { kAdd, kMul, kAnd, kXor, kShl, kShr, kShrUnsigned };

class ValueBuilder {
 public:
  virtual ~ValueBuilder() = default;

  virtual const CpuUnits& units() const = 0;

  // Loads |type| at byte |byte| (null: 0) of the tile of operand |operand|. The address is a
  // multiple of |align|, or of the element's size if 0. In memory that threads share out, each
  // thread accesses its own part.
  virtual Vreg Load(size_t operand, ValueType type, Vreg byte = nullptr, int64_t align = 0) = 0;
  virtual void Store(size_t operand, Vreg value, Vreg byte = nullptr, int64_t align = 0) = 0;
  virtual Vreg Address(size_t operand) = 0;
  virtual Vreg Number(size_t operand) = 0;  // the value of an operand that is no tile
  virtual Vreg Thread() = 0;                // number of the thread in its warp, 64 bits

  virtual Vreg Constant(ValueType type, uint64_t value) = 0;  // in each lane
  virtual Vreg Op(ValueOp op, Vreg a, Vreg b) = 0;
  virtual Vreg SignExtend(Vreg a, ValueType to) = 0;
  virtual Vreg BitCast(Vreg a, ValueType to) = 0;
  virtual Vreg Choose(Vreg number, Vreg if_not_zero, Vreg if_zero) = 0;

  virtual Vreg Splat(Vreg a, int lanes) = 0;
  virtual Vreg Shuffle(Vreg a, Vreg b,
                       const std::vector<int>& lanes) = 0;  // indices into |a|, then |b|
  virtual Vreg Lane(Vreg vector, int lane) = 0;
  virtual Vreg Join(const std::vector<Vreg>& lanes) = 0;
  virtual Vreg Field(Vreg results, int field) = 0;  // a result of an instruction with several

  // Calls an LLVM intrinsic such as "llvm.fma"; |types| are those that its name leaves open.
  virtual Vreg Call(const char* name, const std::vector<ValueType>& types,
                    const std::vector<Vreg>& args) = 0;
};

// Emits the code of a call.
using EmitValues = void (*)(ValueBuilder& b);

}  // namespace tessera::target

#endif  // TESSERA_COMPILER_TARGET_VALUE_BUILDER_H_
