// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the search for a port, and what a port that is no ULX3S gets as an answer: a
// missing file, a file that is no port, a port in use, one on which nothing answers, one that
// sends other things, a rate that no port has, a port that goes away, another version of the
// frames. Space: pseudo-terminals of
// the test. Not tested here: a board (serial_board_test).
#include "runtime/drivers/serial/line.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "runtime/drivers/serial/link.h"
#include "runtime/drivers/serial/serial_device.h"
#include "tests/base/one_line.h"

namespace tessera::serial::line_test {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

// The far end of a port.
class Terminal {
 public:
  Terminal() : fd_(posix_openpt(O_RDWR | O_NOCTTY)) {
    EXPECT_EQ(grantpt(fd_), 0);
    EXPECT_EQ(unlockpt(fd_), 0);
    path_ = ptsname(fd_);
  }
  ~Terminal() { Close(); }
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }
  const std::string& path() const { return path_; }
  uint8_t Receive() {
    uint8_t byte = 0;
    EXPECT_EQ(read(fd_, &byte, 1), 1);
    return byte;
  }
  void Send(const std::string& text) {
    EXPECT_EQ(write(fd_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

 private:
  int fd_;
  std::string path_;
};

template <typename T>
void ExpectSays(const Result<T>& result, Code code, const std::vector<std::string>& words) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, code) << result.error().message;
  for (const std::string& word : words) EXPECT_THAT(result.error().message, HasSubstr(word));
  EXPECT_TRUE(test::IsOneLine(result.error().message)) << result.error().message;
}

Result<std::unique_ptr<SerialLink>> OpenLink(const std::string& path, uint32_t baud = 2'000'000) {
  TESSERA_ASSIGN(auto line, SerialLine::Open(path, baud));
  return SerialLink::Open(std::move(line), {.answer = milliseconds(10), .tries = 3});
}

TEST(Line, FindsThePortsOfAUlx3s) {
  const fs::path root = fs::temp_directory_path() / fmt::format("tessera-ports-{}", getpid());
  fs::create_directories(root / "by-id");
  fs::create_directories(root / "dev");
  EXPECT_TRUE(FindPorts(root / "by-id", root / "dev").empty());
  EXPECT_TRUE(FindPorts(root / "no", root / "nothing").empty());
  for (const char* name : {"ttyUSB1", "ttyUSB0", "ttyS0"}) std::ofstream(root / "dev" / name);
  const std::vector<std::string> both = {root / "dev/ttyUSB0", root / "dev/ttyUSB1"};
  EXPECT_EQ(FindPorts(root / "by-id", root / "dev"), both);
  std::ofstream(root / "by-id" / "usb-FER-RADIONA-EMARD_ULX3S_FPGA_85K_v3.0.8_1-if00-port0");
  std::ofstream(root / "by-id" / "usb-Other_bridge-if00-port0");
  const auto found = FindPorts(root / "by-id", root / "dev");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0], HasSubstr("ULX3S"));
  fs::remove_all(root);
}

TEST(Line, RefusesWhatIsNoPort) {
  ExpectSays(OpenLink("/dev/tessera-no-such"), Code::kNotFound,
             {"/dev/tessera-no-such", "serial:port=PATH"});
  ExpectSays(OpenLink("/dev/null"), Code::kInvalidArgument, {"/dev/null", "no serial port"});
  Terminal terminal;
  ExpectSays(OpenLink(terminal.path(), 1'234'567), Code::kInvalidArgument,
             {"1234567 baud", "2000000"});
}

TEST(Line, IsForOneProcess) {
  Terminal terminal;
  const auto first = SerialLine::Open(terminal.path(), 2'000'000);
  ASSERT_TRUE(first) << first.error().message;
  ExpectSays(SerialLine::Open(terminal.path(), 2'000'000), Code::kUnavailable,
             {terminal.path(), "another process"});
}

TEST(Line, SaysThatNothingAnswers) {
  Terminal terminal;
  ExpectSays(OpenLink(terminal.path()), Code::kNotFound,
             {terminal.path(), "nothing answers at 2000000 baud", "tessera flash ulx3s"});
}

TEST(Line, SaysThatSomethingElseAnswers) {
  Terminal terminal;
  std::thread sender([&] {
    std::this_thread::sleep_for(milliseconds(5));
    terminal.Send("login: \x7e password: \x7e");
  });
  ExpectSays(OpenLink(terminal.path()), Code::kNotFound,
             {terminal.path(), "no frame of a Tessera board"});
  sender.join();
}

TEST(Line, SaysThatThePortHasGone) {
  Terminal terminal;
  std::thread killer([&] {
    std::this_thread::sleep_for(milliseconds(5));
    terminal.Close();
  });
  ExpectSays(OpenLink(terminal.path()), Code::kUnavailable, {terminal.path(), "the port has gone"});
  killer.join();
}

// A board of another version of the frames: the far end answers the hello itself.
TEST(Line, SaysThatTheVersionIsAnother) {
  Terminal terminal;
  std::thread board([&] {
    FrameReader reader;
    for (;;) {
      const std::optional<std::vector<uint8_t>> hello = reader.Take(terminal.Receive());
      if (!hello) continue;
      // Sequence number, status; the number of the hello, another magic, memory, clock.
      std::vector<uint8_t> answer = {(*hello)[0], 0};
      PutWord(answer, WordAt(*hello, 2));
      for (const uint32_t word : {kHelloMagic + (1u << 24), 1u << 18, 50'000'000u})
        PutWord(answer, word);
      const std::vector<uint8_t> frame = FrameOf(answer);
      return terminal.Send({frame.begin(), frame.end()});
    }
  });
  ExpectSays(OpenLink(terminal.path()), Code::kUnsupported,
             {terminal.path(), "0x32525354", "0x31525354", "one version"});
  board.join();
}

TEST(Line, OptionsOfTheDriverHaveLimits) {
  const Driver driver = SerialDriver();
  const auto open = [&](const char* name, const char* value) {
    const auto values =
        OptionValues::Make("serial", driver.options, {{"port", "/dev/null"}, {name, value}});
    EXPECT_TRUE(values);
    return driver.open(isa::NamedConfigs()[0], 1 << 20, *values);
  };
  ExpectSays(open("answer-ms", "0"), Code::kInvalidArgument, {"answer-ms is 0", "1 to 60000"});
  ExpectSays(open("baud", "0"), Code::kInvalidArgument, {"baud is 0", "3000000"});
  ExpectSays(open("baud", "5000000"), Code::kInvalidArgument, {"baud is 5000000"});
}

}  // namespace
}  // namespace tessera::serial::line_test
