// SPDX-License-Identifier: Apache-2.0
//
// What is tested: random streams: any value in any field, in random order, on the functional
// simulator, traced or not. Each run ends with success or with an error in one line; memory outside
// the segments stays as it was. Space: 1,000 programs, both profiles. Not tested here: legal
// programs (tests/rig).
#include <gtest/gtest.h>

#include <set>

#include "base/bits.h"
#include "base/rng.h"
#include "isa/vta_encoding.h"
#include "sim/func/func_device.h"

namespace tessera::sim::garbage_test {
namespace {

constexpr uint64_t kGuard = 4096;  // bytes before and after the program's memory

// Random bits, with few bits set in most numbers.
uint64_t SparseBits(Rng& rng) {
  uint64_t bits = rng.Next();
  while (!rng.OneIn(3)) bits &= rng.Next();
  return bits;
}

std::vector<uint8_t> TesseraCode(Rng& rng, int count) {
  std::vector<uint8_t> code;
  for (int n = 0; n <= count; ++n) {
    const int opcode =
        n == count ? isa::Finish::kOpcode : static_cast<int>(rng.Range(1, rng.OneIn(20) ? 15 : 8));
    isa::InsnWord word{static_cast<uint64_t>(opcode), 0, 0, 0};
    for (const isa::FieldRow& f : isa::kFields) {
      int owner = 0;
#define INSN(kind, number, unit, summary) \
  if (f.insn == #kind) owner = number;
#include "isa/insns.def"
      if (owner != opcode || f.name == "pop" || f.name == "push") continue;
      const int width =
          static_cast<int>(rng.OneIn(4) ? f.width : std::min<int64_t>(f.width, rng.Range(1, 6)));
      word[f.lsb / 64] |= (SparseBits(rng) & Mask(width)) << (f.lsb % 64);
    }
    const uint8_t* bytes = reinterpret_cast<const uint8_t*>(word.data());
    code.insert(code.end(), bytes, bytes + sizeof word);
  }
  return code;
}

std::vector<uint8_t> VtaCode(Rng& rng, int count) {
  std::vector<uint8_t> code;
  for (int n = 0; n <= count; ++n) {
    const uint64_t opcode =
        n == count ? 3 : static_cast<uint64_t>(rng.Range(0, rng.OneIn(20) ? 7 : 4));
    const isa::VtaInsnWord word = {(SparseBits(rng) & ~uint64_t{0x7f}) | opcode,
                                   SparseBits(rng) & SparseBits(rng)};
    const uint8_t* bytes = reinterpret_cast<const uint8_t*>(word.data());
    code.insert(code.end(), bytes, bytes + sizeof word);
  }
  return code;
}

TEST(Garbage, EndsAndStaysInItsSegments) {
  isa::Config config;
  for (const isa::Config& c : isa::NamedConfigs()) {
    if (c.name == "tiny") config = c;
  }
  std::set<Code> seen;
  int succeeded = 0;
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed);
    const bool vta = seed % 4 == 0;
    const int count = static_cast<int>(rng.Range(1, 8));
    const std::vector<uint8_t> code = vta ? VtaCode(rng, count) : TesseraCode(rng, count);
    const std::unique_ptr<Device> device = std::move(
        *MakeFuncDevice(config, FuncOptions{.memory_bytes = 1 << 16, .schedule_seed = seed % 3}));
    std::vector<uint8_t> memory(1 << 16);
    for (uint8_t& byte : memory) byte = static_cast<uint8_t>(SparseBits(rng));
    std::copy(code.begin(), code.end(), memory.begin());
    ASSERT_TRUE(device->Write(0, memory));
    Launch launch{.profile = vta ? isa::Profile::kVta : isa::Profile::kTessera,
                  .insn_count = static_cast<uint32_t>(count + 1)};
    for (SegmentBinding& segment : launch.segments) segment = {kGuard, (1 << 16) - 2 * kGuard};
    launch.budget = 200'000;
    std::vector<TraceEntry> trace;
    ASSERT_TRUE(device->SetTrace(seed % 2 ? &trace : nullptr));
    const Result<RunReport> report = device->Run(launch);
    succeeded += report.has_value();
    if (!report) {
      seen.insert(report.error().code);
      EXPECT_FALSE(report.error().message.empty());
      EXPECT_EQ(report.error().message.find('\n'), std::string::npos) << "one line";
    }
    std::vector<uint8_t> after(memory.size());
    ASSERT_TRUE(device->Read(0, after));
    EXPECT_TRUE(std::equal(after.begin(), after.begin() + kGuard, memory.begin()));
    EXPECT_TRUE(std::equal(after.end() - kGuard, after.end(), memory.end() - kGuard));
  }
  EXPECT_GE(succeeded, 25);
  EXPECT_EQ(seen, (std::set<Code>{Code::kInvalidArgument, Code::kOutOfRange, Code::kTimeout}));
}

}  // namespace
}  // namespace tessera::sim::garbage_test
