// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the functional simulator as a device: token order, deadlock and its explanation,
// budgets, every machine error with its text, queue and token depths, traces, both profiles.
// Not tested here: what the instructions compute (tests/semantics), the contract that all devices
// share (tests/cts), random programs (tests/rig).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "isa/encoding.h"
#include "isa/vta_encoding.h"
#include "sim/func/func_device.h"
#include "sim/trace/digest.h"

namespace tessera::sim::func_test {
namespace {

using isa::Insn;
using ::testing::HasSubstr;

constexpr int64_t kToLoad = 1, kToGemm = 2, kToVector = 4, kToStore = 8;
constexpr uint64_t kCode = 0, kUops = 0x8000, kInput = 0x10000, kOutput = 0x20000;

isa::Config Named(std::string_view name) {
  for (const isa::Config& config : isa::NamedConfigs()) {
    if (config.name == name) return config;
  }
  return {};
}

// A device with a program of instructions in it.
class Machine {
 public:
  explicit Machine(const isa::Config& config = Named("tiny"), FuncOptions func = {}) {
    func.memory_bytes = 1 << 20;
    device_ = std::move(*MakeFuncDevice(config, func));
    launch_.segments[0] = {kUops, 4096};
    launch_.segments[3] = {kInput, 4096};
    launch_.segments[4] = {kOutput, 4096};
  }

  Result<RunReport> Run(const std::vector<Insn>& program) {
    std::vector<uint8_t> code;
    for (const Insn& insn : program) {
      const isa::InsnWord word = isa::Encode(insn).value();
      const uint8_t* bytes = reinterpret_cast<const uint8_t*>(word.data());
      code.insert(code.end(), bytes, bytes + sizeof word);
    }
    return RunCode(code, static_cast<uint32_t>(program.size()));
  }

  Result<RunReport> RunCode(const std::vector<uint8_t>& code, uint32_t count) {
    TESSERA_TRY(device_->Write(kCode, code));
    launch_.insn_addr = kCode;
    launch_.insn_count = count;
    return device_->Run(launch_);
  }

  std::string ErrorOf(const std::vector<Insn>& program, Code code) {
    const Result<RunReport> report = Run(program);
    if (report) return "success";
    EXPECT_EQ(report.error().code, code) << report.error().message;
    return report.error().message;
  }

  std::vector<uint8_t> Bytes(uint64_t address, size_t count) {
    std::vector<uint8_t> bytes(count);
    EXPECT_TRUE(device_->Read(address, bytes));
    return bytes;
  }
  void Fill(uint64_t address, const std::vector<uint8_t>& bytes) {
    EXPECT_TRUE(device_->Write(address, bytes));
  }

  Device& device() { return *device_; }
  Launch& launch() { return launch_; }

