// SPDX-License-Identifier: Apache-2.0
//
// What is tested: every random region that the machine takes can be written in steps, whose program
// computes the region's definition; so do programs of random legal schedules: any picks, with other
// orders, places, tiles, threads and copies of buffers; the static checker accepts them. This file
// lists the reasons for which a random schedule may be refused. A schedule that differs is
// shortened. Space: the seeds below for each kind of reduction on four configurations, epilogues of
// up to five passes, up to two tensors beside the input; with TESSERA_SCHEDULE_PROGRAMS that many
// regions of each instead. Not tested here: whole networks (tools_steps_test).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "compiler/schedule/picks.h"
#include "compiler/target/accelerator.h"
#include "isa/check/check.h"
#include "tests/compiler/accel/random_region.h"
#include "tests/compiler/lower/agree.h"

namespace tessera::test::steps_random_test {
namespace {

struct RegionKind {
  const char* name;
  RandomAnchor anchor;
};
constexpr RegionKind kKinds[] = {
    {"product", RandomAnchor::kProduct}, {"activations", RandomAnchor::kActivations},
    {"groups", RandomAnchor::kGroups},   {"channelwise", RandomAnchor::kChannelwise},
    {"sum", RandomAnchor::kSum},         {"extreme", RandomAnchor::kExtreme},
    {"none", RandomAnchor::kNone}};
constexpr uint64_t kSeeds = 40;

// Messages for random legal steps whose program the machine cannot run.
constexpr const char* kRefusals[] = {
    ": two copies are ",  // one copy too many for the room
    " are in use",        // ... or a box that is larger elsewhere
    "; smaller tiles of work, or less that stays",
    ", which a later step took away",  // a split of a loop that contains another stage
    ": it runs under a condition, ",   // an instruction that cannot run on a part of a tile
    " under way, a counter holds ",    // more instructions than a counter has tokens
    ", which a condition skips; ",     // a drain in a last chunk that some iterations skip
    " some elements are computed twice; attach it where its boxes lie apart",  // parts that overlap
};
bool IsKnown(const std::string& message) {
  return std::ranges::any_of(
      kRefusals, [&](const char* known) { return message.find(known) != std::string::npos; });
}

// The kind of a difference: for a refusal the advice at its end, which has no names; otherwise
// "values".
std::string KindOf(const std::string& difference) {
  if (difference.empty() || !difference.starts_with("refused: "))
    return difference.empty() ? "" : "values";
  return difference.substr(std::min(difference.rfind("; "), difference.size() - 1));
}

// Adds random steps to a schedule, as long as they are legal there.
class RandomEdits {
 public:
  RandomEdits(schedule::Schedule* s, Rng& rng) : s_(*s), rng_(rng) {}

  void Make(int64_t count) {
    for (; count > 0; --count) {
      switch (rng_.Range(0, 5)) {
        case 0:
          Order();
          break;
        case 1:
          Place();
          break;
        case 2:
          Try(schedule::DoubleBufferStep{AnyStage().name});
          break;
        case 3:
          Threads();
          break;
        case 4:
          Before();
          break;
        default:
          Split();
      }
    }
  }

 private:
  bool Try(const schedule::Step& step) { return s_.Apply(step).has_value(); }
  const auto& Any(const auto& from) {
    return from[static_cast<size_t>(rng_.Range(0, std::ssize(from) - 1))];
  }
  const schedule::Stage& AnyStage() {
    for (;;) {
      const schedule::Stage& stage = Any(s_.stages());
      if (!stage.placeholder && !stage.prepared && stage.attach != schedule::Attach::kInline)
        return stage;
    }
  }
  std::string AnyLoop(const schedule::Stage& stage) { return Any(stage.leaves).name; }
  static bool IsInInstruction(const schedule::Stage& stage, const std::string& axis) {
    const int instruction = stage.LeafIndex(stage.tensorize_axis);
    return instruction >= 0 && stage.LeafIndex(axis) >= instruction;
  }
  std::string Fresh(const char* name) { return fmt::format("{}{}", name, made_++); }

