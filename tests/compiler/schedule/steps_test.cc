// SPDX-License-Identifier: Apache-2.0
//
// What is tested: every refusal of a schedule step, that a refused step changes nothing, and the
// text of traces. Elsewhere: refusals that need expressions of their own (own_expressions_test), of
// places, orders and loops (domain_test), prefetch, rewrite and align; what legal steps compute
// (tests/compiler/lower).
#include <gtest/gtest.h>

#include <set>

#include "compiler/schedule/schedule.h"
#include "tests/compiler/schedule/row_sums.h"
#include "tests/compiler/schedule/state.h"

namespace tessera::schedule::steps_test {
namespace {

using ir::Expr;
using Index = std::vector<Expr>;

Schedule Make() {
  const auto [x, a, s, y, z] = test::MakeRowSums();
  // w reads in front of the first element under a condition; v reads both y and z.
  const te::Tensor w = te::Compute("w", {4}, {"i"}, [&](const Index& i) {
    return ir::Select(ir::Lt(0, i[0]), x(i[0] - 1, 0), ir::Imm(DType::kInt32, 0));
  });
  const te::Tensor v =
      te::Compute("v", {4, 6}, {"i", "j"}, [&](const Index& i) { return z(i) + y(i[0]); });
  return *Schedule::Create({y, z, w, v});
}

struct Bad {
  const char* steps;  // all but the last line are legal
  const char* message;
};

TEST(ScheduleSteps, RefusalsNameStepStageAndWayOut) {
  const Bad kBad[] = {
      {"split q i 2 o n", "no stage 'q'; there are: x a s y z w v"},
      {"split x i 2 o n", "'x' is an input and has no loops"},
      {"split y q 2 o n", "stage y has no loop 'q'; its loops are: i"},
      {"split y i 0 o n", "a factor of 0 is below 1"},
      {"split y i $f o n", "no decision 'f'"},
      {"split y i 2 o o", "both parts are called 'o'"},
      {"split y i 2147483649 o n", "a factor of 2147483649 is above 2^31"},
      {"split z i 2 j n", "stage z has a loop 'j' already"},
      {"fuse z j i f", "loops j and i are not neighbours"},
      {"fuse s i k f", "a reduction loop does not fuse"},
      {"reorder z i i", "loop 'i' is named twice"},
      {"compute_at y z i", "y is an output and must be complete"},
      {"compute_at a a i", "a cannot be computed inside itself"},
      {"compute_at a y i", "a is also read by s, which is not computed inside y"},
      {"reverse_compute_at s a i", "s is a reduction, which needs more of a"},
      {"reverse_compute_at y a i", "y does not read a element by element"},
      {"reverse_compute_at y s q", "stage s has no loop 'q'; its loops are: i k"},
      {"reverse_compute_at y s i\nreverse_compute_at y s i",
       "y and s are not computed in one place"},
      {"cache_write y reg t\ncompute_at t y i\nreverse_compute_at t s i",
       "t and s are not computed in one place; compute_at both at one loop, or none"},
      {"cache_write y reg t\nreverse_compute_at t s k\nreverse_compute_at y s i\nreorder s k i",
       "y follows loop i of s and reads t, which follows loop k: that stays the same loop"},
      {"reverse_compute_at y s i\ncompute_at s y i",
       "y is computed inside s, which cannot be inside it too"},
      {"cache_write y reg t\nreverse_compute_at t s i\ncompute_at s y i",
       "t follows the loops of s already; say where s is computed before that"},
      {"cache_write y reg t\nreverse_compute_at y t i\nreverse_compute_at t s i",
       "y follows the loops of t already"},
      {"compute_at s y i\nreverse_compute_at y s i",
       "s is computed inside y, which cannot be inside it too"},
      {"reverse_compute_at y s i\ninline s", "s is a reduction"},
      {"reverse_compute_at z a i\ninline a", "z is computed inside a; inline before"},
      {"cache_write y reg t\nreverse_compute_at t s i\nreverse_compute_at y t i",
       "t follows the loops of s; attach y there too"},
      {"cache_read a local c s\nreverse_compute_at z a i\nreverse_compute_at s c i",
       "s is a reduction"},
      {"skip y i", "y is no sum of integers: of others each iteration counts, adding 0 too"},
      {"skip s q", "s sums over no axis q; it has k"},
      {"skip s k",
       "no condition on k is known to make what s adds 0: pads that are 0 have one, an input's are "
       "not seen"},
      {"inline s", "s is a reduction"},
      {"inline y", "y is an output"},
      {"inline a\nsplit a i 2 o n", "'a' was inlined"},
      {"inline a\ncache_read a local c z", "a was inlined"},
      {"cache_read a local s s", "a stage 's' exists already"},
      {"cache_read x local c y", "y does not read x"},
      {"cache_write a local s", "a stage 's' exists already"},
      {"split a i 2 o n\ncache_write a local c", "a has been scheduled; cache_write comes first"},
      {"layout a 0,1/16", "the pieces of dimension 1"},
      {"layout a 0,7", "no such dimension"},
      {"layout a 0/$f,1,0%2", "no decision 'f'; a decide step must come first"},
      {"layout a 0/2*x,1,0%2", "'x' is neither a number nor a $decision"},
      {"layout a 0/2*,1,0%2", "'' is neither a number nor a $decision"},
      {"layout a 0/2*0,1,0%2", "a factor of 0 is below 1"},
      {"layout a 0/65536*65536,1,0%2", "a factor of 4294967296 is above 2^31"},
      {"decide p places s root\nlayout a 0/$p,1,0%2", "decision 'p' is 'root', which is no number"},
      {"vectorize s k", "k is a reduction"},
      {"tensorize q k nothing", "no stage 'q'"},
      {"tensorize s k nothing", "interpreter has no intrinsic 'nothing'; it has: none"},
      {"decide f {1 2} 3", "3 is not in the domain of f: 1 2"},
      {"decide f {1 2} 1\ndecide f {1 2} 1", "decision 'f' is taken"},
      {"decide f factors z j 4", "4 is not in the domain of f: 1 2 3 6"},
      {"decide f tiles z j 4", "4 is not in the domain of f: 1 2 3 6"},
      {"decide f factors z j most 2 3", "3 is not in the domain of f: 1 2"},
      {"decide f factors z j most 0 1", "a factor of 0 is below 1"},
      {"decide f factors q j 1", "no stage 'q'"},
      {"decide f factors z q 1", "stage z has no loop 'q'"},
      {"decide f factors x j 1", "'x' is an input"},
      {"cache_read x local c s", "s does not read x"},
      {"compute_at s y i before a", "a is not computed at loop i of y, so s cannot be before it"},
      {"compute_at s y i before s", "s is not computed at loop i of y"},
      {"cache_read a local c z\ncompute_at c z i\ncache_read c local d z\ncompute_at d z i\n"
       "compute_at d z i before c",
       "d reads c, which is not before c"},
      {"in_place a z", "z cannot be in place of a: s reads that too"},
      {"in_place s a", "a cannot be in place of s: y reads that too"},
      {"in_place x a", "'x' is an input"},
      {"in_place a s", "s cannot be in place of a: z reads that too"},
      {"cache_read a local c s\nin_place c s", "it does not read that element by element"},
      {"cache_read a local c z\nin_place c z", "they differ in scope or layout"},
      {"cache_read a global c z\nin_place c z\nin_place c z", "z is in place of c already"},
      {"cache_read a global c z\nstorage_align c 0 4 1\nin_place c z",
       "a buffer with storage_align is one stage's own"},
      {"cache_read a global c z\ncompute_at c z i\nin_place c z", "are not computed in one place"},
      {"cache_read a global c z\nin_place c z\ninline c", "that was inlined"},
      {"in_place z v", "v cannot be in place of z: that is an output and must stay"},
      {"cache_write y global t\nreverse_compute_at t s i\nreverse_compute_at y s i\nin_place t y",
       "y cannot be in place of t: an output has its own memory all along; compute the other at"},
      {"storage_align y 0 4 0", "y is an output, whose memory is the caller's"},
      {"storage_align a 2 4 0", "a has 2 physical dimensions, counted from 0; 2 is none"},
      {"storage_align a -1 4 0", "counted from 0; -1 is none"},
      {"storage_align a 0 4 4", "an offset of 4 is no remainder of 4"},
      {"storage_align a 0 0 0", "a factor of 0 is below 1"},
      {"storage_align x 0 4 0", "'x' is an input"},
      {"fold_storage x 0 2 1", "x is not exchanged in a scratchpad"},
      {"set_scope x inp\nlayout x 0/2,1,0%2\nfold_storage x 0 2 1", "its layout has in blocks"},
      {"set_scope x inp\nfold_storage x 0 2 1\nlayout x 0/2,1,0%2", "its layout has in blocks"},
      {"set_scope a inp\nfold_storage a 0 2 1", "a is not exchanged in a scratchpad"},
      {"fold_storage q 0 2 1", "no stage 'q'"},
      {"set_scope x inp\nfold_storage x 2 2 1", "x has 2 dimensions, counted from 0; 2 is none"},
      {"set_scope x inp\nfold_storage x -1 2 1", "counted from 0; -1 is none"},
      {"set_scope x inp\nfold_storage x 0 2 0", "2 rows in steps of 0 of dimension 0 of x"},
      {"set_scope x inp\nfold_storage x 0 2 3", "2 rows in steps of 3 of dimension 0 of x"},
      {"set_scope x inp\nfold_storage x 0 99 1", "1 <= STEP <= ROWS <= "},
      {"set_scope x inp\nfold_storage x 0 2 1 0", "0 planes of x at one time; 1 or more"},
      {"rfactor s i p", "i is no loop of a reduction"},
      {"rfactor s q p", "stage s has no loop 'q'"},
      {"rfactor s k a", "a stage 'a' exists already"},
      {"split s i 2 o n\nrfactor s k p", "s has been scheduled; rfactor comes behind splits"},
      {"unroll s k\nrfactor s k p", "s has been scheduled"},
      {"compute_at s y i\nrfactor s k p", "s has been scheduled"},
      {"cache_read x local c a\nreverse_compute_at y s i\nrfactor s k p", "s has been scheduled"},
      {"reindex a y r", "y does not read a"},
      {"reindex q y r", "no stage 'q'"},
      {"reindex a s s", "a stage 's' exists already"},
      {"inline a\nreindex a s r", "a was inlined"},
      {"split s k 4 o n\nreindex a s r",
       "s reads a outside of it under a condition, in dimension 1; say what is there, as in "
       "'reindex a s r 0', or choose factors that divide"},
      {"split s k 4 o n pad\nreindex a s r 3000000000", "3000000000 is no int32, which a is"},
      {"reindex a s r keep 2", "a has no dimension 2 to keep; it has 2"},
      {"split s k 4 o n pad\nreindex a s r keep 1 0",
       "o of s runs behind its end and moves along a dimension that r keeps; choose factors that "
       "divide"},
      {"lift q 0 reg l", "no stage 'q'"},
      {"lift y 0 reg s", "a stage 's' exists already"},
      {"lift y 2 reg l", "operand 2 of y: number 2 is not there, the operation has 2"},
      {"lift y 0,1 reg l", "operand 0,1 of y: it is written 0.1, numbers from the outermost"},
      {"lift y -1 reg l", "operand -1 of y: it is written 0.1"},
      {"lift z 0.0 reg l", "operand 0.0 of z: an index of a is no value"},
      {"lift s 0 reg l", "operand 0 of s: it differs in loop k of the reduction; reindex or"},
      {"lift z 0 reg l q", "z has no axis 'q'; its axes are: i j"},
      {"lift z 0 reg l i", "operand 0 of z: it differs along j, which is not listed"},
      {"split z i 2 o n\nlift z 0 reg l", "z has been scheduled; lift comes first"},
      {"lift w 0 reg l", "operand 0 of w: a condition or a whole reduction is no value"},
      {"lift w 1 reg l", "operand 1 of w: it is read outside of a tensor where its condition"},
      {"stack p q a", "no stage 'q'"},
      {"stack s y s", "a stage 's' exists already"},
      {"stack p y a", "y does not read a"},
      {"stack p v y z", "y and z differ in type or shape"},
      {"inline a\nstack p z a", "a was inlined"},
      {"prepare q", "no stage 'q'"},
      {"prepare y", "y cannot be prepared: it is an output"},
      {"prepare s", "s cannot be prepared: it reads a, which the function computes"},
      {"set_scope a acc\nprepare a", "a cannot be prepared: it is in acc, which is no memory"},
      {"prepare a\nset_scope a acc", "a cannot be prepared: it is in acc"},
      {"compute_at s y i\nprepare s", "s cannot be prepared: it is computed in the loops of"},
      {"cache_read x global c a\nprepare c\ncompute_at c a i",
       "c cannot be prepared: it is computed in the loops of"},
      {"cache_read x global c a\ncompute_at c a i\nprepare a",
       "a cannot be prepared: it reads c, which the function computes"},
      {"prepare a\nreverse_compute_at z a i", "a cannot be prepared: z is computed in its loops"},
      {"inline a\nprepare s\nalign s k x 4",
       "s cannot be prepared: align sums under a condition, which its definition lacks"},
      {"prepare a\nstorage_align a 0 4 1", "a cannot be prepared: storage_align is for memory of"},
      {"cache_read a global c z\nin_place c z\nprepare a\nprepare c",
       "c cannot be prepared: z is in place of it"},
      {"cache_read x global c a\nin_place c a\nprepare a",
       "a cannot be prepared: it is in place of another stage"},
      {"bind s k thread.x", "k is a reduction: its iterations add to one element"},
      {"bind z q grid.x", "stage z has no loop 'q'; its loops are: i j"},
      {"bind z i grid.x\nbind z j grid.x", "loop i of z is grid.x already; fuse the two"},
      {"parallel s k", "k is a reduction: its iterations add to one element; rfactor makes"},
      {"parallel y q", "stage y has no loop 'q'; its loops are: i"},
      {"parallel q i", "no stage 'q'"},
      {"vthread y q", "stage y has no loop 'q'"},
      {"vthread s k",
       "k is a reduction: its iterations add to one element, and wait for each other"},
      {"double_buffer y",
       "y is an output, whose memory is the caller's; cache_write makes a buffer"},
      {"double_buffer s",
       "s is computed once, so that no copy of it is filled ahead; compute_at puts it inside"},
      {"cache_write y reg t\nreverse_compute_at t s i\ndouble_buffer t",
       "t is computed once, so that no copy of it is filled ahead"},
  };
  for (const Bad& bad : kBad) {
    Schedule s = Make();
    std::string steps = bad.steps;
    const size_t last = steps.rfind('\n');
    if (last != std::string::npos) {
      ASSERT_TRUE(s.Apply(steps.substr(0, last)).has_value()) << steps;
      steps = steps.substr(last + 1);
    }
    const test::ScheduleState before = s;
    const Status status = s.Apply(steps);
    ASSERT_FALSE(status.has_value()) << steps;
    EXPECT_NE(status.error().message.find(bad.message), std::string::npos)
        << status.error().message;
    EXPECT_EQ(test::StateDifference(before, s), "") << steps;
    EXPECT_NE(status.error().message.find(
                  "schedule step " + std::to_string(before.schedule.trace().size() + 1) + " ("),
              std::string::npos)
        << status.error().message;
  }
}

// A step that asks for what the target has not names what it has.
TEST(ScheduleSteps, TargetsHaveTheirOwnMemoriesLoopsAndIntrinsics) {
  target::Target none{.name = "abacus",
                      .memories = {{ir::Scope::kGlobal},
                                   {.scope = ir::Scope::kReg, .bytes = 128, .rotates = true}}};
  none.loops = {ir::LoopKind::kSerial};
  const auto target = std::make_shared<const target::Target>(none);
  const Bad kBad[] = {
      {"set_scope a acc", "abacus has no memory 'acc'; it has: global reg"},
      {"set_scope x reg",
       "x is an input of the function, and reg does not keep what is in it from function to "
       "function; cache_read makes a copy there"},
      {"set_scope y reg", "y is an output of the function, and reg does not keep"},
      {"cache_read x local c a", "abacus has no memory 'local'; it has: global reg"},
      {"cache_write a inp c", "abacus has no memory 'inp'; it has: global reg"},
      {"unroll y i", "abacus takes no loop of kind 'unroll'; it takes: serial"},
      {"parallel y i", "abacus takes no loop of kind 'parallel'; it takes: serial"},
      {"vectorize y i", "abacus takes no loop of kind 'vector'; it takes: serial"},
      {"decide f factors z j room acc 4*$f 1", "abacus has no memory 'acc'"},
      {"decide f factors z j room reg $g*$f 1", "no decision 'g'"},
      {"decide g {-4} -4", "-4 in the domain of g is no size; 0 to 2^31 are"},
      {"decide g {64} 64\ndecide f factors z j room reg 4*$g*$f 1",
       "no tile of the 6 iterations of j is small enough: with 1 in each it takes 256 bytes of "
       "reg, "
       "which has 128 (room reg 4*$g*$f)"},
      {"decide f factors z j room reg 64*$f+9223372036854775807*$f 1", "which has 128"},
      {"decide f factors z j room reg 16*($f+5) 6", "6 is not in the domain of f: 1 2 3"},
      {"bind y i thread.x", "abacus takes no loop of kind 'thread.x'; it takes: serial"},
      {"vthread y i", "abacus takes no loop of kind 'vthread'; it takes: serial"},
      {"double_buffer s",
       "abacus has one copy of a buffer in 'global'; double_buffer is for: reg, where set_scope "
       "puts it"},
      {"set_scope s reg\ncompute_at s y i\ndouble_buffer s\nset_scope s global",
       "abacus has one copy of a buffer in 'global'; double_buffer is for: reg"},
      {"tensorize s k dot", "abacus has no intrinsic 'dot'; it has: none"},
  };
  for (const Bad& bad : kBad) {
    Schedule s = *Schedule::Create(Make().outputs(), target);
    const Trace steps = *ParseTrace(bad.steps);
    for (size_t n = 0; n + 1 < steps.size(); ++n) ASSERT_TRUE(s.Apply(steps[n])) << bad.steps;
    const test::ScheduleState before = s;
    const Status status = s.Apply(steps.back());
    ASSERT_FALSE(status.has_value()) << bad.steps;
    EXPECT_NE(status.error().message.find(bad.message), std::string::npos)
        << status.error().message;
    EXPECT_EQ(test::StateDifference(before, s), "") << bad.steps;
  }
}

// What is no step is refused by its line, before any step.
TEST(ScheduleSteps, TextThatIsNoStepIsRefusedByItsLine) {
  const Bad kBad[] = {
      {"jump y i", "'jump' is no primitive; there are decide split fuse"},
      {"split y i 4", "3 words; write split STAGE AXIS N OUTER INNER [pad|overlap]"},
      {"split y i zero o n", "'zero' is neither a number nor a $decision"},
      {"split y i 2 o n even", "'even': only 'pad' or 'overlap' may follow"},
      {"split y i 2 o n pad pad", "7 words; write split"},
      {"inline y y", "2 words; write inline STAGE"},
      {"compute_at s y i behind a", "'behind': only 'before OTHER' may follow"},
      {"compute_at s y i before",
       "4 words; write compute_at STAGE CONSUMER AXIS|root|$NAME [before OTHER]"},
      {"decide f tiles y i most x 1", "'x' is neither a number nor a $decision"},
      {"decide f tiles y i room inner $f 1", "no scope 'inner'"},
      {"decide f tiles y i room acc", "6 words; write decide NAME DOMAIN VALUE"},
      {"decide f tiles y i room acc x 1", "'x': buffers are written 64*$rows*(2*$columns+1)+256: "},
      {"decide f tiles y i room acc 4*$ 1", "'4*$': buffers are written"},
      {"decide f tiles y i room acc (2*$f+1 1", "'(2*$f+1': buffers are written"},
      {"decide f tiles y i room acc (2+$f) 1", "'(2+$f)': buffers are written"},
      {"decide f tiles y i room acc 2*$f) 1", "'2*$f)': buffers are written"},
      {"decide f tiles y i room acc 2*-4 1", "'2*-4': buffers are written"},
      {"decide f tiles y i room acc 2+ 1", "'2+': buffers are written"},
      {"reorder y", "1 words; write reorder STAGE AXIS AXIS ..."},
      {"cache_read a inner c s", "no scope 'inner'; there are global shared local"},
      {"cache_read a local c", "3 words; write cache_read TENSOR SCOPE NAME READER ..."},
      {"layout a 0,1 x", "'x' is no number"},
      {"reindex a s r keep x", "'x' is no number"},
      {"decide f 1 2 0", "'1': a domain is {1 2 4} in braces, or factors or tiles of a loop"},
      {"bind y i vector",
       "'vector' is nothing to bind to; there are grid.x grid.y grid.z thread.x"},
      {"bind y i",
       "2 words; write bind STAGE AXIS grid.x|grid.y|grid.z|thread.x|thread.y|thread.z"},
      {"decide f {1 x} 0", "'x' is no number"},
      {"decide f places", "2 words; write decide NAME DOMAIN VALUE"},
      {"decide f places s", "3 words; write decide NAME DOMAIN VALUE"},
      {"compute_at s", "1 words; write compute_at STAGE CONSUMER AXIS|root|$NAME [before OTHER]"},
      {"decide f {} 0", "a domain holds at least one number"},
      {"decide f {1 2 0", "write decide NAME DOMAIN VALUE"},
      {"decide f {1 2} 99999999999999999999", "'99999999999999999999' is no number"},
  };
  for (const Bad& bad : kBad) {
    const Result<Trace> parsed = ParseTrace(std::string("inline a  # fine\n\n") + bad.steps);
    ASSERT_FALSE(parsed) << bad.steps;
    EXPECT_EQ(parsed.error().code, Code::kInvalidArgument);
    const std::string& message = parsed.error().message;
    EXPECT_NE(message.find("schedule line 3"), std::string::npos) << message;
    EXPECT_NE(message.find(bad.message), std::string::npos) << message;
  }
}

// Every step's text is what it is read from, and each kind is here.
TEST(ScheduleSteps, EveryStepPrintsWhatItIsReadFrom) {
  const char* kText =
      "decide f {1 2 -4} -4\ndecide g factors y i 2\ndecide h tiles z j most 4 3\n"
      "decide i tiles z j most 4 room acc 64*$f*(2*$i-1)*($i+1)+4 room inp 9+(3*$i) 3\nsplit y i "
      "$f o n\nsplit y i 4 o n pad\nfuse z i j f\n"
      "reorder z j i\ntile z i j 2 $f a b c d\ncompute_at s y i\ncompute_at s y i before a\n"
      "lift y 0.1 reg l\nlift y 0 acc l i j\nrewrite y 0.1 plus_zero\nstack p y a s\nprepare p\n"
      "in_place a z\nreindex x a r\nreindex x a q 0\nrfactor s k p\nstorage_align a 0 $f 1\n"
      "reverse_compute_at y s i\ninline a\n"
      "cache_read x local c a s\ncache_write a reg c\ncache_write a acc c i32\n"
      "set_scope a acc\nlayout a 0,1/16,1%16\n"
      "layout a 1,0 -3\nlayout a 0,1/4*$f,1%$f\nvectorize z j\nunroll z j\nbind z i grid.y\nbind z "
      "j thread.x\ntensorize s k tile.gemm tile.other\nparallel y i\nvthread y i\ndouble_buffer "
      "a\nprefetch a y i $f\ndecide p places s y i\n"
      "decide q places s root\ndecide r orders z j i\ncompute_at s $p\ncompute_at s root\n"
      "compute_at s root i\ncompute_at s $p before a\nreorder z $r\n"
      "split s k 2 o n overlap\nalign s k a 2\nskip s k\nreindex x a q keep 1,3 0\n"
      "fold_storage x 2 10 8 3\nfold_storage y 1 4 4\nspread x a p t\ndecide t loops z none\n"
      "decide u intrinsics s k dot\nparallel z $t\ncompute_at s y "
      "$r\nwinograd s y x 4\n";
  const Result<Trace> parsed = ParseTrace(kText);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(Print(*parsed), kText);
  std::set<size_t> kinds;
  for (const Step& step : *parsed) kinds.insert(step.index());
  EXPECT_EQ(kinds.size(), std::variant_size_v<AnyStep>);
  EXPECT_EQ(std::get<SplitStep>((*parsed)[4]).factor.decision, "f");
  EXPECT_EQ(std::get<SplitStep>((*parsed)[5]).tail, Tail::kPad);
  EXPECT_EQ(std::get<CacheReadStep>((*parsed)[23]).readers, (std::vector<std::string>{"a", "s"}));
  EXPECT_EQ(std::get<LayoutStep>((*parsed)[28]).fill, -3);
}

TEST(ScheduleSteps, InliningBehindAnAttachedStageIsRefused) {
  Schedule s = Make();
  ASSERT_TRUE(s.Apply("cache_read x local c a").has_value());
  ASSERT_TRUE(s.Apply("compute_at c a i").has_value());
  const Status status = s.Apply("inline a");
  ASSERT_FALSE(status.has_value());
  EXPECT_NE(status.error().message.find("c is computed inside a"), std::string::npos);
}

TEST(ScheduleSteps, TextRoundTripsAndReplays) {
  Schedule s = Make();
  ASSERT_TRUE(s.Decide("f", {1, 2, 4}, 1).has_value());
  ASSERT_TRUE(s.Apply("split y i $f io ii\nvectorize y ii\ncompute_at s y io\nset_scope s "
                      "acc")
                  .has_value());
  const std::string text = Print(s.trace());
  EXPECT_EQ(text,
            "decide f {1 2 4} 2\nsplit y i $f io ii\nvectorize y ii\ncompute_at s y "
            "io\nset_scope s acc\n");
  const Result<Trace> parsed = ParseTrace("  # a comment\n" + text);
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(*parsed, s.trace());
  const Result<Schedule> again = Schedule::Replay(s.outputs(), *parsed);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->Find("s")->at_axis, "io");
  EXPECT_EQ(again->Find("s")->scope, ir::Scope::kAcc);
  const Trace edited = WithDecisions(*parsed, {{"f", 4}, {"unknown", 1}});
  EXPECT_EQ(Schedule::Replay(s.outputs(), edited)->decisions()[0].value, 4);
}

}  // namespace
}  // namespace tessera::schedule::steps_test
