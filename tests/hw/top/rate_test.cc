// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the units of the whole machine overlap: tiles that alternate between two
// contexts, ordered by tokens in both directions, run within a tenth of the busiest unit's work.
// Not tested here: the rates of single units (their own tests); results (top_test.cc).
#include <gtest/gtest.h>

#include "tests/hw/top/top_bench.h"

namespace tessera::hw {
namespace {

using isa::Memory;
using isa::Unit;

constexpr int64_t kTiles = 32, kUops = 4;  // results a round, micro-ops a result

isa::Load LoadOf(const isa::Config& c, Memory memory, int64_t from, int64_t to, int64_t count) {
  isa::Load v;
  v.memory = static_cast<int64_t>(memory);
  v.x_bytes = v.x_step = c.TileBytes(memory);
  v.dram_base = from;
  v.sram_base = to;
  v.x_size = count;
  v.y_size = v.z_size = 1;
  return v;
}

std::vector<isa::InsnWord> TwoContexts(const isa::Config& c, int64_t rounds) {
  isa::Load weights = LoadOf(c, Memory::kWgt, 0, 0, kUops);
  weights.push = Mask(Unit::kGemm);
  isa::Load parameters = LoadOf(c, Memory::kPrm, 0, 0, 1);
  parameters.push = Mask(Unit::kVector);
  std::vector<isa::InsnWord> program = {
      Word(LoadOf(c, Memory::kUop, 0x40000, 0, kUops)), Word(weights), Word(parameters),
      Word(isa::Sync{.pop = Mask(Unit::kLoad), .unit = static_cast<int64_t>(Unit::kGemm)}),
      Word(isa::Sync{.pop = Mask(Unit::kLoad), .unit = static_cast<int64_t>(Unit::kVector)})};
  for (int64_t i = 0; i < rounds; ++i) {
    const bool waits = i >= 2, gives = i < rounds - 2;  // of the context, two rounds away
    const int64_t inp = i % 2 * (kTiles + kUops), acc = i % 2 * (c.Depth(Memory::kAcc) / 2);
    const int64_t out = i % 2 * (c.Depth(Memory::kOut) / 2);
    isa::Load load = LoadOf(c, Memory::kInp, 16 * i, inp, kTiles + kUops);
    load.pop = waits ? Mask(Unit::kGemm) : 0;
    load.push = Mask(Unit::kGemm);
    isa::Gemm gemm;
    gemm.pop = Mask(Unit::kLoad) | (waits ? Mask(Unit::kVector) : 0);
    gemm.push = Mask(Unit::kVector) | (gives ? Mask(Unit::kLoad) : 0);
    gemm.uop_count = kUops;
    gemm.iter_out = 1;
    gemm.iter_in = kTiles;
    gemm.dst_in = gemm.src_in = 1;
    gemm.dst_base = acc;
    gemm.src_base = inp;
    isa::Requant requant;
    requant.pop = Mask(Unit::kGemm) | (waits ? Mask(Unit::kStore) : 0);
    requant.push = Mask(Unit::kStore) | (gives ? Mask(Unit::kGemm) : 0);
    requant.dst_mem = static_cast<int64_t>(isa::VectorMemory::kOut);
    requant.lo = -128;
    requant.hi = 127;
    requant.iter_out = 1;
    requant.iter_in = kTiles;
    requant.src_in = requant.dst_in = 1;
    requant.src_base = acc;
    requant.dst_base = out;
    isa::Store store;
    store.pop = Mask(Unit::kVector);
    store.push = gives ? Mask(Unit::kVector) : 0;
    store.sram_base = out;
    store.dram_base = 0x50000;
    store.x_bytes = store.x_step = c.out_tile_bytes();
    store.x_size = kTiles;
    store.y_size = store.z_size = 1;
    for (const isa::Insn& insn :
         {isa::Insn(load), isa::Insn(gemm), isa::Insn(requant), isa::Insn(store)}) {
      program.push_back(Word(insn));
    }
  }
  program.push_back(Word(isa::Finish{}));
  return program;
}

uint64_t Cycles(int64_t rounds) {
  TopBench top;
  for (int64_t u = 0; u < kUops; ++u) {
    const uint64_t word = *isa::EncodeUop({.dst = 0, .src = u, .wgt = u, .init = u == 0});
    std::memcpy(&top.memory.data[0x40000 + 8 * u], &word, 8);
  }
  top.Load(TwoContexts(top.config, rounds));
  top.Start();
  EXPECT_TRUE(top.Wait());
  EXPECT_FALSE(top.Error()) << std::hex << top.Read(isa::reg::kError);
  EXPECT_GE(top.Read(isa::reg::kBusy[1]), static_cast<uint64_t>(rounds * kTiles * kUops));
  return top.Read(isa::reg::kCyclesLo);
}

TEST(TopRate, AlternatingContextsRunAtThePaceOfTheBusiestUnit) {
  // GEMM is the busiest: 128 steps a round; LOAD takes 72 beats, VECTOR 32 tiles, STORE 64 beats.
  const uint64_t some = Cycles(40), more = Cycles(120);
  const uint64_t work = 80 * kTiles * kUops;
  EXPECT_LE(more - some, work + work / 20) << "in the steady state";
  EXPECT_LE(more, 120 * kTiles * kUops * 11 / 10) << "with start and end";
}

}  // namespace
}  // namespace tessera::hw
