// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the emulated card's answers, as bytes on the wire that this test writes by hand
// from the field numbers of XRT's protocol; unknown calls, bytes that are not a call, ranges
// outside memory, files that are not a configuration; random bytes for every call. Space: written
// cases; 2,000 seeded calls. Not tested here: XRT on the other side (tests/cts,
// tests/runtime/drivers).
#include "sim/xrt/card.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/rng.h"
#include "isa/regs.h"

namespace tessera::sim::card_test {
namespace {

constexpr uint64_t kMemory = 1 << 20;

std::string Varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
std::string Number(int field, uint64_t value) {
  return Varint(static_cast<uint64_t>(field) << 3) + Varint(value);
}
std::string Bytes(int field, const std::string& bytes) {
  return Varint(static_cast<uint64_t>(field) << 3 | 2) + Varint(bytes.size()) + bytes;
}
const std::string kYes = Number(1, 1), kNo = Number(1, 0);

class CardTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto card = EmulatedCard::Make(kMemory);
    ASSERT_TRUE(card) << card.error().message;
    card_ = std::move(*card);
    file_ = std::filesystem::temp_directory_path() / fmt::format("tessera_card_{}", getpid());
    const auto tiny = std::ranges::find(isa::NamedConfigs(), "tiny", &isa::Config::name);
    ASSERT_TRUE(WriteFile(file_, isa::ConfigToJson(*tiny)));
  }
  void TearDown() override { std::filesystem::remove(file_); }

  std::string Answer(CallCode code, const std::string& bytes) {
    const auto answer = card_->Answer(static_cast<uint32_t>(code), bytes);
    EXPECT_TRUE(answer) << answer.error().message;
    return answer.value_or("");
  }
  std::string Load(const std::string& file) {
    return Answer(CallCode::kLoad, Bytes(1, "") + Bytes(2, file) + Bytes(3, "") +
                                       Bytes(4, "run/sw_emu/device0") + Bytes(5, "") +
                                       Number(6, 0));
  }

  std::unique_ptr<EmulatedCard> card_;
  std::string file_;
};

TEST_F(CardTest, HasMemoryAndRegisters) {
  EXPECT_EQ(Load(file_), kYes);
  EXPECT_EQ(card_->folder(), "run/sw_emu/device0");
  EXPECT_EQ(Answer(CallCode::kAllocate, Number(1, 0) + Number(2, 4096)), kYes);
  const std::string data = "sixteen bytes ..";
  EXPECT_EQ(Answer(CallCode::kPutMemory,
                   Bytes(2, "h") + Number(3, 64) + Bytes(4, data) + Number(5, 16) + Number(6, 0)),
            Number(1, 16));
  EXPECT_EQ(Answer(CallCode::kGetMemory,
                   Bytes(2, "h") + Bytes(3, "") + Number(4, 64) + Number(5, 16) + Number(6, 0)),
            Number(1, 16) + Bytes(2, data));
  EXPECT_EQ(Answer(CallCode::kGetRegister, Number(2, 0x10000 + isa::reg::kId) + Number(3, 4)),
            kYes + Bytes(2, "TSR1"));
  EXPECT_EQ(Answer(CallCode::kPutRegister, Number(2, 0x10000 + isa::reg::kInsnCount) +
                                               Number(3, 4) + Bytes(4, std::string("\7\0\0\0", 4))),
            kYes);
  EXPECT_EQ(
      Answer(CallCode::kGetRegister, Number(2, 0x10000 + isa::reg::kInsnCount) + Number(3, 4)),
      kYes + Bytes(2, std::string("\7\0\0\0", 4)));
  EXPECT_EQ(Answer(CallCode::kFree, Number(1, 0)), kYes);
  EXPECT_EQ(Answer(CallCode::kClose, Number(3, 0)), kYes);
  EXPECT_FALSE(card_->closed());
  EXPECT_EQ(Answer(CallCode::kClose, Number(3, 1)), kYes);
  EXPECT_TRUE(card_->closed());
}

TEST_F(CardTest, RefusesInItsAnswer) {
  EXPECT_EQ(Load("/no/such/file"), kNo);
  ASSERT_TRUE(WriteFile(file_, "{\"batch\": 3}"));
  EXPECT_EQ(Load(file_), kNo);
  EXPECT_EQ(Answer(CallCode::kAllocate, Number(1, kMemory) + Number(2, 1)), kNo);
  EXPECT_EQ(Answer(CallCode::kAllocate, Number(1, 64) + Number(2, ~uint64_t{0})), kNo);
  EXPECT_EQ(Answer(CallCode::kPutMemory, Number(3, kMemory - 1) + Bytes(4, "ab") + Number(5, 2)),
            Number(1, 0));
  EXPECT_EQ(Answer(CallCode::kGetMemory, Number(4, ~uint64_t{0}) + Number(5, 2)),
            Number(1, 0) + Bytes(2, ""));
  // No machine yet, or an access of a wrong width.
  EXPECT_EQ(Answer(CallCode::kGetRegister, Number(2, 0) + Number(3, 4)).substr(0, 2), kNo);
  EXPECT_EQ(Answer(CallCode::kPutRegister, Number(2, 0) + Number(3, 4) + Bytes(4, "abcd")), kNo);
  EXPECT_EQ(Answer(CallCode::kPutRegister, Number(2, 0) + Number(3, 8) + Bytes(4, "abcdefgh")),
            kNo);
}

TEST_F(CardTest, RefusesWhatIsNoCall) {
  const auto unknown = card_->Answer(22, "");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "XRT makes call 22, which this card does not have");
  const auto broken = card_->Answer(static_cast<uint32_t>(CallCode::kGetMemory), "\xff");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, Code::kDataLoss);
  EXPECT_EQ(broken.error().message, "1 bytes are not a tessera.xrt.GetMemoryCall");
}

TEST_F(CardTest, AnswersOrRefusesAnyBytes) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    std::string bytes;
    for (int64_t n = rng.Range(0, 4); n > 0; --n) {
      const int field = static_cast<int>(rng.Range(1, 6));
      bytes += rng.OneIn(3) ? Bytes(field, std::string(static_cast<size_t>(rng.Range(0, 9)), 'x'))
                            : Number(field, rng.OneIn(2) ? rng.Next() : rng.Next() % 8192);
    }
    const auto answer = card_->Answer(static_cast<uint32_t>(rng.Range(0, 40)), bytes);
    if (!answer) {
      EXPECT_TRUE(answer.error().code == Code::kUnsupported ||
                  answer.error().code == Code::kDataLoss);
    }
  }
}

}  // namespace
}  // namespace tessera::sim::card_test
