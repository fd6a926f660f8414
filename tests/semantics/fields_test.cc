// SPDX-License-Identifier: Apache-2.0
//
// What is tested: every field value without a meaning is refused with its text, and the values next
// to it are accepted; how fetch decodes streams of both profiles: units, tokens, stray bits,
// opcodes. Not tested here: bits against structs (tests/isa).
#include "isa/semantics/fields.h"

#include <gtest/gtest.h>

#include "helpers.h"
#include "isa/encoding.h"

namespace tessera::isa::fields_test {
namespace {

std::string FieldError(const Insn& insn) {
  const Stop stop = CheckFields(insn, Named("tiny"));
  if (!stop) return "";
  EXPECT_EQ(stop.error, MachineError::kIllegalField);
  return stop.detail;
}
std::string TokenError(const AnyInsn& insn) {
  Fetched fetched;
  const Stop stop = Route(insn, &fetched);
  if (!stop) return "";
  EXPECT_EQ(stop.error, MachineError::kIllegalField);
  return stop.detail;
}

TEST(Fields, OfLoadAndStore) {
  EXPECT_EQ(FieldError(Load{.memory = 2, .x_bytes = 1, .x_pad_0 = 3}), "");
  EXPECT_EQ(FieldError(Load{.memory = 2, .x_bytes = 4}), "");
  EXPECT_EQ(FieldError(Load{.memory = 2, .x_bytes = 0}), "x_bytes is 0, must be 1 to 4");
  EXPECT_EQ(FieldError(Load{.memory = 2, .x_bytes = 5}), "x_bytes is 5, must be 1 to 4");
  EXPECT_EQ(FieldError(Load{.memory = 3, .x_bytes = 16, .y_pad_1 = 1}), "");
  EXPECT_EQ(FieldError(Load{.memory = 3, .x_bytes = 15}), "x_bytes is 15, must be 16 to 16");
  EXPECT_EQ(FieldError(Load{.memory = 7, .x_bytes = 4}), "");
  EXPECT_EQ(FieldError(Load{.memory = 7, .x_bytes = 3}), "x_bytes is 3, must be 4 to 4");
  EXPECT_EQ(FieldError(Load{.memory = 0, .x_bytes = 8}), "");
  EXPECT_EQ(FieldError(Load{.memory = 0, .x_bytes = 4}), "x_bytes is 4, must be 8 to 8");
  EXPECT_EQ(FieldError(Load{.memory = 0, .x_bytes = 8, .x_pad_1 = 1}),
            "a load of uop has pads, which that memory does not take");
  EXPECT_EQ(FieldError(Load{.memory = 6, .x_bytes = 40}), "");
  EXPECT_EQ(FieldError(Load{.memory = 6, .x_bytes = 36}), "x_bytes is 36, must be 40 to 40");
  EXPECT_EQ(FieldError(Load{.memory = 6, .x_bytes = 40, .y_pad_0 = 1}),
            "a load of prm has pads, which that memory does not take");
  EXPECT_EQ(FieldError(Load{.memory = 5, .x_bytes = 4}),
            "memory is acc8, must be uop, wgt, inp, acc, out, prm or tab");
  EXPECT_EQ(FieldError(Load{.memory = 7, .x_bytes = 4}), "");
  EXPECT_EQ(FieldError(Load{.memory = 7, .x_bytes = 3}), "x_bytes is 3, must be 4 to 4");
  EXPECT_EQ(FieldError(Load{.memory = 7, .x_bytes = 4, .x_pad_0 = 1}),
            "a load of tab has pads, which that memory does not take");
  EXPECT_EQ(FieldError(Store{.x_bytes = 4}), "");
  EXPECT_EQ(FieldError(Store{.x_bytes = 0}), "x_bytes is 0, must be 1 to 4");
  EXPECT_EQ(FieldError(Store{.x_bytes = 5}), "x_bytes is 5, must be 1 to 4");
}

TEST(Fields, OnAMachineWithoutTab) {
  Config config = Named("tiny");
  config.tab_bytes = 0;
  ASSERT_TRUE(ValidateConfig(config));
  const auto error = [&](const Insn& insn) { return CheckFields(insn, config).detail; };
  EXPECT_EQ(error(Load{.memory = 6, .x_bytes = 40}), "");
  EXPECT_EQ(error(Load{.memory = 7, .x_bytes = 4}),
            "memory is tab, must be uop, wgt, inp, acc, out or prm, on a machine without tab");
  EXPECT_EQ(error(Requant{.dst_mem = 1, .hi = 1}), "");
  EXPECT_EQ(error(Requant{.dst_mem = 1, .hi = 1, .table = 1}),
            "table is 1, must be 0, on a machine without tab");
  EXPECT_EQ(error(Add{.src_mem = 1, .dst_mem = 2, .table = 1}),
            "table is 1, must be 0, on a machine without tab");
}

TEST(Fields, OfTheOthers) {
  EXPECT_EQ(FieldError(Gemm{}), "");
  EXPECT_EQ(FieldError(Depthwise{.kh = 1, .kw = 3}), "");
  EXPECT_EQ(FieldError(Depthwise{.kh = 0, .kw = 3}), "kh is 0, must be 1 to 3");
  EXPECT_EQ(FieldError(Depthwise{.kh = 1, .kw = 0}), "kw is 0, must be 1 to 3");
  EXPECT_EQ(FieldError(Requant{.src_mem = 2, .dst_mem = 2, .round = 2, .shift = -31}), "");
  EXPECT_EQ(FieldError(Requant{.src_mem = 3}), "src_mem is imm, must be acc, out or inp");
  EXPECT_EQ(FieldError(Requant{.dst_mem = 3}), "dst_mem is imm, must be acc, out or inp");
  EXPECT_EQ(FieldError(Requant{.round = 3}), "round is 3, must be tflite, even or halfup");
  EXPECT_EQ(FieldError(Requant{.shift = -32}), "shift is -32, must be -31 to 31");
  EXPECT_EQ(FieldError(Add{.src_mem = 1}), "");
  EXPECT_EQ(FieldError(Add{.src_mem = 0}), "src_mem is acc, must be out or inp");
  EXPECT_EQ(FieldError(Requant{.dst_mem = 1, .table = 1}), "");
  EXPECT_EQ(FieldError(Requant{.dst_mem = 0, .table = 1}),
            "table is 1, must be 0 where dst_mem is acc");
  EXPECT_EQ(FieldError(Add{.src_mem = 1, .dst_mem = 0, .table = 1}),
            "table is 1, must be 0 where dst_mem is acc");
  EXPECT_EQ(FieldError(Add{.src_mem = 3}), "src_mem is imm, must be out or inp");
  EXPECT_EQ(FieldError(Add{.src_mem = 1, .round = 3}),
            "round is 3, must be tflite, even or halfup");
  EXPECT_EQ(FieldError(Alu{.alu_op = 5, .red_out = 1, .red_in = 1}), "");
  const std::string error = FieldError(Alu{.alu_op = 7, .red_out = 1, .red_in = 1});
  EXPECT_TRUE(error.starts_with("alu_op is 7, must be min, max, add, shr, mul")) << error;
  EXPECT_EQ(FieldError(Alu{.red_out = 0, .red_in = 1}), "red_out is 0, must be 1 to 4095");
  EXPECT_EQ(FieldError(Alu{.red_out = 1, .red_in = 0}), "red_in is 0, must be 1 to 4095");
}

TEST(Fields, OfVta) {
  const Config config = Named("tiny");
  const auto error = [&](const VtaInsn& insn) { return CheckFields(insn, config).detail; };
  EXPECT_EQ(error(VtaStore{.memory_type = 4, .x_size = 1}), "");
  EXPECT_EQ(error(VtaStore{.memory_type = 0, .x_size = 0}), "");
  EXPECT_EQ(error(VtaStore{.memory_type = 0, .x_size = 1}),
            "memory_type is uop, must be out unless x_size is 0");
  EXPECT_EQ(error(VtaLoad{.memory_type = 5}), "");
  for (const auto& [memory, name] :
       std::initializer_list<std::pair<int64_t, const char*>>{{4, "out"}, {6, "prm"}, {7, "tab"}}) {
    EXPECT_EQ(error(VtaLoad{.memory_type = memory}),
              fmt::format("memory_type is {}, must be uop, wgt, inp, acc or acc8", name));
  }
  EXPECT_EQ(error(VtaAlu{.alu_opcode = 4}), "");
  EXPECT_EQ(error(VtaAlu{.alu_opcode = 5}), "alu_opcode is mov, must be min, max, add, shr or mul");
}

TEST(Fetch, FindsUnitAndTokens) {
  Fetched f;
  ASSERT_FALSE(Route(Insn(Sync{.pop = 3, .push = 8, .unit = 2}), &f));
  EXPECT_EQ(f.unit, Unit::kVector);
  EXPECT_EQ(f.pop, 3);
  EXPECT_EQ(f.push, 8);
  EXPECT_FALSE(f.finish);
  ASSERT_FALSE(Route(Insn(Finish{}), &f));
  EXPECT_TRUE(f.finish);
  EXPECT_EQ(TokenError(Insn(Gemm{.push = 2})), "unit gemm pops from or pushes to itself");
  EXPECT_EQ(TokenError(Insn(Sync{.pop = 8, .unit = 3})),
            "unit store pops from or pushes to itself");
  EXPECT_EQ(TokenError(Insn(Finish{.pop = 1})),
            "finish has tokens (pop 1, push 0), it belongs to no unit");
}

TEST(Fetch, FindsUnitAndTokensOfVta) {
  // LOAD is bit 0, COMPUTE bit 1 (gemm), STORE bit 3.
  struct Row {
    VtaInsn insn;
    Unit unit;
    int pop, push;
  };
  const Row rows[] = {
      {VtaLoad{.pop_next = 1, .memory_type = 2}, Unit::kLoad, 2, 0},
      {VtaLoad{.push_next = 1, .memory_type = 1}, Unit::kLoad, 0, 2},
      {VtaLoad{.pop_prev = 1, .push_next = 1, .memory_type = 0}, Unit::kGemm, 1, 8},
      {VtaLoad{.pop_next = 1, .push_prev = 1, .memory_type = 3}, Unit::kGemm, 8, 1},
      {VtaLoad{.memory_type = 5}, Unit::kGemm, 0, 0},
      {VtaGemm{.pop_prev = 1, .pop_next = 1, .push_prev = 1, .push_next = 1}, Unit::kGemm, 9, 9},
      {VtaAlu{.push_next = 1}, Unit::kGemm, 0, 8},
      {VtaStore{.pop_prev = 1, .push_prev = 1}, Unit::kStore, 2, 2},
      {VtaFinish{.pop_next = 1}, Unit::kGemm, 8, 0},
  };
  for (const Row& row : rows) {
    Fetched f;
    SCOPED_TRACE(Describe(row.insn));
    ASSERT_FALSE(Route(row.insn, &f));
    EXPECT_EQ(f.unit, row.unit);
    EXPECT_EQ(f.pop, row.pop);
    EXPECT_EQ(f.push, row.push);
    EXPECT_EQ(f.finish, std::holds_alternative<VtaFinish>(row.insn));
  }
  EXPECT_EQ(TokenError(VtaInsn(VtaLoad{.pop_prev = 1, .memory_type = 2})),
            "load has no stage before it to token with");
  EXPECT_EQ(TokenError(VtaInsn(VtaLoad{.push_prev = 1, .memory_type = 1})),
            "load has no stage before it to token with");
  EXPECT_EQ(TokenError(VtaInsn(VtaStore{.push_next = 1})),
            "store has no stage after it to token with");
}

TEST(Fetch, RefusesBitsAndOpcodes) {
  const Fetcher fetcher = Fetcher::Make(Profile::kTessera, Named("tiny")).value();
  const auto error = [&](InsnWord word) {
    Fetched f;
    return fetcher.Fetch(std::span(reinterpret_cast<const uint8_t*>(word.data()), sizeof word), &f)
        .error;
  };
  EXPECT_EQ(error(Encode(Sync{.pop = 2}).value()), MachineError::kNone);
  EXPECT_EQ(error({0, 0, 0, 0}), MachineError::kIllegalOpcode);
  EXPECT_EQ(error({10, 0, 0, 0}), MachineError::kIllegalOpcode);
  EXPECT_EQ(error({15, 0, 0, 0}), MachineError::kIllegalOpcode);
  EXPECT_EQ(error({9, 0, 0, uint64_t{1} << 63}), MachineError::kIllegalField);

  const Fetcher vta = Fetcher::Make(Profile::kVta, Named("tiny")).value();
  const auto vta_error = [&](VtaInsnWord word) {
    Fetched f;
    return vta.Fetch(std::span(reinterpret_cast<const uint8_t*>(word.data()), sizeof word), &f)
        .error;
  };
  for (uint64_t opcode = 0; opcode < 8; ++opcode) {
    EXPECT_EQ(vta_error({opcode, 0}),
              opcode < 5 ? MachineError::kNone : MachineError::kIllegalOpcode)
        << opcode;
  }
  EXPECT_FALSE(Fetcher::Make(Profile::kVta, Named("wide")))
      << "VTA's micro-op does not hold its indices";
}

TEST(Fetch, RefusesDepthwiseOnAMachineWithoutIt) {
  Config config = Named("tiny");
  config.depthwise = 0;
  const Fetcher fetcher = Fetcher::Make(Profile::kTessera, config).value();
  for (const uint64_t stray : {uint64_t{0}, uint64_t{1} << 63}) {
    const InsnWord word{Depthwise::kOpcode, 0, 0, stray};
    Fetched f;
    const Stop stop =
        fetcher.Fetch(std::span(reinterpret_cast<const uint8_t*>(word.data()), sizeof word), &f);
    EXPECT_EQ(stop.error, MachineError::kIllegalOpcode);
    EXPECT_EQ(stop.detail, "opcode 4, Depthwise, on a machine without it: its depthwise is 0");
  }
}

TEST(Fetch, DescribesAndCounts) {
  EXPECT_EQ(Describe(Insn(Gemm{.push = 4, .uop_count = 9, .iter_out = 2, .iter_in = 3})),
            "gemm push=vector uop_count=9 iter_out=2 iter_in=3");
  EXPECT_EQ(Describe(VtaInsn(VtaAlu{.pop_prev = 1, .imm = -7})), "alu pop=prev imm=-7");
  EXPECT_EQ(Steps(Insn(Gemm{.uop_count = 65535, .iter_out = 65535, .iter_in = 65535})),
            65535ll * 65535 * 65535);
  EXPECT_EQ(Steps(Insn(Load{.x_size = 3, .y_size = 2, .z_size = 4, .x_pad_0 = 1, .y_pad_1 = 5})),
            4 * 7 * 4);
  EXPECT_EQ(Steps(Insn(Alu{.iter_out = 2, .iter_in = 3, .red_out = 4, .red_in = 5})), 120);
  EXPECT_EQ(Steps(VtaInsn(VtaLoad{.y_size = 3, .x_size = 0, .x_pad_0 = 5})), 0);
  EXPECT_EQ(Steps(VtaInsn(VtaGemm{.uop_bgn = 5, .uop_end = 3, .iter_out = 9, .iter_in = 9})), 0);
}

}  // namespace
}  // namespace tessera::isa::fields_test