 private:
  std::unique_ptr<Device> device_;
  Launch launch_;
};

isa::Load LoadOut(int64_t tiles, int64_t push) {
  return {.push = push,
          .memory = 4,
          .segment = 3,
          .x_bytes = 4,
          .x_size = tiles,
          .y_size = 1,
          .x_step = 4,
          .z_size = 1};
}
isa::Store StoreOut(int64_t tiles, int64_t pop) {
  return {.pop = pop,
          .segment = 4,
          .x_bytes = 4,
          .x_size = tiles,
          .y_size = 1,
          .x_step = 4,
          .z_size = 1};
}

TEST(Func, CopiesThroughOutInTokenOrder) {
  Machine m;
  std::vector<uint8_t> data(64);
  std::iota(data.begin(), data.end(), uint8_t{1});
  m.Fill(kInput, data);
  const Result<RunReport> report =
      m.Run({StoreOut(16, kToLoad), LoadOut(16, kToStore), isa::Finish{}});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->instructions, 3u);
  EXPECT_FALSE(report->leftover_tokens);
  EXPECT_EQ(m.Bytes(kOutput, 64), data);
}

TEST(Func, ExplainsADeadlock) {
  Machine m;
  const std::string text =
      m.ErrorOf({StoreOut(16, kToVector), LoadOut(16, kToStore), isa::Finish{}}, Code::kDeadlock);
  EXPECT_THAT(text,
              HasSubstr("store waits for a token from vector at instruction 0 (store pop=vector"));
  EXPECT_THAT(text, HasSubstr("load has nothing to do"));
  EXPECT_THAT(text, HasSubstr("fetch has passed all 3 instructions"));
  // The device stays usable.
  EXPECT_TRUE(m.Run({isa::Finish{}}));
}

TEST(Func, ExplainsFullCountersAndQueues) {
  isa::Config config = Named("tiny");
  config.queue_depth = 2;
  config.token_depth = 3;
  Machine m(config);
  std::vector<Insn> pushes;
  for (int i = 0; i < 4; ++i) pushes.push_back(isa::Sync{.push = kToVector, .unit = 1});
  pushes.push_back(isa::Finish{});
  EXPECT_THAT(m.ErrorOf(pushes, Code::kDeadlock),
              HasSubstr("gemm's instruction 3 waits for room to push its 4th token to vector (the "
                        "counter holds 3), whose instructions pop 0; "));
  // The third pop blocks fetch, which would bring the pushes.
  std::vector<Insn> pops;
  for (int i = 0; i < 3; ++i) pops.push_back(isa::Sync{.pop = kToGemm, .unit = 2});
  for (int i = 0; i < 3; ++i) pops.push_back(isa::Sync{.push = kToVector, .unit = 1});
  pops.push_back(isa::Finish{});
  EXPECT_THAT(m.ErrorOf(pops, Code::kDeadlock),
              HasSubstr("fetch waits for room in the queue of vector at instruction 2"));
  // The same pops and pushes pass when two pushes come before the third pop.
  EXPECT_TRUE(m.Run({isa::Sync{.pop = kToGemm, .unit = 2}, isa::Sync{.pop = kToGemm, .unit = 2},
                     isa::Sync{.push = kToVector, .unit = 1},
                     isa::Sync{.push = kToVector, .unit = 1}, isa::Sync{.pop = kToGemm, .unit = 2},
                     isa::Sync{.push = kToVector, .unit = 1}, isa::Finish{}}));
}

TEST(Func, NamesEveryMachineError) {
  Machine m;
  const auto load = [](int64_t sram, int64_t dram, int64_t segment) {
    return isa::Load{.memory = 2,
                     .segment = segment,
                     .x_bytes = 4,
                     .sram_base = sram,
                     .dram_base = dram,
                     .x_size = 1,
                     .y_size = 1,
                     .z_size = 1};
  };
  EXPECT_EQ(m.ErrorOf({load(512, 0, 3), isa::Finish{}}, Code::kOutOfRange),
            "load: instruction 0 (load memory=inp segment=input x_bytes=4 sram_base=512 x_size=1 "
            "y_size=1 z_size=1): "
            "sram_range: inp tile 512, the scratchpad holds 512 tiles");
  EXPECT_THAT(
      m.ErrorOf({isa::Sync{}, load(0, 4093, 3), isa::Finish{}}, Code::kOutOfRange),
      HasSubstr("load: instruction 1 (load memory=inp segment=input x_bytes=4 dram_base=4093 "
                "x_size=1 y_size=1 "
                "z_size=1): dram_range: bytes 4093 to 4097 of segment 3, which has 4096 bytes"));
  m.launch().segments[5] = {(1 << 20) - 64, 4096};
  EXPECT_THAT(m.ErrorOf({load(0, 64, 5), isa::Finish{}}, Code::kDataLoss),
              HasSubstr("): bus: bytes 64 to 68 of segment 5"));
  EXPECT_THAT(m.ErrorOf({isa::Depthwise{}, isa::Finish{}}, Code::kInvalidArgument),
              HasSubstr("gemm: instruction 0 (depthwise): illegal_field: kh is 0, must be 1 to 3"));
  EXPECT_THAT(
      m.ErrorOf({isa::Sync{.pop = kToStore, .unit = 3}, isa::Finish{}}, Code::kInvalidArgument),
      HasSubstr("fetch: instruction 0: illegal_field: unit store pops from or pushes to itself"));
  EXPECT_THAT(m.ErrorOf({isa::Sync{}}, Code::kInvalidArgument),
              HasSubstr("fetch: instruction 0: no_finish: the stream ends without FINISH"));
  const Result<RunReport> opcode = m.RunCode(std::vector<uint8_t>(32, 0), 1);
  ASSERT_FALSE(opcode);
  EXPECT_EQ(opcode.error().code, Code::kInvalidArgument);
  EXPECT_EQ(opcode.error().message,
            "fetch: instruction 0: illegal_opcode: opcode 0 is not in profile tessera");
}

TEST(Func, EndsWhenTheBudgetIsSpent) {
  Machine m;
  m.launch().budget = 100;
  const isa::Alu alu{.src_mem = 3, .iter_out = 5, .iter_in = 10, .red_out = 1, .red_in = 1};
  EXPECT_TRUE(m.Run({alu, isa::Finish{}}));
  EXPECT_EQ(m.ErrorOf({alu, alu, isa::Finish{}}, Code::kTimeout),
            "vector: instruction 1 (alu src_mem=imm iter_out=5 iter_in=10 red_out=1 red_in=1) "
            "takes 51 steps, 49 of the "
            "budget of 100 are left; give more");
  // A loop far over the budget, the longest possible, ends at once.
  const isa::Gemm gemm{.uop_count = 65535, .iter_out = 65535, .iter_in = 65535};
  m.launch().budget = 1'000'000'000;
  EXPECT_THAT(m.ErrorOf({gemm, isa::Finish{}}, Code::kTimeout),
              HasSubstr("takes 281462092005376 steps"));
}

TEST(Func, RefusesBadLaunches) {
  Machine m;
  const auto error = [&](auto change) {
    Launch launch = m.launch();
    launch.insn_count = 1;
    change(launch);
    const Status status = m.device().Submit(launch);
    if (status) return std::string("accepted");
    EXPECT_EQ(status.error().code, Code::kInvalidArgument);
    return status.error().message;
  };
  EXPECT_THAT(error([](Launch& l) { l.insn_count = 0; }),
              HasSubstr("the stream has no instruction"));
  EXPECT_THAT(error([](Launch& l) { l.budget = 0; }), HasSubstr("the budget is 0"));
  EXPECT_THAT(error([](Launch& l) { l.insn_addr = 32; }),
              HasSubstr("code address 32, must be a multiple of 64"));
  EXPECT_THAT(error([](Launch& l) { l.insn_addr = 1 << 20; }),
              HasSubstr("1 instructions at address 1048576: device memory has"));
  EXPECT_THAT(error([](Launch& l) { l.insn_count = 0xffffffff; }),
              HasSubstr("device memory has 1048576 bytes"));
  EXPECT_THAT(error([](Launch& l) { l.segments[2].base = 8; }),
              HasSubstr("segment 2 at address 8"));
  EXPECT_THAT(m.device().Wait().error().message, HasSubstr("nothing was submitted"));
  EXPECT_EQ(error([](Launch&) {}), "accepted");
  EXPECT_THAT(error([](Launch&) {}), HasSubstr("a run is in progress"));
  EXPECT_TRUE(m.device().Reset());
  EXPECT_THAT(m.device().Wait().error().message, HasSubstr("nothing was submitted"));
  Machine wide(Named("wide"));
  wide.launch().profile = isa::Profile::kVta;
  wide.launch().insn_count = 1;
  EXPECT_EQ(wide.device().Submit(wide.launch()).error().code, Code::kUnsupported);
}

TEST(Func, KeepsScratchpadsBetweenRunsUntilReset) {
  Machine m;
  m.Fill(kInput, {1, 2, 3, 4});
  ASSERT_TRUE(m.Run({LoadOut(1, 0), isa::Finish{}}));
  ASSERT_TRUE(m.Run({StoreOut(1, 0), isa::Finish{}}));
  EXPECT_EQ(m.Bytes(kOutput, 4), (std::vector<uint8_t>{1, 2, 3, 4}));
  ASSERT_TRUE(m.device().Reset());
  ASSERT_TRUE(m.Run({StoreOut(1, 0), isa::Finish{}}));
  EXPECT_EQ(m.Bytes(kOutput, 4), (std::vector<uint8_t>{0, 0, 0, 0}));
  ASSERT_TRUE(m.Run({LoadOut(1, 0), isa::Finish{}}));
  EXPECT_FALSE(m.Run({isa::Sync{}}));  // a machine error resets the machine
  ASSERT_TRUE(m.Run({StoreOut(1, 0), isa::Finish{}}));
  EXPECT_EQ(m.Bytes(kOutput, 4), (std::vector<uint8_t>{0, 0, 0, 0}));
}

TEST(Func, TracesEachInstructionOfAUnitInOrder) {
  Machine m;
  m.Fill(kInput, {1, 2, 3, 4});
  std::vector<TraceEntry> trace;
  ASSERT_TRUE(m.device().SetTrace(&trace));
  ASSERT_TRUE(
      m.Run({LoadOut(1, kToStore), isa::Sync{.unit = 1}, StoreOut(1, kToLoad), isa::Finish{}}));
  ASSERT_TRUE(m.device().SetTrace(nullptr));
  ASSERT_EQ(trace.size(), 3u);  // FINISH belongs to no unit
  uint64_t out = 0, dram = 0;
  for (uint64_t i = 0; i < 4; ++i) {
    out += DigestByte(isa::ByteSpace::kOut, i, 0, static_cast<uint8_t>(i + 1));
    dram += DigestByte(isa::ByteSpace::kDram, kOutput + i, 0, static_cast<uint8_t>(i + 1));
  }
  EXPECT_EQ(trace[0], (TraceEntry{.insn = 0, .unit = isa::Unit::kLoad, .digest = out}));
  EXPECT_EQ(trace[1], (TraceEntry{.insn = 1, .unit = isa::Unit::kGemm, .digest = 0}));
  EXPECT_EQ(trace[2], (TraceEntry{.insn = 2, .unit = isa::Unit::kStore, .digest = dram}));
  ASSERT_TRUE(m.Run({isa::Sync{}, isa::Finish{}}));
  EXPECT_EQ(trace.size(), 3u) << "set to null, it gets no more";
}

TEST(Func, ReportsLeftoverTokensAndTraffic) {
  Machine m;
  const Result<RunReport> report = m.Run(
      {LoadOut(5, kToStore), StoreOut(3, kToLoad), isa::Sync{.push = kToGemm}, isa::Finish{}});
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->leftover_tokens);
  EXPECT_EQ(report->instructions, 4u);
  EXPECT_EQ(report->bytes_read, 4u * 32 + 5 * 4);
  EXPECT_EQ(report->bytes_written, 3u * 4);
}

