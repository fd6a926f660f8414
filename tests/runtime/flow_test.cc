// SPDX-License-Identifier: Apache-2.0
//
// Flow on random lists of tasks: what begins when, on which thread, and what a failure or an end
// leaves. Each task reads and writes bytes of its slot without a lock, so a thread sanitizer sees
// each missing dependence (runtime_threads_sanitized_test). Not here: plans and devices
// (executor_flow_test.cc).
#include "runtime/executor/flow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "runtime/executor/dependences.h"

namespace tessera::flow_test {
namespace {

constexpr uint64_t kBytes = 32;  // of a slot

// Random tasks with the bytes that they use. The last one reads everything, behind the last one of
// the item before.
struct Network {
  std::vector<Access> accesses;
  std::vector<FlowTask> tasks;
  uint32_t queues = 1;
};

Network RandomNetwork(std::mt19937& rng) {
  Network net;
  net.queues = 1 + rng() % 4;
  const size_t count = 1 + rng() % 10;
  for (size_t t = 0; t < count; ++t) {
    Access access;
    for (std::vector<ByteRange>* ranges : {&access.reads, &access.writes}) {
      for (size_t k = rng() % 3; k > 0; --k) {
        const uint64_t begin = rng() % kBytes;
        ranges->push_back({0, begin, std::min<uint64_t>(begin + 1 + rng() % 6, kBytes)});
      }
    }
    net.accesses.push_back(std::move(access));
  }
  net.accesses.front() = {{}, {{0, 0, kBytes}}};  // what the item before left does not count
  net.accesses.push_back({{{0, 0, kBytes}}, {}});
  for (std::vector<uint32_t>& after : Dependences(net.accesses)) {
    net.tasks.push_back({.queue = static_cast<uint32_t>(rng() % net.queues),
                         .after = std::move(after),
                         .work = rng() % 2 == 0});
  }
  const auto last = static_cast<uint32_t>(net.tasks.size()) - 1;
  for (uint32_t t = 0; t < last; ++t) {
    std::vector<uint32_t>& after = net.tasks[last].after;
    if (std::ranges::count(after, t) == 0) after.push_back(t);
    if (rng() % 8 == 0) net.tasks[t].after_last = rng() % (last + 1);
  }
  net.tasks[last].after_last = last;
  return net;
}

uint8_t Mix(uint32_t a, uint32_t b) {
  return static_cast<uint8_t>((a * 2654435761u + b * 40503u + 77u) >> 13);
}

// What a run did.
class Log {
 public:
  Log(const Network& net, size_t slots)
      : net_(net),
        memory_(slots, std::vector<uint8_t>(kBytes)),
        caller_(std::this_thread::get_id()) {}

  // Fails or ends the run at these places.
  std::set<FlowPlace> failures;
  std::set<int64_t> ends;

  Flow::Do Task() {
    return [this](FlowPlace at, size_t slot) { return Do(at, slot); };
  }
  std::vector<FlowPlace> begun() const { return begun_; }
  std::vector<std::vector<uint8_t>> results() const { return results_; }
  std::string faults() const { return faults_; }

 private:
  void Fault(const std::string& what, FlowPlace at) {
    faults_ += fmt::format("{} at item {} task {}\n", what, at.item, at.task);
  }

  Result<bool> Do(FlowPlace at, size_t slot) {
    const FlowTask& task = net_.tasks[at.task];
    Begin(at, slot, task);
    uint32_t value = Mix(static_cast<uint32_t>(at.item), at.task);
    for (const ByteRange& r : net_.accesses[at.task].reads) {
      for (uint64_t k = r.begin; k < r.end; ++k) value = Mix(value, memory_[slot][k]);
    }
    for (const ByteRange& r : net_.accesses[at.task].writes) {
      for (uint64_t k = r.begin; k < r.end; ++k)
        memory_[slot][k] = Mix(value, static_cast<uint32_t>(k));
    }
    const bool last = at.task + 1 == net_.tasks.size();
    const std::scoped_lock lock(mutex_);
    busy_.erase(task.queue);
    ended_.insert(at);
    if (failures.contains(at)) return Fail(Code::kDataLoss, "item {} task {}", at.item, at.task);
    if (last) results_.push_back(memory_[slot]);
    return !(last && ends.contains(at.item));
  }

  void Begin(FlowPlace at, size_t slot, const FlowTask& task) {
    const std::scoped_lock lock(mutex_);
    begun_.push_back(at);
    if (!busy_.insert(task.queue).second) Fault("two tasks of a queue", at);
    if (task.queue == 0 && std::this_thread::get_id() != caller_) Fault("another thread", at);
    for (const uint32_t u : task.after)
      if (!ended_.contains({at.item, u})) Fault("too early", at);
    if (task.after_last && at.item > 0 && !ended_.contains({at.item - 1, *task.after_last}))
      Fault("before the last item", at);
    const auto slots = static_cast<int64_t>(memory_.size());
    if (slot >= memory_.size()) Fault("no such slot", at);
    const int64_t before = at.item - slots;
    for (uint32_t u = 0; u < net_.tasks.size() && before >= 0; ++u)
      if (!ended_.contains({before, u})) Fault("a slot in use", at);
  }

