// SPDX-License-Identifier: Apache-2.0
//
// What is tested: ALU of profile vta where VTA's implementations disagree: MUL, the amount of SHR,
// wrap-around, batches, reset_reg, the values that STORE reads; immediate and tensor operands,
// loops. Space: edge values in every lane. Expected values: 64-bit arithmetic reduced modulo 2^32
// here.
#include "tests/vta/fixture.h"

namespace tessera::vta_test {
namespace {

int32_t Wrap(int64_t x) {
  return static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(x)));
}

int32_t Want(AluOpcode op, int32_t a, int32_t b) {
  switch (op) {
    case kMin:
      return std::min(a, b);
    case kMax:
      return std::max(a, b);
    case kAdd:
      return Wrap(int64_t{a} + b);
    case kMul:
      return Wrap(int64_t{a} * b);
    case kShr:
      break;
  }
  // floor(a / 2^b) for b >= 0, otherwise a * 2^-b modulo 2^32.
  int64_t value = a;
  if (b >= 0) {
    for (int64_t i = 0; i < std::min<int64_t>(b, 40); ++i) value = (value - (value & 1)) / 2;
  } else {
    for (int64_t i = 0; i < std::min<int64_t>(-int64_t{b}, 40); ++i) value = Wrap(value * 2);
  }
  return Wrap(value);
}

constexpr int32_t kEdges[] = {
    0,          1,           -1,         2,
    7,          -8,          100,        -100,
    127,        128,         -128,       -129,
    255,        256,         15,         16,
    17,         31,          32,         33,
    -15,        -16,         -17,        -31,
    -32,        -33,         12345678,   -87654321,
    0x40000000, -0x40000000, 0x7fffffff, static_cast<int32_t>(0x80000000)};

class VtaAluTest : public VtaTest {
 protected:
  static constexpr int64_t kTiles = 12;
  // Random edges and other random values in every lane, drawn from seed |salt|.
  std::vector<int32_t> Operand(uint64_t salt) {
    Rng rng(salt);
    std::vector<int32_t> values(static_cast<size_t>(kTiles * lanes_));
    for (int32_t& value : values) {
      value = kEdges[static_cast<size_t>(rng.Range(0, std::ssize(kEdges) - 1))];
      if (rng.OneIn(4)) value = static_cast<int32_t>(rng.Next());
    }
    return values;
  }
  // Loads acc tiles [0, kTiles) = |a|, [kTiles, 2 kTiles) = |b|; micro-op 0 is {0, kTiles}, 1 is
  // {0, 0}.
  Stream Loaded(const std::vector<int32_t>& a, const std::vector<int32_t>& b) {
    Put(kA, a);
    Put(kB, b);
    PutUops({{.dst = 0, .src = kTiles}, {.dst = 0, .src = 0}});
    Stream stream = NewStream();
    LoadUops(stream, 2);
    stream.Load(kAcc, Index(kAcc, kA), {.x = kTiles, .stride = kTiles});
    stream.Load(kAcc, Index(kAcc, kB), {.sram = kTiles, .x = kTiles, .stride = kTiles});
    return stream;
  }
  static constexpr Loops kAll{.iter_in = kTiles, .dst_in = 1, .src_in = 1};
};

TEST_P(VtaAluTest, TensorOperandsOfEveryOperation) {
  for (AluOpcode op : {kMin, kMax, kAdd, kShr, kMul}) {
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE(::testing::Message() << "operation " << op << " seed " << seed);
      const std::vector<int32_t> a = Operand(2 * seed), b = Operand(2 * seed + 1);
      Stream stream = Loaded(a, b);
      stream.Alu(op, kAll);
      StoreAcc(stream, kTiles, 1);
      ExpectRuns(stream);
      std::vector<int32_t> want(a.size());
      for (size_t i = 0; i < a.size(); ++i) want[i] = Want(op, a[i], b[i]);
      EXPECT_EQ(StoredAcc(kTiles), want);
    }
  }
}

TEST_P(VtaAluTest, ImmediatesOfEveryOperation) {
  for (AluOpcode op : {kMin, kMax, kAdd, kShr, kMul}) {
    for (int32_t imm :
         {0, 1, -1, 5, 15, 16, 31, 32, 33, 100, -5, -15, -16, -31, -32, -100, 32767, -32768}) {
      SCOPED_TRACE(::testing::Message() << "operation " << op << " immediate " << imm);
      const std::vector<int32_t> a = Operand(9);
      Stream stream = Loaded(a, a);
      stream.AluImm(op, imm, kAll);
      StoreAcc(stream, kTiles, 1);
      ExpectRuns(stream);
      std::vector<int32_t> want(a.size());
      for (size_t i = 0; i < a.size(); ++i) want[i] = Want(op, a[i], imm);
      EXPECT_EQ(StoredAcc(kTiles), want);
    }
  }
}

