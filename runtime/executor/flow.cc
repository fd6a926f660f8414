// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor/flow.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "base/check.h"

namespace tessera {

Flow::Flow(std::vector<FlowTask> tasks, uint32_t queues)
    : tasks_(std::move(tasks)),
      before_(tasks_.size()),
      before_next_(tasks_.size()),
      queues_(queues) {
  std::set<uint32_t> working;
  for (uint32_t t = 0; t < tasks_.size(); ++t) {
    TESSERA_CHECK(tasks_[t].queue < queues_, "task {} of queue {}", t, tasks_[t].queue);
    for (const uint32_t u : tasks_[t].after) {
      TESSERA_CHECK(u < t, "task {} after task {}", t, u);
      before_[u].push_back(t);
    }
    if (const std::optional<uint32_t> u = tasks_[t].after_last) {
      TESSERA_CHECK(*u < tasks_.size(), "task {} after task {}", t, *u);
      before_next_[*u].push_back(t);
    }
    if (tasks_[t].work) working.insert(tasks_[t].queue);
  }
  working_queues_ = static_cast<uint32_t>(working.size());
  overlaps_ = working_queues_ > 1 && Overlaps();
}

// Walks from each task with work to the tasks that wait for it, except from those of the queue with
// the most work: of two tasks on different queues at least one is walked from.
bool Flow::Overlaps() const {
  // A plan from a file may be of any size; so large a one runs its items in order.
  constexpr uint64_t kMostSteps = uint64_t{1} << 26;
  std::vector<uint64_t> work(queues_);
  uint64_t edges = tasks_.size();
  for (const FlowTask& task : tasks_) work[task.queue] += task.work, edges += task.after.size();
  const auto most = static_cast<uint32_t>(std::ranges::max_element(work) - work.begin());
  uint64_t starts = 0;
  for (uint32_t q = 0; q < queues_; ++q) starts += q == most ? 0 : work[q];
  if (starts > kMostSteps / edges) return false;
  std::vector<bool> reached(tasks_.size());
  for (uint32_t t = 0; t < tasks_.size(); ++t) {
    if (!tasks_[t].work || tasks_[t].queue == most) continue;
    reached.assign(tasks_.size(), false);  // by a way to |t| or from it
    reached[t] = true;
    for (uint32_t u = t + 1; u-- > 0;) {
      for (const uint32_t v : tasks_[u].after) reached[v] = reached[v] || reached[u];
    }
    for (uint32_t u = t; u < tasks_.size(); ++u) {
      // Ways from |t| only: tasks before it do not count.
      for (const uint32_t v : tasks_[u].after) reached[u] = reached[u] || (v >= t && reached[v]);
    }
    for (uint32_t u = 0; u < tasks_.size(); ++u) {
      if (tasks_[u].work && tasks_[u].queue != tasks_[t].queue && !reached[u]) return true;
    }
  }
  return false;
}

std::optional<FlowFailure> Flow::RunInOrder(int64_t items, const Do& task) const {
  for (FlowPlace at; at.item < items; ++at.item) {
    bool more = true;
    for (at.task = 0; at.task < tasks_.size(); ++at.task) {
      const Result<bool> done = task(at, 0);
      if (!done) return FlowFailure{at, 0, done.error()};
      more &= *done;
    }
    if (!more) break;
  }
  return std::nullopt;
}

// One call of Flow::Run with threads. |mutex_| guards everything below it.
class FlowRun {
 public:
  FlowRun(const Flow& flow, int64_t items, size_t slots, const Flow::Do& task)
      : flow_(flow), task_(task), end_{items, 0}, queues_(flow.queues_), slots_(slots) {
    for (Slot& slot : slots_) {
      slot.waits.resize(flow.tasks_.size());
      slot.ended.resize(flow.tasks_.size());
    }
    Begin();
  }

  std::optional<FlowFailure> Run() {
    std::vector<bool> has_tasks(queues_.size());
    for (const FlowTask& t : flow_.tasks_) has_tasks[t.queue] = true;
    std::vector<std::thread> threads;
    std::optional<FlowFailure> refused;
    {
      const std::scoped_lock lock(mutex_);  // nobody begins before all threads are there
      for (uint32_t q = 1; q < queues_.size() && !refused; ++q) {
        if (!has_tasks[q]) continue;
        try {
          threads.emplace_back([this, q] { Serve(q); });
        } catch (const std::system_error& e) {
          end_ = {};
          refused = FlowFailure{
              {},
              0,
              Error(Code::kUnavailable,
                    fmt::format("the system refuses a thread for device {} of the plan ({}); "
                                "raise the limit (ulimit -u, ulimit -v)",
                                q, e.what()))};
        }
      }
    }
    Serve(0);
    for (std::thread& thread : threads) thread.join();
    return refused ? refused : failure_;
  }

