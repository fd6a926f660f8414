// SPDX-License-Identifier: Apache-2.0
//
// What is tested: regions that take turns, with some rows of the tensors between them in INP at a
// time: random chains of layers too large for INP are exact under several interleavings of the
// units, pass the static checker, and give the same program by their own schedules; schedules that
// cannot take turns are refused by name; layers of thousands of units take turns; the order of
// units of work never lets a unit read a row that has been replaced. Space: seeded chains on four
// configurations (TESSERA_CHAINS of each); rows, windows and tiles of units, seeded. Not tested
// here: whole networks (tests/tools/steps_test, tests/cosim), cycles (tests/models).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "base/bits.h"
#include "compiler/codegen/accel/order/overlap.h"
#include "isa/check/check.h"
#include "tests/compiler/accel/net.h"

namespace tessera::test::turns_test {
namespace {

using codegen::accel::Overlap;
using codegen::accel::WorkUnit;
using ::testing::HasSubstr;

// Layers with few operations on a tensor less than half of which fits INP.
graph::TensorId Chain(Net& net, const isa::Config& config, int64_t layers) {
  Rng& rng = net.rng();
  const int64_t block = config.block_out, tiles = config.Depth(isa::Memory::kInp);
  const int64_t columns = rng.Range(12, 24), rows = CeilDiv(tiles * rng.Range(2, 3), columns);
  auto x = net.Input({1, rng.Range(1, block), rows, columns});
  for (int64_t k = 0; k < layers; ++k) {
    const std::vector<int64_t> shape = net.graph().tensor(x).shape;
    graph::Window w = Square(3, rng.OneIn(4) ? 2 : 1);
    if (rng.OneIn(4)) w.pad_before = {0, 0};
    if (w.OutExtent(0, shape[2]) < 1 || w.OutExtent(1, shape[3]) < 1) return x;
    switch (k == 0 ? 3 : rng.Range(0, 4)) {
      case 0:
      case 1:
        x = net.Conv(x, shape[1], w, shape[1]);
        break;
      case 2:
        x = net.MaxPool(x, w);
        break;
      case 3:
        x = net.Conv(x, rng.Range(1, 2 * block), Square(1));
        break;
      default:
        x = net.Conv(x, rng.Range(1, block), w);
    }
  }
  return x;
}

int64_t CountFolds(const std::vector<schedule::Trace>& traces) {
  int64_t count = 0;
  for (const schedule::Trace& trace : traces) {
    for (const schedule::Step& step : trace)
      count += std::holds_alternative<schedule::FoldStorageStep>(step) ? 1 : 0;
  }
  return count;
}

struct ChainCase {
  const char* config;
  uint64_t networks;  // by default; tensors grow with the configuration's memory
};

class ChainTest : public ::testing::TestWithParam<ChainCase> {};

TEST_P(ChainTest, TakesTurnsExactly) {
  const isa::Config config = NamedConfig(GetParam().config);
  uint64_t folds = 0;
  const char* asked = std::getenv("TESSERA_CHAINS");
  const uint64_t networks =
      asked != nullptr ? std::strtoull(asked, nullptr, 10) : GetParam().networks;
  for (uint64_t seed = 0; seed < networks; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Net net(seed);
    net.Output(Chain(net, config, net.rng().Range(2, 6)));
    auto compiled = Compile(net.graph(), config);
    ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
    const std::vector<schedule::Trace> traces = compiled->program.traces;
    folds += static_cast<uint64_t>(CountFolds(traces));
    Values values = RandomInputs(net.graph(), net.rng());
    Evaluate(*compiled, values);
    for (uint64_t units : {0, 1, 2})
      EXPECT_EQ(RunAndCompare(*compiled, config, values, units), "") << "interleaving " << units;
    EXPECT_EQ(isa::CheckProgram(compiled->program.image, config).ToString(), "");
    for (size_t r = 0; r < traces.size(); ++r) compiled->regions[r].schedule = traces[r];
    const auto again = CompileAlone(compiled->activations, compiled->regions, config);
    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_TRUE(again->image == compiled->program.image);
  }
  EXPECT_GE(folds, networks / 2) << "two for each tensor that is folded";
}

INSTANTIATE_TEST_SUITE_P(Configurations, ChainTest,
                         ::testing::Values(ChainCase{"default", 3}, ChainCase{"tiny", 12},
                                           ChainCase{"wide", 2}, ChainCase{"batch4", 6}),
                         [](const auto& param) { return std::string(param.param.config); });

// Two layers that take turns, with their schedules.
class GivenTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Net net(5);
    const auto x = net.Conv(net.Input({1, 8, 64, 64}), 16, Square(1));
    net.Output(net.Conv(x, 16, Square(3), 16));
    auto compiled = Compile(net.graph(), config_);
    ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
    compiled_ = std::move(*compiled);
    ASSERT_EQ(CountFolds(compiled_.program.traces), 2);
    for (size_t r = 0; r < 2; ++r) compiled_.regions[r].schedule = compiled_.program.traces[r];
  }
  // Applies |change| to the fold in |region|'s schedule.
  template <typename F>
  void Change(size_t region, F&& change) {
    for (schedule::Step& step : *compiled_.regions[region].schedule) {
      if (auto* fold = std::get_if<schedule::FoldStorageStep>(&step)) change(*fold);
    }
  }
  // Rows of the second region's tiles of work.
  int64_t TileRows() const {
    for (const schedule::Step& step : *compiled_.regions[1].schedule) {
      const auto* decide = std::get_if<schedule::DecideStep>(&step);
      if (decide != nullptr && decide->name == "rows") return decide->value.number;
    }
    return 0;
  }
  std::string Refused(const AloneOptions& options = {}) {
    const auto made = CompileAlone(compiled_.activations, compiled_.regions, config_, options);
    return made ? "" : made.error().message;
  }

