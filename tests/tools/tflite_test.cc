// SPDX-License-Identifier: Apache-2.0
//
// What is tested: --tflite, which names the kernels whose integers a TFLite file means, through the
// command: an unknown name is refused; an artifact records the choice and refuses the other one.
// Space: each verb that reads models. Not tested here: the integers
// (tests/models/tflite_ops_test.cc).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/tensor/npy.h"
#include "tests/tools/command.h"

namespace tessera::test::tflite_test {
namespace {

using ::testing::HasSubstr;

constexpr char kFile[] = "tests/data/tflite_ops/fully_connected_00.tflite";  // [1, 16] to [1, 10]

TEST(TfliteOption, AnUnknownNameIsToldInWords) {
  for (const std::string verb : {"info", "compile", "run", "compare"}) {
    const CommandResult r = Tessera(fmt::format("{} {} --tflite 2.15", verb, kFile));
    EXPECT_EQ(r.code, 2) << r.output;
    EXPECT_THAT(r.output, HasSubstr("the integers are those of 2.14 or litert-2.3"));
  }
}

TEST(TfliteOption, AnArtifactRemembersIt) {
  const std::string net = TempPath("net.tsr"), x = TempPath("x.npy");
  ASSERT_TRUE(WriteNpy(x, HostTensor::Zeros(DType::kInt8, {1, 16})));
  const CommandResult made =
      Tessera(fmt::format("compile {} --tflite litert-2.3 --target cpu -o {}", kFile, net));
  ASSERT_EQ(made.code, 0) << made.output;
  for (const std::string option : {"", " --tflite litert-2.3"}) {
    const CommandResult r =
        Tessera(fmt::format("run {} --device cpu --input {}{}", net, x, option));
    EXPECT_EQ(r.code, 0) << r.output;
  }
  const CommandResult other =
      Tessera(fmt::format("run {} --device cpu --input {} --tflite 2.14", net, x));
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.output, HasSubstr("tflite litert-2.3'; --tflite 2.14 asks for other integers"));
}

// Two equal items of an LSTM layer; the first one changes the states.
TEST(States, LiveFromItemToItemUnlessTheyAreReset) {
  constexpr char kLstm[] = "tests/data/tflite_ops/unidirectional_sequence_lstm_00.tflite";
  const CommandResult info = Tessera(fmt::format("info {}", kLstm));
  EXPECT_THAT(info.output, HasSubstr("state: in18 int8[1, 4]"));
  EXPECT_THAT(info.output, HasSubstr("state: in19 int16[1, 4]"));
  const std::string x = TempPath("x.npy"), y = TempPath("y.npy"), net = TempPath("net.tsr");
  HostTensor items = HostTensor::Zeros(DType::kInt8, {2, 3, 5});
  for (size_t i = 0; i < items.bytes.size(); ++i) items.bytes[i] = static_cast<uint8_t>(i % 15 * 9);
  ASSERT_TRUE(WriteNpy(x, items));
  const CommandResult made = Tessera(fmt::format("compile {} -o {}", kLstm, net));
  ASSERT_EQ(made.code, 0) << made.output;
  EXPECT_THAT(Tessera("info " + net).output, HasSubstr("state: in19 int16[1, 4]"));
  for (const std::string device : {"cpu", "func"}) {
    for (const bool reset : {false, true}) {
      const CommandResult r =
          Tessera(fmt::format("run {} --device {} --input {} --output {}{}", net, device, x, y,
                              reset ? " --reset-state" : ""));
      ASSERT_EQ(r.code, 0) << r.output;
      const Result<HostTensor> out = ReadNpy(y);
      ASSERT_TRUE(out) << out.error().message;
      EXPECT_EQ(out->Slice(0, 1).bytes == out->Slice(1, 1).bytes, reset) << device;
    }
  }
  const CommandResult both =
      Tessera(fmt::format("compare {} --devices cpu,func --input {}", kLstm, x));
  EXPECT_EQ(both.code, 0) << both.output;
}

}  // namespace
}  // namespace tessera::test::tflite_test