  void Order() {
    const schedule::Stage& stage = AnyStage();
    schedule::DecideStep decide{
        .name = Fresh("order"),
        .domain = {.kind = schedule::DomainKind::kOrders, .stage = stage.name}};
    for (int64_t k = rng_.Range(2, 3); k > 0; --k) decide.value.words.push_back(AnyLoop(stage));
    const auto orders = s_.ValuesOf(decide);
    if (!orders) return;
    decide.value = Any(*orders);
    EXPECT_TRUE(Try(decide));
    EXPECT_TRUE(
        Try(schedule::ReorderStep{.stage = decide.domain.stage, .axes = {"$" + decide.name}}));
  }
  void Place() {
    const std::string stage = AnyStage().name;
    schedule::DecideStep decide{.name = Fresh("place"),
                                .domain = {.kind = schedule::DomainKind::kPlaces, .stage = stage}};
    const auto places = s_.ValuesOf(decide);
    if (!places) return;
    decide.value = Any(*places);
    EXPECT_TRUE(Try(decide));
    EXPECT_TRUE(Try(schedule::ComputeAtStep{.stage = stage, .place = {.decision = decide.name}}));
  }
  void Threads() {
    const schedule::Stage& stage = AnyStage();
    const std::string axis = AnyLoop(stage);
    if (!IsInInstruction(stage, axis)) Try(schedule::VthreadStep{stage.name, axis});
  }
  // Another order of what is computed at one loop.
  void Before() {
    const schedule::Stage& stage = AnyStage();
    if (stage.attach != schedule::Attach::kAt) return;
    Try(schedule::ComputeAtStep{.stage = stage.name,
                                .place = {stage.at_stage, stage.at_axis, ""},
                                .before = {AnyStage().name}});
  }
  // Any tiles of a loop, outside the loops that an instruction has.
  void Split() {
    const schedule::Stage& stage = AnyStage();
    const std::string axis = AnyLoop(stage);
    if (IsInInstruction(stage, axis)) return;
    Try(schedule::SplitStep{.stage = stage.name,
                            .axis = axis,
                            .factor = {rng_.Range(1, 4)},
                            .outer = Fresh("o"),
                            .inner = Fresh("i")});
  }

  schedule::Schedule& s_;
  Rng& rng_;
  int made_ = 0;
};

// A schedule of |output| that begins with |trace|.
Result<schedule::Schedule> RandomLegal(const te::Tensor& output, const schedule::Trace& trace,
                                       const isa::Config& config, Rng& rng) {
  TESSERA_ASSIGN(
      schedule::Trace picked,
      schedule::PickedBy(output, trace, target::Accelerator(config), schedule::AnyOf(rng)));
  const int64_t edits = rng.Range(0, 4);
  if (edits > 0) {
    std::erase_if(picked, [&](const schedule::Step& step) {
      return std::holds_alternative<schedule::DoubleBufferStep>(step) && rng.OneIn(4);
    });
  }
  TESSERA_ASSIGN(schedule::Schedule s,
                 schedule::Schedule::Replay({output}, picked, target::Accelerator(config)));
  RandomEdits(&s, rng).Make(edits);
  return s;
}

class RandomSteps : public ::testing::TestWithParam<std::tuple<std::string, RegionKind>> {
 protected:
  // A region with its values; nothing if the machine refuses it.
  std::optional<Compiled> Region(Rng& rng) {
    Compiled c = RandomRegion(std::get<1>(GetParam()).anchor, 5, rng);
    Result<ProgramAlone> direct = CompileAlone(c.activations, c.regions, config_);
    if (!direct) {
      const auto says = [&](const char* text) {
        return direct.error().message.find(text) != std::string::npos;
      };
      EXPECT_TRUE(says(" has no batch, and tiles of configuration") ||
                  says(" images, which GEMM multiplies by the same weights, and here each "))
          << direct.error().message << "\n"
          << te::Print({c.regions[0].output})
          << schedule::Print(
                 lower::accel::StepsOf(c.regions[0], config_).value_or(schedule::Trace()));
      return std::nullopt;
    }
    c.program = std::move(*direct);
    values_.clear();
    for (size_t k = 0; k + 1 < c.activations.size(); ++k) {
      int64_t count = 1;
      for (const int64_t n : c.activations[k].shape) count *= n;
      for (; count > 0; --count)
        values_[static_cast<int>(k)].push_back(static_cast<int8_t>(rng.Range(-128, 127)));
    }
    Evaluate(c, values_);
    return c;
  }
  // "" if the program of |trace| gives the region's result, or if |may_refuse| and it is refused
  // for a known reason; otherwise the difference.
  std::string Difference(Compiled c, const schedule::Trace& trace, uint64_t seed, bool may_refuse) {
    c.regions[0].schedule = trace;
    Result<ProgramAlone> program = CompileAlone(c.activations, c.regions, config_);
    if (!program) {
      const std::string& message = program.error().message;
      ++refused_;
      return may_refuse && IsKnown(message) ? "" : "refused: " + message;
    }
    c.program = std::move(*program);
    return RunAndCompare(c, config_, values_, seed) +
           isa::CheckProgram(c.program.image, config_).ToString();
  }