  const isa::Config config_ = NamedConfig("default");
  Compiled compiled_;
};

TEST_F(GivenTest, FewerRowsAreExactToo) {
  for (size_t r = 0; r < 2; ++r) {
    Change(r, [&](schedule::FoldStorageStep& fold) {
      fold.rows -= TileRows(), fold.step -= TileRows();
    });
  }
  const auto made = CompileAlone(compiled_.activations, compiled_.regions, config_);
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_FALSE(made->image == compiled_.program.image);
  compiled_.program = *made;
  Rng rng(6);
  Values values;
  for (int64_t k = 0; k < 8 * 64 * 64; ++k)
    values[0].push_back(static_cast<int8_t>(rng.Range(-128, 127)));
  Evaluate(compiled_, values);
  EXPECT_EQ(RunAndCompare(compiled_, config_, values), "");
}

TEST_F(GivenTest, TooFewRowsAreRefused) {
  for (size_t r = 0; r < 2; ++r) {
    Change(r, [&](schedule::FoldStorageStep& fold) {
      const int64_t both = fold.rows - fold.step;
      fold.step = TileRows(), fold.rows = fold.step + both;
    });
  }
  EXPECT_THAT(Refused(), HasSubstr("leave regions waiting for each other"));
}

TEST_F(GivenTest, TilesThatDoNotDivideTheStepAreRefused) {
  for (size_t r = 0; r < 2; ++r) {
    Change(r, [](schedule::FoldStorageStep& fold) { --fold.rows; });
  }
  EXPECT_THAT(Refused(), HasSubstr("are not there together"));
}

TEST_F(GivenTest, AllPlanesAtOneTimeAreTheSame) {
  for (size_t r = 0; r < 2; ++r) {
    Change(r, [](schedule::FoldStorageStep& fold) { fold.planes = 1; });
  }
  const auto made = CompileAlone(compiled_.activations, compiled_.regions, config_);
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_TRUE(made->image == compiled_.program.image);
}

TEST_F(GivenTest, BothSchedulesSayTheSame) {
  Change(1, [](schedule::FoldStorageStep& fold) { ++fold.rows; });
  EXPECT_THAT(Refused(), HasSubstr("are for its layer and the next one, which both have a schedule "
                                   "that says so"));
}

TEST_F(GivenTest, TheNextLayerHasAScheduleToo) {
  compiled_.regions[1].schedule.reset();
  EXPECT_THAT(Refused(), HasSubstr("(fold_storage) are for its layer and the next one"));
}

TEST_F(GivenTest, OnlyRowsAreFolded) {
  Change(0, [](schedule::FoldStorageStep& fold) { fold.dim = 3; });
  EXPECT_THAT(Refused(), HasSubstr("between layers rows are folded; dimension 2 of"));
}