  const Network& net_;
  std::vector<std::vector<uint8_t>> memory_;
  const std::thread::id caller_;
  std::mutex mutex_;
  std::vector<FlowPlace> begun_;
  std::set<FlowPlace> ended_;
  std::set<uint32_t> busy_;
  std::vector<std::vector<uint8_t>> results_;
  std::string faults_;
};

TEST(Flow, RandomTasksKeepTheirOrderAndGiveTheSameBytes) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937 rng(seed);
    const Network net = RandomNetwork(rng);
    const Flow flow(net.tasks, net.queues);
    const int64_t items = rng() % 12;
    const size_t slots = 1 + rng() % 4;
    Log want(net, 1), got(net, slots);
    ASSERT_FALSE(flow.RunInOrder(items, want.Task()));
    ASSERT_FALSE(flow.Run(items, slots, got.Task()));
    EXPECT_EQ(got.faults(), "");
    EXPECT_EQ(got.begun().size(), net.tasks.size() * static_cast<size_t>(items));
    ASSERT_EQ(got.results(), want.results());
  }
}

TEST(Flow, TheFirstFailureIsReportedAndNothingBehindAnEndRuns) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937 rng(seed);
    const Network net = RandomNetwork(rng);
    const Flow flow(net.tasks, net.queues);
    const int64_t items = 1 + rng() % 8;
    Log want(net, 1), got(net, 3);
    for (size_t k = rng() % 4; k > 0; --k) {
      const FlowPlace at{static_cast<int64_t>(rng() % 8),
                         static_cast<uint32_t>(rng() % net.tasks.size())};
      want.failures.insert(at), got.failures.insert(at);
    }
    if (rng() % 2 == 0) {
      const int64_t item = rng() % 8;
      want.ends.insert(item), got.ends.insert(item);
    }
    const auto first = flow.RunInOrder(items, want.Task()), failed = flow.Run(items, 3, got.Task());
    EXPECT_EQ(got.faults(), "");
    ASSERT_EQ(failed.has_value(), first.has_value());
    if (first) {
      EXPECT_EQ(failed->place, first->place);
      EXPECT_EQ(failed->error.message, first->error.message);
      EXPECT_EQ(failed->slot, static_cast<size_t>(failed->place.item) % std::min<size_t>(3, items) *
                                  (flow.working_queues() > 1));
    }
    // Every task before the failure or the end ran, once.
    std::vector<FlowPlace> begun = got.begun(), all = want.begun();
    std::ranges::sort(begun);
    ASSERT_EQ(std::ranges::adjacent_find(begun), begun.end());
    EXPECT_TRUE(std::ranges::includes(begun, all));
    std::vector<std::vector<uint8_t>> results = got.results();
    ASSERT_GE(results.size(), want.results().size());
    results.resize(want.results().size());
    EXPECT_EQ(results, want.results());
  }
}

// Tasks of queues 1 and 2 that wait for each other inside of them.
TEST(Flow, TasksOfTwoQueuesMeet) {
  const Flow flow({{.queue = 1, .work = true}, {.queue = 2, .work = true}}, 3);
  EXPECT_TRUE(flow.overlaps());
  std::mutex mutex;
  std::condition_variable changed;
  int inside = 0;
  const auto failed = flow.Run(1, 1, [&](FlowPlace, size_t) -> Result<bool> {
    std::unique_lock lock(mutex);
    ++inside;
    changed.notify_all();
    if (changed.wait_for(lock, std::chrono::seconds(60), [&] { return inside == 2; })) return true;
    return Fail(Code::kTimeout, "alone");
  });
  EXPECT_FALSE(failed) << failed->error.message;
}

// Whether work on two queues is without an order, by brute force over all tasks between.
TEST(Flow, OverlapsIsTrueIfWorkOfTwoQueuesHasNoOrder) {
  int overlapping = 0;
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937 rng(seed);
    std::vector<FlowTask> tasks(1 + rng() % 8);
    std::vector<std::set<uint32_t>> all(tasks.size());  // that end before each task
    bool want = false;
    for (uint32_t t = 0; t < tasks.size(); ++t) {
      tasks[t].queue = rng() % 3;
      tasks[t].work = rng() % 3 > 0;
      for (uint32_t u = 0; u < t; ++u) {
        if (rng() % 3 > 0) continue;
        tasks[t].after.push_back(u);
        all[t].insert(u);
        all[t].insert(all[u].begin(), all[u].end());
      }
      for (uint32_t u = 0; u < t; ++u)
        want |= tasks[t].work && tasks[u].work && tasks[t].queue != tasks[u].queue &&
                !all[t].contains(u);
    }
    overlapping += want;
    ASSERT_EQ(Flow(tasks, 3).overlaps(), want);
  }
  EXPECT_GT(overlapping, 100);
  EXPECT_LT(overlapping, 1900);
}

TEST(Flow, AChainOrOneWorkingQueueStaysOnTheCallersThread) {
  const Flow chain({{.queue = 0, .work = true}, {.queue = 1, .after = {0}, .work = true}}, 2);
  EXPECT_FALSE(chain.overlaps());
  const Flow alone({{.queue = 0}, {.queue = 1, .work = true}}, 2);
  EXPECT_EQ(alone.working_queues(), 1u);
  const auto here = [caller = std::this_thread::get_id()](FlowPlace, size_t slot) -> Result<bool> {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(slot, 0u);
    return true;
  };
  EXPECT_FALSE(chain.Run(3, 1, here));
  EXPECT_FALSE(alone.Run(3, 2, here));
}

}  // namespace
}  // namespace tessera::flow_test
