// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/xrt/call_thread.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace tessera {

struct CallThread::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::function<Status()> call;  // the next call
  std::optional<Status> outcome;
  bool end = false;
};

CallThread::CallThread() : shared_(std::make_shared<Shared>()) {
  std::thread([shared = shared_] {
    std::unique_lock lock(shared->mutex);
    for (;;) {
      shared->changed.wait(lock, [&] { return shared->end || shared->call; });
      if (shared->end) return;
      const std::function<Status()> call = std::exchange(shared->call, nullptr);
      lock.unlock();
      Status outcome = call();
      lock.lock();
      shared->outcome = std::move(outcome);
      shared->changed.notify_all();
    }
  }).detach();
}

CallThread::~CallThread() {
  const std::lock_guard lock(shared_->mutex);
  shared_->end = true;
  shared_->changed.notify_all();
}

Status CallThread::Run(std::function<Status()> call, std::chrono::milliseconds limit,
                       const std::function<std::string()>& what) {
  if (stuck()) {
    return Fail(Code::kTimeout, "{} did not return earlier, so nothing more is tried", stuck_);
  }
  std::unique_lock lock(shared_->mutex);
  shared_->call = std::move(call);
  shared_->outcome.reset();
  shared_->changed.notify_all();
  if (shared_->changed.wait_for(lock, limit, [&] { return shared_->outcome.has_value(); })) {
    return std::move(*std::exchange(shared_->outcome, std::nullopt));
  }
  stuck_ = what();
  return Fail(Code::kTimeout, "{} has not returned in {} ms", stuck_, limit.count());
}

}  // namespace tessera
