// SPDX-License-Identifier: Apache-2.0
//
// What is tested: steps that would lose what an earlier one said of a loop (its kind, that it is
// an instruction, what is computed at it) are refused, and so are loops that nobody can count,
// names that a step's text would not read back, and hints for what a target has not. Not tested
// here: every other refusal (steps_test.cc), splits with `pad` (tests/compiler/lower).
#include <gtest/gtest.h>

#include "compiler/schedule/schedule.h"
#include "compiler/target/accelerator.h"
#include "tests/compiler/schedule/row_sums.h"

namespace tessera::schedule::loops_test {
namespace {

std::vector<te::Tensor> Outputs() {
  const test::RowSums t = test::MakeRowSums();
  return {t.y, t.z};
}

// The interpreter, with an intrinsic `dot`.
std::shared_ptr<const target::Target> WithDot() {
  target::Target target = *target::Interpreter();
  target.intrinsics = {{"dot", "dot", Outputs()[0]}};
  return std::make_shared<const target::Target>(std::move(target));
}

// What the last line of |steps| is refused with; the others are legal.
std::string Refusal(const std::string& steps, std::shared_ptr<const target::Target> target) {
  Schedule s = *Schedule::Create(Outputs(), std::move(target));
  const size_t last = steps.rfind('\n') + 1;
  const Status before = s.Apply(steps.substr(0, last));
  EXPECT_TRUE(before) << before.error().message;
  const Trace trace = s.trace();
  const Status status = s.Apply(steps.substr(last));
  EXPECT_EQ(s.trace() == trace, !status.has_value()) << steps;
  return status ? "" : status.error().message;
}

TEST(ScheduleLoops, NothingThatAStepSaidIsLost) {
  const std::pair<const char*, const char*> kBad[] = {
      {"bind z i grid.x\nsplit z i 2 o n",
       "loop i of z is grid.x already, which would be lost; put this step in front of that"},
      {"vectorize z j\nfuse z i j f", "loop j of z is vector already"},
      {"bind z i thread.x\nfuse z i j f", "loop i of z is thread.x already"},
      {"unroll z j\ntile z i j 2 3 a b c d", "loop j of z is unroll already"},
      {"parallel y i\nsplit y i 2 o n pad", "loop i of y is parallel already"},
      {"vthread y i\nsplit y i 2 o n", "loop i of y is vthread already"},
      {"tensorize z j dot\nsplit z j 2 o n",
       "loop j of z is part of one instruction, from j on; put this step in front of tensorize"},
      {"tensorize z i dot\nsplit z j 2 o n", "loop j of z is part of one instruction, from i on"},
      {"tensorize z j dot\nfuse z i j f", "loop j of z is part of one instruction, from j on"},
      {"vectorize z j\nunroll z j",
       "loop j of z is vector already and cannot be unroll too; split it first, or leave one out"},
      {"bind z i grid.x\nbind z i thread.x",
       "loop i of z is grid.x already and cannot be thread.x"},
      {"bind z i grid.x\nparallel z i", "loop i of z is grid.x already and cannot be parallel too"},
      {"compute_at s y i\nsplit y i 2 o n",
       "s is computed at loop i of y, which would be gone; put this step in front of the one that "
       "attaches s"},
      {"reverse_compute_at z a j\nfuse a i j f", "z is computed at loop j of a, which would be"},
      {"reverse_compute_at z a j\ntile a i j 2 2 b c d e", "z is computed at loop j of a"},
  };
  for (const auto& [steps, message] : kBad) {
    const std::string why = Refusal(steps, WithDot());
    EXPECT_NE(why.find(message), std::string::npos) << steps << ": " << why;
  }
  for (const char* steps :
       {"tensorize z j dot\nsplit z i 2 o n", "vectorize z j\nvectorize z j",
        "vectorize z j\ntensorize z j dot", "reverse_compute_at z a j\nfuse a i j j",
        "compute_at s y i\nsplit y i 2 i n", "bind z i grid.x\nsplit z j 2 o n"}) {
    EXPECT_EQ(Refusal(steps, WithDot()), "") << steps;
  }
}

TEST(ScheduleLoops, IterationsAndElementsCanBeCounted) {
  const char* most = "split z i 2147483648 a b pad";  // times six
  EXPECT_EQ(Refusal(most, WithDot()), "");
  const std::string why = Refusal(std::string(most) + "\nsplit z j 2147483648 o n pad", WithDot());
  EXPECT_NE(why.find("the loops of z have more than 2^48 iterations together, 2147483648 of them "
                     "n; choose smaller factors"),
            std::string::npos)
      << why;
  EXPECT_EQ(Refusal("layout a 0/2147483648,1,0%2147483648", WithDot()), "");
  const std::string past =
      Refusal("layout a 0/2147483648,1/2147483648,0%2147483648,1%2147483648", WithDot());
  EXPECT_NE(past.find("a layout reaches past 1099511627776 elements; choose smaller blocks"),
            std::string::npos)
      << past;
  const std::string shared = Refusal("layout a 0:2,1:1", WithDot());
  EXPECT_NE(shared.find("layout dimension 0 has stride 2, where smaller steps reach element 5: "
                        "elements would share places; a stride of 6 or more keeps them apart"),
            std::string::npos)
      << shared;
}

TEST(ScheduleLoops, NamesAreOneWord) {
  const std::pair<const char*, const char*> kBad[] = {
      {"split y i 2 $f n", "'$f' is no name: one word is, without '#', that does not begin"},
      {"split y i 2 o $f", "'$f' is no name"},
      {"fuse z i j $f", "'$f' is no name"},
      {"cache_read x local $c a", "'$c' is no name"},
      {"decide $f {1 2} 1", "'$f' is no name"},
      {"decide a/b {1 2} 1",
       "'a/b' is no name of a decision: sizes and layouts are written with * + - ( ) /"},
      {"decide a*b {1 2} 1", "'a*b' is no name of a decision"},
      {"decide a-1 {1 2} 1", "'a-1' is no name of a decision"},
      {"decide f {0 5} 0\nsplit a i $f o n", "a factor of 0 is below 1"},
      {"decide f {4 2147483649} 4", "2147483649 in the domain of f is no size"},
  };
  for (const auto& [steps, message] : kBad) {
    const std::string why = Refusal(steps, WithDot());
    EXPECT_NE(why.find(message), std::string::npos) << steps << ": " << why;
  }
  Schedule s = *Schedule::Create(Outputs());
  for (const char* name : {"", " ", "a b", "a#", "a\tb", "a\n"}) {
    EXPECT_FALSE(s.Apply(SplitStep{"y", "i", {2}, name, "n"})) << name;
    EXPECT_FALSE(s.Apply(CacheReadStep{"x", ir::Scope::kLocal, name, {"a"}})) << name;
    EXPECT_FALSE(s.Decide(name, {1, 2}, 0)) << name;
  }
  EXPECT_TRUE(s.Apply(SplitStep{"y", "i", {2}, "a$", "n/\"'"}));
}

// No way out that the target has not.
TEST(ScheduleLoops, HintsAreOfWhatTheTargetHas) {
  EXPECT_NE(Refusal("double_buffer s", target::Gpu())
                .find("gpu has one copy of a buffer, in each of its memories; leave double_buffer "
                      "out"),
            std::string::npos);
  EXPECT_NE(Refusal("prefetch x a i 1", target::Gpu())
                .find("cache_read makes a copy, and threads hide what it takes"),
            std::string::npos);
  EXPECT_NE(Refusal("prefetch x a i 1", target::Accelerator(isa::Config()))
                .find("cache_read makes a copy, and double_buffer or threads hide what it takes"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera::schedule::loops_test
