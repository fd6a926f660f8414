// SPDX-License-Identifier: Apache-2.0
//
// What is tested: a reset that loads the fabric again, through a simulated FPGA manager: on a
// simulated board with the verilated machine, whose scratchpads keep their contents over a soft
// reset and are zero after the load; no load under a machine that stays busy; every way in which a
// load can fail, after which the port touches no register until a load has worked; the refusals at
// opening. Space: configuration tiny, a table of registers for failures. Not tested here: the
// kernel's FPGA manager, a board.
#include "runtime/drivers/zynq/reloading_port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "isa/encoding.h"
#include "isa/regs.h"
#include "runtime/device/board_window.h"
#include "runtime/device/registry.h"
#include "runtime/drivers/zynq/zynq_device.h"
#include "tests/base/one_line.h"
#include "tests/cts/board/board_process.h"
#include "tests/runtime/drivers/zynq/simulated_root.h"
#include "tests/tools/simulated_fpga.h"

namespace tessera::zynq::reloading_port_test {
namespace {

using ::testing::HasSubstr;
namespace reg = isa::reg;

constexpr uint64_t kMemory = 1 << 20, kCode = 0x10000, kData = 0x20000;
constexpr const char* kFirmware = "tessera-test";

class Reload : public ::testing::Test {
 protected:
  Reload() : fpga_(root_.path() + "/board", "Xilinx Zynq FPGA Manager") {
    std::ofstream(Bin()) << "a configuration";
  }
  std::string Bin(const std::string& name = kFirmware) const {
    return fpga_.Path("lib/firmware/" + name + ".bin");
  }
  // Number of loads that the manager was told to do.
  int loads() const { return loads_; }
  void OnLoad(
      std::function<void()> call = [] {}, test::FpgaFaults faults = {}) {
    faults.on_program = [this, call = std::move(call)] {
      ++loads_;
      call();
    };
    fpga_.SetFaults(std::move(faults));
  }

  SimulatedRoot root_;
  test::SimulatedFpga fpga_;
  std::atomic<int> loads_ = 0;
};

// The verilated machine in another process.
class ReloadBoard : public Reload {
 protected:
  void SetUp() override {
    auto board = test::StartBoard("tiny", kMemory);
    ASSERT_TRUE(board) << board.error().message;
    fd_ = board->fd;
    window_ = mmap(nullptr, sizeof(BoardWindow), PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
    ASSERT_NE(window_, MAP_FAILED);
    std::map<std::string, std::string> values = {
        {"shared", board->path}, {"root", fpga_.root()}, {"firmware", kFirmware}};
    const Driver drivers[] = {ZynqDriver()};
    auto device = OpenDevice(drivers, "zynq", config_, {.memory_bytes = kMemory, .values = values});
    ASSERT_TRUE(device) << device.error().message;
    device_ = std::move(*device);
  }
  void TearDown() override {
    device_.reset();
    munmap(window_, sizeof(BoardWindow));
    close(fd_);
  }

  // Reloads the fabric; the caller waits until the board has answered.
  void LoadAgain() {
    auto& window = *static_cast<BoardWindow*>(window_);
    window.kind = static_cast<uint32_t>(BoardRequest::kReload);
    const uint32_t number = window.request.load() + 1;
    window.request.store(number);
    while (window.answer.load() != number)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  Result<RunReport> Run(const std::vector<isa::Insn>& insns) {
    std::vector<uint8_t> bytes;
    for (const isa::Insn& insn : insns) {
      const isa::InsnWord word = isa::Encode(insn).value();
      const auto* begin = reinterpret_cast<const uint8_t*>(&word);
      bytes.insert(bytes.end(), begin, begin + sizeof word);
    }
    TESSERA_TRY(device_->Write(kCode, bytes));
    Launch launch;
    launch.insn_addr = kCode;
    launch.insn_count = static_cast<uint32_t>(insns.size());
    for (SegmentBinding& segment : launch.segments) segment = {kData, 0x10000};
    launch.budget = 200'000;
    return device_->Run(launch);
  }
  // Loads four OUT tiles of 5s, resets, and stores the tiles; returns the stored bytes.
  std::vector<uint8_t> AfterReset() {
    const int64_t tile = config_.out_tile_bytes();
    const std::vector<uint8_t> fives(static_cast<size_t>(4 * tile), 5);
    EXPECT_TRUE(device_->Write(kData, fives));
    EXPECT_TRUE(Run({isa::Load{.memory = static_cast<int64_t>(isa::Memory::kOut),
                               .x_bytes = tile,
                               .x_size = 4,
                               .y_size = 1,
                               .x_step = tile,
                               .z_size = 1},
                     isa::Finish{}}));
    const Status reset = device_->Reset();
    EXPECT_TRUE(reset) << reset.error().message;
    EXPECT_TRUE(Run({isa::Store{.x_bytes = tile,
                                .dram_base = 0x1000,
                                .x_size = 4,
                                .y_size = 1,
                                .x_step = tile,
                                .z_size = 1},
                     isa::Finish{}}));
    std::vector<uint8_t> now(fives.size());
    EXPECT_TRUE(device_->Read(kData + 0x1000, now));
    return now;
  }

  const isa::Config config_ = Tiny();
  int fd_ = -1;
  void* window_ = nullptr;
  std::unique_ptr<Device> device_;
};

TEST_F(ReloadBoard, ZeroesScratchpads) {
  // The manager gets the request and does nothing: a soft reset alone remains.
  OnLoad();
  const std::vector<uint8_t> kept = AfterReset();
  EXPECT_EQ(kept, std::vector<uint8_t>(kept.size(), 5));
  EXPECT_EQ(loads(), 1);
  OnLoad([this] { LoadAgain(); });
  const std::vector<uint8_t> cleared = AfterReset();
  EXPECT_EQ(cleared, std::vector<uint8_t>(cleared.size(), 0));
  EXPECT_EQ(loads(), 2);
}

TEST_F(ReloadBoard, IsUsableAfterALoadThatFailed) {
  OnLoad([] {}, {.state_errors = 1});
  const Status failed = device_->Reset();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message,
            "a reset by loading tessera-test.bin again failed: after tessera-test.bin the FPGA "
            "manager says 'write error', not operating; the fabric holds no machine in use: reset "
            "again, or `tessera flash`");
  const auto report = Run({isa::Finish{}});
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("no register is read"));
  OnLoad([this] { LoadAgain(); });
  const Status again = device_->Reset();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(Run({isa::Finish{}}));
}

// Registers that read as they were written.
class TablePort : public RegisterPort {
 public:
  Result<uint32_t> Read(uint32_t offset) override {
    ++accesses;
    if (dead) return Fail(Code::kDataLoss, "the bus does not answer");
    return registers[offset];
  }
  Status Write(uint32_t offset, uint32_t value) override {
    ++accesses;
    registers[offset] = value;
    return {};
  }
  void Pause() override {}
  std::map<uint32_t, uint32_t> registers = {
      {reg::kId, reg::kIdValue}, {reg::kVersion, reg::kVersionValue}, {reg::kConfigHashLo, 7}};
  int accesses = 0;
  bool dead = false;
};

class ReloadFailure : public Reload {
 protected:
  void SetUp() override {
    auto table = std::make_unique<TablePort>();
    table_ = table.get();
    OnLoad();
    auto port =
        ReloadingPort::Make(std::move(table), fpga_.root(), kFirmware, std::chrono::seconds(2));
    ASSERT_TRUE(port) << port.error().message;
    port_ = std::move(*port);
  }
  void ExpectFailure(Code code, const std::string& words) {
    const Status status = port_->Reset();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, code) << status.error().message;
    EXPECT_THAT(status.error().message, HasSubstr(words));
    EXPECT_TRUE(test::IsOneLine(status.error().message));
  }
  // No access reaches the bus, and the next reset touches no register before it has loaded.
  void ExpectShut() {
    const int before = table_->accesses;
    EXPECT_FALSE(port_->Read(reg::kId));
    EXPECT_FALSE(port_->Write(reg::kControl, 1));
    EXPECT_FALSE(port_->Wait(100));
    EXPECT_EQ(table_->accesses, before);
    int at_load = -1;
    OnLoad([&] { at_load = table_->accesses; });
    const Status again = port_->Reset();
    EXPECT_TRUE(again) << again.error().message;
    EXPECT_EQ(at_load, before);
    EXPECT_TRUE(port_->Read(reg::kId));
  }

