// SPDX-License-Identifier: Apache-2.0
//
// What is tested: one bad program for each diagnostic of the checker, with its text, beside the
// nearest good one; the checker follows the exact bytes of boxes, not their outlines. Not tested
// here: long and random streams (check_stream_test), random legal programs (tests/rig).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/check/check.h"
#include "tests/check/programs.h"

namespace tessera::isa::check_program_test {
namespace {

using ::testing::HasSubstr;

ProgramImage Vta(const std::string& code) {
  const std::string text = fmt::format(
      ".profile vta\n.config tiny {:#x}\n.segment 0 8\nuop dst_idx=1\nuop\n.segment 1 64\n.segment "
      "2 64\n"
      ".segment 4 64\n.code\n{}",
      Tiny().Hash(), code);
  Result<ProgramImage> image = Assemble(text);
  EXPECT_TRUE(image) << (image ? "" : image.error().message) << "\n" << text;
  return image ? *image : ProgramImage{};
}

std::string Findings(const ProgramImage& image) { return CheckProgram(image, Tiny()).ToString(); }

constexpr char kLoadOut[] =
    "load memory=out segment=input x_bytes=4 x_size=4 y_size=1 z_size=1 x_step=4";
constexpr char kStoreOut[] = "store segment=output x_bytes=4 x_size=4 y_size=1 z_size=1 x_step=4";

std::string Lines(std::initializer_list<std::string> lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(Check, AcceptsACopy) {
  EXPECT_EQ(Findings(Tessera(Lines({std::string(kLoadOut) + " push=store",
                                    std::string(kStoreOut) + " pop=load", "finish"}))),
            "");
}

TEST(Check, Race) {
  const std::string text = Findings(Tessera(Lines({kLoadOut, kStoreOut, "finish"})));
  EXPECT_THAT(text, HasSubstr("race: instruction 0 (load memory=out"));
  EXPECT_THAT(text, HasSubstr("and instruction 1 (store segment=output"));
  EXPECT_THAT(text, HasSubstr("touch out tile 0 and no token path orders them; let load push to "
                              "store at or after 0, and "
                              "store pop it at or before 1"));
}

TEST(Check, RaceOnDeviceMemory) {
  // STORE writes 16 arena bytes from byte 64; LOAD reads 8 of them.
  const std::string good = Lines({std::string(kLoadOut) + " push=store",
                                  "store segment=arena x_bytes=4 dram_base=64 x_size=4 y_size=1 "
                                  "z_size=1 x_step=4 pop=load push=load",
                                  "load memory=inp segment=arena x_bytes=4 dram_base=72 x_size=2 "
                                  "y_size=1 z_size=1 x_step=4 pop=store",
                                  "finish"});
  EXPECT_EQ(Findings(Tessera(good)), "");
  const std::string bad = Lines(
      {std::string(kLoadOut) + " push=store",
       "store segment=arena x_bytes=4 dram_base=64 x_size=4 y_size=1 z_size=1 x_step=4 pop=load",
       "load memory=inp segment=arena x_bytes=4 dram_base=72 x_size=2 y_size=1 z_size=1 x_step=4",
       "finish"});
  EXPECT_THAT(Findings(Tessera(bad)),
              HasSubstr("touch segment 2 byte 72 and no token path orders them"));
}

TEST(Check, FollowsBoxesExactly) {
  // Two stores and loads of interleaved columns: the outlines overlap, the bytes do not.
  const std::string program = Lines(
      {std::string(kLoadOut) + " push=store",
       "store segment=arena x_bytes=4 x_size=2 y_size=2 z_size=1 x_step=8 y_step=32 pop=load "
       "push=load",
       "load memory=inp segment=arena x_bytes=4 x_size=2 y_size=2 z_size=1 x_step=8 y_step=32 "
       "pop=store",
       "store segment=arena x_bytes=4 dram_base=4 x_size=2 y_size=2 z_size=1 x_step=8 y_step=32",
       "finish"});
  EXPECT_EQ(Findings(Tessera(program)), "");
  // With one more byte the second store overlaps the load.
  const std::string bad = Lines(
      {std::string(kLoadOut) + " push=store",
       "store segment=arena x_bytes=4 x_size=2 y_size=2 z_size=1 x_step=8 y_step=32 pop=load "
       "push=load",
       "load memory=inp segment=arena x_bytes=4 x_size=2 y_size=2 z_size=1 x_step=8 y_step=32 "
       "pop=store",
       "store segment=arena x_bytes=4 dram_base=5 x_size=2 y_size=2 z_size=1 x_step=8 y_step=32",
       "finish"});
  EXPECT_THAT(Findings(Tessera(bad)), HasSubstr("race: instruction 2"));
}

TEST(Check, ScratchpadsTileByTile) {
  // GEMM reads INP tiles 0 and 2 while LOAD writes tile 1, then tile 2.
  const auto program = [](int tile) {
    return Lines(
        {"load x_bytes=8 x_size=2 y_size=1 z_size=1 x_step=8",
         "load memory=wgt segment=constants x_bytes=16 x_size=1 y_size=1 z_size=1",
         "load memory=inp segment=input x_bytes=4 x_size=3 y_size=1 z_size=1 x_step=4 push=gemm",
         "gemm uop_count=1 iter_out=1 iter_in=2 src_in=2 pop=load",
         fmt::format(
             "load memory=inp segment=input x_bytes=4 x_size=1 y_size=1 z_size=1 sram_base={}",
             tile),
         "finish"});
  };
  EXPECT_EQ(Findings(Tessera(program(1))), "");
  EXPECT_THAT(Findings(Tessera(program(2))), HasSubstr("race: instruction 3 (gemm"));
}

TEST(Check, Unwritten) {
  EXPECT_THAT(Findings(Tessera(Lines({kStoreOut, "finish"}))),
              HasSubstr("unwritten: instruction 0 (store segment=output x_bytes=4 x_size=4 "
                        "y_size=1 x_step=4 z_size=1): reads "
                        "out tile 0, which nothing wrote before it"));
  EXPECT_THAT(
      Findings(Tessera(
          Lines({"load memory=inp segment=arena x_bytes=4 x_size=1 y_size=1 z_size=1", "finish"}))),
      HasSubstr("reads segment 2 byte 0, which nothing wrote"));
  // The image has 256 bytes of constants.
  ProgramImage image = Tessera(
      Lines({"load memory=inp segment=constants x_bytes=4 x_size=64 y_size=1 z_size=1 x_step=4",
             "finish"}));
  EXPECT_EQ(Findings(image), "");
  image.segments[1].data.resize(255);
  EXPECT_THAT(Findings(image), HasSubstr("reads segment 1 byte 255, which nothing wrote"));
  EXPECT_THAT(Findings(Tessera(Lines({"gemm uop_count=1 iter_out=1 iter_in=1", "finish"}))),
              HasSubstr("reads uop tile 0, which nothing wrote"));
  // A reduction that starts with an init micro-op does not read the accumulator; any other does.
  const auto reduction = [](int begin) {
    return Lines(
        {"load x_bytes=8 x_size=2 y_size=1 z_size=1 x_step=8",
         "load memory=wgt segment=constants x_bytes=16 x_size=1 y_size=1 z_size=1",
         "load memory=inp segment=input x_bytes=4 x_size=3 y_size=1 z_size=1 x_step=4 push=gemm",
         fmt::format("gemm uop_begin={} uop_count=1 iter_out=1 iter_in=1 pop=load", begin),
         "finish"});
  };
  EXPECT_EQ(Findings(Tessera(reduction(0))), "");
  EXPECT_THAT(Findings(Tessera(reduction(1))), HasSubstr("reads acc tile 1, which nothing wrote"));
}

TEST(Check, Bounds) {
  const auto load = [](const std::string& rest) {
    return Tessera(
        Lines({"load memory=inp x_bytes=4 y_size=1 z_size=1 x_step=4 " + rest, "finish"}));
  };
  EXPECT_EQ(Findings(load("segment=input x_size=64 sram_base=448")), "");
  EXPECT_THAT(Findings(load("segment=input x_size=64 sram_base=449")),
              HasSubstr("writes inp tile 512, which has 512"));
  EXPECT_THAT(Findings(load("segment=input x_size=64 dram_base=1")),
              HasSubstr("reads segment 3 byte 256, which has 256"));
  EXPECT_THAT(Findings(load("segment=5 x_size=1")),
              HasSubstr("reads segment 5 byte 3, which has 0"));
  EXPECT_THAT(
      Findings(Tessera(Lines({"gemm uop_begin=127 uop_count=2 iter_out=1 iter_in=1", "finish"}))),
      HasSubstr("reads uop tile 128, which has 128"));
  // What is in bounds is written: the read behind it has no report of its own.
  const CheckReport report = CheckProgram(
      Tessera(Lines({"load memory=out segment=input x_bytes=4 x_size=64 y_size=8 z_size=1 x_step=0 "
                     "sram_base=1 push=store",
                     "store segment=output x_bytes=4 x_size=4 y_size=1 z_size=1 x_step=4 "
                     "sram_base=1 pop=load",
                     "finish"})),
      Tiny());
  ASSERT_EQ(report.diagnostics.size(), 1u) << report.ToString();
  EXPECT_EQ(report.diagnostics[0].finding, Finding::kBounds);
}

TEST(Check, AccumulatorsThatAProductReadsAndWrites) {
  // Two micro-ops, |first| first; the one that starts a sum, number 0, needs nobody's accumulators
  // and leaves them to the other.
  const auto product = [](int first) {
    return Findings(
        Assemble(fmt::format(".profile tessera\n.config tiny {:#x}\n.segment uops 16\n"
                             "uop init={}\nuop init={}\n.segment constants 256\n.zero 256\n"
                             ".segment input 256\n.code\n"
                             "load x_bytes=8 x_size=2 y_size=1 z_size=1 x_step=8\n"
                             "load memory=wgt segment=constants x_bytes=16 x_size=1 y_size=1 "
                             "z_size=1\n"
                             "load memory=inp segment=input x_bytes=4 x_size=3 y_size=1 "
                             "z_size=1 x_step=4 push=gemm\n"
                             "gemm uop_count=2 iter_out=2 iter_in=3 dst_out=8 dst_in=1 "
                             "dst_base=5 pop=load\nfinish\n",
                             Tiny().Hash(), first == 0 ? 1 : 0, first == 0 ? 0 : 1))
            .value());
  };
  EXPECT_EQ(product(0), "");
  EXPECT_THAT(product(1), HasSubstr("reads acc tile 5, which nothing wrote"));
}

TEST(Check, Decode) {
  ProgramImage image = Tessera(Lines({"finish"}));
  image.code[31] = 0x80;
  EXPECT_THAT(Findings(image),
              HasSubstr("decode: instruction 0: illegal_field: Finish: bit 255 is set"));
  image.code[31] = 0;
  image.code[0] = 12;
  EXPECT_THAT(Findings(image), HasSubstr("decode: instruction 0: illegal_opcode: opcode 12"));
  EXPECT_THAT(
      Findings(Tessera(Lines({"alu alu_op=mov src_mem=imm iter_out=1 iter_in=1", "finish"}))),
      HasSubstr(
          "decode: instruction 0 (alu alu_op=mov src_mem=imm iter_out=1 iter_in=1): red_out is 0"));
  ProgramImage uop = Tessera(Lines({"load x_bytes=8 x_size=2 y_size=1 z_size=1 x_step=8 push=gemm",
                                    "gemm uop_count=1 iter_out=1 iter_in=1 pop=load", "finish"}));
  uop.segments[0].data[7] = 0x80;
  EXPECT_THAT(Findings(uop), HasSubstr("micro-op 0: micro-op: bit 63 is set"));
}

TEST(Check, EmptyClamp) {
  const auto requant = [](const std::string& rest) {
    return Tessera(Lines({"requant per_tensor=1 dst_mem=out " + rest, "finish"}));
  };
  EXPECT_EQ(Findings(requant("lo=3 hi=3")), "");
  EXPECT_THAT(Findings(requant("lo=4 hi=3")),
              HasSubstr("lo is 4 and hi is 3, lo must not be greater"));
  EXPECT_EQ(Findings(Tessera(Lines({"requant per_tensor=1 lo=4 hi=3", "finish"}))), "")
      << "an accumulator is not clamped";
}

TEST(Check, Finish) {
  EXPECT_THAT(Findings(Tessera("")), HasSubstr("finish: the program has no FINISH; append one"));
  EXPECT_THAT(Findings(Tessera(Lines({"finish", "finish"}))),
              HasSubstr("finish: instruction 0 is FINISH, the 1 after it never run; put it last"));
}

TEST(Check, DeadlockAndLeftover) {
  EXPECT_THAT(
      Findings(
          Tessera(Lines({"sync unit=gemm pop=vector", "sync unit=vector pop=gemm", "finish"}))),
      HasSubstr("deadlock: lost token: gemm's instruction 0 waits for its 1st token from vector, "
                "whose instructions push 0 to it; no instruction of vector stands before it"));
  EXPECT_THAT(Findings(Tessera(Lines({"sync unit=gemm push=vector+load", "finish"}))),
              HasSubstr("leftover: 1 tokens from gemm to load are left at finish"));
  // The 256th token finds the queue full, and no instruction will make room.
  std::string code;
  for (int i = 0; i < 256; ++i) code += "sync unit=gemm push=vector\n";
  EXPECT_THAT(
      Findings(Tessera(code + "finish\n")),
      HasSubstr(
          "queue overflow: gemm's instruction 255 waits for room to push its 256th token to vector "
          "(the counter holds 255), whose instructions pop 0; usual cause: "));
  // 33 instructions fill the queue of 32, so that fetch does not reach the one that they wait for.
  code.clear();
  for (int i = 0; i < 33; ++i) code += "sync unit=gemm pop=vector\n";
  for (int i = 0; i < 33; ++i) code += "sync unit=vector push=gemm\n";
  EXPECT_THAT(Findings(Tessera(code + "finish\n")),
              HasSubstr("fetch waits for room in the queue of gemm at instruction 32"));
}

TEST(Check, Work) {
  CheckOptions options;
  options.max_steps = 100;
  const ProgramImage image = Tessera(
      Lines({"alu alu_op=mov src_mem=imm iter_out=10 iter_in=11 red_out=1 red_in=1", "finish"}));
  EXPECT_EQ(Findings(image), "");
  EXPECT_THAT(CheckProgram(image, Tiny(), options).ToString(),
              HasSubstr("work: instruction 0 (alu alu_op=mov src_mem=imm iter_out=10 iter_in=11 "
                        "red_out=1 red_in=1): its "
                        "loops take 110 steps, more than the 100"));
  // A compiler's own program is followed to its end: ResNet-50 on tiny has more steps.
  std::string nine;
  for (int i = 0; i < 9; ++i)
    nine += "alu alu_op=mov src_mem=imm iter_out=4095 iter_in=4095 red_out=1 red_in=1\n";
  const ProgramImage longer = Tessera(nine + "finish\n");
  EXPECT_THAT(Findings(longer), HasSubstr("its loops take 16769025 steps, more than the 65528"));
  EXPECT_TRUE(RequireChecked(longer, Tiny()));
  // The micro-ops come from an arena that the program itself writes.
  EXPECT_THAT(
      Findings(Tessera(Lines(
          {std::string(kLoadOut) + " push=store",
           "store segment=arena x_bytes=4 x_size=4 y_size=1 z_size=1 x_step=4 pop=load push=load",
           "load segment=arena x_bytes=8 x_size=1 y_size=1 z_size=1 pop=store push=gemm",
           "gemm uop_count=1 iter_out=1 iter_in=1 pop=load", "finish"}))),
      HasSubstr("micro-op 0 is not known before the run"));
}

TEST(Check, RefusesSegmentsThatAreTooLargeToFollow) {
  ProgramImage image = Tessera(Lines(
      {std::string(kLoadOut) + " push=store", std::string(kStoreOut) + " pop=load", "finish"}));
  image.segments[4].size = uint64_t{1} << 40;
  EXPECT_EQ(Findings(image),
            "work: segment 4 has 1099511627776 bytes and is stored to in pieces of 4: too many to "
            "follow; "
            "make it smaller\n");
}

TEST(Check, NamesTheSource) {
  const ProgramImage image =
      Tessera(Lines({".source 3 \"conv1+relu\"", kStoreOut, ".end", "finish"}));
  EXPECT_THAT(Findings(image), HasSubstr("z_size=1; conv1+relu): reads out tile 0"));
  const Status status = RequireChecked(image, Tiny());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kInvalidArgument);
  EXPECT_THAT(status.error().message, HasSubstr("unwritten: instruction 0"));
}

TEST(Check, Vta) {
  const std::string good = Lines(
      {"load memory_type=uop y_size=1 x_size=1", "load memory_type=inp y_size=1 x_size=2 push=next",
       "load memory_type=wgt y_size=1 x_size=1 push=next", "load pop=prev",
       "gemm reset_reg=1 uop_end=1 iter_out=1 iter_in=1",
       "gemm uop_end=1 iter_out=1 iter_in=1 pop=prev push=next",
       "store memory_type=out sram_base=1 y_size=1 x_size=1 pop=prev push=prev",
       "finish pop=next"});
  EXPECT_EQ(Findings(Vta(good)), "");
  const std::string race =
      Lines({"load memory_type=uop y_size=1 x_size=1", "load memory_type=inp y_size=1 x_size=2",
             "load memory_type=wgt y_size=1 x_size=1 push=next",
             "gemm reset_reg=1 uop_end=1 iter_out=1 iter_in=1",
             "gemm uop_end=1 iter_out=1 iter_in=1 pop=prev push=next",
             "load memory_type=inp y_size=1 x_size=1",
             "store memory_type=out sram_base=1 y_size=1 x_size=1 pop=prev", "finish"});
  EXPECT_THAT(Findings(Vta(race)), HasSubstr("race: instruction 4 (gemm"));
  // Tokens left over at the end are a warning.
  const CheckReport leftover =
      CheckProgram(Vta(Lines({"load memory_type=inp push=next", "finish"})), Tiny());
  EXPECT_TRUE(leftover.ok());
  EXPECT_EQ(leftover.ToString(),
            "warning: leftover: 1 tokens from load to gemm are left at finish; every push needs "
            "its pop\n");
  EXPECT_THAT(
      Findings(Vta(Lines({"store memory_type=out sram_base=3 y_size=1 x_size=17", "finish"}))),
      HasSubstr("unwritten: instruction 0"));
  EXPECT_THAT(Findings(Vta(Lines({"load memory_type=acc y_size=1 x_size=2 y_pad_0=1",
                                  "store memory_type=out y_size=1 x_size=17", "finish"}))),
              HasSubstr("bounds: instruction 0"));
}

TEST(Check, StopsReportingAtTheLimit) {
  std::string code;
  for (int i = 0; i < 50; ++i) code += std::string(kStoreOut) + "\n";
  CheckOptions options;
  options.max_diagnostics = 3;
  EXPECT_EQ(CheckProgram(Tessera(code + "finish\n"), Tiny(), options).diagnostics.size(), 3u);
}

}  // namespace
}  // namespace tessera::isa::check_program_test
