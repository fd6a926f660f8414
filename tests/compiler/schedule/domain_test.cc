// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the domains of decisions, numbers, places, orders, loops and intrinsics, as what
// the steps before leave of them; every refusal that has to do with these words. Not tested here:
// that no value of a domain is illegal in random programs (tests/compiler/lower/decisions_test).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/schedule/schedule.h"
#include "compiler/target/host_level.h"
#include "tests/compiler/schedule/row_sums.h"
#include "tests/compiler/schedule/state.h"

namespace tessera::schedule::domain_test {
namespace {

using Index = std::vector<ir::Expr>;

// A layout follows the decisions that its blocks name, as the loops that are split by them do.
TEST(Layouts, FollowDecisions) {
  const te::Tensor x = te::Placeholder("x", DType::kInt32, {48, 30});
  const te::Tensor y =
      te::Compute("y", {48, 30}, {"i", "j"}, [&](const Index& i) { return x(i) + 1; });
  const auto layout = [&](int64_t f) {
    Schedule s = *Schedule::Create({y});
    const Status applied =
        s.Apply(fmt::format("decide f {{1 2 4}} {}\nlayout x 0/3*$f,1,0/$f%3,0%$f", f));
    EXPECT_TRUE(applied) << applied.error().message;
    return s.Find("x")->layout;
  };
  for (const int64_t f : {1, 2, 4}) {
    std::vector<LayoutDim> dims{
        {.dim = 0, .div = 3 * f}, {.dim = 1}, {.dim = 0, .div = f, .mod = 3}};
    if (f > 1) dims.push_back({.dim = 0, .mod = f});  // blocks of one index are no dimension
    EXPECT_EQ(layout(f).dims, dims) << f;
  }
}

// Domains follow the steps before them: a factor of what an earlier decision left, as much as
// there is room for.
TEST(Domains, AreFunctionsOfThePrefix) {
  target::Target small = *target::Interpreter();
  for (target::TargetMemory& m : small.memories)
    if (m.scope == ir::Scope::kAcc) m.bytes = 96;
  const te::Tensor x = te::Placeholder("x", DType::kInt32, {28, 30});
  const te::Tensor y =
      te::Compute("y", {28, 30}, {"i", "j"}, [&](const Index& i) { return x(i) + 1; });
  const auto values = [&](const std::string& prefix, const std::string& decide) {
    Schedule s = *Schedule::Create({y}, std::make_shared<const target::Target>(small));
    EXPECT_TRUE(s.Apply(prefix).has_value()) << prefix;
    const Trace step = *ParseTrace(decide + " 1");
    const auto all = s.ValuesOf(std::get<DecideStep>(step[0]));
    std::vector<int64_t> numbers;
    for (const Choice& c : all ? *all : std::vector<Choice>{}) numbers.push_back(c.number);
    return numbers;
  };
  using Values = std::vector<int64_t>;
  EXPECT_EQ(values("", "decide f factors y i"), (Values{1, 2, 4, 7, 14, 28}));
  EXPECT_EQ(values("", "decide f tiles y i"), (Values{1, 2, 3, 4, 5, 6, 7, 10, 14, 28}));
  // The sizes of tiles of which no smaller one is as few, by that definition.
  for (int64_t n = 1; n <= 28; ++n) {
    Values sizes;
    for (int64_t s = 1; s <= n; ++s) {
      if (s == 1 || (n + s - 1) / s != (n + s - 2) / (s - 1)) sizes.push_back(s);
    }
    EXPECT_EQ(values(fmt::format("split y i {} o n", n), "decide f tiles y n"), sizes) << n;
  }
  EXPECT_EQ(values("split y i 7 o n", "decide f factors y o"), (Values{1, 2, 4}));
  EXPECT_EQ(values("fuse y i j f", "decide f factors y f most 9"),
            (Values{1, 2, 3, 4, 5, 6, 7, 8}));
  const std::string rows = "decide rows factors y i ";
  EXPECT_EQ(values(rows + "2", "decide f factors y j room acc 4*$rows*$f"),
            (Values{1, 2, 3, 5, 6, 10}));
  EXPECT_EQ(values(rows + "7", "decide f factors y j room acc 4*$rows*$f"), (Values{1, 2, 3}));
  EXPECT_EQ(values(rows + "28", "decide f factors y j room acc 4*$rows*$f"), Values{});
  EXPECT_EQ(values("", "decide f factors y j room local 256*$f"),  // not counted
            (Values{1, 2, 3, 5, 6, 10, 15, 30}));
  // Boxes of 1, 3, 5, 9, 11 and 19; buffers of 1 2 3 5 and 6 times 14 bytes, beside 9.
  EXPECT_EQ(values("", "decide f factors y j room acc 5*(2*$f-1)"), (Values{1, 2, 3, 5, 6, 10}));
  EXPECT_EQ(values("", "decide f factors y j room acc 14*$f+9"), (Values{1, 2, 3, 5, 6}));
  EXPECT_EQ(values("", "decide f factors y j most 3 room acc 14*$f+9"), (Values{1, 2, 3}));
  EXPECT_EQ(values("", "decide f factors y j room acc 14*$f room acc 20*$f"), (Values{1, 2, 3}));
  // In whole quarters of 24 bytes, the 9 beside 4 of them have no room.
  for (target::TargetMemory& m : small.memories)
    if (m.scope == ir::Scope::kAcc) m.banks = 4;
  EXPECT_EQ(values("", "decide f factors y j room acc 14*$f+9"), (Values{1, 2, 3, 5}));
}

// x -> a -> s (row sums) -> y; c is a copy of x that a reads.
Schedule Sums(std::shared_ptr<const target::Target> target = target::Interpreter()) {
  Schedule made = *Schedule::Create({test::MakeRowSums().y}, std::move(target));
  EXPECT_TRUE(made.Apply("cache_read x local c a"));
  return made;
}

// The values of a decision behind |prefix|, separated by commas; or what is wrong.
std::string Values(const std::string& prefix, const std::string& decide) {
  Schedule s = Sums();
  const Status applied = s.Apply(prefix);
  EXPECT_TRUE(applied) << applied.error().message;
  const Result<Trace> step = ParseTrace(decide);
  EXPECT_TRUE(step) << step.error().message;
  const auto all = s.ValuesOf(std::get<DecideStep>((*step)[0]));
  if (!all) return all.error().message;
  std::string text;
  for (const Choice& c : *all) text += (text.empty() ? "" : ", ") + Print(c);
  return text;
}

TEST(Domains, OfPlacesAreLoopsThatAllReadersAreIn) {
  const std::string a = "decide p places a root", c = "decide p places c root";
  EXPECT_EQ(Values("", a), "root, s i, s k");
  EXPECT_EQ(Values("", c), "root, a i, a j");
  EXPECT_EQ(Values("", "decide p places y root"), "root");  // an output
  EXPECT_EQ(Values("compute_at s y i", a), "root, s i, s k, y i");
  // c is in a's loops already, wherever that goes.
  EXPECT_EQ(Values("compute_at c a i", a), "root, s i, s k");
  // Where a stays in reach of what it reads.
  EXPECT_EQ(Values("compute_at a s i\ncompute_at c s i", a), "s i, s k");
  EXPECT_EQ(Values("compute_at a s k\ncompute_at c s k", a), "s k");
  EXPECT_EQ(Values("compute_at a s i\ncompute_at c s i", c), "root, a i, a j, s i");
  EXPECT_EQ(Values("split s k 3 o n\nvectorize s i", a), "root, s i, s o, s n");
  // What follows its loops would have to move along.
  EXPECT_EQ(Values("cache_write a reg t\nreverse_compute_at a t i", "decide p places t root"),
            "no place of t is legal: what reads it, or is computed with it, is out of reach");
  // y follows s and reads of it what t copied there: t stays.
  EXPECT_EQ(Values("cache_read s reg t y\nreverse_compute_at t s i\nreverse_compute_at y s i",
                   "decide p places t root"),
            "no place of t is legal: what reads it, or is computed with it, is out of reach");
  EXPECT_EQ(Values("", "decide p places q root").substr(0, 14), "no stage 'q'; ");
  EXPECT_EQ(Values("", "decide p places x root"),
            "'x' is an input and has no loops; cache_read makes a stage of it");
}

TEST(Domains, OfPlacesLeaveInstructionsAlone) {
  target::Target target = *target::Interpreter();
  const te::Tensor p = te::Placeholder("p", DType::kInt32, {6});
  target.intrinsics = {
      {.name = "sum.row",
       .call = "sum.row",
       .behaviour = te::Compute("out", {6}, {"j"}, [&](const Index& j) { return p(j[0]) + 1; })}};
  Schedule s = Sums(std::make_shared<const target::Target>(target));
  ASSERT_TRUE(s.Apply("tensorize s k sum.row"));
  EXPECT_EQ(s.ValuesOf({.name = "p", .domain = {.kind = DomainKind::kPlaces, .stage = "a"}}),
            (std::vector<Choice>{Choice({"root"}), Choice({"s", "i"})}));
  const auto order = s.ValuesOf({.name = "o",
                                 .domain = {.kind = DomainKind::kOrders, .stage = "s"},
                                 .value = Choice({"i", "k"})});
  ASSERT_FALSE(order);
  EXPECT_EQ(order.error().message, "loop k is part of one instruction, from k on");
}

TEST(Domains, OfOrdersKeepReadersInReach) {
  EXPECT_EQ(Values("", "decide o orders a i j"), "i j, j i");
  EXPECT_EQ(Values("", "decide o orders a j i"), "i j, j i");
  EXPECT_EQ(Values("split s k 3 o n", "decide o orders s n i o"),
            "i o n, i n o, o i n, o n i, n i o, n o i");
  EXPECT_EQ(Values("split s k 3 o n", "decide o orders s n i"), "i n, n i");
  // c is computed in loop i of s, for a, which is in loop k.
  const std::string inside = "compute_at a s k\ncompute_at c s i\n";
  EXPECT_EQ(Values(inside, "decide o orders s i k"), "i k");
  // A prefetch wants its loop outside of what it fetches.
  EXPECT_EQ(Values("split s k 3 o n\ncompute_at c a i\ncompute_at a s o\nprefetch a s n 1",
                   "decide o orders s o n"),
            "o n");
}

// c[i, j] = sum of 8 products of a[i] and b[j], of bytes, and what a host with vectors of 512 bits
// makes of it behind |steps|.
Result<Schedule> Products(const std::string& steps, const char* level = "x86-64-v4-vnni",
                          DType left = DType::kUint8) {
  const te::Tensor a = te::Placeholder("a", left, {6, 8}),
                   b = te::Placeholder("b", DType::kInt8, {48, 8});
  const te::Axis k = te::ReduceAxis("k", 8);
  const te::Tensor c = te::Compute("c", {6, 48}, {"i", "j"}, [&](const Index& i) {
    return te::Sum(
        ir::Cast(DType::kInt32, a(i[0], k.var)) * ir::Cast(DType::kInt32, b(i[1], k.var)), {k});
  });
  Schedule s = *Schedule::Create({c}, target::Host(*target::FindHostLevel(level)));
  TESSERA_TRY(s.Apply(steps));
  return s;
}

TEST(Domains, OfIntrinsicsAreThoseThatFitTheSums) {
  const auto values = [](const std::string& steps, const std::string& decide) {
    const Result<Schedule> s = Products(steps);
    EXPECT_TRUE(s) << s.error().message;
    const auto all = s->ValuesOf(std::get<DecideStep>((*ParseTrace(decide))[0]));
    if (!all) return all.error().message;
    std::string text;
    for (const Choice& c : *all) text += (text.empty() ? "" : " ") + Print(c);
    return text;
  };
  const std::string both = values("", "decide d intrinsics c j x");
  EXPECT_NE(both.find("dot_u8s8x16"), std::string::npos) << both;
  EXPECT_NE(both.find("dot_u8s8x8"), std::string::npos) << both;
  EXPECT_EQ(values("split c j 24 o n", "decide d intrinsics c n x"), "dot_u8s8x16 dot_u8s8x8");
  EXPECT_EQ(values("split c j 8 o n", "decide d intrinsics c n x"), "dot_u8s8x8");
  EXPECT_EQ(values("", "decide d intrinsics c i x"), "dot_u8s8x8");
  EXPECT_EQ(values("cache_write c reg t", "decide d intrinsics c j x"),
            "c is no sum of products of two tensors");
  EXPECT_EQ(values("", "decide d intrinsics c q x"),
            "stage c has no loop 'q'; its loops are: i j k");
  // 28 of 32 registers, one or a half of which holds the sums.
  EXPECT_EQ(values("decide d intrinsics c j dot_u8s8x8\nsplit c j $d.lanes o n",
                   "decide f factors c o most $d.depth 1"),
            "1 2 3");
  EXPECT_EQ(values("decide d intrinsics c j dot_u8s8x16", "decide f factors c j most $d.sums 1"),
            "1 2 3 4 6 8 12 16 24");
}

TEST(Domains, OfIntrinsicsNeedTypesThatOneMultiplies) {
  const Result<Schedule> s = Products("", "x86-64-v3", DType::kInt8);
  ASSERT_TRUE(s) << s.error().message;
  const auto none =
      s->ValuesOf(std::get<DecideStep>((*ParseTrace("decide d intrinsics c j x"))[0]));
  ASSERT_FALSE(none);
  EXPECT_NE(
      none.error().message.find("has no intrinsic that sums i8 x i8 as i32; leave tensorize out"),
      std::string::npos)
      << none.error().message;
}

TEST(Domains, OfIntrinsicsGiveSplitsLayoutsAndInstructions) {
  for (const int64_t lanes : {8, 16}) {
    const std::string name = fmt::format("dot_u8s8x{}", lanes);
    const Result<Schedule> s = Products(
        fmt::format("decide d intrinsics c j {}\nsplit c j $d.lanes o n\nsplit c k $d.depth ko kn\n"
                    "layout b 0/2*$d.lanes,1,0%2*$d.lanes\nreorder c i o ko n kn\ntensorize c n $d",
                    name));
    ASSERT_TRUE(s) << s.error().message;
    EXPECT_EQ(s->Find("c")->intrinsics, std::vector<std::string>{name});
    EXPECT_EQ(s->Find("c")->relations[0].factor, lanes);
    EXPECT_EQ(s->Find("c")->relations[1].factor, 4);
    EXPECT_EQ(s->Find("b")->layout.dims[0].div, 2 * lanes);
  }
  const struct {
    const char *steps, *message;
  } kBad[] = {
      {"decide d intrinsics c j dot", "dot is not in the domain of d: dot_u8s8x"},
      {"decide d intrinsics c j dot_u8s8x8\nsplit c j $d.width o n",
       "intrinsic 'd' has no 'width'; it has lanes, depth and sums"},
      {"split c j $d.lanes o n", "no decision 'd'; a decide step must come first"},
      {"decide d factors c j 2\nsplit c j $d.lanes o n", "decision 'd' is '2', which is no intr"},
      {"decide d intrinsics c j dot_u8s8x8\nsplit c j $d o n",
       "decision 'd' is 'dot_u8s8x8', which is no number"},
      {"tensorize c j $d", "no decision 'd'"},
      {"decide d factors c j 2\ntensorize c j $d", "decision 'd' is '2', which is no intrinsic"},
      {"decide f factors c j most $d 2", "no decision 'd'"},
  };
  for (const auto& bad : kBad) {
    const Result<Schedule> s = Products(bad.steps);
    ASSERT_FALSE(s) << bad.steps;
    EXPECT_NE(s.error().message.find(bad.message), std::string::npos) << s.error().message;
  }
}

TEST(Domains, OfLoopsAreThoseThatMayBeParallel) {
  EXPECT_EQ(Values("", "decide l loops a none"), "none, i, j");
  EXPECT_EQ(Values("", "decide l loops s none"), "none, i");  // k is of a sum
  EXPECT_EQ(Values("reorder s k i", "decide l loops s none"), "none");
  EXPECT_EQ(Values("vectorize a j", "decide l loops a none"), "none, i");
  EXPECT_EQ(Values("split a i 1 o n\nsplit a j 3 none v", "decide l loops a none"),
            "none, o, v");  // one iteration; another meaning
  // Iterations that a decision left.
  EXPECT_EQ(Values("decide f factors a i 4\nsplit a i $f o n", "decide l loops a none"),
            "none, n, j");
  EXPECT_EQ(Values("decide f factors a i 2\nsplit a i $f o n", "decide l loops a none"),
            "none, o, n, j");
}

TEST(Domains, RefusalsOfPlacesOrdersAndLoops) {
  const struct {
    const char *before, *step, *message;
  } kBad[] = {
      {"", "decide p places s s i", "s i is not in the domain of p: root, y i"},
      {"", "decide p places s y", "y is not in the domain of p: root, y i"},
      {"", "decide o orders a i", "an order is of 2 to 4 loops, 1 are named"},
      {"", "decide o orders a i i", "loop 'i' is named twice"},
      {"", "decide o orders a i q", "stage a has no loop 'q'; its loops are: i j"},
      {"split a i 2 o n\nsplit a j 3 u v\nsplit a v 2 v w\n", "decide o orders a o n u v w",
       "an order is of 2 to 4 loops, 5 are named"},
      {"", "compute_at s $p", "no decision 'p'; a decide step must come first"},
      {"", "reorder a $o", "no decision 'o'"},
      {"compute_at s y i\ncompute_at a y i\ncompute_at s root\n", "decide o orders s i k",
       "no order of these loops of s keeps every reader in reach"},
      {"decide p places s root\n", "reorder a $p", "decision 'p' is 'root', which is no order"},
      {"decide p places s y i\n", "split a i $p o n", "decision 'p' is 'y i', which is no number"},
      {"decide o orders a j i\n", "compute_at s $o", "decision 'o' is 'j i', which is no place"},
      {"decide o orders a j i\n", "compute_at s a $o",
       "s is also read by y, which is not computed inside a"},
      {"decide o orders s i k\n", "compute_at s y $o", "stage y has no loop 'k'; its loops are: i"},
      {"", "compute_at a s $o", "no decision 'o'"},
      {"decide p places a s i\n", "compute_at a s $p", "decision 'p' is 's i', which is no order"},
      {"", "decide l loops s k", "k is not in the domain of l: none, i"},
      {"", "decide l loops s i k", "i k is not in the domain of l: none, i"},
      {"", "parallel s $l", "no decision 'l'; a decide step must come first"},
      {"decide o orders a j i\n", "parallel s $o",
       "decision 'o' is 'j i', which is no choice of a"},
      {"decide l loops a j\n", "parallel s $l", "stage s has no loop 'j'; its loops are: i k"},
      {"decide f {1 2} 2\n", "compute_at s $f", "decision 'f' is '2', which is no place"},
      {"", "compute_at s root before a", "'before a' orders what is computed at one loop"},
      {"decide p places s y i\n", "compute_at s $p before a", "'before a' orders what is"},
      {"compute_at s y i\ndouble_buffer s\n", "compute_at s root",
       "s is filled ahead, by double_buffer; at the root it is computed once"},
      {"cache_write y reg t\nreverse_compute_at t s i\n", "compute_at s root",
       "t follows the loops of s already"},
  };
  for (const auto& bad : kBad) {
    SCOPED_TRACE(std::string(bad.before) + bad.step);
    Schedule s = Sums();
    ASSERT_TRUE(s.Apply(bad.before).has_value());
    const test::ScheduleState before = s;
    const Status status = s.Apply(std::string(bad.step));
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find(bad.message), std::string::npos)
        << status.error().message;
    EXPECT_EQ(test::StateDifference(before, s), "");
  }
}

TEST(Domains, PicksOfLoopsAreWhatStepsDo) {
  Schedule s = Sums();
  ASSERT_TRUE(
      s.Apply("decide o orders a j i\nreorder a $o\ncompute_at c a $o\ndecide l loops a j\n"
              "parallel a $l"));
  EXPECT_EQ(s.Find("c")->at_axis, "i");
  EXPECT_EQ(s.Find("a")->leaves[0].kind, ir::LoopKind::kParallel);
  const Trace edited =
      WithDecisions(s.trace(), {{"o", Choice({"i", "j"})}, {"l", Choice({"none"})}});
  const Result<Schedule> other = Schedule::Replay(s.outputs(), edited);
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(other->Find("c")->at_axis, "j");
  for (const LoopAxis& loop : other->Find("a")->leaves) EXPECT_EQ(loop.kind, ir::LoopKind::kSerial);
}

TEST(Domains, PicksOfPlacesAndOrdersAreWhatStepsDo) {
  Schedule s = Sums();
  ASSERT_TRUE(
      s.Apply("decide p places a s i\ncompute_at a $p\ndecide o orders a j i\nreorder a $o"));
  EXPECT_EQ(s.Find("a")->at_stage, "s");
  EXPECT_EQ(s.Find("a")->at_axis, "i");
  EXPECT_EQ(s.Find("a")->leaves[0].name, "j");
  const Trace elsewhere =
      WithDecisions(s.trace(), {{"p", Choice({kRootPlace})}, {"o", Choice({"i", "j"})}});
  const Result<Schedule> other = Schedule::Replay(s.outputs(), elsewhere);
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(other->Find("a")->attach, Attach::kRoot);
  EXPECT_EQ(other->Find("a")->at_stage, "");
  EXPECT_EQ(other->Find("a")->leaves[0].name, "i");
}

}  // namespace
}  // namespace tessera::schedule::domain_test
