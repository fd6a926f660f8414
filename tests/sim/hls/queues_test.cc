// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the shim's streams and the code that runs tops over them: order, full and empty,
// a deadlock that names tops and streams, an end that unwinds every top, a lone top that reads
// nothing; the driver's messages for a deadlock and an unknown configuration. Space: small designs.
// Not tested here: programs (tests/cts, tests/cosim on driver hls).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "isa/encoding.h"
#include "runtime/device/registry.h"
#include "shim/top_fibers.h"
#include "sim/hls/hls_device.h"

namespace tessera::sim::queues_test {
namespace {

using ::testing::HasSubstr;

TEST(HlsStream, ALoneTopThatReadsNothingFails) {
  hls::stream<int> stream("numbers", 2);
  try {
    stream.read();
    FAIL() << "it read something";
  } catch (const hls_shim::standstill& error) {
    EXPECT_STREQ(error.what(),
                 "deadlock: stream numbers is read while it is empty and nothing else runs");
  }
  stream.write(1);
  stream.write(2);
  EXPECT_THROW(stream.write(3), hls_shim::standstill);
  EXPECT_EQ(stream.read(), 1);
}

TEST(TopFibers, KeepOrderThroughAFullQueue) {
  hls::stream<int> there("there", 3), back("back", 1);
  std::vector<int> seen;
  hls_shim::top_fibers fibers({{"maker",
                                [&] {
                                  for (int i = 0; i < 100; ++i) there.write(i);
                                  seen.push_back(back.read());
                                }},
                               {"taker", [&] {
                                  for (int i = 0; i < 100; ++i) seen.push_back(there.read());
                                  back.write(-1);
                                }}});
  fibers.run();
  EXPECT_EQ(fibers.standing(), "");
  ASSERT_EQ(seen.size(), 101u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(seen[static_cast<size_t>(i)], i);
  EXPECT_EQ(seen.back(), -1);
}

TEST(TopFibers, NameWhatStandsAndUnwindIt) {
  hls::stream<int> a("a", 2), b("b", 2);
  int unwound = 0;
  struct Count {
    int* n;
    ~Count() { ++*n; }
  };
  hls_shim::top_fibers fibers({{"one",
                                [&] {
                                  const Count count{&unwound};
                                  for (;;) a.write(0);
                                }},
                               {"two",
                                [&] {
                                  const Count count{&unwound};
                                  b.read();
                                }},
                               {"three", [] {}}});
  fibers.run();
  EXPECT_EQ(fibers.standing(), "one writes a, which is full with 2; two reads b, which is empty");
  EXPECT_EQ(unwound, 2);
}

TEST(TopFibers, WhatATopThrowsComesOut) {
  hls::stream<int> a("a", 2);
  hls_shim::top_fibers fibers(
      {{"reader", [&] { a.read(); }}, {"thrower", [] { throw std::runtime_error("broken"); }}});
  EXPECT_THROW(fibers.run(), std::runtime_error);
}

const Driver& Hls() {
  static const Driver driver = HlsDriver();
  return driver;
}

TEST(HlsDriver, SaysWhichTopStandsAtWhichQueue) {
  const isa::Config config = isa::LoadConfig("tiny").value();
  auto device = OpenDevice({&Hls(), 1}, "hls", config, {.memory_bytes = 1 << 20});
  ASSERT_TRUE(device) << device.error().message;
  // GEMM waits for a token that VECTOR never pushes.
  std::vector<uint8_t> code;
  for (const isa::Insn& insn :
       {isa::Insn(isa::Sync{.pop = 1 << static_cast<int>(isa::Unit::kVector),
       .unit = static_cast<int64_t>(isa::Unit::kGemm)}),
        isa::Insn(isa::Finish{})}) {
    const isa::InsnWord word = isa::Encode(insn).value();
    const uint8_t* bytes = reinterpret_cast<const uint8_t*>(word.data());
    code.insert(code.end(), bytes, bytes + sizeof word);
  }
  ASSERT_TRUE((*device)->Write(0, code));
  const auto report = (*device)->Run({.insn_count = 2});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Code::kDeadlock);
  EXPECT_THAT(report.error().message,
              HasSubstr("gemm waits for a token from vector at instruction 0"));
  EXPECT_THAT(report.error().message,
              HasSubstr("gemm reads the tokens vector>gemm, which is empty"));
  EXPECT_THAT(report.error().message,
              HasSubstr("fetch reads the places of the queue of gemm, which is empty"));
}

TEST(HlsDriver, RefusesAConfigurationWithoutATwin) {
  isa::Config config = isa::LoadConfig("tiny").value();
  config.name = "odd";
  config.queue_depth = 16;
  const auto device = OpenDevice({&Hls(), 1}, "hls", config, {});
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, Code::kUnsupported);
  EXPECT_THAT(device.error().message, HasSubstr("configuration odd"));
  EXPECT_THAT(device.error().message, HasSubstr("default, tiny, batch4, wide, ultra96"));
}

}  // namespace
}  // namespace tessera::sim::queues_test
