// SPDX-License-Identifier: Apache-2.0
//
// What is tested: `tessera regress` on a wrong machine (wrong_machine.cc): a random program finds
// the fault, is shrunk and kept as assembly with its data; a later run starts with the kept program
// and finds the difference by it; right machines agree on it; each finding leaves a dump that
// `tessera debug` opens; `tessera compare` names the layer in which a program without readable
// layers goes wrong. Space: ALU max executed as min, a run that is stuck, a process that ends, on
// tiny; REQUANT wrong in a network, on default. Not tested here: right machines (regress_test.cc),
// shrinking itself (tests/rig).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "isa/asm/asm.h"
#include "isa/encoding.h"
#include "tests/tools/command.h"

namespace tessera::test::regress_wrong_test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

std::string TextOf(const std::string& path) {
  const auto bytes = ReadFile(path);
  EXPECT_TRUE(bytes) << path;
  return bytes ? std::string(bytes->begin(), bytes->end()) : "";
}

// Number of ALU max instructions in the kept program at |path|.
int CountOfMax(const std::string& path) {
  const Result<isa::ProgramImage> image = isa::Assemble(TextOf(path));
  EXPECT_TRUE(image) << image.error().message;
  int count = 0;
  for (int64_t n = 0; image && n < image->insn_count(); ++n) {
    const Result<isa::Insn> insn = isa::Decode(image->Word(n));
    const isa::Alu* alu = insn ? std::get_if<isa::Alu>(&*insn) : nullptr;
    count += alu != nullptr && alu->alu_op == static_cast<int64_t>(isa::AluOp::kMax);
  }
  return count;
}

// Runs one process until its first finding; its output and its JSON.
struct OneFinding {
  CommandResult result;
  Json report;
};
OneFinding RegressWrong(const std::string& device, const std::string& suites,
                        const std::string& corpus) {
  const std::string json = TempPath("finding.json");
  OneFinding run{
      Tessera("regress --devices func," + device + " --suite " + suites +
              " --jobs 1 --findings 1 --budget 5m --corpus " + corpus + " --json " + json),
      {}};
  EXPECT_EQ(run.result.code, 1) << run.result.output;
  run.report = Json::parse(TextOf(json));
  EXPECT_EQ(run.report["findings"].size(), 1u);
  return run;
}

TEST(RegressWrong, AFindingIsMadeSmallAndEveryLaterRunBeginsWithIt) {
  const std::string corpus = TempPath("kept");
  const OneFinding first = RegressWrong("wrong", "random", corpus);
  const Json finding = first.report["findings"][0];
  EXPECT_EQ(finding["machine"], "wrong");
  EXPECT_THAT(finding["name"], HasSubstr("random/tiny/tessera/"));
  EXPECT_THAT(finding["difference"], HasSubstr("alu_op=max"));
  const std::string kept = finding["kept"];
  EXPECT_TRUE(kept.starts_with(corpus + "/rig_tiny_tessera_")) << kept;
  EXPECT_THAT(first.result.output, HasSubstr("made small and kept as " + kept));
  EXPECT_GT(finding["instructions"], 30);
  EXPECT_LE(finding["small_instructions"], 8) << TextOf(kept);
  EXPECT_EQ(CountOfMax(kept), 1) << TextOf(kept);
  EXPECT_LT(TextOf(kept).size(), 4000u) << TextOf(kept);

  const OneFinding second = RegressWrong("wrong", "corpus,random", corpus);
  EXPECT_EQ(second.report["findings"][0]["name"],
            "corpus/" + std::filesystem::path(kept).filename().string());
  EXPECT_EQ(second.report["suites"]["corpus"]["differences"], 1);
  EXPECT_FALSE(second.report["suites"].contains("random")) << "the kept program comes first";

  const CommandResult right =
      Tessera("regress --devices func,wrong:fault=none --suite corpus --corpus " + corpus);
  EXPECT_EQ(right.code, 0) << right.output;
  EXPECT_THAT(right.output, HasSubstr("ok: 1 programs of "));
}

