// SPDX-License-Identifier: Apache-2.0
//
// What is tested: host code against the interpreter for what tensor expressions seldom make: every
// integer and float operation on edge values, every f16 value, vectors (masked reads, gathers,
// scatters, blocked layouts), branches that must not be read, scratch memory; the errors. Space:
// all pairs of edge values, every shift, each level that this machine runs. Not tested here:
// lowered programs (random_test), requantisation (requant_test).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/half.h"
#include "base/rng.h"
#include "compiler/codegen/llvm/llvm.h"
#include "compiler/ir/interp.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/print.h"
#include "compiler/target/host_level.h"
#include "tests/compiler/llvm/run_kernel.h"
#include "tests/compiler/llvm/same_code.h"

namespace tessera::codegen::emit_test {
namespace {

using ir::Expr;
using test::Buf;
using test::ExpectElementwise;
using test::ExpectSame;
using test::Ints;
using test::Pairs;

TEST(Emit, IntegerOperationsOnEdgeValues) {
  for (const DType dtype : {DType::kInt8, DType::kUint8, DType::kInt32, DType::kInt64}) {
    for (const ir::BinOp op :
         {ir::BinOp::kAdd, ir::BinOp::kSub, ir::BinOp::kMul, ir::BinOp::kMin, ir::BinOp::kMax,
          ir::BinOp::kAnd, ir::BinOp::kOr, ir::BinOp::kXor, ir::BinOp::kDiv, ir::BinOp::kMod}) {
      ir::Array a, b;
      Pairs(dtype, &a, &b, op == ir::BinOp::kDiv || op == ir::BinOp::kMod);
      // The lowest value over -1 overflows the machine's division: no program of ours divides so.
      if (op == ir::BinOp::kDiv || op == ir::BinOp::kMod) {
        for (int64_t i = 0; i < b.size(); ++i)
          b.SetInt(i,
                   b.Int(i) < 0 && dtype != DType::kUint8 ? b.Int(i) - (b.Int(i) == -1) : b.Int(i));
      }
      ExpectElementwise(dtype, dtype, a, b, [&](Expr x, Expr y) { return ir::Bin(op, x, y); });
    }
    for (const ir::BinOp op : {ir::BinOp::kEq, ir::BinOp::kNe, ir::BinOp::kLt, ir::BinOp::kLe}) {
      ir::Array a, b;
      Pairs(dtype, &a, &b);
      ExpectElementwise(dtype, DType::kBool, a, b,
                        [&](Expr x, Expr y) { return ir::Bin(op, x, y); });
    }
  }
}

TEST(Emit, CastsBetweenAllTypes) {
  ir::Array a, b;
  Pairs(DType::kInt32, &a, &b);
  for (const DType to : {DType::kInt8, DType::kUint8, DType::kInt64, DType::kBool, DType::kFloat32,
                         DType::kFloat16}) {
    ExpectElementwise(DType::kInt32, to, a, b, [&](Expr x, Expr) { return ir::Cast(to, x); });
  }
  ir::Array f(DType::kFloat32, 32);
  const float values[] = {0.0f,
                          -0.0f,
                          0.5f,
                          1.5f,
                          -0.5f,
                          -1.5f,
                          2.5f,
                          127.4f,
                          127.6f,
                          -128.6f,
                          255.9f,
                          256.0f,
                          1e10f,
                          -1e10f,
                          3e9f,
                          -3e9f,
                          std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::quiet_NaN(),
                          8388607.5f,
                          8388608.0f,
                          -8388607.5f,
                          1e-30f,
                          100.25f,
                          -100.75f,
                          3.0f,
                          -3.0f,
                          2147483520.0f,
                          -2147483648.0f,
                          1e20f,
                          0.49999997f,
                          -0.49999997f};
  for (int i = 0; i < 32; ++i) f.SetFloat(i, values[i]);
  for (const DType to : {DType::kInt8, DType::kUint8, DType::kInt32, DType::kInt64, DType::kBool}) {
    ExpectElementwise(DType::kFloat32, to, f, f, [&](Expr x, Expr) { return ir::Cast(to, x); });
  }
  for (const auto& fn : {ir::RoundEven, ir::Floor, ir::Abs}) {
    ExpectElementwise(DType::kFloat32, DType::kFloat32, f, f, [&](Expr x, Expr) { return fn(x); });
  }
}

// f16 is stored and cast: every value, every tie between two and its neighbours, and what is
// outside. A signalling NaN is quiet once it was cast.
TEST(Emit, HalvesAreStoredAndCast) {
  ir::Array halves(DType::kFloat16, 65536), none(DType::kFloat16, 65536);
  for (int64_t i = 0; i < 65536; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    std::memcpy(&halves.bytes()[static_cast<size_t>(2 * i)], &bits, 2);
  }
  for (const DType to : {DType::kFloat32, DType::kInt8, DType::kInt32, DType::kBool}) {
    ExpectElementwise(DType::kFloat16, to, halves, halves,
                      [&](Expr x, Expr) { return ir::Cast(to, x); });
  }
  ir::Array floats(DType::kFloat32, 0x7c00 * 6);
  for (int64_t i = 0; i < 0x7c00; ++i) {
    const float value = HalfToFloat(static_cast<uint16_t>(i));
    const float tie =
        value / 2 + (i == 0x7bff ? 32768.0f : HalfToFloat(static_cast<uint16_t>(i + 1)) / 2);
    const float near[] = {tie, std::nextafter(tie, 0.0f), std::nextafter(tie, 1e9f)};
    for (int k = 0; k < 3; ++k) {
      floats.SetFloat(6 * i + k, near[k]);
      floats.SetFloat(6 * i + 3 + k, -near[k]);
    }
  }
  const float far[] = {
      1e5f,          -1e5f,           3e38f,  std::numeric_limits<float>::infinity(),
      std::nanf(""), -std::nanf("7"), 1e-40f, -1e-10f};
  for (int i = 0; i < 8; ++i) floats.SetFloat(i, far[i]);
  ExpectElementwise(DType::kFloat32, DType::kFloat16, floats, floats,
                    [](Expr x, Expr) { return ir::Cast(DType::kFloat16, x); });
  ir::Array a, b;
  Pairs(DType::kInt32, &a, &b);
  ExpectElementwise(DType::kInt32, DType::kFloat16, a, b,
                    [](Expr x, Expr) { return ir::Cast(DType::kFloat16, x); });
  // A choice, a constant, a sum in f32.
  ir::Array some(DType::kFloat32, 4096);
  for (int64_t i = 0; i < some.size(); ++i) some.SetFloat(i, floats.Float(i * 46));
  ExpectElementwise(DType::kFloat32, DType::kFloat16, some, some, [](Expr x, Expr) {
    const Expr half = ir::Cast(DType::kFloat16, x);
    const Expr sum = ir::Cast(DType::kFloat32, half) + ir::Cast(DType::kFloat32, half);
    return ir::Select(ir::Lt(x, ir::ImmF32(0)), ir::ImmFloat(DType::kFloat16, 0.1f),
                      ir::Cast(DType::kFloat16, sum));
  });
}

// A clamp to what int32 holds leaves nothing to saturate; one that goes further does.
TEST(Emit, ClampedFloatsToIntegers) {
  std::vector<float> values{0.0f,
                            -0.0f,
                            0.9f,
                            -0.9f,
                            511.9f,
                            -512.5f,
                            3e9f,
                            -3e9f,
                            2147483520.0f,
                            std::nanf(""),
                            std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity(),
                            1e38f,
                            -1e38f,
                            7.5f,
                            -7.5f};
  ir::Array x(DType::kFloat32, std::ssize(values));
  for (int64_t i = 0; i < x.size(); ++i) x.SetFloat(i, values[static_cast<size_t>(i)]);
  for (const float bound : {512.0f, 2147483520.0f, 0x1p31f, 1e20f}) {
    ExpectElementwise(DType::kFloat32, DType::kInt32, x, x, [&](Expr a, Expr) {
      return ir::Cast(DType::kInt32, ir::Clamp(a, ir::ImmF32(-bound), ir::ImmF32(bound)));
    });
  }
}

// Every function of floats, on all exponents, values around 0 and 1, and what is no number. A
// second operand is the first one of another place.
TEST(Emit, FunctionsOfTheWholeRange) {
  std::vector<float> values{0.0f,
                            -0.0f,
                            88.72284f,
                            -104.0f,
                            1e30f,
                            0x1p-149f,
                            std::nanf(""),
                            -std::nanf("7"),
                            8388608.0f,
                            -1e10f,
                            1e4f,
                            16777217.0f,
                            std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity()};
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 0x100000 + 4793)
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  for (int i = -2000; i <= 2000; ++i) values.push_back(static_cast<float>(i) * (110.0f / 2000));
  for (int i = -1000; i <= 1000; ++i) values.push_back(1 + static_cast<float>(i * i * i) * 1e-9f);
  values.resize(values.size() / 8 * 8);
  ir::Array x(DType::kFloat32, std::ssize(values)), y(DType::kFloat32, std::ssize(values));
  for (int64_t i = 0; i < x.size(); ++i) {
    x.SetFloat(i, values[static_cast<size_t>(i)]);
    y.SetFloat(i, values[static_cast<size_t>(i * 37 % x.size())]);
  }
  for (const ir::ScalarIntrinInfo& f : ir::ScalarIntrins()) {
    if (!f.function) continue;
    SCOPED_TRACE(f.name);
    ExpectElementwise(DType::kFloat32, DType::kFloat32, x, y, [&](Expr a, Expr b) {
      return ir::Call(f.name, f.operands == 2 ? std::vector{a, b} : std::vector{a}, a.type());
    });
  }
}

TEST(Emit, BranchesThatAreNotTakenAreNotRead) {
  // Without the branch, iterations outside [0, 20) would read outside of the buffer.
  const ir::Buffer x = Buf("x", DType::kInt8, {20}), z = Buf("z", DType::kInt8, {32});
  const Expr i = ir::Var("i");
  const Expr from = i - Expr(4);
  const Expr inside = ir::And(ir::Le(Expr(0), from), ir::Lt(from, Expr(20)));
  ir::Func func{
      "f",
      {x, z},
      ir::For(
          i, 0, 32, ir::LoopKind::kSerial,
          ir::Store(z, {i}, ir::Select(inside, ir::Load(x, {from}), ir::Imm(DType::kInt8, -7))))};
  std::vector<int64_t> values;
  for (int64_t k = 0; k < 20; ++k) values.push_back(k * 5 - 50);
  ExpectSame(func, {Ints(DType::kInt8, values), ir::Array(DType::kInt8, 32)});
}

TEST(Emit, VectorsThroughLayoutsGathersAndScatters) {
  // NCHW16c in, transposed and strided out, with a lane-wise choice.
  const ir::Buffer x = Buf("x", DType::kInt8, {32, 5}, ir::BlockedLayout(2, 0, 16));
  const ir::Buffer z = Buf("z", DType::kInt32, {5, 64});
  const Expr c = ir::Var("c"), p = ir::Var("p");
  const Expr lanes = ir::Ramp(c * Expr(16), Expr(1), 16);
  const Expr value = ir::Cast(DType::kInt32, ir::Load(x, {lanes, ir::Broadcast(p, 16)}));
  const Expr small = ir::Lt(value, ir::Broadcast(ir::Imm(DType::kInt32, 10), 16));
  const Expr first = ir::Cast(DType::kInt32, ir::Load(x, {lanes, ir::Broadcast(Expr(0), 16)}));
  const Expr chosen =
      ir::Select(small, value * ir::Broadcast(ir::Imm(DType::kInt32, 3), 16), first);
  ir::Func func{
      "f",
      {x, z},
      ir::For(p, 0, 5, ir::LoopKind::kSerial,
              ir::For(c, 0, 2, ir::LoopKind::kUnroll,
                      ir::Store(z, {ir::Broadcast(p, 16), lanes * ir::Broadcast(Expr(2), 16)},
                                chosen)))};
  std::vector<int64_t> values;
  for (int64_t k = 0; k < 160; ++k) values.push_back(k % 41 - 20);
  ExpectSame(func, {Ints(DType::kInt8, values), ir::Array(DType::kInt32, 5 * 64)});
}

// Vectors whose lanes take turns in memory are stored together: two or four of them, one fewer, and
// where a later one reads what an earlier one stores.
TEST(Emit, VectorsThatTakeTurnsInMemory) {
  for (const auto& [dtype, turns] : {std::pair(DType::kInt8, 4), {DType::kBool, 2}}) {
    for (const bool reads : {false, true}) {
      const ir::Buffer x = Buf("x", DType::kInt32, {16 * turns}), z = Buf("z", dtype, x->shape);
      const auto place = [&, turns = turns](int first) {
        return ir::Ramp(Expr(0), Expr(1), 16) * ir::Broadcast(Expr(turns), 16) +
               ir::Broadcast(Expr(first), 16);
      };
      std::vector<ir::Stmt> stores;
      for (int k = 0; k < turns; ++k) {
        Expr value = ir::Load(x, {ir::Ramp(Expr(16 * k), Expr(1), 16)});
        if (reads && k > 0) value = value + ir::Cast(DType::kInt32, ir::Load(z, {place(k - 1)}));
        stores.push_back(ir::Store(z, {place(k)}, ir::Cast(dtype, value)));
      }
      std::vector<int64_t> values;
      for (int64_t k = 0; k < 16 * turns; ++k) values.push_back(k * 37 % 101 - 50);
      const auto same = [&, dtype = dtype, turns = turns](const std::vector<ir::Stmt>& some) {
        ExpectSame({"f", {x, z}, ir::Seq(some)},
                   {Ints(DType::kInt32, values), ir::Array(dtype, 16 * turns)});
      };
      same(stores);
      stores.pop_back();
      same(stores);
    }
  }
}

TEST(Emit, LargeBuffersAreInScratchMemory) {
  const ir::Buffer x = Buf("x", DType::kInt32, {3000}), z = Buf("z", DType::kInt32, {3000});
  const ir::Buffer big = Buf("big", DType::kInt32, {3000}),
                   small = Buf("small", DType::kInt32, {4});
  const Expr i = ir::Var("i"), j = ir::Var("j"), k = ir::Var("k");
  const ir::Stmt fill = ir::For(i, 0, 3000, ir::LoopKind::kSerial,
                                ir::Store(big, {i}, ir::Load(x, {i}) + ir::Imm(DType::kInt32, 1)));
  const ir::Stmt tail =
      ir::For(k, 0, 4, ir::LoopKind::kSerial, ir::Store(small, {k}, ir::Load(big, {k})));
  const ir::Stmt use = ir::For(j, 0, 3000, ir::LoopKind::kSerial,
                               ir::If(ir::Lt(j, Expr(1500)),
                                      ir::Store(z, {j},
                                                ir::Load(big, {Expr(2999) - j}) +
                                                    ir::Load(small, {ir::FloorMod(j, Expr(4))})),
                                      ir::Store(z, {j}, ir::Neg(ir::Load(big, {j})))));
  ir::Func func{
      "f", {x, z}, ir::Alloc(big, ir::Seq({fill, ir::Alloc(small, ir::Seq({tail, use}))}))};
  EXPECT_EQ(ScratchBytes(func),
            12032);  // 12,000 bytes in whole lines of 64; the small one is on the stack
  std::vector<int64_t> values;
  for (int64_t n = 0; n < 3000; ++n) values.push_back(n * 77777);
  ExpectSame(func, {Ints(DType::kInt32, values), ir::Array(DType::kInt32, 3000)});
}

// Has |object| a prefetcht0, whatever its operand?
bool HasPrefetch(const std::vector<uint8_t>& object) {
  for (size_t i = 0; i + 2 < object.size(); ++i) {
    const bool memory = object[i + 2] < 0xc0 && (object[i + 2] & 0x38) == 0x08;
    if (object[i] == 0x0f && object[i + 1] == 0x18 && memory) return true;
  }
  return false;
}

TEST(Emit, PrefetchesAreInstructionsWithoutEffect) {
  constexpr int64_t kCount = 64;
  const ir::Buffer x = Buf("x", DType::kInt32, {kCount}), y = Buf("y", DType::kInt32, {kCount});
  const Expr i = ir::Var("i");
  const ir::Stmt copy = ir::Store(y, {i}, ir::Load(x, {i}));
  const auto func = [&](const ir::Stmt& body) {
    return ir::Func{"f", {x, y}, ir::For(i, 0, kCount, ir::LoopKind::kParallel, body)};
  };
  const ir::Func ahead =
      func(ir::Seq({ir::Prefetch(x, {ir::Min(i + 16, Expr(kCount - 1))}), copy}));
  ExpectSame(ahead, {Ints(DType::kInt32, std::vector<int64_t>(kCount, 7)),
                     Ints(DType::kInt32, std::vector<int64_t>(kCount, 0))});
  const ir::Func plain = func(copy);
  for (const char* level : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    EXPECT_TRUE(HasPrefetch(*CompileObject({&ahead, 1}, level))) << level;
    EXPECT_FALSE(HasPrefetch(*CompileObject({&plain, 1}, level))) << level;
  }
  for (const char* level : {"armv7", "aarch64"})
    EXPECT_NE(*CompileObject({&ahead, 1}, level), *CompileObject({&plain, 1}, level)) << level;
}

TEST(EmitErrors, NameWhatHasNoHostCode) {
  const ir::Buffer z = Buf("z", DType::kInt8, {4});
  const ir::Func plain{"f", {z}, ir::Store(z, {Expr(0)}, ir::Imm(DType::kInt8, 1))};
  const auto level = CompileObject({&plain, 1}, "vax");
  ASSERT_FALSE(level.has_value());
  EXPECT_EQ(level.error().code, Code::kUnsupported);
  std::string names;
  for (const target::HostLevel& known : target::HostLevels()) {
    names += names.empty() ? "" : ", ";
    names += known.name;
    EXPECT_TRUE(CompileObject({&plain, 1}, known.name)) << known.name;
  }
  EXPECT_EQ(level.error().message, "host code for 'vax': the levels are " + names);
  ir::RegisterTileIntrin({"test.tile",
                          {ir::OperandKind::kWrite},
                          [](std::span<ir::TileOperand>) -> Status { return {}; }});
  const ir::Func tile{"g", {z}, ir::Eval(ir::TileCall("test.tile", {ir::Load(z, {Expr(0)})}))};
  const auto call = CompileObject({&tile, 1}, "x86-64-v3");
  ASSERT_FALSE(call.has_value());
  EXPECT_EQ(call.error().code, Code::kUnsupported);
  EXPECT_THAT(call.error().message, ::testing::HasSubstr("test.tile"));
}

}  // namespace
}  // namespace tessera::codegen::emit_test
