// SPDX-License-Identifier: Apache-2.0
//
// What is tested: host code against te::Evaluate, at the levels that this machine runs, and at
// those of boards under qemu-user. Space: 40 random expressions under random schedules, 20 under
// the host's, and the named windows, these by dot products on every level too; the instructions of
// levels that have their own, and which level code is for. Not tested here: the loader's refusals
// (tests/runtime).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/codegen/llvm/llvm.h"
#include "compiler/ir/interp.h"
#include "compiler/ir/parse.h"
#include "compiler/ir/print.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/host.h"
#include "compiler/target/host_level.h"
#include "tests/compiler/llvm/run_kernel.h"
#include "tests/compiler/lower/agree.h"
#include "tests/compiler/lower/window_te.h"

namespace tessera::codegen::random_test {
namespace {

// "" if host code of |program| for |level| gives the result.
std::string HostDifference(const test::ScheduledProgram& program, const std::string& level) {
  const Result<ir::Func> func = lower::Lower(program.schedule, "kernel");
  if (!func) return "";  // counted by tests/compiler/lower
  const Result<std::vector<uint8_t>> object = CompileObject({&*func, 1}, level);
  if (!object) return object.error().message;
  std::vector<ir::Array> arrays = test::Arguments(*func, program.schedule, program.values);
  std::vector<std::vector<uint8_t>> buffers;
  for (const ir::Array& a : arrays) buffers.emplace_back(a.bytes().begin(), a.bytes().end());
  buffers.emplace_back(static_cast<size_t>(ScratchBytes(*func)));
  const Status ran = test::RunKernel(level, *object, func->name, buffers);
  if (!ran) return level + ": " + ran.error().message;
  const std::vector<uint8_t>& result = buffers[arrays.size() - 1];
  std::memcpy(arrays.back().data(), result.data(), result.size());
  const bool same = test::Logical(*func, program.schedule, arrays.size() - 1, arrays) ==
                    program.values.at(program.output.get()).bytes();
  return same ? "" : level + " differs\n" + ir::Print(*func);
}

// The host's own schedules of |out| over |values|, of every one of |levels|.
void ExpectExact(const te::Tensor& out, te::Values values, const std::vector<std::string>& levels,
                 schedule::HostOptions options = {}) {
  ASSERT_TRUE(te::Evaluate({out}, &values));
  for (const std::string& level : levels) {
    options.target = target::Host(*target::FindHostLevel(level));
    const Result<schedule::Schedule> s = schedule::HostSchedule({out}, options);
    ASSERT_TRUE(s.has_value());
    SCOPED_TRACE(te::Print({out}) + schedule::Print(s->trace()));
    EXPECT_EQ(HostDifference({*s, out, values}, level), "");
  }
}

class LlvmRandom : public ::testing::TestWithParam<uint64_t> {};

TEST_P(LlvmRandom, RandomSchedulesMatchTheDefinition) {
  const std::vector<std::string> levels = test::TestedLevels();
  ASSERT_FALSE(levels.empty());
  const std::string& level = levels[GetParam() % levels.size()];
  const test::SearchResult found = test::FindDifference(
      [&](const test::ScheduledProgram& p) { return HostDifference(p, level); },
      {.seed = GetParam() * 1000, .programs = 4, .most_steps = 20});
  EXPECT_FALSE(found.difference.has_value()) << *found.difference;
}

TEST_P(LlvmRandom, TheHostsSchedulesMatchTheDefinition) {
  const std::vector<std::string> levels = test::TestedDotLevels();
  for (uint64_t i = 0; i < 2; ++i) {
    const uint64_t seed = GetParam() * 1000 + 500 + i;
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed);
    const te::Tensor out = test::RandomExpression(rng);
    ASSERT_NO_FATAL_FAILURE(
        ExpectExact(out, test::RandomInputs(out, rng), {levels[(GetParam() + i) % levels.size()]}));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LlvmRandom, ::testing::Range<uint64_t>(0, 10));

class LlvmWindows : public ::testing::TestWithParam<test::WindowShape> {};

TEST_P(LlvmWindows, AreExactOnTheFirstAndTheLastLevel) {
  Rng rng(5);
  const te::Tensor out = test::WindowExpression(GetParam());
  const std::vector<std::string> levels = test::TestedLevels();
  ASSERT_NO_FATAL_FAILURE(
      ExpectExact(out, test::RandomInputs(out, rng), {levels.front(), levels.back()}));
}

// Levels multiply by vpdpbusd, by pmaddwd of three widths, or by one of three ways of Arm; two that
// do it alike can differ in their tiles.
TEST_P(LlvmWindows, AreExactByDotProductsOnEveryLevel) {
  Rng rng(6);
  const te::Tensor given = test::WindowExpression(GetParam());
  for (const bool extreme : {false, true}) {
    te::Values values = test::RandomInputs(given, rng);
    for (auto& [tensor, array] : values) {
      for (uint8_t& byte : array.bytes()) {
        // Products of 127 or -128 with -128: the sums of pairs are largest.
        if (extreme && tensor->name == "x") byte = byte & 1 ? 0x7f : 0x80;
        if (extreme && tensor->name == "w") byte = 0x80;
      }
    }
    for (const DType factor : {DType::kUint8, DType::kInt16}) {
      if (extreme && factor == DType::kInt16) continue;  // far from the greatest sums of its pairs
      te::Values own = values;
      const te::Tensor out = test::ProductOutput(given, &own, factor);
      if (out == given) return;
      ASSERT_NO_FATAL_FAILURE(ExpectExact(out, own, test::TestedDotLevels(),
                                          {.layouts = {{"x", "0,2,3,1"}, {"out", "0,2,3,1"}}}));
    }
  }
}

// Does the code of |object| have a 32-bit word with |bits| under |mask|?
bool HasWord(const std::vector<uint8_t>& object, uint32_t mask, uint32_t bits) {
  for (size_t at = 0; at + sizeof bits <= object.size(); at += sizeof bits) {
    uint32_t word = 0;
    std::memcpy(&word, &object[at], sizeof word);
    if ((word & mask) == bits) return true;
  }
  return false;
}

// Levels that have an instruction for four products use it; the encodings are the manuals'.
TEST(LlvmDots, AreTheLevelsInstructions) {
  (void)target::Host();
  const Result<ir::Func> func = ir::ParseFunc(
      "func f(s: i32[16] global, x: u8[4] global, w: i8[64] global) {\n"
      "  eval dot_u8s8x16(s[0], x[0], w[0]);\n}\n");
  ASSERT_TRUE(func) << func.error().message;
  struct Known {
    const char* level;
    uint32_t mask, bits;
  };
  // sdot and usdot of 16 bytes.
  const Known kKnown[] = {{"aarch64-dotprod", 0xffe0fc00, 0x4e809400},
                          {"aarch64-i8mm", 0xffe0fc00, 0x4e809c00}};
  for (const Known& known : kKnown) {
    const auto with = CompileObject({&*func, 1}, known.level);
    const auto without = CompileObject({&*func, 1}, "aarch64");
    ASSERT_TRUE(with && without);
    EXPECT_TRUE(HasWord(*with, known.mask, known.bits)) << known.level;
    EXPECT_FALSE(HasWord(*without, known.mask, known.bits)) << known.level;
  }
}

// A product by tiles of 16 x 16 x 64: the interpreter gives the definition's integers, the one
// level that has tiles an object with tdpbusd (VEX.128.66.0F38.W0 5E, three registers), others
// none. A processor that has them runs it.
TEST(LlvmAmx, IsAProductOfTiles) {
  const te::Tensor x = te::Placeholder("x", DType::kUint8, {32, 128}),
                   w = te::Placeholder("w", DType::kInt8, {16, 128});
  const te::Axis k = te::ReduceAxis("k", 128);
  const te::Tensor y = te::Compute("y", {32, 16}, {"i", "j"}, [&](const auto& i) {
    return te::Sum(
        ir::Cast(DType::kInt32, x(i[0], k.var)) * ir::Cast(DType::kInt32, w(i[1], k.var)), {k});
  });
  schedule::Schedule s = *schedule::Schedule::Create({y}, target::Host());
  const Status applied = s.Apply(
      "layout x 0/16,1/64,0%16,1%64\nlayout w 1/4,0,1%4\nsplit y i 16 i.o p\nsplit y k 64 k.o k.i\n"
      "split y k.i 4 q b\nreorder y i.o k.o p j q b\ntensorize y p amx_u8s8");
  ASSERT_TRUE(applied) << applied.error().message;
  Rng rng(4);
  te::Values values = test::RandomInputs(y, rng);
  ASSERT_TRUE(te::Evaluate({y}, &values));
  const Result<ir::Func> func = lower::Lower(s, "kernel");
  ASSERT_TRUE(func) << func.error().message;
  EXPECT_EQ(test::DifferenceOf({s, y, values}, *func), "");
  // Only what uses tiles is for a processor that has them: the code of anything else is the same.
  const std::vector<std::string> x86 = {"x86-64-v4-amx", "x86-64-v4-vnni", "x86-64-v4"};
  const ir::Func plain = *ir::ParseFunc(
      "func f(s: i32[16] global, x: u8[4] global, w: i8[64] global) {\n"
      "  eval dot_u8s8x16(s[0], x[0], w[0]);\n}\n");
  EXPECT_EQ(target::LevelInUse(x86, {{plain, *func}}), "x86-64-v4-amx");
  EXPECT_EQ(target::LevelInUse(x86, {&plain, 1}), "x86-64-v4-vnni");
  EXPECT_EQ(*CompileObject({&plain, 1}, x86[0]), *CompileObject({&plain, 1}, x86[1]));
  EXPECT_NE(*CompileObject({&plain, 1}, x86[1]), *CompileObject({&plain, 1}, x86[2]));
  const auto object = CompileObject({&*func, 1}, "x86-64-v4-amx");
  ASSERT_TRUE(object) << object.error().message;
  bool found = false;
  for (size_t i = 0; i + 4 < object->size(); ++i) {
    const uint8_t* at = &(*object)[i];
    found |= at[0] == 0xc4 && at[1] == 0xe2 && (at[2] & 0x87) == 0x01 && at[3] == 0x5e &&
             (at[4] & 0xc0) == 0xc0;
  }
  EXPECT_TRUE(found);
  for (const std::string& level : test::TestedLevels()) {
    if (level == "x86-64-v4-amx") {
      EXPECT_EQ(HostDifference({s, y, values}, level), "");
    } else {
      const auto other = CompileObject({&*func, 1}, level);
      ASSERT_FALSE(other) << level;
      EXPECT_EQ(other.error().message, "kernel: a call of amx_u8s8 has no code for this target");
    }
  }
}

// fma_f32x16 rounds a product and its sum once, in the order of the reduction. Levels that cannot
// round the product too.
TEST(LlvmFma, RoundsOnceWhereTheLevelCan) {
  const te::Tensor x = te::Placeholder("x", DType::kFloat32, {3, 5}),
                   w = te::Placeholder("w", DType::kFloat32, {16, 5});
  const te::Axis k = te::ReduceAxis("k", 5);
  const te::Tensor y = te::Compute("y", {3, 16}, {"i", "j"}, [&](const auto& i) {
    return te::Sum(x(i[0], k.var) * w(i[1], k.var), {k});
  });
  schedule::Schedule s = *schedule::Schedule::Create({y}, target::Host());
  const Status applied =
      s.Apply("layout w 1,0\nsplit y k 1 o p\nreorder y i o j p\ntensorize y j fma_f32x16");
  ASSERT_TRUE(applied) << applied.error().message;
  const Result<ir::Func> func = lower::Lower(s, "kernel");
  ASSERT_TRUE(func) << func.error().message;
  Rng rng(3);
  std::vector<float> a(3 * 5), b(5 * 16), wanted(3 * 16, 0.0f);  // b as it lies there
  std::vector<float> twice(3 * 16, 0.0f);                        // of levels without the unit
  for (auto* list : {&a, &b}) {
    for (float& v : *list) v = static_cast<float>(rng.Range(-9999, 9999)) / 777;
  }
  for (size_t i = 0; i < 3; ++i) {
    for (size_t o = 0; o < 5; ++o) {
      for (size_t j = 0; j < 16; ++j) {
        wanted[i * 16 + j] = std::fma(a[i * 5 + o], b[o * 16 + j], wanted[i * 16 + j]);
        twice[i * 16 + j] += a[i * 5 + o] * b[o * 16 + j];
      }
    }
  }
  const auto bytes = [](const std::vector<float>& v) {
    const auto* raw = reinterpret_cast<const uint8_t*>(v.data());
    return std::vector<uint8_t>(raw, raw + v.size() * sizeof(float));
  };
  ir::Array arrays[] = {
      {DType::kFloat32, bytes(a)}, {DType::kFloat32, bytes(b)}, {DType::kFloat32, int64_t{3 * 16}}};
  EXPECT_NE(twice, wanted);
  ASSERT_TRUE(ir::Interpret(*func, {&arrays[0], &arrays[1], &arrays[2]}));
  EXPECT_EQ(arrays[2].bytes(), bytes(wanted));
  for (const std::string& level : test::TestedLevels()) {
    const Result<std::vector<uint8_t>> object = CompileObject({&*func, 1}, level);
    ASSERT_TRUE(object) << object.error().message;
    std::vector<std::vector<uint8_t>> buffers{bytes(a), bytes(b), bytes(wanted), {}};
    buffers[2].assign(buffers[2].size(), 0x77);
    ASSERT_TRUE(test::RunKernel(level, *object, "kernel", buffers));
    const bool once = level != "x86-64-v2" && level != "armv7";
    EXPECT_EQ(buffers[2], bytes(once ? wanted : twice)) << level;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, LlvmWindows, ::testing::ValuesIn(test::WindowShapes()),
                         [](const auto& shape) { return shape.param.name; });

}  // namespace
}  // namespace tessera::codegen::random_test
