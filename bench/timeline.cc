// SPDX-License-Identifier: Apache-2.0
#include "bench/timeline.h"

#include <functional>
#include <queue>
#include <utility>

namespace tessera::bench {
namespace {

template <typename T>
using LeastFirst = std::priority_queue<T, std::vector<T>, std::greater<>>;

class Timeline {
 public:
  explicit Timeline(std::span<const TimedTask> tasks)
      : tasks_(tasks), waits_for_(tasks.size()), waiting_(tasks.size()) {
    for (size_t t = 0; t < tasks.size(); ++t) {
      if (tasks[t].device >= devices_.size()) devices_.resize(tasks[t].device + 1);
      waits_for_[t] = tasks[t].after.size();
      for (const size_t before : tasks[t].after) waiting_[before].push_back(t);
    }
  }

  double Run() {
    double now = 0;
    for (size_t t = 0; t < tasks_.size(); ++t) {
      if (waits_for_[t] == 0) devices_[tasks_[t].device].ready.push(t);
    }
    Begin(now);
    while (!running_.empty()) {
      now = running_.top().first;
      while (!running_.empty() && running_.top().first == now) {
        End(running_.top().second);
        running_.pop();
      }
      Begin(now);
    }
    return now;
  }

 private:
  struct Device {
    LeastFirst<size_t> ready;
    bool works = false;
  };

  void Begin(double now) {
    for (Device& device : devices_) {
      if (device.works || device.ready.empty()) continue;
      const size_t task = device.ready.top();
      device.ready.pop();
      device.works = true;
      running_.emplace(now + tasks_[task].seconds, task);
    }
  }

  void End(size_t task) {
    devices_[tasks_[task].device].works = false;
    for (const size_t next : waiting_[task]) {
      if (--waits_for_[next] == 0) devices_[tasks_[next].device].ready.push(next);
    }
  }

  const std::span<const TimedTask> tasks_;
  std::vector<size_t> waits_for_;             // by task: how many it still waits for
  std::vector<std::vector<size_t>> waiting_;  // by task: those that wait for it
  std::vector<Device> devices_;
  LeastFirst<std::pair<double, size_t>> running_;  // by their ends
};

}  // namespace

double EndOf(std::span<const TimedTask> tasks) { return Timeline(tasks).Run(); }

}  // namespace tessera::bench
