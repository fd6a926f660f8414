// SPDX-License-Identifier: Apache-2.0
//
// What is tested: OrderLoads on random instruction lists: each address keeps its order of writers
// and, between two writes, its set of readers. On lists written by hand: how many cycles of loads
// pass a load that waits, and fill the cycles until fetch brings the next load; which loads come
// before one of padding. Space: up to 60 instructions of four units, boxes with steps and pads,
// seeded. Not tested here: tokens (tokens_test), whole programs (program_builder_test), cycles of
// networks (tests/models).
#include "jit/load_order.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "base/rng.h"
#include "jit/program_builder.h"

namespace tessera::jit::load_order_test {
namespace {

using isa::Memory;
using isa::Segment;

isa::Load BoxOf(Memory memory, Segment segment, int64_t tiles, int64_t from, int64_t to) {
  isa::Load load;
  load.memory = static_cast<int64_t>(memory);
  load.segment = static_cast<int64_t>(segment);
  load.x_size = tiles, load.y_size = load.z_size = 1;
  load.x_bytes = load.x_step = isa::Config().TileBytes(memory);
  load.dram_base = from, load.sram_base = to;
  return load;
}

// An instruction of |unit| that takes |cycles|; the caller adds its accesses.
isa::Insn Busy(isa::Unit unit, int64_t cycles) {
  if (unit == isa::Unit::kGemm) {
    isa::Gemm gemm;
    gemm.uop_count = gemm.iter_out = 1, gemm.iter_in = cycles;
    return gemm;
  }
  if (unit == isa::Unit::kVector) {
    isa::Requant requant;
    requant.iter_out = 1, requant.iter_in = cycles;
    return requant;
  }
  isa::Store store;
  store.x_size = cycles, store.y_size = store.z_size = 1, store.x_bytes = 8;
  return store;
}

// |tiles| of padding in INP from |to| on.
isa::Load PaddingOf(int64_t tiles, int64_t to) {
  isa::Load load = BoxOf(Memory::kInp, Segment::kInput, tiles, 0, to);
  load.y_size = 0, load.y_pad_0 = 1, load.x_bytes = 1;  // a cycle a tile
  return load;
}

struct Listing {
  std::vector<isa::Insn> insns;
  std::vector<TokenNode> nodes;
  void Add(isa::Insn insn, std::vector<isa::Access> accesses) {
    nodes.push_back({isa::UnitOf(insn), std::move(accesses)});
    insns.push_back(std::move(insn));
  }
  void Add(const isa::Load& load) { Add(load, isa::Accesses(load, isa::Config())); }
};

Listing RandomListing(Rng& rng) {
  Listing list;
  const std::vector<isa::Space> spaces = {isa::Space::Of(Memory::kInp),
                                          isa::Space::Of(Memory::kWgt),
                                          isa::Space::OfSegment(static_cast<int>(Segment::kArena))};
  const int64_t span = rng.Range(10, 80);  // tiles; bytes of the arena
  for (int64_t n = rng.Range(2, 60); n > 0; --n) {
    if (rng.Range(0, 1) == 0) {
      isa::Load load = BoxOf(rng.OneIn(2) ? Memory::kInp : Memory::kWgt,
                             rng.OneIn(3) ? Segment::kArena : Segment::kConstants, rng.Range(1, 12),
                             rng.Range(0, span), rng.Range(0, span));
      load.y_size = rng.Range(1, 3), load.z_size = rng.Range(1, 3);
      load.y_step = rng.Range(1, 300), load.z_step = rng.Range(1, 900);
      if (load.memory == static_cast<int64_t>(Memory::kInp)) {
        load.x_pad_0 = rng.Range(0, 1), load.y_pad_1 = rng.Range(0, 1);
        load.x_bytes = load.x_step = rng.Range(1, 16);
      }
      list.Add(load);
      if (rng.OneIn(4)) list.Add(PaddingOf(rng.Range(1, 400), rng.Range(0, span)));
      continue;
    }
    const isa::Insn insn =
        Busy(static_cast<isa::Unit>(rng.Range(1, 3)), rng.Range(1, rng.OneIn(2) ? 3000 : 30));
    std::vector<isa::Access> accesses;
    for (const isa::Space& space : spaces) {
      const int64_t begin = rng.Range(0, span);
      if (rng.OneIn(2)) accesses.push_back({space, rng.OneIn(3), {{begin, begin + 5}}});
    }
    list.Add(insn, accesses);
  }
  return list;
}

// For each address, the writers in order, each with the readers before the next writer.
using Events = std::map<std::pair<int, int64_t>, std::vector<std::pair<size_t, std::set<size_t>>>>;

Events EventsOf(const std::vector<const TokenNode*>& nodes, const std::vector<size_t>& names) {
  Events events;
  for (size_t n = 0; n < nodes.size(); ++n) {
    for (const isa::Access& a : nodes[n]->accesses) {
      for (const isa::AddressRange& r : a.intervals) {
        for (int64_t at = r.begin; at < r.end; ++at) {
          auto& of = events[{a.space.index, at}];
          if (of.empty()) of.emplace_back();  // reads before the first writer
          if (a.write) {
            of.emplace_back(names[n], std::set<size_t>());
          } else {
            of.back().second.insert(names[n]);
          }
        }
      }
    }
  }
  return events;
}

class LoadOrderProperty : public ::testing::TestWithParam<uint64_t> {};

TEST_P(LoadOrderProperty, EveryAddressSeesTheSame) {
  int64_t moved = 0, parts = 0;
  for (uint64_t k = 0; k < 20; ++k) {
    const uint64_t seed = GetParam() * 20 + k;
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed);
    const Listing list = RandomListing(rng);
    const LoadOrder order = OrderLoads(list.insns, list.nodes, isa::Config());
    std::vector<size_t> as_given(list.nodes.size());
    std::iota(as_given.begin(), as_given.end(), size_t{0});
    std::vector<const TokenNode*> given;
    for (const TokenNode& node : list.nodes) given.push_back(&node);
    ASSERT_EQ(EventsOf(order.nodes, order.from), EventsOf(given, as_given));
    std::vector<size_t> others;
    for (size_t n = 0; n < order.from.size(); ++n) {
      const auto* load = std::get_if<isa::Load>(&order.insns[n]);
      if (load == nullptr) {
        others.push_back(order.from[n]);
      } else {
        EXPECT_EQ(order.nodes[n]->accesses, isa::Accesses(*load, isa::Config()));
      }
    }
    EXPECT_TRUE(std::ranges::is_sorted(others));
    moved += std::ranges::is_sorted(order.from) ? 0 : 1;
    parts += order.from.size() > list.insns.size() ? 1 : 0;
  }
  EXPECT_GT(moved, 0);
  EXPECT_GT(parts, 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, LoadOrderProperty, ::testing::Range(uint64_t{0}, uint64_t{20}));

isa::Access Tiles(Memory memory, bool write, int64_t begin, int64_t end) {
  return {isa::Space::Of(memory), write, {{begin, end}}};
}

// The list loads a box, computes |products| cycles with it and weights below |read|, loads the next
// box into the same place, and then loads 20 times 16 tiles of weights, 512 cycles each, from place
// 100 on. Returns the cycles of weights that OrderLoads puts in front of the second box.
int64_t WeightsThatPass(int64_t products, int64_t read = 100,
                        const isa::Config& config = isa::Config()) {
  Listing list;
  list.Add(BoxOf(Memory::kInp, Segment::kInput, 8, 0, 0));
  list.Add(Busy(isa::Unit::kGemm, products),
           {Tiles(Memory::kInp, false, 0, 8), Tiles(Memory::kWgt, false, 0, read)});
  list.Add(BoxOf(Memory::kInp, Segment::kInput, 8, 128, 0));
  for (int64_t k = 0; k < 20; ++k)
    list.Add(BoxOf(Memory::kWgt, Segment::kConstants, 16, k * 4096, 100 + k * 16));
  const LoadOrder order = OrderLoads(list.insns, list.nodes, config);
  int64_t beats = 0, all = 0;
  bool passing = true;
  for (size_t n = 0; n < order.from.size(); ++n) {
    passing &= order.from[n] != 2;
    const auto* load = std::get_if<isa::Load>(&order.insns[n]);
    if (load == nullptr || load->memory != static_cast<int64_t>(Memory::kWgt)) continue;
    EXPECT_EQ(load->dram_base, 256 * (load->sram_base - 100)) << "a part of its box";
    all += load->x_size * 32;
    beats += passing ? load->x_size * 32 : 0;
  }
  EXPECT_EQ(all, 20 * 512);
  return beats;
}

TEST(LoadOrder, AsMuchPassesAsThereIsTimeFor) {
  // A piece has 4 tiles and takes 128 cycles: 39 fit into 5,000 cycles and the start of the units.
  EXPECT_EQ(WeightsThatPass(5000), 39 * 128);
  EXPECT_EQ(WeightsThatPass(100), 0) << "no piece ends before the box can come";
  EXPECT_EQ(WeightsThatPass(20000), 20 * 512) << "all";
}

TEST(LoadOrder, AMemoryThatIsSlowerHasTimeForFewer) {
  isa::Config zynq;
  zynq.dram = isa::DramModel::kZynq;
  // GEMM waits 60 cycles for its box before the same products; a piece takes 150 cycles, not 128.
  EXPECT_EQ(WeightsThatPass(5000, 100, zynq), 33 * 128);
}

TEST(LoadOrder, WhatIsReadUntilThenDoesNotPass) {
  EXPECT_EQ(WeightsThatPass(20000, 121), 20 * 512 - 6 * 128) << "six pieces of 4 tiles";
  EXPECT_EQ(WeightsThatPass(5000, 420), 0);
}

// The list fills |filled| tiles of INP from 100 on with padding, loads weights, computes 500 cycles
// with them, and then works |work| cycles on VECTOR, which writes one of the filled tiles.
Listing WithPadding(int64_t filled, int64_t work) {
  Listing list;
  list.Add(PaddingOf(filled, 100));
  list.Add(BoxOf(Memory::kWgt, Segment::kConstants, 4, 0, 0));
  list.Add(Busy(isa::Unit::kGemm, 500), {Tiles(Memory::kWgt, false, 0, 4)});
  list.Add(Busy(isa::Unit::kVector, work), {Tiles(Memory::kInp, true, 100, 101)});
  return list;
}

TEST(LoadOrder, PaddingComesBehindLoadsThatDelayMore) {
  using From = std::vector<size_t>;
  const auto from = [](const Listing& list) {
    return OrderLoads(list.insns, list.nodes, isa::Config()).from;
  };
  EXPECT_EQ(from(WithPadding(64, 20)), (From{1, 2, 0, 3})) << "just before VECTOR needs it";
  EXPECT_EQ(from(WithPadding(64, 3000)), (From{0, 1, 2, 3})) << "VECTOR has more to do than GEMM";
  // It is cut: VECTOR needs the first piece alone.
  const Listing list = WithPadding(600, 20);
  const LoadOrder order = OrderLoads(list.insns, list.nodes, isa::Config());
  ASSERT_EQ(order.from, (From{1, 2, 0, 3, 0}));
  const auto &first = std::get<isa::Load>(order.insns[2]),
             &rest = std::get<isa::Load>(order.insns[4]);
  EXPECT_EQ(first.x_size, 128);
  EXPECT_EQ(rest.x_size, 600 - 128);
  EXPECT_EQ(rest.sram_base, 100 + 128);
}

// The list loads a box, computes |products| times 100 cycles with it, and then loads another box
// and 20 times 16 tiles of weights. Returns the cycles of weights in front of the other box.
int64_t WeightsInIdleCycles(int64_t products) {
  Listing list;
  list.Add(BoxOf(Memory::kInp, Segment::kInput, 8, 0, 0));
  for (int64_t k = 0; k < products; ++k)
    list.Add(Busy(isa::Unit::kGemm, 100), {Tiles(Memory::kInp, false, 0, 8)});
  list.Add(BoxOf(Memory::kInp, Segment::kInput, 8, 128, 8));
  for (int64_t k = 0; k < 20; ++k)
    list.Add(BoxOf(Memory::kWgt, Segment::kConstants, 16, k * 4096, k * 16));
  int64_t beats = 0;
  const LoadOrder order = OrderLoads(list.insns, list.nodes, isa::Config());
  for (size_t n = 0; order.from[n] != static_cast<size_t>(products) + 1; ++n) {
    const auto* load = std::get_if<isa::Load>(&order.insns[n]);
    if (load != nullptr && order.from[n] != 0) beats += load->x_size * 32;
  }
  return beats;
}

TEST(LoadOrder, LoadsFillTheCyclesUntilFetchBringsTheNextOne) {
  // Fetch brings the other box when the product in place 100 - 33 begins: LOAD has the first box in
  // cycle 16, the first product begins in cycle 22, and 32 products wait in front of GEMM. A piece
  // takes 128 cycles, and the last 256 cycles are left free.
  EXPECT_EQ(WeightsInIdleCycles(100), (22 + 100 * (100 - 33) - 16 - 256) / 128 * 128);
  EXPECT_EQ(WeightsInIdleCycles(20), 0) << "fetch waits for no unit";
}

TEST(LoadOrder, WhatNeverWaitsStaysAsItIs) {
  Listing list;
  for (int64_t k = 0; k < 10; ++k) {
    list.Add(BoxOf(Memory::kInp, Segment::kInput, 64, k * 1024, k * 64));
    list.Add(Busy(isa::Unit::kGemm, 10), {Tiles(Memory::kInp, false, k * 64, k * 64 + 64)});
  }
  const LoadOrder order = OrderLoads(list.insns, list.nodes, isa::Config());
  EXPECT_TRUE(std::ranges::is_sorted(order.from));
  EXPECT_EQ(order.insns, list.insns);
}

}  // namespace
}  // namespace tessera::jit::load_order_test
