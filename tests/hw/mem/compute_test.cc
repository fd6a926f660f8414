// SPDX-License-Identifier: Apache-2.0
//
// What is tested: INP, ACC and OUT between their four clients. GEMM, VECTOR, LOAD and STORE work at
// the same time in the same banks, on tiles of their own; the changes of each (the digests of their
// instructions) and the bytes that STORE read must be those of each client alone. Space: random
// programs; LOAD in chunks with gaps between enabled bytes, and whole padded tiles. Not tested
// here: the units' own arithmetic in depth (tests/hw/gemm, tests/hw/vector).
#include <gtest/gtest.h>

#include "base/rng.h"
#include "isa/encoding.h"
#include "tests/hw/gemm/gemm_golden.h"
#include "tests/hw/mem/compute_bench.h"
#include "tests/hw/vector/vector_golden.h"

namespace tessera::hw {
namespace {

const isa::Config& TheConfig() {
  static const isa::Config config = *isa::LoadConfig(TESSERA_HW_CONFIG);
  return config;
}

// The tiles' bytes of INP, ACC and OUT.
struct Contents {
  explicit Contents(const isa::Config& c) : inp(c.inp_bytes), acc(c.acc_bytes), out(c.out_bytes) {}
  std::vector<uint8_t> inp, acc, out;
  std::vector<uint8_t>& Of(int memory) {
    return memory == static_cast<int>(isa::Memory::kInp)   ? inp
           : memory == static_cast<int>(isa::Memory::kAcc) ? acc
                                                           : out;
  }
};

// Queues chunks that write |tile| of |memory| with random bytes, also kept in |contents|; returns
// the digest.
uint64_t RandomLoad(Rng& rng, isa::Memory memory, int64_t tile, std::deque<Chunk>& chunks,
                    Contents& contents) {
  const isa::Config& c = TheConfig();
  const int64_t bytes = c.TileBytes(memory), bus = c.bus_bytes();
  std::vector<uint8_t>& bytes_of = contents.Of(static_cast<int>(memory));
  const int space = memory == isa::Memory::kInp   ? kInpSpace
                    : memory == isa::Memory::kAcc ? kAccSpace
                                                  : kOutSpace;
  uint64_t digest = 0;
  const auto put = [&](int64_t at, uint8_t value) {
    digest += ChangeOfByte(space, at, bytes_of[at], value);
    bytes_of[at] = value;
  };
  const int64_t last = rng.OneIn(3) ? 1 : CeilDiv(bytes, bus);
  for (int64_t n = 0; n < last; ++n) {
    Chunk chunk{static_cast<int>(memory),         tile, n * bus,
                std::vector<uint8_t>(bus),        0,    false,
                static_cast<uint32_t>(rng.Next())};
    chunk.pad = 0x01010101u * (chunk.pad & 255);
    for (uint8_t& v : chunk.data) v = static_cast<uint8_t>(rng.Next());
    chunk.enables = rng.OneIn(3) ? static_cast<uint32_t>(rng.Next() & Mask(static_cast<int>(bus)))
                                 : static_cast<uint32_t>(Mask(static_cast<int>(bus)));
    // A tile of one chunk has no bytes outside it: its pad is in the data.
    chunk.fill = last == 1 && bytes > bus && rng.OneIn(2);
    for (int64_t i = 0; i < bytes; ++i) {
      const bool inside = i / bus == n;
      if (inside && (chunk.enables >> (i % bus) & 1)) put(tile * bytes + i, chunk.data[i % bus]);
      if (!inside && chunk.fill)
        put(tile * bytes + i, static_cast<uint8_t>(chunk.pad >> (8 * (i % 4))));
    }
    chunks.push_back(chunk);
  }
  return digest;
}

class Compute : public ::testing::TestWithParam<uint64_t> {};

TEST_P(Compute, ClientsDoNotDisturbEachOther) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Rng rng(GetParam());
  const isa::Config& c = TheConfig();
  ComputeBench bench(c);
  Contents contents(c);
  GemmState gemm_state(c);
  VectorState vector_state(c);
  for (int8_t& v : gemm_state.wgt) v = static_cast<int8_t>(rng.Next());
  bench.wgt = gemm_state.wgt;
  for (uint8_t& v : vector_state.prm) v = static_cast<uint8_t>(rng.Next());
  for (int64_t record = 0; record < c.prm_depth; ++record) {
    for (int64_t ch = 0; ch < c.block_out; ++ch) {
      uint8_t* bytes = &vector_state.prm[record * 9 * c.block_out];
      bytes[4 * (c.block_out + ch) + 3] &= 0x7f;
      bytes[8 * c.block_out + ch] = static_cast<uint8_t>(rng.Range(-20, 5));
    }
  }
  bench.prm = vector_state.prm;
  for (int8_t& v : vector_state.tab) v = static_cast<int8_t>(rng.Next());
  bench.tab = vector_state.tab;
  for (int64_t u = 0; u < 8; ++u) {
    gemm_state.uop[u] = *isa::EncodeUop({.dst = rng.Range(0, 2),
                                         .src = rng.Range(0, 9),
                                         .wgt = rng.Range(0, 9),
                                         .init = rng.OneIn(4)});
  }
  bench.uop = gemm_state.uop;

