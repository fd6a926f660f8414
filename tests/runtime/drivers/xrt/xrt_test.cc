// SPDX-License-Identifier: Apache-2.0
//
// What is tested: driver xrt beyond conformance (cts_xrt_test): the files and cards that it
// refuses, with their messages; a card opens once a process and can be opened again; a machine of
// another configuration behind a plausible file is refused; a bus that never answers ends in one
// line. Space: XRT's software emulation with sim/xrt as the card; this program runs under
// sim/xrt/emulated.sh. Not tested here: a real card.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "runtime/device/registry.h"
#include "runtime/drivers/xrt/xrt_device.h"
#include "runtime/xclbin/machine.h"
#include "tests/base/one_line.h"

namespace tessera::xrt_test {
namespace {

namespace fs = std::filesystem;

const isa::Config& Named(std::string_view name) {
  return *std::ranges::find(isa::NamedConfigs(), name, &isa::Config::name);
}

// A folder of this test's own.
class XrtTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fmt::format("tessera_xrt_test_{}", getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Put(const std::string& name, const std::vector<uint8_t>& bytes) {
    const std::string path = folder_ / name;
    EXPECT_TRUE(WriteFile(path, bytes));
    return path;
  }

  static Result<std::unique_ptr<Device>> Open(std::map<std::string, std::string> values = {},
                                              uint64_t memory = 1 << 20) {
    const Driver drivers[] = {XrtDriver()};
    return OpenDevice(drivers, "xrt", Named("tiny"),
                      {.memory_bytes = memory, .values = std::move(values)});
  }

  static void ExpectRefused(std::map<std::string, std::string> values, Code code,
                            const std::string& message, uint64_t memory = 1 << 20) {
    const auto device = Open(std::move(values), memory);
    ASSERT_FALSE(device) << message;
    EXPECT_EQ(CodeName(device.error().code), std::string(CodeName(code)));
    EXPECT_EQ(device.error().message, message);
    EXPECT_TRUE(test::IsOneLine(device.error().message));
  }

  fs::path folder_;
};

TEST_F(XrtTest, ACardOpensOnceAndThenAgain) {
  {
    const auto first = Open({{"", "3"}});
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_EQ((*first)->name(), "xrt");
    ExpectRefused({{"index", "3"}}, Code::kUnavailable,
                  "xrt: card 3 is open in this process already; close it, or name another");
    // The default is a free card.
    const auto second = Open();
    ASSERT_TRUE(second) << second.error().message;
  }
  const auto again = Open({{"index", "3"}});
  ASSERT_TRUE(again) << again.error().message;
}

TEST_F(XrtTest, RefusesOptions) {
  ExpectRefused({{"index", "-1"}}, Code::kInvalidArgument,
                "xrt: index is '-1', wanted is a card's number from 0 to 65535, or 'any'");
  ExpectRefused({{"index", "70000"}}, Code::kInvalidArgument,
                "xrt: index is '70000', wanted is a card's number from 0 to 65535, or 'any'");
  ExpectRefused({{"answer-ms", "0"}}, Code::kInvalidArgument,
                "xrt: answer-ms is 0, it can be 1 to 600000");
}

// The emulation has no interrupt; conformance tests that auto polls.
TEST_F(XrtTest, AnInterruptThatWasAskedForIsMissed) {
  const auto device = Open({{"index", "0"}, {"interrupt", "on"}});
  ASSERT_TRUE(device) << device.error().message;
  Launch launch;
  launch.insn_count = 1;
  const auto report = (*device)->Run(launch);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message,
            "xrt: card 0: asking for the kernel's interrupt: XRT says: open_ip_interrupt_notify(): "
            "Operation not supported; link a kernel whose interrupt is connected, or poll with "
            "interrupt=off");
  ExpectRefused({{"interrupt", "maybe"}}, Code::kInvalidArgument,
                "xrt: interrupt=maybe: give auto, on or off");
}

TEST_F(XrtTest, RefusesFiles) {
  const std::vector<uint8_t> good = xclbin::WriteContainer(xclbin::MachineContainer(Named("tiny")));
  ExpectRefused({{"xclbin", folder_ / "none"}}, Code::kNotFound,
                fmt::format("{}/none: cannot open: No such file or directory", folder_.string()));
  const std::string text = Put("text", {'h', 'i'});
  ExpectRefused({{"xclbin", text}}, Code::kInvalidArgument,
                text + ": not an xclbin: the first 8 bytes are not 'xclbin2'");

  std::vector<uint8_t> bytes = good;
  bytes[456 + 32] += 1;  // BITSTREAM overlaps the next section
  bytes[456 + 32 + 1] += 1;
  const auto overlap = Open({{"xclbin", Put("overlap", bytes)}});
  ASSERT_FALSE(overlap);
  EXPECT_NE(overlap.error().message.find("sections overlap: BITSTREAM is bytes 696 to "),
            std::string::npos)
      << overlap.error().message;

  xclbin::ContainerFile file = xclbin::MachineContainer(Named("tiny"));
  std::erase_if(file.sections,
                [](const auto& s) { return s.kind == xclbin::SectionKind::kIpLayout; });
  const std::string lacks = Put("lacks", xclbin::WriteContainer(file));
  ExpectRefused({{"xclbin", lacks}}, Code::kInvalidArgument,
                lacks +
                    ": no section IP_LAYOUT; XRT cannot load it: link the kernel again, or write "
                    "it with 'tessera xclbin'");

  const std::string good_path = Put("good", good);
  ExpectRefused({{"xclbin", good_path}, {"kernel", "conv"}}, Code::kInvalidArgument,
                good_path +
                    ": section EMBEDDED_METADATA: no kernel 'conv'; there is tessera: say "
                    "which with the option kernel=NAME");
  ExpectRefused({{"xclbin", good_path}}, Code::kInvalidArgument,
                good_path +
                    ": the kernel's memory has 4294967296 bytes, 4294967360 are wanted; ask "
                    "for less",
                (uint64_t{4} << 30) + 64);
}

TEST_F(XrtTest, RefusesAnotherConfigurationByFileAndByMachine) {
  xclbin::ContainerFile file = xclbin::MachineContainer(Named("default"));
  const std::string named = Put("default", xclbin::WriteContainer(file));
  ExpectRefused(
      {{"xclbin", named}}, Code::kInvalidArgument,
      fmt::format("{}: made for configuration default with hash {:016x}, wanted is tiny with "
                  "{:016x}; open it with the configuration it was made for",
                  named, Named("default").Hash(), Named("tiny").Hash()));
  // The file has no hash, like one by AMD's linker: the driver compares the machine's.
  std::erase_if(file.sections,
                [](const auto& s) { return s.kind == xclbin::SectionKind::kBuildMetadata; });
  const std::string silent = Put("silent", xclbin::WriteContainer(file));
  ExpectRefused(
      {{"xclbin", silent}}, Code::kInvalidArgument,
      fmt::format("xrt: the machine was made for the configuration with hash {:016x}, tiny has "
                  "{:016x}; open it with the configuration it was made for",
                  Named("default").Hash(), Named("tiny").Hash()));
}

TEST_F(XrtTest, SaysWhatXrtRefuses) {
  // An emulated card makes its machine from BITSTREAM.
  xclbin::ContainerFile file = xclbin::MachineContainer(Named("tiny"));
  file.sections[0].bytes = {'?'};
  const auto device =
      Open({{"xclbin", Put("broken", xclbin::WriteContainer(file))}, {"index", "5"}});
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, Code::kUnavailable);
  EXPECT_TRUE(device.error().message.starts_with("xrt: card 5: loading "))
      << device.error().message;
  EXPECT_NE(device.error().message.find("XRT says: "), std::string::npos);
  EXPECT_TRUE(test::IsOneLine(device.error().message));
  // The card stays usable.
  EXPECT_TRUE(Open({{"index", "5"}}));
}

