// SPDX-License-Identifier: Apache-2.0
//
// Tile intrinsics of host processors, by name: how each level does what compiler/target says they
// do. Another level, the same integers.
#include <llvm/IR/IntrinsicsAArch64.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <numeric>

#include "compiler/codegen/llvm/emitter.h"
#include "compiler/ir/layout.h"

namespace tessera::codegen {
namespace {

using Parts = std::vector<llvm::Value*>;

llvm::Value* Part(llvm::IRBuilder<>& b, llvm::Value* v, unsigned first, unsigned count) {
  std::vector<int> picks(count);
  std::iota(picks.begin(), picks.end(), static_cast<int>(first));
  return b.CreateShuffleVector(v, picks);
}

// |parts| of one width, a power of two of them, one behind the other.
llvm::Value* Joined(llvm::IRBuilder<>& b, Parts parts) {
  while (parts.size() > 1) {
    Parts wider;
    for (size_t i = 0; i < parts.size(); i += 2) {
      const auto* half = llvm::cast<llvm::FixedVectorType>(parts[i]->getType());
      std::vector<int> picks(2 * half->getNumElements());
      std::iota(picks.begin(), picks.end(), 0);
      wider.push_back(b.CreateShuffleVector(parts[i], parts[i + 1], picks));
    }
    parts = std::move(wider);
  }
  return parts[0];
}

}  // namespace

void FuncEmitter::EmitTile(const ir::Expr& call) {
  ++tiles_;
  if (call->name == "dot_u8s8x16") return DotU8S8(call, 16);
  if (call->name == "dot_u8s8x8") return DotU8S8(call, 8);
  if (call->name == "fma_f32x16" && units_.fma) return FmaF32(call);
  if (call->name == "amx_u8s8" && units_.tiles) return AmxU8S8(call);
  unsupported_ = "a call of " + call->name;
}

// LLVM gives tiles registers and their shapes (16 rows of 64 bytes) to the processor.
void FuncEmitter::AmxU8S8(const ir::Expr& call) {
  using namespace llvm::Intrinsic;  // NOLINT: their names say enough
  llvm::Value *rows = b_.getInt16(16), *bytes = b_.getInt16(64), *stride = b_.getInt64(64);
  const auto place = [&](const ir::Expr& operand) {
    return AddressOf(operand->buffer, ir::OffsetOf(*operand->buffer, operand->args));
  };
  const auto load = [&](const ir::Expr& operand) {
    return b_.CreateIntrinsic(x86_tileloadd64_internal, {}, {rows, bytes, place(operand), stride});
  };
  llvm::Value* sum = load(call->args[0]);
  llvm::Value *x = load(call->args[1]), *w = load(call->args[2]);
  sum = b_.CreateIntrinsic(x86_tdpbusd_internal, {}, {rows, bytes, bytes, sum, x, w});
  b_.CreateIntrinsic(x86_tilestored64_internal, {},
                     {rows, bytes, place(call->args[0]), stride, sum});
}

void FuncEmitter::FmaF32(const ir::Expr& call) {
  const ir::Expr& out = call->args[0];
  auto* type = llvm::FixedVectorType::get(b_.getFloatTy(), 16);
  llvm::Value* x = b_.CreateVectorSplat(16, LoadPlace(call->args[1], b_.getFloatTy()));
  llvm::Value* sum = b_.CreateIntrinsic(llvm::Intrinsic::fma, {type},
                                        {x, LoadPlace(call->args[2], type), LoadPlace(out, type)});
  llvm::StoreInst* stored = b_.CreateAlignedStore(
      sum, AddressOf(out->buffer, ir::OffsetOf(*out->buffer, out->args)), llvm::Align(4));
  Tag(stored, out->buffer.get());
}

llvm::LoadInst* FuncEmitter::LoadPlace(const ir::Expr& place, llvm::Type* type) {
  const llvm::Align align(static_cast<uint64_t>(SizeOf(place->buffer->dtype)));
  llvm::LoadInst* loaded = b_.CreateAlignedLoad(
      type, AddressOf(place->buffer, ir::OffsetOf(*place->buffer, place->args)), align);
  Tag(loaded, place->buffer.get());
  return loaded;
}

// Everything in 32-bit lanes: four bytes of x in each, four weights of an output in its own.
void FuncEmitter::DotU8S8(const ir::Expr& call, unsigned lanes) {
  const ir::Expr& out = call->args[0];
  auto* type = llvm::FixedVectorType::get(b_.getInt32Ty(), lanes);
  llvm::Value* x = b_.CreateVectorSplat(lanes, LoadPlace(call->args[1], b_.getInt32Ty()));
  llvm::Value* w = LoadPlace(call->args[2], type);
  llvm::Value* sum = LoadPlace(out, type);
  if (units_.quads) {
    const auto id = lanes == 16 ? llvm::Intrinsic::x86_avx512_vpdpbusd_512
                                : llvm::Intrinsic::x86_avx512_vpdpbusd_256;
    sum = b_.CreateIntrinsic(id, {}, {sum, x, w});
  } else if (units_.neon_pairs) {
    Parts done;
    for (unsigned first = 0; first < lanes; first += 4) {
      done.push_back(
          DotNeon(Part(b_, sum, first, 4), Part(b_, x, first, 4), Part(b_, w, first, 4)));
    }
    sum = Joined(b_, std::move(done));
  } else {
    sum = units_.pair_bits > 0 ? DotInPairs(sum, x, w, lanes) : DotInLanes(sum, x, w);
  }
  llvm::StoreInst* stored = b_.CreateAlignedStore(
      sum, AddressOf(out->buffer, ir::OffsetOf(*out->buffer, out->args)), llvm::Align(4));
  Tag(stored, out->buffer.get());
}

// Bytes 0 and 2 of a lane as two int16, then bytes 1 and 3: two products each, summed in int32
// without loss (pmaddubsw would saturate).
llvm::Value* FuncEmitter::DotInPairs(llvm::Value* sum, llvm::Value* x, llvm::Value* w,
                                     unsigned lanes) {
  auto* pairs = llvm::FixedVectorType::get(b_.getInt16Ty(), 2 * lanes);
  x = b_.CreateBitCast(x, pairs);
  w = b_.CreateBitCast(w, pairs);
  const auto all = [&](uint64_t v) { return llvm::ConstantInt::get(pairs, v); };
  llvm::Value* xs[] = {b_.CreateAnd(x, all(255)), b_.CreateLShr(x, all(8))};
  llvm::Value* ws[] = {b_.CreateAShr(b_.CreateShl(w, all(8)), all(8)), b_.CreateAShr(w, all(8))};
  const unsigned step = std::min(2 * lanes, static_cast<unsigned>(units_.pair_bits) / 16);
  const auto id = step == 32   ? llvm::Intrinsic::x86_avx512_pmaddw_d_512
                  : step == 16 ? llvm::Intrinsic::x86_avx2_pmadd_wd
                               : llvm::Intrinsic::x86_sse2_pmadd_wd;
  Parts done;
  for (unsigned first = 0; first < 2 * lanes; first += step) {
    llvm::Value* s = Part(b_, sum, first / 2, step / 2);
    for (int odd = 0; odd < 2; ++odd) {
      s = b_.CreateAdd(
          s, b_.CreateIntrinsic(id, {},
                                {Part(b_, xs[odd], first, step), Part(b_, ws[odd], first, step)}));
    }
    done.push_back(s);
  }
  return Joined(b_, std::move(done));
}

// Four lanes of 16 bytes each. A product of uint8 and int8 fits in int16, and so the sums of two
// neighbours fit in int32; sdot takes x - 128 as int8, and what is missing is 128 times the sum of
// the weights, which is one value for all points of a tile.
llvm::Value* FuncEmitter::DotNeon(llvm::Value* sum, llvm::Value* x, llvm::Value* w) {
  auto* bytes = llvm::FixedVectorType::get(b_.getInt8Ty(), 16);
  llvm::Type* lanes = sum->getType();
  if (units_.neon_quads) {
    const auto all = [&](uint64_t v) { return llvm::ConstantInt::get(bytes, v); };
    x = b_.CreateBitCast(x, bytes);
    w = b_.CreateBitCast(w, bytes);
    if (units_.neon_mixed_quads) {
      return b_.CreateIntrinsic(llvm::Intrinsic::aarch64_neon_usdot, {lanes, bytes}, {sum, x, w});
    }
    const auto dot = [&](llvm::Value* to, llvm::Value* a) {
      return b_.CreateIntrinsic(llvm::Intrinsic::aarch64_neon_sdot, {lanes, bytes}, {to, a, w});
    };
    llvm::Value* missing = dot(dot(llvm::Constant::getNullValue(lanes), all(64)), all(64));
    return dot(b_.CreateAdd(sum, missing), b_.CreateXor(x, all(128)));
  }
  auto* pairs = llvm::FixedVectorType::get(b_.getInt16Ty(), 8);
  x = b_.CreateBitCast(x, pairs);
  w = b_.CreateBitCast(w, pairs);
  const auto all = [&](uint64_t v) { return llvm::ConstantInt::get(pairs, v); };
  const auto neighbours = [&](llvm::Value* v) {
    const int even[] = {0, 2, 4, 6}, odd[] = {1, 3, 5, 7};
    return b_.CreateAdd(b_.CreateSExt(b_.CreateShuffleVector(v, even), lanes),
                        b_.CreateSExt(b_.CreateShuffleVector(v, odd), lanes));
  };
  llvm::Value* low =
      b_.CreateMul(b_.CreateAnd(x, all(255)), b_.CreateAShr(b_.CreateShl(w, all(8)), all(8)));
  llvm::Value* high = b_.CreateMul(b_.CreateLShr(x, all(8)), b_.CreateAShr(w, all(8)));
  return b_.CreateAdd(b_.CreateAdd(sum, neighbours(low)), neighbours(high));
}

// Byte by byte, in int32 lanes.
llvm::Value* FuncEmitter::DotInLanes(llvm::Value* sum, llvm::Value* x, llvm::Value* w) {
  const auto all = [&](uint64_t v) { return llvm::ConstantInt::get(x->getType(), v); };
  for (uint64_t byte = 0; byte < 4; ++byte) {
    llvm::Value* a = b_.CreateAnd(b_.CreateLShr(x, all(8 * byte)), all(255));
    llvm::Value* b = b_.CreateAShr(b_.CreateShl(w, all(24 - 8 * byte)), all(24));
    sum = b_.CreateAdd(sum, b_.CreateMul(a, b));
  }
  return sum;
}

}  // namespace tessera::codegen
