// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the check of a box against the same check in numbers of 128 bits: the error, the
// address, the contiguous levels and the bytes of a run, the tiles; sizes and steps up to all ones,
// ends on either side of a limit by one, segments of 2^40 bytes and more, stalls; the rate. Not
// tested here: how instructions become boxes (tests/hw/load, tests/hw/store), tiles of more than
// 256 bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "Vtsr_box.h"
#include "base/rng.h"
#include "tests/hw/common/bench.h"
#include "tests/hw/common/segments.h"

namespace tessera::hw {
namespace {

using Wide = unsigned __int128;
constexpr int kNone = 0, kIllegalField = 2, kSramRange = 3, kDramRange = 4;  // tsr_pkg::ERR_*

struct Box {
  bool bad = false, nop = false, unlimited = false;
  uint64_t depth = 1024, segment = 0, dram = 0, unit = 1;
  // The fields of tsr_dma_pkg::box_t.
  uint64_t sram = 0, x_bytes = 16, x_size = 1, y_size = 1, z_size = 1;
  uint64_t x_step = 0, y_step = 0, z_step = 0;
  std::array<uint64_t, 4> pads{};  // columns before and behind, rows before and behind
};

struct Segments {
  std::array<uint64_t, 8> base{}, size{};
};

struct Verdict {
  int err = kNone;
  bool nop = false, no_data = false, row = false, plane = false, box = false;
  uint64_t addr = 0, run_bytes = 0, tiles = 0;
};

// Bytes from the segment's start to the end of the last tile.
Wide End(const Box& b) {
  return Wide{b.dram} * b.unit + Wide{b.x_size - 1} * b.x_step + Wide{b.y_size - 1} * b.y_step +
         Wide{b.z_size - 1} * b.z_step + b.x_bytes;
}

Verdict Golden(const Box& b, const Segments& s) {
  Verdict v;
  const Wide tiles =
      Wide{b.x_size + b.pads[0] + b.pads[1]} * (b.y_size + b.pads[2] + b.pads[3]) * b.z_size;
  v.tiles = static_cast<uint64_t>(tiles);
  v.nop = b.nop || tiles == 0;
  v.no_data = v.nop || b.x_size == 0 || b.y_size == 0;
  v.addr = (s.base[b.segment] + b.dram * b.unit) & ((uint64_t{1} << 40) - 1);
  v.run_bytes = b.x_bytes;
  v.row = b.x_size == 1 || b.x_step == b.x_bytes;
  if (v.row) v.run_bytes *= b.x_size;
  v.plane = v.row && (b.y_size == 1 || b.y_step == v.run_bytes);
  if (v.plane) v.run_bytes *= b.y_size;
  v.box = v.plane && (b.z_size == 1 || b.z_step == v.run_bytes);
  if (v.box) v.run_bytes *= b.z_size;
  const uint64_t size = s.size[b.segment];
  if (b.bad) {
    v.err = kIllegalField;
  } else if (v.nop) {
    v.err = kNone;
  } else if (tiles + b.sram > b.depth) {
    v.err = kSramRange;
  } else if (!v.no_data && !(b.unlimited && size == 0) &&
             End(b) > std::min(size, (uint64_t{1} << 40) - 1)) {
    v.err = kDramRange;
  }
  return v;
}

// A number of at most |bits| bits: small, near a power of two, all ones or any.
uint64_t Number(Rng& rng, int bits) {
  const uint64_t ones = (uint64_t{1} << bits) - 1;
  switch (rng.Range(0, 3)) {
    case 0:
      return static_cast<uint64_t>(rng.Range(0, 3));
    case 1:
      return (uint64_t{1} << rng.Range(0, bits - 1)) - static_cast<uint64_t>(rng.Range(0, 1));
    case 2:
      return ones - static_cast<uint64_t>(rng.Range(0, 1));
    default:
      return rng.Next() & ones;
  }
}

// Any fields: most of these boxes are in error.
Box AnyBox(Rng& rng) {
  Box b;
  b.bad = rng.OneIn(20);
  b.nop = rng.OneIn(20);
  b.depth = Number(rng, 10) + 1;
  b.dram = Number(rng, 32);
  b.unit = uint64_t{1} << (rng.OneIn(2) ? 0 : rng.Range(0, 10));
  b.sram = Number(rng, 20);
  b.x_bytes = static_cast<uint64_t>(rng.Range(1, 256));
  b.x_size = Number(rng, 16);
  b.y_size = Number(rng, 16);
  b.z_size = Number(rng, 16);
  b.x_step = Number(rng, 24);
  b.y_step = Number(rng, 24);
  b.z_step = Number(rng, 32);
  for (uint64_t& pad : b.pads) pad = rng.OneIn(2) ? 0 : Number(rng, 8);
  return b;
}

// A box that fits in a scratchpad of 1,024 tiles, or nearly, with dense and other levels.
Box SmallBox(Rng& rng) {
  Box b;
  b.dram = rng.OneIn(2) ? rng.Next() & 0xffffffff : Number(rng, 20);
  b.unit = uint64_t{1} << (rng.OneIn(2) ? 0 : rng.Range(0, 10));
  b.x_bytes = static_cast<uint64_t>(rng.Range(1, 256));
  b.x_size = static_cast<uint64_t>(rng.Range(0, 12));
  b.y_size = static_cast<uint64_t>(rng.Range(0, 9));
  b.z_size = static_cast<uint64_t>(rng.Range(0, 8));
  if (rng.OneIn(2)) {
    for (uint64_t& pad : b.pads) pad = static_cast<uint64_t>(rng.Range(0, 3));
  }
  const auto step = [&](uint64_t dense, int bits) {
    if (!rng.OneIn(3)) return dense & ((uint64_t{1} << bits) - 1);
    return rng.OneIn(2) ? dense + 1 : Number(rng, bits);
  };
  b.x_step = step(b.x_bytes, 24);
  b.y_step = step(b.x_bytes * b.x_size, 24);
  b.z_step = step(b.x_bytes * b.x_size * b.y_size, 32);
  const uint64_t tiles = Golden(b, {}).tiles;
  b.sram = tiles > 1024 ? 0 : 1024 - tiles + static_cast<uint64_t>(rng.Range(0, 1));
  if (rng.OneIn(2)) b.sram /= 2;
  return b;
}

void Offer(Bench<Vtsr_box>& bench, const Box& b, bool user) {
  bench->bad_i = b.bad;
  bench->nop_i = b.nop;
  bench->unlimited_i = b.unlimited;
  bench->depth_i = static_cast<uint32_t>(b.depth);
  bench->segment_i = static_cast<uint8_t>(b.segment);
  bench->dram_base_i = static_cast<uint32_t>(b.dram);
  bench->unit_i = static_cast<uint16_t>(b.unit);
  bench->user_i = user;
  // The fields of tsr_dma_pkg::box_t, the last field in the lowest bits.
  const std::pair<uint64_t, int> fields[] = {{b.pads[3], 8}, {b.pads[2], 8},  {b.pads[1], 8},
                                             {b.pads[0], 8}, {b.z_step, 32},  {b.y_step, 32},
                                             {b.x_step, 24}, {b.z_size, 16},  {b.y_size, 16},
                                             {b.x_size, 16}, {b.x_bytes, 16}, {b.sram, 20}};
  std::array<uint8_t, 28> bytes{};
  int at = 0;
  for (const auto& [value, bits] : fields) {
    for (int i = 0; i < bits; ++i, ++at)
      bytes[at / 8] |= static_cast<uint8_t>((value >> i & 1) << at % 8);
  }
  PutBytes(bench->box_i, bytes);
}

void Expect(Bench<Vtsr_box>& bench, const Verdict& v, bool user) {
  ASSERT_EQ(bench->err_o, v.err);
  EXPECT_EQ(bench->user_o, user);
  if (v.err != kNone) return;
  EXPECT_EQ(bench->nop_o, v.nop);
  EXPECT_EQ(bench->no_data_o, v.no_data);
  if (v.nop) return;
  EXPECT_EQ(bench->tiles_o, v.tiles);
  if (v.no_data) return;
  EXPECT_EQ(bench->addr_o, v.addr);
  EXPECT_EQ(bench->run_last_o, v.run_bytes - 1);
  EXPECT_EQ(bench->runs_o, v.row << 2 | v.plane << 1 | v.box);
}

// |boxes| through the check; returns the cycles from the first box to the last verdict.
uint64_t RunBoxes(const std::vector<Box>& boxes, const Segments& segments, uint64_t stalls) {
  Rng rng(stalls);
  Bench<Vtsr_box> bench;
  bench->valid_i = 0;
  bench->ready_i = 0;
  bench->seg_write_i = 0;
  bench.Reset();
  for (int s = 0; s < 8; ++s) WriteSegment(bench, s, segments.base[s], segments.size[s]);
  const uint64_t begin = bench.cycle();
  size_t next = 0, done = 0;
  for (uint64_t budget = 100 + 40 * boxes.size(); done < boxes.size() && budget > 0; --budget) {
    if (next < boxes.size() && (bench->valid_i || stalls == 0 || rng.OneIn(2))) {
      bench->valid_i = 1;
      Offer(bench, boxes[next], next % 3 == 0);
    }
    bench->ready_i = stalls == 0 || rng.OneIn(2);
    bench.Settle();
    if (bench->valid_o && bench->ready_i) {
      SCOPED_TRACE(::testing::Message() << "box " << done);
      Expect(bench, Golden(boxes[done], segments), done % 3 == 0);
      ++done;
    }
    const bool taken = bench->valid_i && bench->ready_o;
    bench.Edge();
    if (taken) {
      ++next;
      bench->valid_i = 0;
    }
  }
  EXPECT_EQ(done, boxes.size());
  return bench.cycle() - begin;
}

class BoxSeeds : public ::testing::TestWithParam<uint64_t> {};

TEST_P(BoxSeeds, VerdictsAreThoseOfWideNumbers) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Rng rng(GetParam() + 1);
  const bool unlimited = rng.OneIn(3);
  Segments segments;
  std::vector<Box> boxes;
  for (int s = 0; s < 8; ++s) {
    segments.base[s] = (rng.Next() & 0xffffffffff) / 64 * 64;
    // Each segment ends within a byte of a box's end, is empty, or has at least 2^40 bytes.
    Box about = SmallBox(rng);
    about.segment = s;
    boxes.push_back(about);
    segments.size[s] =
        static_cast<uint64_t>(End(about)) + static_cast<uint64_t>(rng.Range(0, 2)) - 1;
    if (rng.OneIn(6)) segments.size[s] = uint64_t{1} << rng.Range(39, 63);
    if (rng.OneIn(6)) segments.size[s] = 0;
  }
  for (int i = 0; i < 400; ++i) {
    boxes.push_back(rng.OneIn(3) ? AnyBox(rng) : SmallBox(rng));
    boxes.back().segment = static_cast<uint64_t>(rng.Range(0, 7));
  }
  std::array<int, 5> met{};
  int moved = 0;
  for (Box& b : boxes) {
    b.unlimited = unlimited;
    const Verdict v = Golden(b, segments);
    ++met[v.err];
    moved += v.err == kNone && !v.no_data;
  }
  for (int err : {kNone, kIllegalField, kSramRange, kDramRange}) EXPECT_GT(met[err], 0) << err;
  EXPECT_GT(moved, 20);
  RunBoxes(boxes, segments, rng.OneIn(2) ? GetParam() + 1 : 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, BoxSeeds, ::testing::Range<uint64_t>(0, 60));

// The check holds one box and takes the next with its verdict. That is fast enough: fetch gives an
// instruction in 4 cycles of a bus of 64 bits, few instructions are LOADs and STOREs, and a tile of
// device memory takes cycles of its own.
TEST(BoxRate, ABoxInNineCycles) {
  const std::vector<Box> boxes(100, Box{});
  EXPECT_EQ(RunBoxes(boxes, {}, 0), 100u * 9 + 1);
}

}  // namespace
}  // namespace tessera::hw