  const isa::Config config_ = NamedConfig(std::get<0>(GetParam()));
  Values values_;
  int refused_ = 0;
};

// Seeds of earlier faults: on tiny, plans of "product" had parts that reached into the channels of
// the next tile, and a box of windows of one column in "groups" was larger than planned.
constexpr uint64_t kFinds[] = {109, 115, 738};

TEST_P(RandomSteps, GiveTheDefinition) {
  int taken = 0;
  std::vector<uint64_t> seeds(std::begin(kFinds), std::end(kFinds));
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) seeds.push_back(seed);
  for (const uint64_t seed : seeds) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed);
    const std::optional<Compiled> c = Region(rng);
    if (!c) continue;
    ++taken;
    const Result<schedule::Trace> steps = lower::accel::StepsOf(c->regions[0], config_);
    ASSERT_TRUE(steps.has_value()) << steps.error().message;
    EXPECT_EQ(schedule::ParseTrace(schedule::Print(*steps)), *steps);
    EXPECT_EQ(Difference(*c, *steps, seed, false), "") << schedule::Print(*steps);
  }
  // GEMM multiplies the rows of all images by the same weights.
  const bool own =
      std::get<1>(GetParam()).anchor == RandomAnchor::kActivations && config_.batch > 1;
  EXPECT_GE(taken, own ? 24 : 34) << "the machine takes too few of them";
}

TEST_P(RandomSteps, OfAnyLegalScheduleGiveTheDefinition) {
  const ProgramSearch search = FromEnvironment({.seed = 1, .programs = 20});
  int ran = 0;
  for (uint64_t seed = search.seed; seed < search.seed + search.programs; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed);
    const std::optional<Compiled> c = Region(rng);
    if (!c) continue;
    const te::Tensor& output = c->regions[0].output;
    const schedule::Trace& given = c->program.traces[0];
    for (int k = 0; k < 3; ++k) {
      const Result<schedule::Schedule> s = RandomLegal(output, given, config_, rng);
      ASSERT_TRUE(s.has_value()) << s.error().message << "\n" << schedule::Print(given);
      ++ran;
      const std::string wrong = Difference(*c, s->trace(), seed, true);
      if (wrong.empty()) continue;
      // A shorter schedule with another kind of difference is another fault.
      const auto fails = [&](const schedule::Schedule& other) {
        return KindOf(Difference(*c, other.trace(), seed, true)) == KindOf(wrong);
      };
      const schedule::Trace least =
          Shortened(output, s->trace(), target::Accelerator(config_), fails);
      FAIL() << te::Print({output}) << schedule::Print(least) << Difference(*c, least, seed, true);
    }
  }
  EXPECT_LE(2 * refused_, ran) << "of " << ran << " schedules";
}

INSTANTIATE_TEST_SUITE_P(Regions, RandomSteps,
                         ::testing::Combine(::testing::Values("default", "tiny", "wide", "batch4"),
                                            ::testing::ValuesIn(kKinds)),
                         [](const auto& param) {
                           return fmt::format("{}_{}", std::get<0>(param.param),
                                              std::get<1>(param.param).name);
                         });

}  // namespace
}  // namespace tessera::test::steps_random_test
