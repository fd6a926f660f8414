// SPDX-License-Identifier: Apache-2.0
//
// What is tested: waiting by an interrupt of UIO: the interrupt ends a wait, is acknowledged and
// enabled again; when it never comes, the port polls STATUS, or fails where the user asked for the
// interrupt. Space: registers in memory that a thread changes; the device file is a socket, whose
// other end is the kernel. Not tested here: opening (board_test).
#include "runtime/drivers/zynq/uio_port.h"

#include <gmock/gmock.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "isa/regs.h"

namespace tessera::zynq::uio_port_test {
namespace {

using ::testing::HasSubstr;
namespace reg = isa::reg;
constexpr uint64_t kBytes = 4096;

class Uio : public ::testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    kernel_ = OpenFile(ends[0]);
    device_ = ends[1];
    const OpenFile registers(memfd_create("registers", 0));
    ASSERT_EQ(ftruncate(registers.fd(), kBytes), 0);
    seen_ = MappedFile::Map(registers, "registers", 0, kBytes).value();
    map_ = MappedFile::Map(registers, "registers", 0, kBytes).value();
  }

  UioPort Port(InterruptUse use) {
    return UioPort("/dev/uio0", OpenFile(device_), std::move(map_), 0, use);
  }
  std::atomic_ref<uint32_t> Register(uint32_t offset) {
    return std::atomic_ref(*reinterpret_cast<uint32_t*>(seen_->data() + offset));
  }
  void Interrupt() {
    const uint32_t count = 1;
    ASSERT_EQ(write(kernel_.fd(), &count, 4), 4);
  }
  // Number of times that the port has enabled the interrupt.
  int Enabled() {
    char words[256];
    const ssize_t bytes = recv(kernel_.fd(), words, sizeof words, MSG_DONTWAIT);
    return bytes < 0 ? 0 : static_cast<int>(bytes / 4);
  }

  OpenFile kernel_;
  int device_ = -1;
  std::unique_ptr<MappedFile> seen_, map_;
};

TEST_F(Uio, AnInterruptEndsTheWait) {
  UioPort port = Port(InterruptUse::kAlways);
  Register(reg::kStatus) = reg::kStatusBusy.Put(1);
  std::thread machine([&] {
    for (int i = 0; i < 20; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      Register(reg::kCyclesLo) += 100;
    }
    Register(reg::kStatus) = reg::kStatusDone.Put(1);
    Interrupt();
  });
  const auto outcome = port.Wait(1'000'000);
  machine.join();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->end, WaitEnd::kDone);
  EXPECT_EQ(Register(reg::kIrqGlobal), 1u);
  EXPECT_EQ(Register(reg::kIrqEnable), reg::kIrqStatusDone.Put(1));
  EXPECT_GE(Enabled(), 1);
  EXPECT_FALSE(port.polls());
}

TEST_F(Uio, AnInterruptFromBeforeIsForgotten) {
  UioPort port = Port(InterruptUse::kAlways);
  Interrupt();
  Register(reg::kStatus) = reg::kStatusDone.Put(1);
  const auto outcome = port.Wait(1000);
  ASSERT_TRUE(outcome) << outcome.error().message;
  int bytes = -1;
  ASSERT_EQ(ioctl(device_, FIONREAD, &bytes), 0);
  EXPECT_EQ(bytes, 0);
}

// The machine shows a raised interrupt and ends a little later; the interrupt never comes.
TEST_F(Uio, InterruptThatNeverComesIsPolledInstead) {
  UioPort port = Port(InterruptUse::kAuto);
  for (int run = 0; run < 2; ++run) {
    Register(reg::kStatus) = reg::kStatusBusy.Put(1);
    std::thread machine([&] {
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
      while (std::chrono::steady_clock::now() < end) {
        Register(reg::kIrqStatus) = reg::kIrqStatusDone.Put(1);
        Register(reg::kCyclesLo) += 1;
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
      Register(reg::kStatus) = reg::kStatusDone.Put(1);
    });
    const auto outcome = port.Wait(1'000'000'000);
    machine.join();
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->end, WaitEnd::kDone);
    EXPECT_TRUE(port.polls()) << "after " << kLostInterrupts << " that were lost";
  }
}

TEST_F(Uio, InterruptThatNeverComesIsAnErrorWhereItWasAskedFor) {
  UioPort port = Port(InterruptUse::kAlways);
  Register(reg::kStatus) = reg::kStatusBusy.Put(1);
  std::thread machine([&] {
    for (int i = 0; i < 600; ++i) {
      Register(reg::kIrqStatus) = reg::kIrqStatusDone.Put(1);
      Register(reg::kCyclesLo) += 1;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    Register(reg::kStatus) = reg::kStatusDone.Put(1);
  });
  const auto outcome = port.Wait(1'000'000'000);
  machine.join();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Code::kTimeout);
  EXPECT_THAT(outcome.error().message, HasSubstr("raised its interrupt and none came"));
  EXPECT_THAT(outcome.error().message, HasSubstr("interrupt=off"));
}

TEST_F(Uio, ADeviceWithoutInterrupt) {
  // A socket without another end takes no writes, like a device without an interrupt.
  signal(SIGPIPE, SIG_IGN);
  kernel_ = OpenFile();
  Register(reg::kStatus) = reg::kStatusDone.Put(1);
  UioPort port = Port(InterruptUse::kAuto);
  ASSERT_TRUE(port.Wait(1000));
  EXPECT_TRUE(port.polls());
}

TEST_F(Uio, ADeviceWithoutInterruptIsAnErrorWhereItWasAskedFor) {
  signal(SIGPIPE, SIG_IGN);
  shutdown(kernel_.fd(), SHUT_RD);
  Register(reg::kStatus) = reg::kStatusDone.Put(1);
  UioPort port = Port(InterruptUse::kAlways);
  const auto outcome = port.Wait(1000);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Code::kUnsupported);
  EXPECT_THAT(outcome.error().message, HasSubstr("no interrupt"));
}

TEST_F(Uio, AMachineWithoutAClockIsATimeout) {
  UioPort port = Port(InterruptUse::kAuto);
  Register(reg::kStatus) = reg::kStatusBusy.Put(1);
  const auto outcome = port.Wait(1000);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Code::kTimeout);
  EXPECT_THAT(outcome.error().message, HasSubstr("no clock"));
}

}  // namespace
}  // namespace tessera::zynq::uio_port_test