TEST_F(GivenTest, TensorsWithoutRowsAreNotFolded) {
  Net net(6);
  net.Output(net.Dense(net.Dense(net.Input({1, 64}), 64), 16));
  auto compiled = Compile(net.graph(), config_);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  const std::string between = compiled->regions[0].output.name();
  for (size_t r = 0; r < 2; ++r) {
    compiled->regions[r].schedule = compiled->program.traces[r];
    compiled->regions[r].schedule->push_back(schedule::FoldStorageStep{between, 1, 16, 16});
  }
  const auto made = CompileAlone(compiled->activations, compiled->regions, config_);
  ASSERT_FALSE(made.has_value());
  EXPECT_THAT(
      made.error().message,
      HasSubstr(fmt::format("schedule step {} (fold_storage {} 1 16 16): between layers rows are "
                            "folded; {} has 2 dimensions and none of rows; leave fold_storage out",
                            compiled->regions[0].schedule->size(), between, between)));
}

TEST_F(GivenTest, WhatIsFoldedCannotBeStored) {
  EXPECT_THAT(Refused({.store_all = true}), HasSubstr("compile without --keep-tensors"));
}

// Without rotating buffers, each instruction of a layer is a unit of work by itself.
TEST(ManyUnits, TakeTurnsExactly) {
  const isa::Config config = NamedConfig("default");
  Net net(7);
  const auto x = net.Conv(net.Input({1, 64, 192, 12}), 64, Square(1));
  net.Output(net.Conv(x, 64, Square(3), 64));
  auto compiled = Compile(net.graph(), config);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  ASSERT_EQ(compiled->regions.size(), 2U);
  for (lower::accel::AccelRegion& region : compiled->regions) region.network.emplace();
  compiled->regions[0].network->emplace_back(schedule::TurnsStep{2, 1, 2});
  const auto given = CompileAlone(compiled->activations, compiled->regions, config);
  ASSERT_TRUE(given.has_value()) << given.error().message;
  for (size_t r = 0; r < 2; ++r) {
    compiled->regions[r].network.reset();
    schedule::Trace& trace = compiled->regions[r].schedule.emplace(given->traces[r]);
    if (r > 0) continue;
    std::erase_if(trace, [](const schedule::Step& step) {
      return std::holds_alternative<schedule::DoubleBufferStep>(step);
    });
    for (schedule::Step& step : trace) {
      auto* decide = std::get_if<schedule::DecideStep>(&step);
      if (decide != nullptr && (decide->name == "inputs" || decide->name == "part"))
        decide->value = schedule::Choice(1);
    }
  }
  const auto made = CompileAlone(compiled->activations, compiled->regions, config);
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_GT(made->stats.instructions - given->stats.instructions, int64_t{Overlap::kMostUnits});
  compiled->program = *made;
  Values values = RandomInputs(net.graph(), net.rng());
  Evaluate(*compiled, values);
  EXPECT_EQ(RunAndCompare(*compiled, config, values), "");
  EXPECT_EQ(isa::CheckProgram(made->image, config).ToString(), "");
}

// A ring of |rows| rows through which one region passes rows to the next: set |time| has the rows
// from time * step on.
struct Ring {
  int64_t height, rows, step;
  int64_t Sets() const { return CeilDiv(std::max<int64_t>(height - rows, 0), step) + 1; }
};

WorkUnit Work(isa::Unit unit, int64_t cycles) {
  WorkUnit work;
  work.steps = {{unit, cycles, {}}};
  return work;
}

// A write of row |row| goes to every set that has it.
void Writes(const Ring& ring, int tensor, int64_t first, int64_t last, WorkUnit* work) {
  for (int64_t row = first; row < last; ++row) {
    for (int64_t time = 0; time < ring.Sets(); ++time) {
      const int64_t slot = row - time * ring.step;
      if (slot >= 0 && slot < ring.rows)
        work->folded.push_back({tensor, 1000 * tensor, 1000, time, slot, slot + 1, true});
    }
  }
}

class TurnsTest : public ::testing::TestWithParam<uint64_t> {};