  // First LOAD fills all memories. In each bank of ACC and OUT the first third belongs to GEMM, the
  // second to VECTOR, the last to LOAD. The thirds of INP, whose banks are by the low bits, belong
  // to them likewise.
  uint64_t load_digest = 0;
  const int64_t inp = c.Depth(isa::Memory::kInp), acc = c.Depth(isa::Memory::kAcc),
                out = c.Depth(isa::Memory::kOut);
  const int64_t acc_third = acc / 12, inp_third = inp / 3;
  const int64_t used = 40;  // tiles used from the start of a region
  const auto acc_base = [&](int region, int64_t bank) {
    return bank * (acc / 4) + region * acc_third;
  };
  const auto out_base = [&](int64_t bank) { return bank * (out / 4); };
  for (int64_t bank = 0; bank < 4; ++bank) {
    for (int64_t n = 0; n < std::min<int64_t>(used, acc_third); ++n) {
      for (int region = 0; region < 2; ++region) {
        load_digest +=
            RandomLoad(rng, isa::Memory::kAcc, acc_base(region, bank) + n, bench.chunks, contents);
      }
      load_digest += RandomLoad(rng, isa::Memory::kOut, out_base(bank) + n, bench.chunks, contents);
    }
  }
  for (int64_t n = 0; n < inp; ++n)
    load_digest += RandomLoad(rng, isa::Memory::kInp, n, bench.chunks, contents);
  bench.Run(1000000);
  EXPECT_EQ(bench.load_digest, load_digest);
  std::memcpy(gemm_state.acc.data(), contents.acc.data(), contents.acc.size());
  std::memcpy(vector_state.acc.data(), contents.acc.data(), contents.acc.size());
  std::memcpy(gemm_state.inp.data(), contents.inp.data(), contents.inp.size());
  std::memcpy(vector_state.inp.data(), contents.inp.data(), contents.inp.size());
  std::memcpy(vector_state.out.data(), contents.out.data(), contents.out.size());