// The processes that stand for cards; they are children of this process.
std::vector<pid_t> Models() {
  std::vector<pid_t> models;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream stat(entry.path() / "stat");
    std::string line;
    std::getline(stat, line);
    const size_t end = line.rfind(')');
    if (end == std::string::npos || line.find("genericpciemode") == std::string::npos) continue;
    if (std::stol(line.substr(end + 4)) == getpid()) models.push_back(std::stoi(name));
  }
  return models;
}

TEST_F(XrtTest, ABusThatNeverAnswersEndsInOneLine) {
  const std::vector<pid_t> before = Models();
  auto device = Open({{"index", "9"}, {"answer-ms", "2000"}});
  ASSERT_TRUE(device) << device.error().message;
  std::vector<pid_t> models = Models();
  std::erase_if(models, [&](pid_t pid) { return std::ranges::count(before, pid) > 0; });
  ASSERT_EQ(models.size(), 1u);

  ASSERT_EQ(kill(models[0], SIGSTOP), 0);
  std::vector<uint8_t> bytes(64);
  const Status read = (*device)->Read(0x1000, bytes);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::kTimeout);
  EXPECT_EQ(
      read.error().message,
      "xrt: card 9: memory: copying 64 bytes from address 0x1000 has not returned in 2000 ms");
  const Status reset = (*device)->Reset();
  ASSERT_FALSE(reset);
  EXPECT_EQ(reset.error().message,
            "xrt: card 9: copying 64 bytes from address 0x1000 did not return earlier, so nothing "
            "more is tried");
  device->reset();
  const auto again = Open({{"index", "9"}});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Code::kTimeout);
  // Other cards answer.
  EXPECT_TRUE(Open());
  ASSERT_EQ(kill(models[0], SIGCONT), 0);
}

}  // namespace
}  // namespace tessera::xrt_test
