// SPDX-License-Identifier: Apache-2.0
//
// What is tested: tokens of profile vta: carriers without tiles, interleaved contexts, full queues,
// leftovers, deadlocks, flags that a unit does not have, FINISH with pops. Space: small programs.
#include "tests/vta/fixture.h"

namespace tessera::vta_test {
namespace {

class VtaTokenTest : public VtaTest {};

TEST_P(VtaTokenTest, CarriersMoveTokensOnly) {
  // A chain through all three units and back; each link waits for the one before.
  Stream stream = NewStream();
  stream.StoreNop({.pop_prev = true, .push_prev = true});
  stream.ComputeNop({.pop_prev = true, .push_next = true});
  stream.ComputeNop({.pop_next = true, .push_prev = true});
  stream.LoadNop({.push_next = true});
  stream.LoadNop({.pop_next = true, .push_next = true});
  stream.ComputeNop({.pop_prev = true});
  stream.Finish();
  auto report = Run(stream);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->leftover_tokens);
  EXPECT_EQ(report->instructions, 7u);
}

TEST_P(VtaTokenTest, CarriersWithPadsWriteNothing) {
  const std::vector<int32_t> a = Random<int32_t>(4 * lanes_, 1);
  Put(kA, a);
  PutUops({{}});
  Stream stream = NewStream();
  LoadUops(stream, 1);
  stream.Load(kAcc, Index(kAcc, kA), {.x = 4, .stride = 4});
  stream.Load(kAcc, 0, {.y = 2, .x = 0, .y_pad_0 = 1, .x_pad_0 = 2, .x_pad_1 = 1});
  StoreAcc(stream, 4, 0);
  ExpectRuns(stream);
  EXPECT_EQ(StoredAcc(4), a);
}

TEST_P(VtaTokenTest, InterleavedContextsKeepApart) {
  // Two contexts take turns: LOAD fills one half of INP while GEMM works on the other.
  constexpr int64_t kRounds = 8, kTiles = 3;
  const int64_t half_inp = int64_t{1} << (Widths(config_).inp - 1),
                half_acc = int64_t{1} << (Widths(config_).acc - 1);
  const std::vector<int8_t> inp = Random<int8_t>(kRounds * kTiles * InpElements(), 4);
  std::vector<int8_t> identity(static_cast<size_t>(WgtElements()), 0);
  for (int64_t i = 0; i < config_.block_out; ++i)
    identity[static_cast<size_t>(i * config_.block_in + i)] = 1;
  Put(kA, inp);
  Put(kB, identity);
  PutUops({{}, {.dst = half_acc, .src = half_inp}});
  Stream stream = NewStream();
  LoadUops(stream, 2);
  stream.Load(kWgt, Index(kWgt, kB), {});
  for (int64_t round = 0; round < kRounds; ++round) {
    const int64_t part = round % 2;
    const bool again = round >= 2, more = round + 2 < kRounds;
    stream.Load(kInp, Index(kInp, kA) + round * kTiles,
                {.sram = part * half_inp, .x = kTiles, .stride = kTiles},
                {.pop_next = again, .push_next = true});
    const Loops loops{
        .uop_bgn = part, .uop_end = part + 1, .iter_in = kTiles, .dst_in = 1, .src_in = 1};
    stream.Gemm(loops, /*reset=*/true, {.pop_prev = true, .pop_next = again});
    stream.Gemm(loops, false, {.push_prev = more, .push_next = true});
    stream.Store(Index(kOut, kResult) + round * kTiles,
                 {.sram = part * half_acc, .x = kTiles, .stride = kTiles},
                 {.pop_prev = true, .push_prev = more || round == kRounds - 1});
  }
  stream.Finish({.pop_next = true});
  auto report = Run(stream);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->leftover_tokens);
  EXPECT_EQ(Get<int8_t>(kResult, std::ssize(inp)), inp);
}

TEST_P(VtaTokenTest, FullQueueStallsThePusherAndLosesNothing) {
  // COMPUTE is busy while LOAD pushes more tokens than a counter holds; then COMPUTE pops them all.
  const int64_t count = config_.TokenDepth(isa::Profile::kVta) + 20;
  PutUops({{}});
  Stream stream = NewStream();
  LoadUops(stream, 1);
  stream.Gemm({.iter_out = 100, .iter_in = 100});
  for (int64_t i = 0; i < count; ++i) stream.LoadNop({.push_next = true});
  for (int64_t i = 0; i < count; ++i) stream.ComputeNop({.pop_prev = true});
  stream.Finish();
  auto report = Run(stream);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->leftover_tokens);
  EXPECT_EQ(report->instructions, static_cast<uint64_t>(2 * count + 3));
}