TEST_P(VtaAluTest, ResetIsIgnored) {
  const std::vector<int32_t> a = Operand(4), b = Operand(5);
  Stream stream = Loaded(a, b);
  stream.Alu(kAdd, kAll, {}, /*reset=*/true);
  StoreAcc(stream, kTiles, 1);
  ExpectRuns(stream);
  std::vector<int32_t> want(a.size());
  for (size_t i = 0; i < a.size(); ++i) want[i] = Want(kAdd, a[i], b[i]);
  EXPECT_EQ(StoredAcc(kTiles), want);
}

TEST_P(VtaAluTest, LoopsVisitInOrderAndSeeWhatTheyWrote) {
  // acc[o + 2 i] += acc[6 + 2 o - i + u], in the order o, i, u: destinations are read again as
  // sources.
  const std::vector<int32_t> a = Operand(6), b = Operand(7);
  PutUops({{.dst = 0, .src = 4}, {.dst = 1, .src = 5}, {.dst = 0, .src = 0}});
  Put(kA, a);
  Stream stream = NewStream();
  LoadUops(stream, 3);
  stream.Load(kAcc, Index(kAcc, kA), {.x = kTiles, .stride = kTiles});
  stream.Alu(kAdd, {.uop_end = 2,
                    .iter_out = 2,
                    .iter_in = 3,
                    .dst_out = 1,
                    .dst_in = 2,
                    .src_out = 3,
                    .src_in = 1});
  StoreAcc(stream, kTiles, 2);
  ExpectRuns(stream);
  std::vector<int32_t> want = a;
  for (int64_t o = 0; o < 2; ++o) {
    for (int64_t i = 0; i < 3; ++i) {
      for (int64_t u = 0; u < 2; ++u) {
        for (int64_t lane = 0; lane < lanes_; ++lane) {
          int32_t& to = want[static_cast<size_t>((u + o + 2 * i) * lanes_ + lane)];
          to = Want(kAdd, to, want[static_cast<size_t>((4 + u + 3 * o + i) * lanes_ + lane)]);
        }
      }
    }
  }
  EXPECT_EQ(StoredAcc(kTiles), want);
}

TEST_P(VtaAluTest, SameAccumulatorBackToBackIsRight) {
  // Eight micro-ops on one tile: acc[0] += acc[1], acc[0] += acc[0] ...
  const std::vector<int32_t> a = Operand(8);
  std::vector<MicroOp> ops;
  for (int64_t i = 0; i < 8; ++i) ops.push_back({.dst = 0, .src = i % 2});
  ops.push_back({});
  PutUops(ops);
  Put(kA, a);
  Stream stream = NewStream();
  LoadUops(stream, 9);
  stream.Load(kAcc, Index(kAcc, kA), {.x = 2, .stride = 2});
  stream.Alu(kAdd, {.uop_end = 8, .iter_in = 3});
  StoreAcc(stream, 2, 8);
  ExpectRuns(stream);
  std::vector<int32_t> want(a.begin(), a.begin() + 2 * lanes_);
  for (int64_t lane = 0; lane < lanes_; ++lane) {
    int32_t& value = want[static_cast<size_t>(lane)];
    for (int i = 0; i < 24; ++i)
      value = Wrap(int64_t{value} + (i % 2 ? want[static_cast<size_t>(lanes_ + lane)] : value));
  }
  EXPECT_EQ(StoredAcc(2), want);
}

TEST_P(VtaAluTest, UnknownOperationIsAnError) {
  Stream stream = Loaded(Operand(1), Operand(2));
  stream.AluImm(static_cast<AluOpcode>(5), 0, kAll);
  stream.Finish();
  ExpectFails(stream, Code::kInvalidArgument, {"illegal_field", "instruction 3"});
}

TEST_P(VtaAluTest, TilePastAccIsAnError) {
  const int64_t depth = int64_t{1} << Widths(config_).acc;
  PutUops({{.dst = depth - 1, .src = 0}});
  Stream good = NewStream();
  LoadUops(good, 1);
  good.AluImm(kAdd, 1, {});
  good.Finish();
  ExpectRuns(good);
  Stream bad = NewStream();
  LoadUops(bad, 1);
  bad.AluImm(kAdd, 1, {.iter_in = 2, .dst_in = 1});
  bad.Finish();
  ExpectFails(bad, Code::kOutOfRange, {"sram_range", "instruction 1", "gemm"});
}

TESSERA_VTA_CONFIGS(VtaAluTest);

}  // namespace
}  // namespace tessera::vta_test