  TablePort* table_ = nullptr;
  std::unique_ptr<RegisterPort> port_;
};

TEST_F(ReloadFailure, TheManagerRefuses) {
  OnLoad([] {}, {.state_errors = 1});
  ExpectFailure(Code::kUnavailable, "says 'write error', not operating");
  ExpectShut();
}

TEST_F(ReloadFailure, TheManagerIsSilent) {
  OnLoad([] {}, {.silences = 1});
  ExpectFailure(Code::kUnavailable,
                "the FPGA manager does not end with tessera-test.bin within 2 seconds");
  ExpectShut();
}

TEST_F(ReloadFailure, AnotherMachineAnswers) {
  OnLoad([this] { table_->registers[reg::kConfigHashLo] = 8; });
  ExpectFailure(Code::kDataLoss,
                fmt::format("another machine than before answers (ID {:08x}, VERSION {:08x}, "
                            "configuration hash 0000000000000008)",
                            reg::kIdValue, reg::kVersionValue));
  table_->registers[reg::kConfigHashLo] = 7;
  ExpectShut();
}

TEST_F(ReloadFailure, NoMachineAnswers) {
  OnLoad([this] { table_->dead = true; });
  ExpectFailure(Code::kDataLoss, "the bus does not answer");
  table_->dead = false;
  ExpectShut();
}

TEST_F(ReloadFailure, NothingIsLoadedUnderAMachineThatStaysBusy) {
  table_->registers[reg::kStatus] = reg::kStatusBusy.Put(1);
  const Status status = port_->Reset();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kTimeout);
  EXPECT_EQ(loads(), 0);
}

TEST_F(Reload, RefusesWhatCannotBeLoaded) {
  const auto refused = [&](const std::string& firmware, Code code, const std::string& words) {
    const auto port = ReloadingPort::Make(std::make_unique<TablePort>(), fpga_.root(), firmware);
    ASSERT_FALSE(port) << words;
    EXPECT_EQ(port.error().code, code) << port.error().message;
    EXPECT_THAT(port.error().message, HasSubstr(words));
    EXPECT_TRUE(test::IsOneLine(port.error().message));
  };
  refused("../secret", Code::kInvalidArgument, "firmware=../secret: give a plain name");
  refused("none", Code::kNotFound, "/lib/firmware/none.bin: does not exist; `tessera flash` puts");
  std::filesystem::remove(fpga_.Path("sys/class/fpga_manager/fpga0/firmware"));
  refused(kFirmware, Code::kUnavailable, "fpga0/firmware: no permission to write: run as root");
  std::filesystem::rename(fpga_.Path("sys/class/fpga_manager"), fpga_.Path("sys/class/other"));
  refused(kFirmware, Code::kNotFound, "this kernel has no FPGA manager");
}

}  // namespace
}  // namespace tessera::zynq::reloading_port_test
