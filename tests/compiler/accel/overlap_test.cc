// SPDX-License-Identifier: Apache-2.0
//
// What is tested: units of work of the next region come between this region's only where the order
// does not matter; none comes early without room; the pairs that overlap save most together; whole
// networks with overlapping regions have every value right. Space: random units of work with
// addresses as sets, random gains against all choices, directed and random networks on the
// functional simulator with its units interleaved. Not tested here: cycles (models_cycles_test).
#include "compiler/codegen/accel/order/overlap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "isa/check/check.h"
#include "tests/compiler/accel/net.h"

namespace tessera::test::overlap_test {
namespace {

using codegen::accel::ChoosePairs;
using codegen::accel::Overlap;
using codegen::accel::WorkUnit;

WorkUnit RandomUnit(Rng& rng) {
  WorkUnit unit;
  for (const bool write : {false, true}) {
    if (rng.OneIn(4)) continue;
    isa::Access access{isa::Space::OfSegment(rng.Range(0, 1)), write, {}};
    const int64_t runs = rng.Range(1, 3);
    for (int64_t k = 0; k < runs; ++k) {
      const int64_t begin = rng.Range(0, 400);
      access.intervals.push_back({begin, begin + rng.Range(1, 6)});
    }
    isa::Normalize(access.intervals);
    unit.shared.push_back(access);
  }
  // A load, a GEMM product behind it, a pass of VECTOR behind that, and a store.
  const auto bit = [](isa::Unit u) { return static_cast<uint8_t>(1 << static_cast<int>(u)); };
  using enum isa::Unit;
  unit.steps = {{kLoad, rng.Range(1, 50), {0, bit(kGemm)}},
                {kGemm, rng.Range(1, 90), {bit(kLoad), bit(kVector)}},
                {kVector, rng.Range(1, 50), {bit(kGemm), bit(kStore)}},
                {kStore, rng.Range(1, 50), {bit(kVector), 0}}};
  unit.products = {2};
  return unit;
}

// Whether one writes an address that the other touches, compared address by address.
bool OrderMatters(const WorkUnit& a, const WorkUnit& b) {
  std::set<std::tuple<int, int64_t, bool>> touched;
  for (const isa::Access& access : a.shared) {
    for (const isa::AddressRange& r : access.intervals) {
      for (int64_t at = r.begin; at < r.end; ++at)
        touched.insert({access.space.index, at, access.write});
    }
  }
  for (const isa::Access& access : b.shared) {
    for (const isa::AddressRange& r : access.intervals) {
      for (int64_t at = r.begin; at < r.end; ++at) {
        if (touched.contains({access.space.index, at, true})) return true;
        if (access.write && touched.contains({access.space.index, at, false})) return true;
      }
    }
  }
  return false;
}

class OrderTest : public ::testing::TestWithParam<uint64_t> {};

TEST_P(OrderTest, NothingPassesWhatItDependsOn) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Rng rng(GetParam());
  std::vector<WorkUnit> first, second;
  for (int64_t k = rng.Range(1, 20); k > 0; --k) first.push_back(RandomUnit(rng));
  for (int64_t k = rng.Range(1, 20); k > 0; --k) second.push_back(RandomUnit(rng));
  const std::vector<isa::Access> in_use{
      {isa::Space::OfSegment(0), false, {{390, 400}}}};  // in use by the first region all along
  std::vector<bool> gone(first.size()), emitted(second.size());
  for (size_t f = 0; f < first.size(); ++f) gone[f] = rng.OneIn(4);
  Overlap overlap(first, gone);
  overlap.AddRegion(second, emitted, in_use);
  const Overlap::Gain gain = overlap.Plan();
  EXPECT_GE(gain.saved, 0);
  WorkUnit all_along;
  all_along.shared = in_use;
  std::vector<bool> done = gone;
  const auto fill = [&] {
    while (const auto s = overlap.Next([&](const WorkUnit&) { return !rng.OneIn(3); })) {
      ASSERT_FALSE(emitted[*s]) << *s;
      for (size_t f = 0; f < first.size(); ++f) {
        EXPECT_FALSE(!done[f] && OrderMatters(first[f], second[*s])) << *s << " passes " << f;
      }
      for (size_t b = 0; b < *s; ++b)
        EXPECT_FALSE(!emitted[b] && OrderMatters(second[b], second[*s])) << *s << " passes " << b;
      EXPECT_FALSE(OrderMatters(all_along, second[*s])) << *s;
      emitted[*s] = true;
    }
  };
  for (size_t f = 0; f < first.size(); ++f) {
    if (gone[f]) continue;
    overlap.Emitted(f);
    done[f] = true;
    fill();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, OrderTest, ::testing::Range(uint64_t{0}, uint64_t{200}));

// |count| units of work with |cycles| of |unit| between a LOAD and a STORE; each reads its own rows
// of the arena from |from| on and writes them from |to| on.
std::vector<WorkUnit> Rows(int64_t count, isa::Unit unit, int64_t cycles, int64_t from,
                           int64_t to) {
  const auto bit = [](isa::Unit u) { return static_cast<uint8_t>(1 << static_cast<int>(u)); };
  const isa::Space arena = isa::Space::OfSegment(2);
  std::vector<WorkUnit> units(static_cast<size_t>(count));
  for (int64_t k = 0; k < count; ++k) {
    WorkUnit& u = units[static_cast<size_t>(k)];
    u.steps = {{isa::Unit::kLoad, 100, {0, bit(unit)}},
               {unit, cycles, {bit(isa::Unit::kLoad), bit(isa::Unit::kStore)}},
               {isa::Unit::kStore, 100, {bit(unit), 0}}};
    u.products = {2};
    u.shared = {{arena, false, {{from + k * 10, from + k * 10 + 10}}},
                {arena, true, {{to + k * 10, to + k * 10 + 10}}}};
  }
  return units;
}

TEST(Gain, AnotherUnitOfTheMachineIsFreeAndTheSameOneIsNot) {
  const std::vector<WorkUnit> first = Rows(20, isa::Unit::kGemm, 1000, 0, 1000);
  const auto saved_with = [&](const std::vector<WorkUnit>& second) {
    Overlap overlap(first, std::vector<bool>(first.size()));
    overlap.AddRegion(second, std::vector<bool>(second.size()), {});
    return overlap.Plan();
  };
  // 20 units of 1000 cycles of GEMM hide nearly as many cycles of VECTOR; the last rows have to
  // wait.
  const std::vector<WorkUnit> vector = Rows(20, isa::Unit::kVector, 900, 1000, 2000);
  const Overlap::Gain gain = saved_with(vector);
  EXPECT_NEAR(static_cast<double>(gain.apart), 20 * 1000 + 20 * 900, 1500);
  EXPECT_GT(gain.saved, 15 * 900);
  EXPECT_LE(gain.saved, 20 * 900);
  const std::vector<WorkUnit> gemm = Rows(20, isa::Unit::kGemm, 900, 1000, 2000);
  EXPECT_LT(saved_with(gemm).saved, 1000);
}

TEST(Gain, WhatReadsTheLastRowsWaits) {
  const std::vector<WorkUnit> first = Rows(20, isa::Unit::kGemm, 1000, 0, 1000);
  std::vector<WorkUnit> second = Rows(20, isa::Unit::kVector, 900, 1000, 2000);
  for (WorkUnit& u : second) u.shared[0].intervals = {{1000, 1200}};  // all rows
  Overlap overlap(first, std::vector<bool>(first.size()));
  overlap.AddRegion(second, std::vector<bool>(second.size()), {});
  EXPECT_EQ(overlap.Plan().saved, 0);
  for (size_t f = 0; f < first.size(); ++f) {
    overlap.Emitted(f);
    EXPECT_EQ(overlap.Next([](const WorkUnit&) { return true; }), std::nullopt) << f;
  }
}

TEST(Pairs, ThoseThatOverlapSaveMostTogether) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed);
    std::vector<int64_t> saved(static_cast<size_t>(rng.Range(0, 10)));
    for (int64_t& s : saved) s = rng.OneIn(3) ? 0 : rng.Range(1, 9);
    int64_t most = 0;  // over all sets of pairs without a common region
    for (unsigned set = 0; set < 1u << saved.size(); ++set) {
      if ((set & set << 1) != 0) continue;
      int64_t sum = 0;
      for (size_t k = 0; k < saved.size(); ++k) sum += (set >> k & 1) != 0 ? saved[k] : 0;
      most = std::max(most, sum);
    }
    // In program order: a pair overlaps unless the pair before it took its first region.
    const std::vector<bool> allowed = ChoosePairs(saved);
    ASSERT_EQ(allowed.size(), saved.size());
    int64_t sum = 0;
    bool before = false;
    for (size_t k = 0; k < saved.size(); ++k) {
      before = allowed[k] && saved[k] > 0 && !before;
      sum += before ? saved[k] : 0;
    }
    EXPECT_EQ(sum, most);
  }
}

