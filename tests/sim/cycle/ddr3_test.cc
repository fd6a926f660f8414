// SPDX-License-Identifier: Apache-2.0
//
// What is tested: when a DDR3 channel gives its data, against sums of its parameters computed here
// by hand; the errors in a file of parameters; the cycle model with such a memory behind its TLM
// socket: random programs give func's results, take the same cycles each time, and more cycles with
// a slower memory. Space: rows that are closed, open and others, banks, turns of the bus, refresh.
// Not tested here: the cycle model's own cycles (tests/cosim, tests/models).
#include <gtest/gtest.h>

#include "base/file.h"
#include "runtime/device/registry.h"
#include "sim/cycle/ddr3_channel.h"
#include "sim/rig/rig.h"
#include "sim/rig/run_image.h"

namespace tessera::sim::cycle::ddr3_test {
namespace {

// Round parameters; the channel moves 8 bytes a clock.
Ddr3Parameters Round() {
  return {.clock_mhz = 500,
          .bytes = 4,
          .banks = 4,
          .row_bytes = 1024,
          .cl = 10,
          .cwl = 8,
          .rcd = 100,
          .rp = 1000,
          .ras = 150,
          .wr = 20,
          .wtr = 7,
          .refi = 100'000,
          .rfc = 5000,
          .controller = 3};
}

TEST(Ddr3Channel, OpensARowOnceAndKeepsTheBusFull) {
  Ddr3Channel channel(Round());
  const auto first = channel.Access(0, 0, 64, false);
  EXPECT_EQ(first.first, 3u + 100 + 10);  // controller, activate, read
  EXPECT_EQ(first.end, first.first + 8);
  const auto second = channel.Access(0, 64, 64, false);  // the row is open: data follow at once
  EXPECT_EQ(second.first, first.end);
  const auto late = channel.Access(500, 128, 8, false);
  EXPECT_EQ(late.first, 500u + 3 + 10);
  EXPECT_EQ(late.end, late.first + 1);
}

TEST(Ddr3Channel, ClosesARowBeforeItOpensAnother) {
  Ddr3Channel channel(Round());
  channel.Access(0, 0, 8, false);
  // The first row was activated in clock 3 and may close 150 clocks later.
  const auto other = channel.Access(0, 4 * 1024, 8, false);
  EXPECT_EQ(other.first, 3u + 150 + 1000 + 100 + 10);
  // A row of another bank waits only for its turn on the bus.
  Ddr3Channel two(Round());
  two.Access(0, 0, 8, false);
  EXPECT_EQ(two.Access(0, 1024, 8, false).first, 3u + 100 + 10 + 1);
}

TEST(Ddr3Channel, TurnsTheBusAfterAWrite) {
  Ddr3Channel channel(Round());
  const auto write = channel.Access(0, 0, 16, true);
  EXPECT_EQ(write.first, 3u + 100 + 8);
  const auto read = channel.Access(0, 16, 16, false);
  EXPECT_EQ(read.first, write.end + 7 + 10);
}

TEST(Ddr3Channel, SplitsABurstAtTheEndOfARow) {
  Ddr3Channel channel(Round());
  const auto times = channel.Access(0, 1024 - 16, 32, false);  // two clocks of data in each row
  EXPECT_EQ(times.first, 3u + 100 + 10);
  EXPECT_EQ(times.end, times.first + 4);
}

TEST(Ddr3Channel, RefreshClosesRowsAndTakesItsTime) {
  Ddr3Channel channel(Round());
  channel.Access(0, 0, 8, false);
  // The refresh is due in clock 100,000: the row closes (1000), the refresh takes 5000, the row
  // opens again.
  const auto times = channel.Access(100'000, 8, 8, false);
  EXPECT_EQ(times.first, 100'000u + 5000 + 100 + 10);
  EXPECT_EQ(channel.Access(110'000, 16, 8, false).first, 110'000u + 3 + 10);
}

TEST(Ddr3File, IsRefusedInOneLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"[1]", "a DDR3 memory is a JSON object"},
      {"{\"cl\": \"7\"}", "cl of a DDR3 memory is not a number"},
      {"{\"clock_mhz\": 5}", "clock_mhz of a DDR3 memory is 5, it can be 100 to 2000"},
      {"{\"tras\": 5}", "a DDR3 memory has no tras; it has clock_mhz, bytes, banks"},
      {"{\"banks\": 6}", "banks of a DDR3 memory is 6, it can be 1 to 64, a power of two"},
      {"{\"cl\": 7.5}", "cl of a DDR3 memory is 7.5, it can be 1 to 100, whole"},
  };
  for (const auto& [text, want] : cases) {
    const auto got = ParseDdr3(text);
    ASSERT_FALSE(got) << text;
    EXPECT_NE(got.error().message.find(want), std::string::npos) << got.error().message;
  }
  const auto plain = ParseDdr3("{}");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->cl, Ddr3Parameters().cl);
}

Result<rig::ImageOutcome> RunWith(const isa::ProgramImage& image, const isa::Config& config,
                                  const std::string& driver, const std::string& ddr3) {
  DeviceOptions options{.memory_bytes = 8 << 20};
  if (!ddr3.empty()) {
    const std::string path = testing::TempDir() + "ddr3.json";
    TESSERA_TRY(WriteFile(path, std::string_view(ddr3)));
    options.values["ddr3"] = path;
  }
  TESSERA_ASSIGN(const std::unique_ptr<Device> device, OpenDevice(driver, config, options));
  return rig::RunImage(*device, image, /*trace=*/true, 5'000'000);
}

TEST(Ddr3Memory, ServesTheCycleModelThroughItsSocket) {
  const isa::Config config = *isa::LoadConfig("tiny");
  uint64_t fast_sum = 0, slow_sum = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const isa::ProgramImage image =
        rig::MakeProgram({.config = config, .seed = seed, .instructions = 60});
    const auto want = RunWith(image, config, "func", "");
    const auto fast = RunWith(image, config, "cycle", "{}");
    const auto again = RunWith(image, config, "cycle", "{}");
    const auto slow = RunWith(image, config, "cycle", "{\"controller\": 60, \"cl\": 20}");
    ASSERT_TRUE(want && fast && again && slow)
        << (fast ? slow.error().message : fast.error().message);
    EXPECT_EQ(rig::Difference(*want, *fast, image, config), "");
    EXPECT_EQ(rig::Difference(*want, *slow, image, config), "");
    EXPECT_EQ(fast->report.cycles, again->report.cycles);
    fast_sum += fast->report.cycles;
    slow_sum += slow->report.cycles;
  }
  EXPECT_GT(slow_sum, fast_sum);
}

TEST(Ddr3Memory, SaysWhichFileIsBad) {
  const isa::Config config = *isa::LoadConfig("tiny");
  const isa::ProgramImage image =
      rig::MakeProgram({.config = config, .seed = 1, .instructions = 10});
  const auto run = RunWith(image, config, "cycle", "{\"banks\": 6}");
  ASSERT_FALSE(run);
  EXPECT_NE(run.error().message.find("ddr3.json: banks of a DDR3 memory is 6"), std::string::npos)
      << run.error().message;
}

}  // namespace
}  // namespace tessera::sim::cycle::ddr3_test