  // Then all clients work at once.
  GemmGolden gemm(c, gemm_state);
  VectorGolden vector(c, vector_state);
  std::vector<uint64_t> gemm_want, vector_want;
  const int64_t room = std::min<int64_t>(used, acc_third);
  for (int n = 0; n < 12; ++n) {
    if (rng.OneIn(3)) {
      isa::Depthwise d;
      d.kh = rng.Range(1, 3), d.kw = rng.Range(1, 3);
      d.win_x = 1, d.win_y = rng.Range(1, 9), d.src_in = rng.Range(1, 2);
      d.iter_z = 1, d.iter_out = 2, d.iter_in = rng.Range(1, 8);
      d.src_out = d.win_y, d.dst_in = 1, d.dst_out = 8;
      d.dst_base = acc_base(0, rng.Range(0, 3)) + rng.Range(0, room - 17);
      d.src_base = rng.Range(0, inp_third - 50);
      gemm.Run(d);
      bench.gemm.push_back({*isa::Encode(d), static_cast<uint32_t>(n), 0});
    } else {
      isa::Gemm g;
      g.uop_count = rng.Range(1, 8);
      g.iter_out = rng.Range(1, 4), g.iter_in = rng.Range(1, 8);
      g.dst_in = rng.Range(0, 1), g.dst_out = rng.Range(0, 1), g.src_in = rng.Range(0, 3),
      g.src_out = rng.Range(0, 9);
      g.dst_base = acc_base(0, rng.Range(0, 3)) + rng.Range(0, room - 15);
      g.src_base = rng.Range(0, inp_third - 60);
      gemm.Run(g);
      bench.gemm.push_back({*isa::Encode(g), static_cast<uint32_t>(n), 0});
    }
    gemm_want.push_back(gemm.TakeDigest());
  }
  for (int n = 0; n < 16; ++n) {
    const auto base = [&](int64_t mem) {
      const int64_t bank = rng.Range(0, 3);
      return mem == 0   ? acc_base(1, bank) + rng.Range(0, 1)
             : mem == 1 ? out_base(bank) + rng.Range(0, 1)
                        : inp_third + rng.Range(0, 9);
    };
    isa::Requant r;
    r.src_mem = rng.Range(0, 2), r.dst_mem = rng.Range(0, 2);
    r.table = r.dst_mem != 0 && rng.OneIn(2);
    r.clear = rng.OneIn(2);
    r.round = rng.Range(0, 2);
    r.src_shift = 20;
    r.lo = -128, r.hi = 127;
    r.iter_out = 1, r.iter_in = rng.Range(1, std::min<int64_t>(room, out / 4 - 2) - 1);
    r.src_in = r.dst_in = 1, r.prm_in = 1;
    r.src_base = base(r.src_mem), r.dst_base = base(r.dst_mem);
    vector.Run(r);
    vector_want.push_back(vector.TakeDigest());
    bench.vector.push_back({*isa::Encode(r), static_cast<uint32_t>(n), 0});
  }
  std::vector<std::vector<int8_t>> stored;
  load_digest = 0;
  bench.load_digest = 0;
  for (int n = 0; n < 60; ++n) {
    load_digest +=
        RandomLoad(rng, isa::Memory::kAcc, acc_base(2, rng.Range(0, 3)) + rng.Range(0, room - 1),
                   bench.chunks, contents);
    load_digest += RandomLoad(rng, isa::Memory::kInp, rng.Range(2 * inp_third + 50, inp - 1),
                              bench.chunks, contents);
    // STORE reads tiles that no client writes now: not GEMM's ACC tiles, but the tail of OUT.
    bench.reads.push_back({false, out - 1 - rng.Range(0, 1)});
    stored.push_back(std::vector<int8_t>(c.lanes()));
    std::memcpy(stored.back().data(), &contents.out[bench.reads.back().tile * c.lanes()],
                c.lanes());
  }
  bench.Run(100000);
  EXPECT_FALSE(bench.error);
  EXPECT_EQ(bench.gemm_digests, gemm_want);
  EXPECT_EQ(bench.vector_digests, vector_want);
  EXPECT_EQ(bench.load_digest, load_digest);
  EXPECT_EQ(bench.stored, stored);

  // Last, STORE reads both units' results: OUT, and the low bytes of ACC.
  bench.stored.clear();
  stored.clear();
  for (int64_t bank = 0; bank < 4; ++bank) {
    for (int64_t n = 0; n < room; ++n) {
      for (int what = 0; what < 3; ++what) {
        const int64_t tile = what == 2 ? out_base(bank) + n : acc_base(what, bank) + n;
        bench.reads.push_back({what < 2, tile});
        std::vector<int8_t> want(c.lanes());
        for (int64_t l = 0; l < c.lanes(); ++l) {
          const int64_t index = tile * c.lanes() + l;
          want[l] =
              what == 2
                  ? vector_state.out[index]
                  : static_cast<int8_t>((what == 0 ? gemm_state.acc : vector_state.acc)[index]);
        }
        stored.push_back(want);
      }
    }
  }
  bench.Run(100000);
  EXPECT_EQ(bench.stored, stored);
}
INSTANTIATE_TEST_SUITE_P(Seeds, Compute, ::testing::Range(uint64_t{0}, uint64_t{25}));

}  // namespace
}  // namespace tessera::hw