// Number of instructions of each region that come before the last one of the preceding region.
int64_t Early(const Compiled& compiled) {
  int64_t early = 0;
  const isa::ProgramImage& image = compiled.program.image;
  for (size_t r = 0; r + 1 < compiled.regions.size(); ++r) {
    uint32_t end = 0;
    for (const isa::SourceRange& s : image.source) {
      if (s.layer == compiled.regions[r].layer) end = s.end;
    }
    for (const isa::SourceRange& s : image.source) {
      if (s.layer == compiled.regions[r + 1].layer && s.begin < end) early += s.end - s.begin;
    }
  }
  return early;
}

void ExpectRight(const Compiled& compiled, const isa::Config& config, Net& net) {
  Values values = RandomInputs(net.graph(), net.rng());
  Evaluate(compiled, values);
  for (const uint64_t seed : {0, 1, 2})
    EXPECT_EQ(RunAndCompare(compiled, config, values, seed), "") << "interleaving " << seed;
  EXPECT_EQ(isa::CheckProgram(compiled.program.image, config).ToString(), "");
}

TEST(Networks, APoolRunsUnderTheLayerBeforeIt) {
  const isa::Config config = NamedConfig("default");
  Net net(3);
  graph::Window w = Square(3, 2);
  const auto x = net.Conv(net.Input({1, 16, 32, 32}), 16, Square(3));
  net.Output(net.MaxPool(x, w));
  const auto compiled = Compile(net.graph(), config);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  ASSERT_EQ(compiled->regions.size(), 2u);
  const int64_t instructions = compiled->program.regions[1].instructions;
  EXPECT_GT(Early(*compiled), instructions / 2) << "of " << instructions;
  ExpectRight(*compiled, config, net);
}

