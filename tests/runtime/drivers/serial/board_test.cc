// SPDX-License-Identifier: Apache-2.0
//
// What is tested: driver serial on the whole top of the ULX3S, verilated, behind a pseudo-terminal.
// A line that loses, doubles and changes bytes gives the right bytes or an error, and never other
// bytes; a request that comes twice is done once; a board or a user that dies in the middle; a
// bitstream of another configuration. Space: the faults one by one and together, with fixed seeds.
// Not tested here: conformance (tests/cts), networks (mlperf_serial_test), a real line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "base/rng.h"
#include "isa/regs.h"
#include "runtime/device/registry.h"
#include "runtime/drivers/serial/link.h"
#include "tests/base/one_line.h"
#include "tests/cts/board/ulx3s_process.h"

namespace tessera::serial::board_test {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
namespace reg = isa::reg;

constexpr uint64_t kBytes = 1 << 18;

isa::Config ConfigOf(const std::string& name) { return *isa::LoadConfig(name); }

Result<std::unique_ptr<SerialLink>> LinkTo(const std::string& port, Patience patience = {}) {
  TESSERA_ASSIGN(auto line, SerialLine::Open(port, 2'000'000));
  return SerialLink::Open(std::move(line), patience);
}

std::vector<uint8_t> RandomBytes(Rng& rng, size_t count) {
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng.Next());
  return bytes;
}

struct Faults {
  std::string name;
  std::vector<std::string> options;
};

class FaultyLine : public ::testing::TestWithParam<Faults> {};

// Writes and reads memory, and writes and reads a register in between.
TEST_P(FaultyLine, GivesTheRightBytes) {
  const auto board = test::StartUlx3s(GetParam().options);
  ASSERT_TRUE(board) << board.error().message;
  // The simulated board is slower than its line; a short patience repeats more. At one fault in 700
  // bytes, half of the frames of data come through.
  const auto link = LinkTo(board->port, {.answer = milliseconds(60), .tries = 40});
  ASSERT_TRUE(link) << link.error().message;
  Rng rng(7);
  // Which bytes the line hits depends on how the answers are cut. Sends more until it hits one.
  for (uint32_t round = 0; round < 4 || (round < 60 && (*link)->repeats() == 0); ++round) {
    const uint32_t address = static_cast<uint32_t>(rng.Range(0, kBytes - 2000));
    const std::vector<uint8_t> sent = RandomBytes(rng, static_cast<size_t>(rng.Range(1, 1200)));
    ASSERT_TRUE((*link)->WriteMemory(address, sent));
    const auto word = static_cast<uint32_t>(rng.Next());
    ASSERT_TRUE((*link)->Write(reg::kInsnCount, word));
    std::vector<uint8_t> back(sent.size());
    ASSERT_TRUE((*link)->ReadMemory(address, back));
    EXPECT_EQ(back, sent);
    const auto read = (*link)->Read(reg::kInsnCount);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, word);
  }
  EXPECT_GT((*link)->repeats(), 0u) << "the line had no fault: the test shows nothing";
}

INSTANTIATE_TEST_SUITE_P(
    Serial, FaultyLine,
    ::testing::Values(Faults{"lost", {"--lose", "700", "--seed", "11"}},
                      Faults{"doubled", {"--twice", "700", "--seed", "12"}},
                      Faults{"changed", {"--change", "700", "--seed", "13"}},
                      Faults{"all", {"--lose", "2000", "--twice", "2000", "--change", "2000"}}),
    [](const ::testing::TestParamInfo<Faults>& faults) { return faults.param.name; });

TEST(SerialBoard, ALineOfNoiseIsAnErrorThatNamesThePort) {
  const auto board = test::StartUlx3s({"--change", "4"});
  ASSERT_TRUE(board) << board.error().message;
  const auto link = LinkTo(board->port, {.answer = milliseconds(20), .tries = 4});
  ASSERT_FALSE(link);
  EXPECT_THAT(link.error().message, HasSubstr(board->port));
  EXPECT_TRUE(test::IsOneLine(link.error().message));
}

