// SPDX-License-Identifier: Apache-2.0
//
// What is tested: GEMM of profile vta: all six factors, micro-op ranges, reset, same-accumulator
// chains, wrap-around, ranges. Space: random tiles and loops. Expected values: sums written out
// here.
#include "tests/vta/fixture.h"

namespace tessera::vta_test {
namespace {

class VtaGemmTest : public VtaTest {
 protected:
  static constexpr int64_t kTiles = 12;  // of INP, WGT and ACC in use

  void SetUp() override {
    VtaTest::SetUp();
    inp_ = Random<int8_t>(kTiles * InpElements(), 1);
    wgt_ = Random<int8_t>(kTiles * WgtElements(), 2);
    acc_ = Random<int32_t>(kTiles * lanes_, 3);
    Put(kA, inp_);
    Put(kB, wgt_);
    Put(kC, acc_);
  }
  // Loads UOP, ACC, INP and WGT; COMPUTE pops the token of INP and WGT.
  Stream Loaded(const std::vector<MicroOp>& ops) {
    PutUops(ops);
    Stream stream = NewStream();
    LoadUops(stream, std::ssize(ops));
    stream.Load(kAcc, Index(kAcc, kC), {.x = kTiles, .stride = kTiles});
    stream.Load(kInp, Index(kInp, kA), {.x = kTiles, .stride = kTiles});
    stream.Load(kWgt, Index(kWgt, kB), {.x = kTiles, .stride = kTiles}, {.push_next = true});
    stream.ComputeNop({.pop_prev = true});
    return stream;
  }
  // Does acc[d] += inp[s] * transpose(wgt[w]) on |acc|, modulo 2^32.
  void Product(std::vector<int32_t>& acc, int64_t d, int64_t s, int64_t w) const {
    for (int64_t b = 0; b < config_.batch; ++b) {
      for (int64_t o = 0; o < config_.block_out; ++o) {
        int64_t sum = 0;
        for (int64_t i = 0; i < config_.block_in; ++i) {
          sum += int64_t{inp_[static_cast<size_t>(s * InpElements() + b * config_.block_in + i)]} *
                 wgt_[static_cast<size_t>(w * WgtElements() + o * config_.block_in + i)];
        }
        int32_t& value = acc[static_cast<size_t>(d * lanes_ + b * config_.block_out + o)];
        value = static_cast<int32_t>(static_cast<uint32_t>(value) + static_cast<uint32_t>(sum));
      }
    }
  }
  std::vector<int32_t> Expected(const std::vector<MicroOp>& ops, const Loops& l) const {
    std::vector<int32_t> acc = acc_;
    for (int64_t o = 0; o < l.iter_out; ++o) {
      for (int64_t i = 0; i < l.iter_in; ++i) {
        for (int64_t u = l.uop_bgn; u < l.uop_end; ++u) {
          const MicroOp& op = ops[static_cast<size_t>(u)];
          Product(acc, op.dst + o * l.dst_out + i * l.dst_in, op.src + o * l.src_out + i * l.src_in,
                  op.wgt + o * l.wgt_out + i * l.wgt_in);
        }
      }
    }
    return acc;
  }