TEST(Func, RunsProfileVta) {
  // Loads two accumulator tiles, widened from int8 with padding, adds them to an immediate and
  // stores them.
  Machine m(Named("default"));
  const isa::VtaCodec codec = isa::VtaCodec::Make(Named("default")).value();
  std::vector<uint8_t> code;
  const auto add = [&](const isa::VtaInsn& insn) {
    const isa::VtaInsnWord word = codec.Encode(insn).value();
    const uint8_t* bytes = reinterpret_cast<const uint8_t*>(word.data());
    code.insert(code.end(), bytes, bytes + sizeof word);
  };
  add(isa::VtaLoad{.memory_type = 0, .y_size = 1, .x_size = 1});
  add(isa::VtaLoad{.memory_type = 5, .y_size = 1, .x_size = 1, .x_stride = 1, .x_pad_0 = 1});
  add(isa::VtaAlu{.push_next = 1,
                  .uop_end = 1,
                  .iter_out = 1,
                  .iter_in = 2,
                  .dst_factor_in = 1,
                  .alu_opcode = 2,
                  .use_imm = 1,
                  .imm = -3});
  add(isa::VtaStore{
      .pop_prev = 1, .push_prev = 1, .memory_type = 4, .y_size = 1, .x_size = 2, .x_stride = 2});
  add(isa::VtaFinish{.pop_next = 1});
  std::vector<uint8_t> data(16);
  std::iota(data.begin(), data.end(), uint8_t{250});
  m.Fill(kInput, data);
  m.launch().profile = isa::Profile::kVta;
  m.launch().segments = {};
  m.launch().segments[0] = {kUops, 0};  // no limit
  m.launch().segments[5] = {kInput, 16};
  m.launch().segments[4] = {kOutput, 0};
  std::vector<TraceEntry> trace;
  ASSERT_TRUE(m.device().SetTrace(&trace));
  const Result<RunReport> report = m.RunCode(code, 5);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->leftover_tokens);
  EXPECT_EQ(report->instructions, 5u);
  std::vector<uint8_t> want(32, 253);
  for (int i = 0; i < 16; ++i) want[16 + i] = static_cast<uint8_t>(247 + i);
  EXPECT_EQ(m.Bytes(kOutput, 32), want);
  ASSERT_EQ(trace.size(), 4u);
  EXPECT_EQ(trace[1].unit, isa::Unit::kGemm) << "COMPUTE";
  EXPECT_EQ(trace[3].unit, isa::Unit::kStore);
}

}  // namespace
}  // namespace tessera::sim::func_test