TEST_P(TurnsTest, WhatIsReadIsThere) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Rng rng(GetParam());
  const int64_t links = rng.Range(1, 3), height = rng.Range(20, 50);
  // |made|: the rows that a unit of work makes, for each region; |rings|: one for each link.
  std::vector<int64_t> made{rng.Range(1, 4)};
  std::vector<Ring> rings;
  std::vector<std::vector<WorkUnit>> regions(static_cast<size_t>(links) + 1);
  for (int64_t l = 0; l < links; ++l) {
    const int64_t used = rng.Range(1, 4), both = rng.Range(0, 3);
    const int64_t step = RoundUp(made.back() + used + both + rng.Range(0, 6), used);
    rings.push_back({height, step + both, step});
    made.push_back(used);
  }
  // Rows below its own that a unit of work behind link |l| reads too.
  const auto both_of = [&](size_t l) { return rings[l].rows - rings[l].step; };
  for (size_t r = 0; r < regions.size(); ++r) {
    for (int64_t row = 0; row < height; row += made[r]) {
      WorkUnit work = Work(isa::Unit::kGemm, rng.Range(10, 300));
      const int64_t last = std::min(row + made[r], height);
      if (r > 0) {
        const Ring& ring = rings[r - 1];
        const int64_t time = std::min(row / ring.step, ring.Sets() - 1),
                      end = std::min(last + both_of(r - 1), height);
        work.folded.push_back({static_cast<int>(r), 1000 * static_cast<int64_t>(r), 1000, time,
                               row - time * ring.step, end - time * ring.step, false});
      }
      if (r < rings.size()) Writes(rings[r], static_cast<int>(r) + 1, row, last, &work);
      regions[r].push_back(std::move(work));
    }
  }
  // The set in each slot of each ring.
  std::map<std::pair<int, int64_t>, int64_t> there;
  size_t ran = 0;
  const auto run = [&](const WorkUnit& work) {
    ++ran;
    for (const codegen::accel::FoldedAccess& a : work.folded) {
      for (int64_t slot = a.first; slot < a.last; ++slot) {
        if (a.write) {
          there[{a.activation, slot}] = a.time;
        } else {
          EXPECT_EQ(there.at({a.activation, slot}), a.time) << "tensor " << a.activation;
        }
      }
    }
  };
  std::vector<std::vector<bool>> emitted;
  for (const auto& units : regions) emitted.emplace_back(units.size());
  for (size_t now = 0; now < regions.size(); ++now) {
    Overlap overlap(regions[now], emitted[now]);
    std::vector<std::pair<size_t, size_t>> what;
    for (size_t r = now + 1; r < regions.size(); ++r) {
      overlap.AddRegion(regions[r], emitted[r], {});
      for (size_t u = 0; u < regions[r].size(); ++u) what.emplace_back(r, u);
    }
    const auto emit = [&](size_t s) {
      EXPECT_FALSE(emitted[what[s].first][what[s].second]);
      emitted[what[s].first][what[s].second] = true;
      run(regions[what[s].first][what[s].second]);
    };
    for (size_t u = 0; u < regions[now].size(); ++u) {
      if (emitted[now][u]) continue;
      const auto before = overlap.Before();
      ASSERT_TRUE(before.has_value()) << "no ring is too small";
      for (const size_t s : *before) {
        overlap.Force(s);
        emit(s);
      }
      emitted[now][u] = true;
      run(regions[now][u]);
      overlap.Emitted(u);
      while (const auto s = overlap.Next([&](const WorkUnit&) { return !rng.OneIn(3); })) emit(*s);
    }
  }
  size_t all = 0;
  for (const auto& units : regions) all += units.size();
  EXPECT_EQ(ran, all);
}

INSTANTIATE_TEST_SUITE_P(Seeds, TurnsTest, ::testing::Range<uint64_t>(0, 200));

TEST(Turns, ARingForOneTileIsTooSmall) {
  // Units of two rows in a ring of two: the second unit's rows replace the first one's, which the
  // reader needs together with the second's.
  const Ring ring{6, 2, 1};
  std::vector<WorkUnit> made, used;
  for (int64_t row = 0; row < 6; row += 2) {
    made.push_back(Work(isa::Unit::kGemm, 10));
    Writes(ring, 1, row, row + 2, &made.back());
  }
  for (int64_t row = 0; row < 5; ++row) {
    used.push_back(Work(isa::Unit::kGemm, 10));
    used.back().folded = {{1, 1000, 1000, row, 0, 2, false}};
  }
  Overlap overlap(made, std::vector<bool>(made.size()));
  overlap.AddRegion(used, std::vector<bool>(used.size()), {});
  std::optional<std::vector<size_t>> before = overlap.Before();
  for (size_t u = 0; before && u < made.size(); ++u) {
    for (const size_t s : *before) overlap.Force(s);
    overlap.Emitted(u);
    before = overlap.Before();
  }
  EXPECT_FALSE(before.has_value());
}

}  // namespace
}  // namespace tessera::test::turns_test