// The pushes fill a counter, the instruction that stalls, and a queue behind it; one more keeps
// fetch from the pops.
TEST_P(VtaTokenTest, QueueAndCounterTakeWhatVtasDo) {
  const int64_t queue = config_.QueueDepth(isa::Profile::kVta),
                tokens = config_.TokenDepth(isa::Profile::kVta);
  EXPECT_GE(queue, 512);
  EXPECT_GE(tokens, 1024);
  const auto pushes = [&](int64_t count) {
    Stream stream = NewStream();
    for (int64_t i = 0; i < count; ++i) stream.LoadNop({.push_next = true});
    for (int64_t i = 0; i < count; ++i) stream.ComputeNop({.pop_prev = true});
    return stream.Finish();
  };
  const int64_t most = tokens + 1 + queue;
  ExpectRuns(pushes(most));
  ExpectFails(pushes(most + 1), Code::kDeadlock,
              {fmt::format("load waits to push to gemm (its counter is full"),
               fmt::format("at instruction {} (", tokens), "fetch waits",
               fmt::format("instruction {}", most)});
  const auto pops = [&](int64_t count) {
    Stream stream = NewStream();
    for (int64_t i = 0; i < count; ++i) stream.StoreNop({.pop_prev = true});
    for (int64_t i = 0; i < count; ++i) stream.ComputeNop({.push_next = true});
    return stream.Finish();
  };
  ExpectRuns(pops(queue));
  ExpectFails(pops(queue + 1), Code::kDeadlock,
              {"store waits for a token from gemm at instruction 0", "gemm has nothing to do",
               "fetch waits", fmt::format("instruction {}", queue)});
  // Tokens that no unit pops.
  Stream left = NewStream();
  for (int64_t i = 0; i < tokens; ++i) left.LoadNop({.push_next = true});
  left.Finish();
  auto report = Run(left);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->leftover_tokens);
  Stream over = NewStream();
  for (int64_t i = 0; i <= tokens; ++i) over.LoadNop({.push_next = true});
  over.Finish();
  ExpectFails(over, Code::kDeadlock,
              {"load waits to push to gemm", fmt::format("instruction {}", tokens), "fetch"});
  ExpectRuns(pops(1));
}

TEST_P(VtaTokenTest, LeftoversAreReported) {
  Stream stream = NewStream();
  stream.LoadNop({.push_next = true}).Finish();
  auto report = Run(stream);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->leftover_tokens);
}

TEST_P(VtaTokenTest, FinishTakesItsTokens) {
  Stream good = NewStream();
  good.StoreNop({.push_prev = true})
      .LoadNop({.push_next = true})
      .Finish({.pop_prev = true, .pop_next = true});
  auto report = Run(good);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->leftover_tokens);
  Stream bad = NewStream();
  bad.LoadNop({.push_next = true}).Finish({.pop_next = true});
  ExpectFails(bad, Code::kDeadlock, {"gemm", "store", "instruction 1", "finish"});
}

TEST_P(VtaTokenTest, DeadlockIsExplained) {
  Stream stream = NewStream();
  stream.LoadNop({.pop_next = true, .push_next = true});
  stream.ComputeNop({.pop_prev = true, .push_prev = true});
  stream.Finish();
  ExpectFails(stream, Code::kDeadlock,
              {"load waits for a token from gemm at instruction 0",
               "gemm waits for a token from load at instruction 1"});
}

TEST_P(VtaTokenTest, FlagsThatAUnitDoesNotHaveAreErrors) {
  Stream a = NewStream(), b = NewStream(), c = NewStream(), d = NewStream();
  a.LoadNop({.pop_prev = true}).Finish();
  b.LoadNop({.push_prev = true}).Finish();
  c.StoreNop({.pop_next = true}).Finish();
  d.StoreNop({.push_next = true}).Finish();
  for (const Stream* stream : {&a, &b, &c, &d}) {
    ExpectFails(*stream, Code::kInvalidArgument, {"illegal_field", "instruction 0"});
  }
}

TEST_P(VtaTokenTest, MemoriesThatCannotBeLoadedOrStoredAreErrors) {
  for (int memory : {static_cast<int>(kOut), 6, 7}) {
    Stream stream = NewStream();
    stream.Load(memory, 0, {}).Finish();
    ExpectFails(stream, Code::kInvalidArgument, {"instruction 0"});
  }
  Stream stream = NewStream();
  stream.Transfer(kStore, kAcc, 0, {}).Finish();
  ExpectFails(stream, Code::kInvalidArgument, {"illegal_field", "instruction 0"});
}

TEST_P(VtaTokenTest, UnknownOpcodesAreErrors) {
  for (uint64_t opcode : {5, 6, 7}) {
    Stream stream = NewStream();
    stream.Raw({opcode, 0}).Finish();
    ExpectFails(stream, Code::kInvalidArgument, {"illegal_opcode", "instruction 0"});
  }
}

TESSERA_VTA_CONFIGS(VtaTokenTest);

}  // namespace
}  // namespace tessera::vta_test
