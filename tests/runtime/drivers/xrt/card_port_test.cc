// SPDX-License-Identifier: Apache-2.0
//
// What is tested: waiting for a card by its interrupt, at the interface to XRT (XrtCard), because
// XRT's emulation has no interrupts: the end of a program ends the wait; an interrupt that is still
// up from before does not; when no interrupt comes or XRT refuses it, the port polls, or fails
// where the user asked for the interrupt; a reset ends the running program before the file is
// loaded again. Space: a card made of a table of registers, which counts its calls. Not tested
// here: xrt::ip::interrupt itself, which needs a card; that XRT's emulation refuses it
// (xrt_test.cc).
#include "runtime/drivers/xrt/card_port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "isa/regs.h"
#include "tests/base/one_line.h"

namespace tessera::card_port_test {
namespace {

using ::testing::HasSubstr;
namespace reg = isa::reg;

// A card whose program ends at the |ends_at|-th wait for the interrupt.
class TableCard : public XrtCard {
 public:
  Result<uint32_t> Read(uint32_t offset) override {
    if (offset == reg::kCyclesLo) return ++cycles;
    return registers[offset];
  }
  Status Write(uint32_t offset, uint32_t value) override {
    if (offset == reg::kIrqStatus) {
      registers[offset] &= ~value;
      return {};
    }
    if (offset == reg::kControl && reg::kControlSoftReset.Get(value)) registers[reg::kStatus] = 0;
    registers[offset] = value;
    return {};
  }
  Status Reload() override {
    busy_at_reload = reg::kStatusBusy.Get(registers[reg::kStatus]) != 0;
    registers.clear();
    return {};
  }
  Result<std::unique_ptr<MemoryPort>> Allocate(uint64_t) override {
    return Fail(Code::kUnavailable, "no memory");
  }
  Status EnableInterrupt() override {
    if (refuses) return Fail(Code::kUnsupported, "no interrupt here");
    ++enabled;
    return {};
  }
  Result<bool> AwaitInterrupt(std::chrono::milliseconds limit) override {
    if (enabled == 0) return false;
    if (limit.count() == 0) return stale != 0 && (--stale, true);
    ++waits;
    if (waits < ends_at) return false;
    registers[reg::kIrqStatus] |= reg::kIrqStatusDone.Put(1);
    if (waits >= ends_at + silent_waits) registers[reg::kStatus] = reg::kStatusDone.Put(1);
    return silent_waits == 0;
  }

  std::map<uint32_t, uint32_t> registers = {{reg::kStatus, reg::kStatusBusy.Put(1)}};
  uint32_t cycles = 0;
  bool refuses = false, busy_at_reload = false;
  int ends_at = 3, silent_waits = 0, waits = 0, enabled = 0, stale = 0;
};

class CardInterrupt : public ::testing::Test {
 protected:
  CardPort Port(InterruptUse use) { return CardPort(card_, use); }
  uint32_t Register(uint32_t offset) { return card_->registers[offset]; }

  std::shared_ptr<TableCard> card_ = std::make_shared<TableCard>();
};

TEST_F(CardInterrupt, EndsTheWait) {
  {
    CardPort port = Port(InterruptUse::kAlways);
    const auto outcome = port.Wait(1'000'000);
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->end, WaitEnd::kDone);
    EXPECT_EQ(card_->waits, 3);
    EXPECT_GE(card_->enabled, 1);
    EXPECT_EQ(Register(reg::kIrqGlobal), reg::kIrqGlobalEnable.Put(1));
    EXPECT_EQ(Register(reg::kIrqEnable), reg::kIrqStatusDone.Put(1));
    EXPECT_EQ(Register(reg::kIrqStatus), 0u) << "it was not acknowledged";
  }
  EXPECT_EQ(Register(reg::kIrqGlobal), 0u) << "it stays on after the port is closed";
}

// XRT enables the next interrupt itself, so that a line which stays up raises it again and again.
TEST_F(CardInterrupt, AnInterruptThatStaysUpDoesNotHang) {
  CardPort port = Port(InterruptUse::kAuto);
  card_->enabled = 1;
  card_->stale = 1000;
  ASSERT_TRUE(port.Wait(1'000'000));
  EXPECT_GT(card_->stale, 900);
}

TEST_F(CardInterrupt, ThatXrtRefusesIsPolledFor) {
  card_->refuses = true;
  CardPort port = Port(InterruptUse::kAuto);
  card_->registers[reg::kStatus] = reg::kStatusDone.Put(1);
  ASSERT_TRUE(port.Wait(1'000'000));
  EXPECT_TRUE(port.polls());
  // Polling has a limit: the budget.
  card_->registers[reg::kStatus] = reg::kStatusBusy.Put(1);
  const auto outcome = port.Wait(card_->cycles + 20);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->end, WaitEnd::kBudget);
  EXPECT_EQ(card_->waits, 0);
}

TEST_F(CardInterrupt, ThatXrtRefusesIsAnErrorWhereItWasAskedFor) {
  card_->refuses = true;
  CardPort port = Port(InterruptUse::kAlways);
  const auto outcome = port.Wait(1'000'000);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Code::kUnsupported);
  EXPECT_EQ(outcome.error().message, "no interrupt here, or poll with interrupt=off");
}

TEST_F(CardInterrupt, ThatNeverComesIsPolledFor) {
  card_->silent_waits = 1000;
  CardPort port = Port(InterruptUse::kAuto);
  const auto outcome = port.Wait(200);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->end, WaitEnd::kBudget);
  EXPECT_TRUE(port.polls()) << "after " << kLostInterrupts << " that were lost";
  EXPECT_LE(card_->waits, card_->ends_at + 2 * kLostInterrupts);
}

TEST_F(CardInterrupt, ThatNeverComesIsAnErrorWhereItWasAskedFor) {
  card_->silent_waits = 1;
  CardPort port = Port(InterruptUse::kAlways);
  const auto outcome = port.Wait(1'000'000);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Code::kTimeout);
  EXPECT_THAT(outcome.error().message,
              HasSubstr("xrt: the machine raised its interrupt and none came within 20 ms"));
  EXPECT_THAT(outcome.error().message, HasSubstr("interrupt=off"));
  EXPECT_TRUE(test::IsOneLine(outcome.error().message));
}

TEST_F(CardInterrupt, OffNeverAsks) {
  CardPort port = Port(InterruptUse::kNever);
  const auto outcome = port.Wait(20);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(card_->enabled + card_->waits, 0);
  EXPECT_EQ(Register(reg::kIrqGlobal), 0u);
}

TEST_F(CardInterrupt, AResetEndsWhatRunsBeforeItLoads) {
  CardPort port = Port(InterruptUse::kAuto);
  ASSERT_TRUE(port.Reset());
  EXPECT_FALSE(card_->busy_at_reload);
}

}  // namespace
}  // namespace tessera::card_port_test
