// SPDX-License-Identifier: Apache-2.0
//
// States of a model in the executor: carried from inference to inference and from call to call, set
// from outside, begun anew. Not here: how import makes states (tests/compiler/import).
#include "runtime/executor/executor.h"
#include "tests/runtime/sample_code.h"

namespace tessera::executor_states_test {
namespace {

using artifact::Artifact;

// The sample with state y: the next inference reads buffer 2, the sum that add_bias4 writes, as q,
// and the model has no other input.
std::shared_ptr<Artifact> Counting() {
  const auto a = Sample();
  a->plans.resize(1);
  a->states = {{{"q", DType::kInt8, {1, 4}, {}}, {10, 20, 30, 40}}};
  a->plans[0].steps.erase(a->plans[0].steps.begin());
  a->plans[0].inputs = {0, 1};
  a->plans[0].outputs = {3, 2};
  return a;
}

TEST(Executor, AnInferenceBeginsWithWhatTheOneBeforeLeft) {
  const auto executor = Executor::Open(Counting(), "cpu", nullptr);
  ASSERT_TRUE(executor) << executor.error().message;
  const HostTensor two = Floats({2, 4}, std::vector<float>(8)), one = two.Slice(0, 1);
  const auto first = (*executor)->Run({{two}});
  ASSERT_TRUE(first) << first.error().message;
  // The bias 1, 2, 3, -4 counts in tenths.
  const float want[] = {1.1f, 2.2f, 3.3f, 3.6f, 1.2f, 2.4f, 3.6f, 3.2f};
  for (size_t i = 0; i < 8; ++i) EXPECT_FLOAT_EQ((*first)[0].as<float>()[i], want[i]) << i;
  EXPECT_EQ((*executor)->StatesBefore(), (StateValues{{11, 22, 33, 36}}));
  const auto third = (*executor)->Run({{one}});
  ASSERT_TRUE(third) << third.error().message;
  EXPECT_FLOAT_EQ((*third)[0].as<float>()[0], 1.3f);
  (*executor)->SetStates({{1, 2, 3, 4}});
  const auto set = (*executor)->Run({{one}});
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_FLOAT_EQ((*set)[0].as<float>()[0], 0.2f);
}

TEST(Executor, StatesBeginAnewWhereThatIsAskedFor) {
  const auto executor =
      Executor::Open(Counting(), "cpu", nullptr, {.cpu_level = "", .fresh_states = true});
  ASSERT_TRUE(executor) << executor.error().message;
  const auto out = (*executor)->Run({{Floats({2, 4}, std::vector<float>(8))}});
  ASSERT_TRUE(out) << out.error().message;
  for (size_t i = 0; i < 8; i += 4) EXPECT_FLOAT_EQ((*out)[0].as<float>()[i], 1.1f);
}

}  // namespace
}  // namespace tessera::executor_states_test