 private:
  struct Queue {
    std::set<FlowPlace> ready;
    std::condition_variable changed;
  };

  // The item in a slot.
  struct Slot {
    std::vector<uint32_t> waits;  // for how many tasks each task waits
    std::vector<bool> ended;      // which tasks have ended
    size_t left = 0;              // how many have not
  };

  size_t NumberOf(int64_t item) const { return static_cast<size_t>(item) % slots_.size(); }
  Slot& SlotOf(int64_t item) { return slots_[NumberOf(item)]; }

  // Begins the next items whose slots are free.
  void Begin() {
    for (; FlowPlace{next_, 0} < end_ && SlotOf(next_).left == 0; ++next_) {
      Slot& slot = SlotOf(next_);
      slot.left = flow_.tasks_.size();
      slot.ended.assign(slot.left, false);
      // With one slot, the item before has ended.
      const Slot* last = next_ == 0 || slots_.size() == 1 ? nullptr : &SlotOf(next_ - 1);
      for (uint32_t t = 0; t < flow_.tasks_.size(); ++t) {
        const FlowTask& task = flow_.tasks_[t];
        const bool one_more = task.after_last && last != nullptr && !last->ended[*task.after_last];
        slot.waits[t] = static_cast<uint32_t>(task.after.size()) + (one_more ? 1 : 0);
        if (slot.waits[t] == 0) MakeReady({next_, t});
      }
    }
  }

  void MakeReady(FlowPlace place) {
    Queue& queue = queues_[flow_.tasks_[place.task].queue];
    queue.ready.insert(place);
    queue.changed.notify_one();
  }

  void Release(FlowPlace place) {
    if (--SlotOf(place.item).waits[place.task] == 0) MakeReady(place);
  }

  void Ended(FlowPlace place) {
    Slot& slot = SlotOf(place.item);
    slot.ended[place.task] = true;
    for (const uint32_t t : flow_.before_[place.task]) Release({place.item, t});
    if (place.item + 1 < next_) {
      for (const uint32_t t : flow_.before_next_[place.task]) Release({place.item + 1, t});
    }
    if (--slot.left == 0) Begin();
  }

  // Tasks from |place| on do not begin any more, and failures there do not count.
  void EndBefore(FlowPlace place) {
    if (place > end_) return;
    end_ = place;
    failure_.reset();
  }

  bool CanTake(const Queue& queue) const {
    return !queue.ready.empty() && *queue.ready.begin() < end_;
  }

  // Whether nothing runs and nothing can begin.
  bool Over() const {
    return running_ == 0 &&
           std::ranges::none_of(queues_, [&](const Queue& q) { return CanTake(q); });
  }

  // Does the tasks of a queue until the run is over.
  void Serve(uint32_t number) {
    Queue& queue = queues_[number];
    std::unique_lock lock(mutex_);
    while (!Over()) {
      if (!CanTake(queue)) {
        queue.changed.wait(lock);
        continue;
      }
      const FlowPlace place = queue.ready.extract(queue.ready.begin()).value();
      ++running_;
      lock.unlock();
      const Result<bool> done = task_(place, NumberOf(place.item));
      lock.lock();
      --running_;
      if (done) {
        if (!*done) EndBefore({place.item + 1, 0});
        Ended(place);
      } else if (place < end_) {
        EndBefore(place);
        failure_ = FlowFailure{place, NumberOf(place.item), done.error()};
      }
    }
    for (Queue& other : queues_) other.changed.notify_one();
  }

  const Flow& flow_;
  const Flow::Do& task_;
  std::mutex mutex_;
  FlowPlace end_;  // tasks before it may begin
  int64_t next_ = 0;
  std::vector<Queue> queues_;
  std::vector<Slot> slots_;
  size_t running_ = 0;
  std::optional<FlowFailure> failure_;
};

std::optional<FlowFailure> Flow::Run(int64_t items, size_t slots, const Do& task) const {
  TESSERA_CHECK(slots > 0);
  slots = std::min(slots, static_cast<size_t>(std::max<int64_t>(items, 1)));
  if (working_queues_ < 2 || (slots == 1 && !overlaps_)) return RunInOrder(items, task);
  return FlowRun(*this, items, slots, task).Run();
}

}  // namespace tessera
