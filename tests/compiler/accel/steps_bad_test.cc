// SPDX-License-Identifier: Apache-2.0
//
// What is tested: schedules that ask for more than instructions do, and inputs and records that do
// not fit: each is refused with its own message. Not tested here: steps by themselves
// (tests/compiler/schedule).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "compiler/codegen/accel/emit/records.h"
#include "compiler/driver/run_func.h"
#include "compiler/ir/intrin.h"
#include "compiler/lower/lower.h"
#include "compiler/target/accelerator.h"
#include "sim/func/func_device.h"
#include "tests/compiler/accel/net.h"
#include "tools/docs/schedule_examples.h"

namespace tessera::test::steps_bad_test {
namespace {

using ir::Expr;
using ::testing::HasSubstr;

Expr Number(int64_t v) { return ir::Imm(DType::kInt32, v); }
Expr Wide(const Expr& e) { return ir::Cast(DType::kInt32, e); }

// y int8 [4, |lanes|]: |body| of each element of x int8 [4, |lanes|].
te::Tensor Elementwise(int64_t lanes, const std::function<Expr(const Expr&)>& body) {
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {4, lanes});
  return te::Compute("y", {4, lanes}, {"m", "c"},
                     [&](const std::vector<Expr>& i) { return body(x(i)); });
}

Expr Scaled(const Expr& a) {
  return ir::Requant(a, Number(1 << 30), Number(-3), isa::Round::kEven);
}
Expr Narrow(const Expr& y, int64_t zero = 0, int64_t lo = -128) {
  return ir::Cast(DType::kInt8, ir::ClampAdd(y, Number(zero), Number(lo), Number(127)));
}

// The message with which lowering refuses |steps| on |y|.
std::string Refusal(const te::Tensor& y, const std::string& steps) {
  const auto trace = schedule::ParseTrace(steps);
  EXPECT_TRUE(trace) << trace.error().message;
  const auto s =
      schedule::Schedule::Replay({y}, *trace, target::Accelerator(NamedConfig("default")));
  EXPECT_TRUE(s) << s.error().message;
  const auto func = lower::Lower(*s, "f", {.guards = false});
  EXPECT_FALSE(func);
  return func ? "" : func.error().message;
}

constexpr const char* kInOut =
    "cache_write y out y.o\ncache_read x out x.i y.o\ntensorize x.i i1 tile.load_out\n"
    "tensorize y c tile.store\n";

TEST(AcceleratorSteps, WhatNoInstructionDoesIsRefused) {
  const std::string requant = std::string(kInOut) + "tensorize y.o c tile.requant.i8\n";
  const struct {
    te::Tensor y;
    std::string steps, message;
  } kBad[] = {
      {Elementwise(16, [](const Expr& x) { return Narrow(Scaled(Wide(x)), 200); }), requant,
       "y.o: the nest is not tile.requant.i8: the result's zero point is not in -128 to 127"},
      {Elementwise(16, [](const Expr& x) { return Narrow(Scaled(Wide(x)), 0, -129); }), requant,
       "the result's lower bound is not in -128 to 127"},
      {Elementwise(16,
                   [](const Expr& x) {
                     return ir::Cast(DType::kInt8, ir::ClampAdd(Scaled(Wide(x)), Number(0),
                                                                Number(-128), Number(128)));
                   }),
       requant, "the result's upper bound is not in -128 to 127"},
      {Elementwise(16,
                   [](const Expr& x) {
                     return ir::Cast(DType::kInt8, ir::ClampAdd(Scaled(Wide(x)), Number(0),
                                                                Number(5), Number(4)));
                   }),
       requant, "the result's bounds leave nothing"},
      {Elementwise(16, [](const Expr& x) { return Narrow(Scaled(Wide(x) - Number(128))); }),
       requant, "the source's zero point is not in -128 to 127"},
      {Elementwise(16,
                   [](const Expr& x) {
                     return Narrow(Scaled(ir::Bin(ir::BinOp::kShl, Wide(x), Number(32))));
                   }),
       requant, "the source's shift is not in 0 to 31"},
      {Elementwise(16, [](const Expr& x) { return Narrow(Scaled(Wide(x) * Wide(x))); }), requant,
       "y.o: the nest is not tile.requant.i8: the expression differs"},
      {Elementwise(16, [](const Expr& x) { return Narrow(Scaled(Wide(x))); }),
       "cache_write y out y.o\ncache_read x acc x.i y.o\ntensorize x.i i1 tile.load_out\n"
       "tensorize y c tile.store\ntensorize y.o c tile.requant.i8\n",
       "x.i: the nest is not tile.load_out: dst (x.i) is in acc, and may be in: out"},
      {Elementwise(10, [](const Expr& x) { return Narrow(Scaled(Wide(x))); }), requant,
       "x.i: the nest is not tile.load_out: 10 iterations are less than a tile, and x.i has no "
       "room for the rest"},
      // A constant bias needs a stage of its own, where ALU adds it, or a record.
      {Elementwise(16, [](const Expr& x) { return Narrow(Scaled(Wide(x) + Number(1000))); }),
       std::string(kInOut) + "lift y.o 0.0.0.0 acc a\ntensorize a c tile.widen\n"
                             "tensorize y.o c tile.requant\n",
       "y.o: the nest is not tile.requant: a bias is no 0"},
      {Elementwise(16, [](const Expr& x) { return Narrow(ir::Max(Wide(x), Number(3))); }),
       std::string(kInOut) + "lift y.o 0.0 acc m\nlift m 0 acc a\ntensorize a c tile.widen\n"
                             "tensorize m c tile.alu_max.imm\ntensorize y.o c tile.narrow\n",
       "m: the nest is not tile.alu_max.imm: a is not where m is; in_place puts it there"},
      {Elementwise(
           16, [](const Expr& x) { return Narrow(ir::Bin(ir::BinOp::kShl, Wide(x), Number(23))); }),
       std::string(kInOut) + "lift y.o 0.0 acc a\ntensorize a c tile.widen\n"
                             "tensorize y.o c tile.narrow\n",
       "a: the nest is not tile.widen: a shift above 22 leaves int32"},
      {Elementwise(
           16, [](const Expr& x) { return Narrow(ir::Bin(ir::BinOp::kShr, Wide(x), Number(-1))); }),
       std::string(kInOut) + "lift y.o 0.0 acc m\nlift m 0 acc a\ntensorize a c tile.widen\n"
                             "in_place a m\ntensorize m c tile.alu_shr.imm\n"
                             "tensorize y.o c tile.narrow\n",
       "m: the nest is not tile.alu_shr.imm: a negative number shifts to the left"},
  };
  for (const auto& bad : kBad) EXPECT_THAT(Refusal(bad.y, bad.steps), HasSubstr(bad.message));
}

TEST(AcceleratorSteps, InputsOfAnotherNumberOrSizeAreRefused) {
  const isa::Config config = NamedConfig("default");
  const te::Tensor y = compiler::ProductExample(16, 16, 16);
  schedule::Schedule s = *schedule::Schedule::Create({y}, target::Accelerator(config));
  ASSERT_TRUE(s.Apply(compiler::ProductSteps(config, {.rows = 16, .columns = 16, .depth = 16})));
  const auto device = sim::MakeFuncDevice(config, {});
  ASSERT_TRUE(device);
  const auto message = [&](const std::vector<std::vector<uint8_t>>& inputs) {
    const auto run = compiler::RunScheduled(s, **device, inputs);
    EXPECT_FALSE(run);
    return run ? "" : run.error().message;
  };
  const std::vector<uint8_t> whole(256), part(255);
  EXPECT_THAT(message({whole}), HasSubstr("w has 256 bytes, 0 are given"));
  EXPECT_THAT(message({whole, part}), HasSubstr("w has 256 bytes, 255 are given"));
  EXPECT_THAT(message({whole, whole, whole}), HasSubstr("y has 2 inputs, 3 are given"));
}

TEST(AcceleratorSteps, WhatIsInNoScratchpadOrOfNoInstructionIsRefused) {
  const isa::Config config = NamedConfig("default");
  const std::vector<uint8_t> bytes(256);
  const auto message = [&](const std::string& steps) {
    schedule::Schedule s = *schedule::Schedule::Create({compiler::ProductExample(16, 16, 16)},
                                                       target::Accelerator(config));
    EXPECT_TRUE(s.Apply(steps));
    const auto device = sim::MakeFuncDevice(config, {});
    const auto run = compiler::RunScheduled(s, **device, {bytes, bytes});
    EXPECT_FALSE(run);
    return run ? "" : run.error().message;
  };
  EXPECT_EQ(message(""),
            "y: sum is in global memory, where a program has its inputs and results alone; "
            "set_scope sum to a scratchpad, inline it, or prepare it where the caller can make it");
  const std::string whole =
      compiler::ProductSteps(config, {.rows = 16, .columns = 16, .depth = 16});
  EXPECT_EQ(message(whole.substr(0, whole.find("tensorize"))),
            "y: sum: a statement that is no tile of work; tensorize the loops of its stage");
}

TEST(AcceleratorSteps, NumbersThatARecordDoesNotHoldAreRefused) {
  const isa::Config config = NamedConfig("default");
  const auto message = [&](size_t field, size_t channel, int32_t number) {
    std::vector<int32_t> numbers(static_cast<size_t>(2 * 3 * config.block_out), 0);
    numbers[(3 + field) * static_cast<size_t>(config.block_out) + channel] = number;
    std::vector<uint8_t> bytes(numbers.size() * 4);
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    const auto encoded = codegen::accel::EncodeRecords(bytes, config);
    EXPECT_FALSE(encoded);
    return encoded ? "" : encoded.error().message;
  };
  EXPECT_EQ(message(1, 3, -1), "record 1, channel 3: multiplier -1 is not in 0 to 2147483647");
  EXPECT_EQ(message(2, 0, 32), "record 1, channel 0: shift 32 is not in -32 to 31");
}

}  // namespace
}  // namespace tessera::test::steps_bad_test
