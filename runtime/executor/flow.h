// SPDX-License-Identifier: Apache-2.0
//
// Flow: runs the tasks of many items on serial queues, one queue for each device, as early as their
// dependences and the slots allow. It knows nothing of plans and devices. Depends on base. Used by:
// the executor.
//
// Every item has the same tasks. A slot is the memory of one item: item n takes slot n % slots,
// once all tasks of the item before it in that slot have ended. A queue does one task at a time: of
// its tasks that can begin, that of the first item, and of its tasks the first one.
#ifndef TESSERA_RUNTIME_EXECUTOR_FLOW_H_
#define TESSERA_RUNTIME_EXECUTOR_FLOW_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/error.h"

namespace tessera {

struct FlowTask {
  uint32_t queue = 0;
  std::vector<uint32_t> after = {};         // tasks of the same item, all earlier in the list
  std::optional<uint32_t> after_last = {};  // a task of the item before
  bool work = false;                        // takes long enough to give a queue a thread of its own
};

// One task of one item. Tasks come in the order of their items, then of the list.
struct FlowPlace {
  int64_t item = 0;
  uint32_t task = 0;
  auto operator<=>(const FlowPlace&) const = default;
};

struct FlowFailure {
  FlowPlace place;
  size_t slot = 0;
  Error error;
};

class Flow {
 public:
  Flow() = default;
  // |queues|: more than each task's queue.
  Flow(std::vector<FlowTask> tasks, uint32_t queues);

  // Whether tasks of one item that do work can meet on different queues.
  bool overlaps() const { return overlaps_; }
  // Queues that have work.
  uint32_t working_queues() const { return working_queues_; }

  // Does a task in slot |slot|. False: the run ends with this item.
  using Do = std::function<Result<bool>(FlowPlace place, size_t slot)>;

  // Runs items [0, items) in |slots| slots and returns when no task runs. Queue 0 is served by the
  // calling thread, each other one by a thread of its own. If one thread is enough, because there
  // is one slot and nothing overlaps, the calling thread does all tasks in order.
  //
  // After a failure or an end, only tasks before its place begin. So the first failure, by item and
  // task, is the same whatever the interleaving.
  //   returns  that failure; nothing if all items ran, or those before the end
  //            kUnavailable  the system gives no thread; no task has begun
  std::optional<FlowFailure> Run(int64_t items, size_t slots, const Do& task) const;

  // The same by the calling thread alone: item by item in slot 0, and task by task.
  std::optional<FlowFailure> RunInOrder(int64_t items, const Do& task) const;

  const std::vector<FlowTask>& tasks() const { return tasks_; }

 private:
  friend class FlowRun;
  bool Overlaps() const;

  std::vector<FlowTask> tasks_;
  std::vector<std::vector<uint32_t>> before_;       // the tasks that have a task in their |after|
  std::vector<std::vector<uint32_t>> before_next_;  // the same for |after_last|
  uint32_t queues_ = 0, working_queues_ = 0;
  bool overlaps_ = false;
};

}  // namespace tessera

#endif  // TESSERA_RUNTIME_EXECUTOR_FLOW_H_
