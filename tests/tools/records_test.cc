// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the records in models/records, by tessera compile --records as a user runs it.
// Those for the accelerator make networks with the cycles that they say, fewer than without them;
// with and without them no layer loses its place on chip. Those for the host have the schedules of
// all layers of their network, and the network computes with them what the functional model does;
// their times are of the machine that made them, so the test puts this processor's name in its
// place. Not tested: how fast host code is; host code of a level that this machine does not run is
// only compiled.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/rng.h"
#include "isa/config.h"
#include "runtime/artifact/artifact.h"
#include "runtime/host/cpu_level.h"
#include "runtime/tensor/npy.h"
#include "tests/tools/command.h"

namespace tessera::test::records_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

// A file of models/records, NETWORK.MACHINE.jsonl.
struct Known {
  std::string file, model, machine;
  bool accelerator = false;  // |machine| is a configuration; otherwise a level of host code
};

// The file of the network |name|; "": it is not here.
std::string ModelOf(const std::string& name) {
  const char* given = std::getenv("TESSERA_MODELS");
  const std::string folder = given != nullptr && *given != '\0' ? given : "../shared/models";
  for (const std::string& file :
       {"models/fashion/" + name + ".onnx", folder + "/" + name + ".tflite",
        std::string(TESSERA_IMAGENET) + "/" + name + ".onnx"}) {
    if (std::filesystem::exists(file)) return file;
  }
  return "";
}

// Those whose networks are here.
std::vector<Known> KnownRecords(bool accelerator) {
  std::vector<Known> all;
  for (const auto& entry : std::filesystem::directory_iterator("models/records")) {
    const std::string stem = entry.path().stem().string();
    if (entry.path().extension() != ".jsonl") continue;
    Known known{entry.path().string(), ModelOf(stem.substr(0, stem.find('.'))),
                stem.substr(stem.find('.') + 1)};
    known.accelerator = isa::LoadConfig(known.machine).has_value();
    if (known.accelerator == accelerator && !known.model.empty()) all.push_back(known);
  }
  return all;
}

// The cycles of |net| on device cycle.
int64_t CyclesOf(const std::string& net) {
  const std::string file = TempPath("cycles.json");
  const CommandResult r = Tessera("trace " + net + " --device cycle -o /dev/null --json " + file);
  EXPECT_EQ(r.code, 0) << r.output;
  return json::parse(Read(file)).at("cycles");
}

TEST(Records, OfTheAcceleratorHold) {
  const std::vector<Known> all = KnownRecords(/*accelerator=*/true);
  EXPECT_FALSE(all.empty()) << "those of models/fashion are in the tree";
  for (const Known& known : all) {
    SCOPED_TRACE(known.file);
    const std::string text = Read(known.file), plain = TempPath("plain.tsr"),
                      net = TempPath("held.tsr");
    const json last = json::parse(text.substr(text.rfind('\n', text.size() - 2) + 1));
    const std::string compile =
        "compile " + known.model + " --target vta --config " + known.machine + " -o ";
    const CommandResult made = Tessera(compile + net + " --records " + known.file);
    ASSERT_EQ(made.code, 0) << made.output;
    EXPECT_EQ(CyclesOf(net), last.at("cycles")) << "run bench/records.sh again";
    const CommandResult given = Tessera(compile + plain);
    ASSERT_EQ(given.code, 0) << given.output;
    // No layer lost its place on chip (compiler/driver/off_chip.h).
    for (const CommandResult* r : {&made, &given})
      EXPECT_THAT(r->output, Not(HasSubstr("go through device memory")));
    EXPECT_LT(CyclesOf(net), CyclesOf(plain));
  }
}

// |file| with this processor's name in place of that of the machine that made it.
std::string AsIfMadeHere(const std::string& file) {
  std::istringstream lines(Read(file));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    json record = json::parse(line);
    record["processor"] = ProcessorName();
    text += record.dump() + "\n";
  }
  return Write("here.jsonl", text);
}

// A file with a random item for |net|, which has one input.
std::string InputFor(const std::string& net) {
  const auto artifact = artifact::ReadArtifact(net);
  EXPECT_TRUE(artifact) << artifact.error().message;
  if (!artifact) return "";
  HostTensor input = HostTensor::Zeros(artifact->inputs[0].dtype, artifact->inputs[0].shape);
  Rng rng(1);
  if (input.dtype == DType::kFloat32) {
    for (float& element : input.as<float>()) element = static_cast<float>(rng.Unit());
  } else {
    for (uint8_t& byte : input.bytes) byte = static_cast<uint8_t>(rng.Next());
  }
  const std::string file = TempPath("input.npy");
  EXPECT_TRUE(WriteNpy(file, input));
  return file;
}

TEST(Records, OfTheHostHold) {
  const std::vector<Known> all = KnownRecords(/*accelerator=*/false);
  EXPECT_FALSE(all.empty()) << "those of models/fashion are in the tree";
  const std::vector<std::string> levels = CpuLevels();
  for (const Known& known : all) {
    SCOPED_TRACE(known.file);
    const std::string net = TempPath("host.tsr");
    const CommandResult made =
        Tessera("compile " + known.model + " --target cpu,vta --cpu-level " + known.machine +
                " --records " + AsIfMadeHere(known.file) + " -o " + net);
    ASSERT_EQ(made.code, 0) << made.output;
    // "records of 11 of 11 layers of the host"
    const size_t of = made.output.find(": records of ");
    ASSERT_NE(of, std::string::npos) << made.output;
    int found = 0, layers = 0;
    ASSERT_EQ(std::sscanf(made.output.c_str() + of, ": records of %d of %d layers of the host",
                          &found, &layers),
              2)
        << made.output;
    EXPECT_EQ(found, layers) << "run bench/records.sh again";
    EXPECT_THAT(made.output, HasSubstr(": a record: another schedule"));
    if (std::ranges::find(levels, known.machine) == levels.end()) continue;
    const CommandResult same =
        Tessera("compare " + net + " --devices cpu,func --input " + InputFor(net));
    EXPECT_EQ(same.code, 0) << same.output;
  }
}

}  // namespace
}  // namespace tessera::test::records_test
