// SPDX-License-Identifier: Apache-2.0
//
// What is tested: a point of a layer's space double_buffers only what loops fill again. In the
// loop IR of random points, on two machines, each buffer with a second copy stands in a loop of
// more than one iteration, and some points have a buffer whose copy is no choice for that reason.
// The given point is the generator's schedule but for such copies.
// Not tested here: that a copy helps (compiler/cost), the other knobs (space_test.cc).
#include <set>

#include "compiler/lower/lower.h"
#include "tests/compiler/tune/tune_test_net.h"

namespace tessera::tune::copies_test {
namespace {

// The buffers inside |s| that have a second copy and are filled once. |repeat|: the variables of
// the loops around |s| that run more than once there.
void CollectFilledOnce(const ir::Stmt& s, std::set<const ir::ExprNode*> repeat,
                       std::vector<std::string>* names) {
  if (s->kind == ir::StmtKind::kAlloc && s->buffer->rotates && repeat.empty())
    names->push_back(s->buffer->name);
  if (s->kind == ir::StmtKind::kFor && s->extent->ivalue > 1) repeat.insert(s->var.get());
  // Behind a sum: in one iteration of the reduction.
  if (s->kind == ir::StmtKind::kIf && s->value->kind == ir::ExprKind::kBin &&
      s->value->bin() == ir::BinOp::kEq)
    repeat.erase(s->value->args[0].get());
  for (const ir::Stmt& part : s->body) CollectFilledOnce(part, repeat, names);
}

// A layer whose sum is in parts, so that what follows it may be filled once.
graph::Graph Dense() {
  test::Net net(5);
  net.Output(net.Conv(net.Input({1, 64, 1, 1}), 10, {.kernel = {1, 1}}));
  return net.graph();
}

std::vector<Task> TasksOfTwoMachines() {
  const isa::Config tiny = test::NamedConfig("tiny");
  std::vector<Task> tasks = test::TuneTasks(test::NamedConfig("default"));
  for (Task& task : test::TuneTasks(tiny)) tasks.push_back(std::move(task));
  for (Task& task : test::TuneTasks(tiny, Dense())) tasks.push_back(std::move(task));
  return tasks;
}

TEST(Copies, AreOfWhatIsFilledAgain) {
  const std::vector<Task> tasks = TasksOfTwoMachines();
  Rng rng(9);
  int copies = 0, fixed = 0;
  for (const Task& task : tasks) {
    LayerSpace& space = test::LayerOf(task);
    SCOPED_TRACE(task.name);
    for (int draw = 0; draw < 60; ++draw) {
      const auto point = draw == 0 ? space.given() : space.Random(rng);
      ASSERT_TRUE(point);
      const auto schedule = space.ScheduleOf(*point);
      ASSERT_TRUE(schedule) << schedule.error().message;
      const auto loops = lower::BuildLoops(*schedule, "f");
      ASSERT_TRUE(loops) << loops.error().message;
      std::vector<std::string> once;
      CollectFilledOnce(loops->body, {}, &once);
      EXPECT_TRUE(once.empty()) << once[0] << " in\n" << schedule::Print(schedule->trace());
      for (const schedule::Stage& stage : schedule->stages()) copies += stage.double_buffer;
      for (size_t k = 0; k < space.knobs().size(); ++k) {
        if (space.knobs()[k].name.starts_with("double_buffer"))
          fixed += space.PlaceOf(*point, k).count == 1 && point->picks[k] == schedule::Choice(0);
      }
    }
  }
  EXPECT_GT(copies, 0);
  EXPECT_GT(fixed, 0);
}

TEST(Copies, OfTheGivenPointAreTheGenerators) {
  const std::vector<Task> tasks = TasksOfTwoMachines();
  ASSERT_GE(tasks.size(), 8u);
  for (const Task& task : tasks) {
    const LayerSpace& space = test::LayerOf(task);
    const schedule::Schedule given = *space.ScheduleOf(space.given());
    schedule::Trace own = test::TraceOf(task);
    std::erase_if(own, [&](const schedule::Step& step) {
      const auto* copy = std::get_if<schedule::DoubleBufferStep>(&step);
      return copy != nullptr && !given.IsRefilled(*given.Find(copy->stage));
    });
    EXPECT_EQ(schedule::Print(given.trace()), schedule::Print(own)) << task.name;
  }
}

}  // namespace
}  // namespace tessera::tune::copies_test