  std::vector<int8_t> inp_, wgt_;
  std::vector<int32_t> acc_;
};

TEST_P(VtaGemmTest, AllSixFactors) {
  // Each factor alone, then all at once; the two micro-ops give the third loop.
  const std::vector<MicroOp> ops = {
      {.dst = 1, .src = 2, .wgt = 0}, {.dst = 0, .src = 1, .wgt = 3}, {}};
  const Loops base{.uop_end = 2, .iter_out = 3, .iter_in = 4};
  std::vector<Loops> cases(7, base);
  cases[0].dst_out = 3;
  cases[1].dst_in = 2;
  cases[2].src_out = 3;
  cases[3].src_in = 2;
  cases[4].wgt_out = 3;
  cases[5].wgt_in = 2;
  cases[6] = {.uop_end = 2,
              .iter_out = 3,
              .iter_in = 4,
              .dst_out = 3,
              .dst_in = 1,
              .src_out = 1,
              .src_in = 2,
              .wgt_out = 2,
              .wgt_in = 1};
  for (size_t n = 0; n < cases.size(); ++n) {
    SCOPED_TRACE(n);
    Stream stream = Loaded(ops);
    stream.Gemm(cases[n]);
    StoreAcc(stream, kTiles, 2);
    ExpectRuns(stream);
    EXPECT_EQ(StoredAcc(kTiles), Expected(ops, cases[n]));
  }
}

TEST_P(VtaGemmTest, MicroOpRangesBeginAnywhere) {
  std::vector<MicroOp> ops = {{}};
  for (int64_t i = 1; i < 12; ++i)
    ops.push_back({.dst = i % 5, .src = (3 * i) % 12, .wgt = (5 * i) % 12});
  for (const auto& [begin, end] : {std::pair{1, 2}, {3, 9}, {5, 12}, {4, 4}}) {
    SCOPED_TRACE(::testing::Message() << begin << " to " << end);
    const Loops loops{.uop_bgn = begin, .uop_end = end};
    Stream stream = Loaded(ops);
    stream.Gemm(loops);
    StoreAcc(stream, kTiles, 0);
    ExpectRuns(stream);
    EXPECT_EQ(StoredAcc(kTiles), Expected(ops, loops));
  }
}

TEST_P(VtaGemmTest, SameAccumulatorBackToBackIsRight) {
  std::vector<MicroOp> ops;
  for (int64_t i = 0; i < 12; ++i) ops.push_back({.dst = 0, .src = i, .wgt = 11 - i});
  ops.push_back({});
  const Loops loops{.uop_end = 12, .iter_out = 2, .iter_in = 3};
  Stream stream = Loaded(ops);
  stream.Gemm(loops);
  StoreAcc(stream, kTiles, 12);
  ExpectRuns(stream);
  EXPECT_EQ(StoredAcc(kTiles), Expected(ops, loops));
}

TEST_P(VtaGemmTest, AccumulatesModulo32Bits) {
  acc_.assign(acc_.size(), 0x7fffffff);
  Put(kC, acc_);
  const std::vector<MicroOp> ops = {{}};
  const Loops loops{.iter_in = 12, .dst_in = 1, .src_in = 1, .wgt_in = 1};
  Stream stream = Loaded(ops);
  stream.Gemm(loops);
  StoreAcc(stream, kTiles, 0);
  ExpectRuns(stream);
  EXPECT_EQ(StoredAcc(kTiles), Expected(ops, loops));
}

TEST_P(VtaGemmTest, ResetWritesZeroAndStoreSeesIt) {
  Stream stream = Loaded({{}, {.dst = 2}});
  stream.Gemm({.uop_bgn = 1, .uop_end = 2, .iter_out = 2, .iter_in = 3, .dst_out = 3, .dst_in = 1},
              /*reset=*/true);
  StoreAcc(stream, kTiles, 0);
  ExpectRuns(stream);
  std::vector<int32_t> want = acc_;
  std::fill(want.begin() + 2 * lanes_, want.begin() + 8 * lanes_, 0);
  EXPECT_EQ(StoredAcc(kTiles), want);
}

TEST_P(VtaGemmTest, NoIterationsDoNothing) {
  for (const Loops& loops : {Loops{.iter_out = 0}, Loops{.iter_in = 0}, Loops{.uop_end = 0}}) {
    Stream stream = Loaded({{}});
    stream.Gemm(loops);
    StoreAcc(stream, kTiles, 0);
    ExpectRuns(stream);
    EXPECT_EQ(StoredAcc(kTiles), acc_);
  }
}

TEST_P(VtaGemmTest, TilePastAScratchpadIsAnError) {
  const Widths w(config_);
  const struct {
    MicroOp op;
    Loops loops;
  } cases[] = {{{.dst = (int64_t{1} << w.acc) - 2}, {.iter_in = 3, .dst_in = 1}},
               {{.src = (int64_t{1} << w.inp) - 2}, {.iter_out = 3, .src_out = 1}},
               {{.wgt = (int64_t{1} << w.wgt) - 2}, {.iter_in = 3, .wgt_in = 1}}};
  for (const auto& c : cases) {
    PutUops({c.op});
    Stream stream = NewStream();
    LoadUops(stream, 1);
    Loops good = c.loops;
    good.iter_in = std::min<int64_t>(good.iter_in, 2);
    good.iter_out = std::min<int64_t>(good.iter_out, 2);
    Stream fine = stream;
    fine.Gemm(good).Finish();
    ExpectRuns(fine);
    stream.Gemm(c.loops).Finish();
    ExpectFails(stream, Code::kOutOfRange, {"sram_range", "instruction 1", "gemm"});
  }
}

TESSERA_VTA_CONFIGS(VtaGemmTest);

}  // namespace
}  // namespace tessera::vta_test