// The board must do a request once: here its frame comes again, as if the answer had been lost.
TEST(SerialBoard, ARequestThatComesAgainIsNotDoneAgain) {
  const auto board = test::StartUlx3s();
  ASSERT_TRUE(board) << board.error().message;
  const auto line = SerialLine::Open(board->port, 2'000'000);
  ASSERT_TRUE(line) << line.error().message;
  FrameReader reader;
  const auto ask = [&](const Request& request) -> std::optional<Answer> {
    if (!(*line)->Send(FrameOf(BodyOf(request)), milliseconds(1000))) return std::nullopt;
    for (int look = 0; look < 100; ++look) {
      const auto bytes = (*line)->Receive(milliseconds(100));
      if (!bytes) return std::nullopt;
      for (const uint8_t byte : *bytes) {
        if (const auto body = reader.Take(byte)) return AnswerOf(*body);
      }
    }
    return std::nullopt;
  };
  // Nothing is done before a hello.
  auto answer = ask({.sequence = 1, .operation = Operation::kRead, .address = reg::kId});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, AnswerStatus::kNoSession);
  EXPECT_TRUE(answer->data.empty());
  answer = ask({.sequence = 5, .operation = Operation::kHello, .address = 0x7e7d7e7d});
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->data.size(), 16u);
  EXPECT_EQ(WordAt(answer->data, 0), 0x7e7d7e7du);
  EXPECT_EQ(WordAt(answer->data, 4), kHelloMagic);
  const std::vector<uint8_t> first = {1, 2, 3}, second = {4, 5, 6};
  const auto write = [&](uint8_t sequence, const std::vector<uint8_t>& data) {
    const auto done = ask({.sequence = sequence,
                           .operation = Operation::kWriteMemory,
                           .address = 64,
                           .value = static_cast<uint32_t>(data.size()),
                           .data = data});
    return done && done->sequence == sequence && done->status == AnswerStatus::kDone;
  };
  const auto read = [&](uint8_t sequence) {
    const auto done =
        ask({.sequence = sequence, .operation = Operation::kReadMemory, .address = 64, .value = 3});
    return done ? done->data : std::vector<uint8_t>();
  };
  EXPECT_TRUE(write(6, first));
  EXPECT_TRUE(write(6, second));  // answered, not done
  EXPECT_EQ(read(7), first);
  EXPECT_EQ(read(7), first);
  EXPECT_TRUE(write(8, second));
  EXPECT_EQ(read(9), second);
  // A range outside memory, no data, and an operation that does not exist.
  const Request bad[] = {
      {.sequence = 10, .operation = Operation::kReadMemory, .address = 0xfffffff0, .value = 32},
      {.sequence = 11, .operation = Operation::kReadMemory, .address = 0, .value = 0},
      {.sequence = 12, .operation = Operation::kReadMemory, .address = 0, .value = 513},
      {.sequence = 13, .operation = static_cast<Operation>(9)}};
  for (const Request& request : bad) {
    answer = ask(request);
    ASSERT_TRUE(answer) << int{request.sequence};
    EXPECT_EQ(answer->status, AnswerStatus::kBad) << int{request.sequence};
  }
}

TEST(SerialBoard, ABoardThatDiesIsAnErrorAtOnce) {
  const auto board = test::StartUlx3s();
  ASSERT_TRUE(board) << board.error().message;
  const auto device =
      OpenDevice("serial", ConfigOf(test::kUlx3sConfig), {.values = {{"port", board->port}}});
  ASSERT_TRUE(device) << device.error().message;
  std::thread killer([&] {
    std::this_thread::sleep_for(milliseconds(100));
    kill(board->pid, SIGKILL);
  });
  const std::vector<uint8_t> bytes(kBytes, 3);
  const Status written = (*device)->Write(0, bytes);
  killer.join();
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Code::kUnavailable);
  EXPECT_THAT(written.error().message, HasSubstr(board->port + ": "));
  EXPECT_THAT(written.error().message, HasSubstr("the port has gone"));
  EXPECT_TRUE(test::IsOneLine(written.error().message));
}

TEST(SerialBoard, AUserThatDiesLeavesAUsableBoard) {
  const auto board = test::StartUlx3s({"--stay"});
  ASSERT_TRUE(board) << board.error().message;
  const isa::Config config = ConfigOf(test::kUlx3sConfig);
  for (int round = 0; round < 3; ++round) {
    const pid_t user = fork();
    if (user == 0) {
      auto device = OpenDevice("serial", config, {.values = {{"port", board->port}}});
      const std::vector<uint8_t> bytes(kBytes, 0x5a);
      while (device && (*device)->Write(0x1000, bytes)) {
      }
      _exit(1);
    }
    std::this_thread::sleep_for(milliseconds(50 + 30 * round));
    kill(user, SIGKILL);
    waitpid(user, nullptr, 0);
    const auto device = OpenDevice("serial", config, {.values = {{"port", board->port}}});
    ASSERT_TRUE(device) << device.error().message;
    const std::vector<uint8_t> sent = {1, 2, 3, static_cast<uint8_t>(round)};
    ASSERT_TRUE((*device)->Write(0x20000, sent));
    std::vector<uint8_t> back(sent.size());
    ASSERT_TRUE((*device)->Read(0x20000, back));
    EXPECT_EQ(back, sent);
  }
  kill(board->pid, SIGKILL);
}

TEST(SerialBoard, ABitstreamOfAnotherConfigurationIsRefused) {
  const auto board = test::StartUlx3s();
  ASSERT_TRUE(board) << board.error().message;
  const auto device =
      OpenDevice("serial", ConfigOf("default"), {.values = {{"port", board->port}}});
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, Code::kInvalidArgument);
  EXPECT_THAT(device.error().message, HasSubstr("made for the configuration with hash"));
  EXPECT_TRUE(test::IsOneLine(device.error().message));
}

}  // namespace
}  // namespace tessera::serial::board_test
