// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the first difference of two traces and its text: another digest, another
// instruction, a trace that stops early; the order across units; traces that differ only in the
// interleaving of units agree. Not tested here: traces of real runs (tests/rig, tests/cosim).
#include "sim/trace/compare.h"

#include <gtest/gtest.h>

#include "isa/encoding.h"

namespace tessera::sim::compare_test {
namespace {

using isa::Unit;

isa::ProgramImage Image() {
  isa::ProgramImage image;
  image.Append(isa::Encode(isa::Load{.x_bytes = 8, .x_size = 1}).value());
  image.Append(isa::Encode(isa::Gemm{.uop_count = 4}).value());
  image.Append(isa::Encode(isa::Gemm{.uop_count = 5}).value());
  image.Append(isa::Encode(isa::Finish{}).value());
  image.source.push_back({1, 3, 0, "conv1+relu"});
  return image;
}

std::vector<std::string> Texts(const std::vector<TraceEntry>& a, const std::vector<TraceEntry>& b) {
  std::vector<std::string> texts;
  for (const TraceDifference& d :
       CompareTraces(a, b, Image(), isa::NamedConfigs()[0], "func", "rtl"))
    texts.push_back(d.text);
  return texts;
}

const TraceEntry kLoad{.insn = 0, .unit = Unit::kLoad, .digest = 1};
const TraceEntry kGemm1{.insn = 1, .unit = Unit::kGemm, .digest = 2};
const TraceEntry kGemm2{.insn = 2, .unit = Unit::kGemm, .digest = 3, .cycle = 7};

TEST(CompareTraces, AgreesAcrossInterleavingsAndCycles) {
  TraceEntry later = kGemm2;
  later.cycle = 9;
  EXPECT_EQ(Texts({kLoad, kGemm1, kGemm2}, {kGemm1, later, kLoad}), std::vector<std::string>{});
}

TEST(CompareTraces, NamesTheFirstDigestOfEachUnit) {
  TraceEntry load = kLoad, gemm = kGemm2;
  load.digest = 0x10;
  gemm.digest = 0x30;
  const std::vector<std::string> want = {
      "load: instruction 0 (load x_bytes=8 x_size=1): func 0000000000000001, rtl 0000000000000010",
      "gemm: instruction 2 (gemm uop_count=5; conv1+relu): func 0000000000000003, rtl "
      "0000000000000030"};
  EXPECT_EQ(Texts({kGemm1, kGemm2, kLoad}, {kGemm1, gemm, load}), want);
}

TEST(CompareTraces, NamesMissingAndOtherInstructions) {
  EXPECT_EQ(
      Texts({kLoad, kGemm1, kGemm2}, {kLoad, kGemm1}),
      (std::vector<std::string>{
          "gemm: instruction 2 (gemm uop_count=5; conv1+relu): func retired it, rtl did not"}));
  EXPECT_EQ(
      Texts({kLoad}, {kLoad, kGemm1}),
      (std::vector<std::string>{
          "gemm: instruction 1 (gemm uop_count=4; conv1+relu): rtl retired it, func did not"}));
  EXPECT_EQ(Texts({kGemm1}, {kGemm2}),
            (std::vector<std::string>{
                "gemm: func retired instruction 1 (gemm uop_count=4; conv1+relu), rtl retired "
                "instruction 2 (gemm uop_count=5; conv1+relu)"}));
  EXPECT_EQ(Texts({}, {{.insn = 77, .unit = Unit::kStore}}),
            (std::vector<std::string>{
                "store: instruction 77 (not in the program): rtl retired it, func did not"}));
}

}  // namespace
}  // namespace tessera::sim::compare_test