TEST(Networks, OneThatReadsEverythingWaits) {
  const isa::Config config = NamedConfig("default");
  Net net(4);
  graph::Window w;
  w.kernel = w.stride = {32, 32};
  const auto x = net.Conv(net.Input({1, 16, 32, 32}), 16, Square(3));
  net.Output(net.MaxPool(x, w));
  const auto compiled = Compile(net.graph(), config);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  ASSERT_EQ(compiled->regions.size(), 2u);
  EXPECT_EQ(Early(*compiled), 0);
  ExpectRight(*compiled, config, net);
}

TEST(Networks, RandomChainsAreExact) {
  int64_t overlapping = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Net net(seed);
    Rng& rng = net.rng();
    const isa::Config config = NamedConfig(rng.OneIn(2) ? "tiny" : "default");
    auto x = net.Input({1, rng.Range(1, 9), rng.Range(12, 28), rng.Range(12, 28)});
    for (int64_t k = rng.Range(2, 4); k > 0; --k) {
      const std::vector<int64_t> shape = net.graph().tensor(x).shape;
      const graph::Window w = Square(rng.OneIn(3) ? 1 : 3, rng.OneIn(3) ? 2 : 1);
      switch (rng.Range(0, 3)) {
        case 0:
          x = net.MaxPool(x, Square(3, rng.Range(1, 2)));
          break;
        case 1:
          x = net.Conv(x, shape[1], w, shape[1]);
          break;
        default:
          x = net.Conv(x, rng.Range(1, 18), w);
      }
    }
    net.Output(x);
    const auto compiled = Compile(net.graph(), config);
    ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
    overlapping += Early(*compiled) > 0 ? 1 : 0;
    Values values = RandomInputs(net.graph(), net.rng());
    Evaluate(*compiled, values);
    EXPECT_EQ(RunAndCompare(*compiled, config, values, seed), "");
    EXPECT_EQ(isa::CheckProgram(compiled->program.image, config).ToString(), "");
  }
  RecordProperty("overlapping", static_cast<int>(overlapping));
  EXPECT_GT(overlapping, 4) << "the chains say nothing about overlapping";
}

}  // namespace
}  // namespace tessera::test::overlap_test