TEST(RegressWrong, ARunThatFailsIsMadeSmallLikeAnyOther) {
  for (const auto& [fault, words] :
       {std::pair{"stuck", "wrong does not run it: deadlock: vector waits for gemm"},
        {"crash", "the process that runs it ended by signal 11"}}) {
    SCOPED_TRACE(fault);
    const std::string corpus = TempPath(std::string("kept_") + fault);
    const OneFinding run = RegressWrong(std::string("wrong:fault=") + fault, "random", corpus);
    const Json finding = run.report["findings"][0];
    EXPECT_THAT(finding["difference"], HasSubstr(words));
    EXPECT_LE(finding["small_instructions"], 6) << TextOf(finding["kept"]);
    EXPECT_EQ(CountOfMax(finding["kept"]), 1) << TextOf(finding["kept"]);
  }
}

TEST(RegressWrong, AFindingLeavesADumpThatDebugOpens) {
  const OneFinding run = RegressWrong("wrong:fault=stuck", "random", TempPath("kept_dump"));
  const Json finding = run.report["findings"][0];
  const std::string dump = finding["dump"];
  EXPECT_THAT(dump, ::testing::ContainsRegex("/tessera-regress-[0-9a-f]{8}\\.dump$"));
  EXPECT_THAT(run.result.output,
              HasSubstr("  dump: " + dump + "; open it with tessera debug " + dump));
  const CommandResult opened = Tessera("debug " + dump, "printf 'info\\nrun\\n' | ");
  EXPECT_EQ(opened.code, 0) << opened.output;
  EXPECT_THAT(opened.output, HasSubstr("regress of " + finding["name"].get<std::string>() +
                                       " failed on wrong:fault=stuck: wrong does not run it"));
  // A network's dump: the run that differs, with the contents of its segments.
  const OneFinding network =
      RegressWrong("wrong:fault=requant", "networks --config default", TempPath("kept_network"));
  const Json difference = network.report["findings"][0];
  EXPECT_EQ(difference["name"], "networks/default/fashion_int8.onnx");
  EXPECT_THAT(difference["difference"], HasSubstr("requant"));
  const CommandResult shown =
      Tessera("debug " + difference["dump"].get<std::string>(), "printf 'run\\nlayers\\n' | ");
  EXPECT_EQ(shown.code, 0) << shown.output;
  EXPECT_THAT(shown.output,
              HasSubstr("regress of fashion_int8.onnx failed on wrong:fault=requant"));
  EXPECT_THAT(shown.output, HasSubstr("stem_conv/Conv"));
  const CommandResult unwanted =
      Tessera("regress --devices func,wrong --suite random --no-shrink --jobs 1 --findings 1",
              "TESSERA_DUMP_DIR= ");
  EXPECT_EQ(unwanted.code, 1);
  EXPECT_THAT(unwanted.output, ::testing::Not(HasSubstr("dump")));
}

TEST(CompareWrong, SaysInWhichLayerTheProgramThatRanWentWrong) {
  const std::string compare =
      "compare models/fashion/fashion_int8.onnx --first 1 --input "
      "/usr/share/datasets/fashion-mnist/t10k-images-idx3-ubyte.gz --devices cpu,";
  const CommandResult first = Tessera(compare + "wrong:fault=first");
  EXPECT_EQ(first.code, 1);
  EXPECT_THAT(first.output,
              HasSubstr("wrong: every layer is right in the program that stores all results; the "
                        "one that ran goes wrong first in layer stem_conv/Conv (program 0: vector: "
                        "instruction "));
  // If the layers can be compared, the table names the layer.
  const CommandResult all = Tessera(compare + "wrong:fault=requant");
  EXPECT_EQ(all.code, 1);
  EXPECT_THAT(all.output, ::testing::Not(HasSubstr("goes wrong first")));
}

TEST(RegressWrong, AFolderOfDumpsIsThereOrMissedAtOnce) {
  const CommandResult missing = Tessera("regress --devices func,wrong --dump-dir /no/folder");
  EXPECT_EQ(missing.code, 2);
  EXPECT_EQ(missing.output,
            "tessera: --dump-dir /no/folder: is no folder, and dumps go there: make it, or name "
            "another (\"\": no dumps)\n");
  // If the folder disappears meanwhile or takes no files, the output has the reason and no dump to
  // open.
  const CommandResult refused =
      Tessera("regress --devices func,wrong --suite random --no-shrink --jobs 1 --findings 1",
              "TESSERA_DUMP_DIR=/sys ");
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.output, HasSubstr("  dump: none: /sys/tessera-regress-"));
  EXPECT_THAT(refused.output, ::testing::Not(HasSubstr("open it with")));
}

}  // namespace
}  // namespace tessera::test::regress_wrong_test
