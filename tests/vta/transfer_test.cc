// SPDX-License-Identifier: Apache-2.0
//
// What is tested: LOAD and STORE of profile vta: plain, strided and padded boxes of every memory,
// ACC_8BIT, the bytes of ACC that STORE reads, absolute and based addresses, ranges. Space: small
// boxes.
#include "tests/vta/fixture.h"

namespace tessera::vta_test {
namespace {

class VtaTransferTest : public VtaTest {
 protected:
  // The tiles of padded |box|: |elements| values each, from |memory|; pads are zero.
  template <typename T>
  std::vector<T> Boxed(const std::vector<T>& memory, int64_t elements, const Box& box) {
    std::vector<T> tiles;
    for (int64_t y = -box.y_pad_0; y < box.y + box.y_pad_1; ++y) {
      for (int64_t x = -box.x_pad_0; x < box.x + box.x_pad_1; ++x) {
        const bool inside = y >= 0 && y < box.y && x >= 0 && x < box.x;
        for (int64_t e = 0; e < elements; ++e) {
          tiles.push_back(inside ? memory[static_cast<size_t>((y * box.stride + x) * elements + e)]
                                 : T{0});
        }
      }
    }
    return tiles;
  }
  static constexpr Box kPlain{.y = 1, .x = 10, .stride = 10};
  static constexpr Box kStrided{.y = 3, .x = 4, .stride = 7};
  static constexpr Box kPadded{
      .y = 2, .x = 3, .stride = 5, .y_pad_0 = 1, .y_pad_1 = 2, .x_pad_0 = 2, .x_pad_1 = 1};
  static constexpr Box kOnlyRowPads{.y = 3, .x = 2, .stride = 2, .y_pad_1 = 1};
  static constexpr Box kBoxes[] = {kPlain, kStrided, kPadded, kOnlyRowPads};
};

TEST_P(VtaTransferTest, AccLoadsKeepAll32BitsAndPadWithZero) {
  PutUops({{}});
  for (Box box : kBoxes) {
    const std::vector<int32_t> memory = Random<int32_t>(40 * lanes_, 1);
    Put(kA, memory);
    // Fills ACC with other contents before, so that the pads show as written.
    Put(kB, Random<int32_t>(40 * lanes_, 2));
    Stream stream = NewStream();
    LoadUops(stream, 1);
    stream.Load(kAcc, Index(kAcc, kB), {.x = 40, .stride = 40});
    stream.Load(kAcc, Index(kAcc, kA), box);
    const std::vector<int32_t> want = Boxed(memory, lanes_, box);
    const int64_t tiles = std::ssize(want) / lanes_;
    StoreAcc(stream, tiles, 0);
    ExpectRuns(stream);
    EXPECT_EQ(StoredAcc(tiles), want);
  }
}

TEST_P(VtaTransferTest, Acc8LoadsWidenWithSign) {
  PutUops({{}});
  for (Box box : kBoxes) {
    const std::vector<int8_t> memory = Random<int8_t>(40 * lanes_, 3);
    Put(kA, memory);
    Put(kB, Random<int32_t>(40 * lanes_, 2));
    Stream stream = NewStream();
    LoadUops(stream, 1);
    stream.Load(kAcc, Index(kAcc, kB), {.x = 40, .stride = 40});
    stream.Load(kAcc8, Index(kAcc8, kA), box);
    const std::vector<int8_t> boxed = Boxed(memory, lanes_, box);
    const std::vector<int32_t> want(boxed.begin(), boxed.end());
    const int64_t tiles = std::ssize(want) / lanes_;
    StoreAcc(stream, tiles, 0);
    ExpectRuns(stream);
    EXPECT_EQ(StoredAcc(tiles), want);
  }
}

TEST_P(VtaTransferTest, StoreSeesTheLowBytesOfALoadedAccumulator) {
  const std::vector<int32_t> memory = Random<int32_t>(6 * lanes_, 5);
  Put(kA, memory);
  Stream stream = NewStream();
  stream.Load(kAcc, Index(kAcc, kA), {.x = 6, .stride = 6}, {.push_next = true});
  stream.Store(Index(kOut, kResult), {.x = 6, .stride = 6}, {.pop_prev = true});
  stream.Finish();
  ExpectRuns(stream);
  std::vector<int8_t> want;
  for (int32_t value : memory) want.push_back(static_cast<int8_t>(value & 0xff));
  EXPECT_EQ(Get<int8_t>(kResult, 6 * lanes_), want);
}

TEST_P(VtaTransferTest, StridedStoresTouchNothingElse) {
  const std::vector<int32_t> memory = Random<int32_t>(12 * lanes_, 6);
  const std::vector<int8_t> before = Random<int8_t>(64 * lanes_, 7);
  Put(kA, memory);
  Put(kResult, before);
  Stream stream = NewStream();
  stream.Load(kAcc, Index(kAcc, kA), {.sram = 5, .x = 12, .stride = 12}, {.push_next = true});
  stream.Store(Index(kOut, kResult) + 3, {.sram = 5, .y = 3, .x = 4, .stride = 9},
               {.pop_prev = true});
  stream.Finish();
  ExpectRuns(stream);
  std::vector<int8_t> want = before;
  for (int64_t y = 0; y < 3; ++y) {
    for (int64_t e = 0; e < 4 * lanes_; ++e) {
      want[static_cast<size_t>((3 + 9 * y) * lanes_ + e)] =
          static_cast<int8_t>(memory[static_cast<size_t>(4 * y * lanes_ + e)] & 0xff);
    }
  }
  EXPECT_EQ(Get<int8_t>(kResult, 64 * lanes_), want);
}

// The test reads INP and WGT through GEMM: a product with the identity as weight tile gives INP's
// rows, one with an INP tile that has a single 1 in each row gives columns of WGT.
TEST_P(VtaTransferTest, InpLoadsInEveryShape) {
  std::vector<int8_t> identity(static_cast<size_t>(WgtElements()), 0);
  for (int64_t i = 0; i < config_.block_out; ++i)
    identity[static_cast<size_t>(i * config_.block_in + i)] = 1;
  Put(kB, identity);
  Put(kC, Random<int8_t>(40 * InpElements(), 4));
  PutUops({{}});
  for (Box box : kBoxes) {
    const std::vector<int8_t> memory = Random<int8_t>(40 * InpElements(), 8);
    Put(kA, memory);
    const std::vector<int8_t> boxed = Boxed(memory, InpElements(), box);
    const int64_t tiles = std::ssize(boxed) / InpElements();
    const Loops all{.iter_in = tiles, .dst_in = 1, .src_in = 1};
    Stream stream = NewStream();
    LoadUops(stream, 1);
    stream.Load(kInp, Index(kInp, kC), {.x = 40, .stride = 40});
    stream.Load(kInp, Index(kInp, kA), box);
    stream.Load(kWgt, Index(kWgt, kB), {}, {.push_next = true});
    stream.Gemm(all, /*reset=*/true, {.pop_prev = true});
    stream.Gemm(all);
    StoreAcc(stream, tiles, 0);
    ExpectRuns(stream);
    EXPECT_EQ(StoredAcc(tiles), std::vector<int32_t>(boxed.begin(), boxed.end()));
  }
}

TEST_P(VtaTransferTest, WgtLoadsInEveryShape) {
  PutUops({{}});
  for (Box box : kBoxes) {
    const std::vector<int8_t> memory = Random<int8_t>(20 * WgtElements(), 9);
    Put(kA, memory);
    const std::vector<int8_t> boxed = Boxed(memory, WgtElements(), box);
    const int64_t tiles = std::ssize(boxed) / WgtElements();
    // INP tile: row r selects input channel (3 + r) mod block_in.
    std::vector<int8_t> select(static_cast<size_t>(InpElements()), 0);
    const auto channel = [&](int64_t row) { return (3 + row) % config_.block_in; };
    for (int64_t r = 0; r < config_.batch; ++r)
      select[static_cast<size_t>(r * config_.block_in + channel(r))] = 1;
    Put(kB, select);
    Stream stream = NewStream();
    LoadUops(stream, 1);
    stream.Load(kInp, Index(kInp, kB), {});
    stream.Load(kWgt, Index(kWgt, kA), box, {.push_next = true});
    const Loops all{.iter_in = tiles, .dst_in = 1, .wgt_in = 1};
    stream.Gemm(all, /*reset=*/true, {.pop_prev = true});
    stream.Gemm(all);
    StoreAcc(stream, tiles, 0);
    ExpectRuns(stream);
    std::vector<int32_t> want;
    for (int64_t t = 0; t < tiles; ++t) {
      for (int64_t r = 0; r < config_.batch; ++r) {
        for (int64_t o = 0; o < config_.block_out; ++o) {
          want.push_back(
              boxed[static_cast<size_t>(t * WgtElements() + o * config_.block_in + channel(r))]);
        }
      }
    }
    EXPECT_EQ(StoredAcc(tiles), want);
  }
}

TEST_P(VtaTransferTest, EveryMicroOpOfTheConfigurationCanBeUsed) {
  const int64_t depth = int64_t{1} << Widths(config_).uop;
  PutUops({{.dst = 1, .src = 0}, {.dst = 0, .src = 0}});
  Put(kA, Random<int32_t>(2 * lanes_, 10));
  const std::vector<int32_t> a = Get<int32_t>(kA, 2 * lanes_);
  Stream stream = NewStream();
  LoadUops(stream, 1, depth - 1);  // the last one: acc[1] = max(acc[1], acc[0])
  stream.Load(kUop, Index(kUop, kUops) + 1, {.x = 1, .stride = 1});
  stream.Load(kAcc, Index(kAcc, kA), {.x = 2, .stride = 2});
  stream.Alu(kMax, {.uop_bgn = depth - 1, .uop_end = depth});
  StoreAcc(stream, 2, 0);
  ExpectRuns(stream);
  std::vector<int32_t> want = a;
  for (int64_t i = 0; i < lanes_; ++i) {
    want[static_cast<size_t>(lanes_ + i)] =
        std::max(a[static_cast<size_t>(i)], a[static_cast<size_t>(lanes_ + i)]);
  }
  EXPECT_EQ(StoredAcc(2), want);

  Stream past = NewStream();
  past.Load(kUop, Index(kUop, kUops), {.sram = depth - 1, .x = 2, .stride = 2}).Finish();
  ExpectFails(past, Code::kOutOfRange, {"sram_range", "instruction 0"});
}

TEST_P(VtaTransferTest, IndicesDoNotWrap) {
  const Widths w(config_);
  const struct {
    int memory;
    int64_t depth;
    const char* unit;
  } cases[] = {{kInp, int64_t{1} << w.inp, "load"},
               {kWgt, int64_t{1} << w.wgt, "load"},
               {kAcc, int64_t{1} << w.acc, "gemm"},
               {kAcc8, int64_t{1} << w.acc, "gemm"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.memory);
    Stream good = NewStream();
    good.Load(c.memory, Index(c.memory, kA), {.sram = c.depth - 2, .x = 2, .stride = 2}).Finish();
    ExpectRuns(good);
    Stream bad = NewStream();
    bad.Load(c.memory, Index(c.memory, kA),
             {.sram = c.depth - 2, .x = 2, .stride = 2, .x_pad_1 = 1})
        .Finish();
    ExpectFails(bad, Code::kOutOfRange, {"sram_range", "instruction 0", c.unit});
  }
  Stream bad = NewStream();
  bad.Store(Index(kOut, kResult), {.sram = int64_t{1} << w.acc, .x = 1, .stride = 1}).Finish();
  ExpectFails(bad, Code::kOutOfRange, {"sram_range", "instruction 0", "store"});
}

TEST_P(VtaTransferTest, AddressPastDeviceMemoryIsABusError) {
  Stream stream = NewStream();
  stream.Load(kInp, Index(kInp, kMemoryBytes), {}).Finish();
  ExpectFails(stream, Code::kDataLoss, {"bus", "instruction 0", "load"});
}

TEST_P(VtaTransferTest, BasesAddAndSizesLimit) {
  const std::vector<int32_t> memory = Random<int32_t>(4 * lanes_, 11);
  Put(kA, memory);
  Stream stream = NewStream();
  stream.Load(kAcc, 0, {.x = 4, .stride = 4}, {.push_next = true});
  stream.Store(2, {.x = 4, .stride = 4}, {.pop_prev = true}).Finish();
  std::vector<uint8_t> bytes(stream.words().size() * sizeof(Word));
  std::memcpy(bytes.data(), stream.words().data(), bytes.size());
  ASSERT_TRUE(device_->Write(kCode, bytes));
  Launch launch{.profile = isa::Profile::kVta,
                .insn_addr = kCode,
                .insn_count = 3,
                .segments = {},
                .budget = 100'000};
  launch.segments[kAcc] = {kA, static_cast<uint64_t>(16 * lanes_)};
  launch.segments[kOut] = {kResult, static_cast<uint64_t>(6 * lanes_)};
  auto report = device_->Run(launch);
  ASSERT_TRUE(report) << report.error().message;
  std::vector<int8_t> want;
  for (int32_t value : memory) want.push_back(static_cast<int8_t>(value & 0xff));
  EXPECT_EQ(Get<int8_t>(kResult + static_cast<uint64_t>(2 * lanes_), 4 * lanes_), want);
  launch.segments[kOut].size -= 1;
  report = device_->Run(launch);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Code::kOutOfRange);
  EXPECT_NE(report.error().message.find("dram_range"), std::string::npos) << report.error().message;
}

TESSERA_VTA_CONFIGS(VtaTransferTest);

}  // namespace
}  // namespace tessera::vta_test
