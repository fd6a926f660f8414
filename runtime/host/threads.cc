// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/threads.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "base/bits.h"

namespace tessera {
namespace {

// A thread takes 1 / kPieces of what is left of its part at a time, and of another's part as much
// divided by the number of threads. So pieces are large at first, to have few of them, and small at
// last, so that all threads end together.
constexpr int64_t kPieces = 2;
constexpr auto kSpin = std::chrono::microseconds(200);  // how long a thread looks before it sleeps

thread_local HostThreads* threads_in_use = nullptr;

// Lets the other hardware thread of this core work for a moment.
void Relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield");
#endif
}

// Looks at |value| for kSpin, then sleeps until it is not |old|; may also return earlier.
template <typename T>
void WaitWhile(const std::atomic<T>& value, T old) {
  const auto end = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < 16; ++i) {
      if (value.load() != old) return;
      Relax();
    }
  } while (std::chrono::steady_clock::now() < end);
  value.wait(old);
}

}  // namespace

int AllowedProcessors() {
  for (int most = CPU_SETSIZE; most <= 1 << 16; most *= 2) {
    cpu_set_t* set = CPU_ALLOC(most);
    if (set == nullptr) return 1;
    const size_t bytes = CPU_ALLOC_SIZE(most);
    const bool known = sched_getaffinity(0, bytes, set) == 0;
    const int count = known ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (known) return std::max(count, 1);
  }
  return 1;
}

Result<std::unique_ptr<HostThreads>> HostThreads::Make(int threads) {
  const int most = AllowedProcessors();
  if (threads < 1 || threads > most) {
    return Fail(
        Code::kOutOfRange,
        "{} threads for host code: this process may use {} processor{} (taskset and cpusets "
        "set that; quotas of time do not count); ask for 1 to {}",
        threads, most, most == 1 ? "" : "s", most);
  }
  std::unique_ptr<HostThreads> pool(new HostThreads(threads));
  pool->workers_.reserve(static_cast<size_t>(threads - 1));
  for (int i = 1; i < threads; ++i) {
    Worker& worker = pool->workers_.emplace_back(
        Worker{.pool = pool.get(), .part = static_cast<size_t>(i), .thread = {}});
    if (pthread_create(&worker.thread, nullptr, &HostThreads::Main, &worker) == 0) continue;
    pool->workers_.pop_back();
    return Fail(Code::kUnavailable,
                "the system refuses thread {} of {} for host code; ask for fewer, or raise the "
                "limit (ulimit -u, ulimit -v)",
                i + 1, threads);
  }
  return pool;
}

HostThreads::~HostThreads() {
  stop_.store(true);
  job_.turn.fetch_add(2);
  job_.turn.notify_all();
  for (Worker& worker : workers_) {
    pthread_join(worker.thread, nullptr);
    std::free(worker.scratch);
  }
}

void* HostThreads::Main(void* worker) {
  auto& self = *static_cast<Worker*>(worker);
  self.pool->Serve(self);
  return nullptr;
}

uint32_t HostThreads::NextTurn(uint32_t seen) const {
  while (job_.turn.load() == seen) WaitWhile(job_.turn, seen);
  return job_.turn.load();
}

// A worker says that it is |looking| before it looks at the work, and looks only if the turn is
// still the same. The caller ends the turn and waits until nobody looks before it changes the work.
void HostThreads::Serve(Worker& worker) {
  std::atomic<uint32_t>& looking = parts_[worker.part].looking;
  for (uint32_t turn = NextTurn(0);; turn = NextTurn(turn)) {
    if (stop_.load()) return;
    if (turn % 2 == 0) continue;
    looking.store(1);
    if (job_.turn.load() == turn) {
      const int64_t bytes = job_.work.scratch_bytes;
      if (bytes > worker.scratch_bytes) {
        std::free(worker.scratch);
        worker.scratch_bytes = RoundUp(bytes, static_cast<int64_t>(kLine));
        worker.scratch = std::aligned_alloc(kLine, static_cast<size_t>(worker.scratch_bytes));
        if (worker.scratch == nullptr) worker.scratch_bytes = 0;
      }
      if (bytes <= worker.scratch_bytes) Take(worker.part, worker.scratch);
    }
    looking.store(0);
    looking.notify_one();
  }
}

void HostThreads::Take(size_t own, void* scratch) {
  const ParallelWork& work = job_.work;
  for (size_t k = 0; k < parts_.size(); ++k) {
    Part& part = parts_[(own + k) % parts_.size()];
    const int64_t pieces = k == 0 ? kPieces : kPieces * threads();
    for (int64_t begin = part.next.load(); begin < part.end; begin = part.next.load()) {
      const int64_t piece = std::max<int64_t>((part.end - begin) / pieces, 1);
      if (!part.next.compare_exchange_strong(begin, begin + piece)) continue;
      work.body(work.context, scratch, begin, begin + piece);
    }
  }
}

void HostThreads::Run(const ParallelWork& work) {
  if (work.iterations <= 0) return;
  if (workers_.empty() || work.iterations == 1)
    return work.body(work.context, work.scratch, 0, work.iterations);
  job_.work = work;
  const auto count = static_cast<int64_t>(parts_.size());
  for (int64_t k = 0; k < count; ++k) {
    Part& part = parts_[static_cast<size_t>(k)];
    part.next.store(work.iterations * k / count, std::memory_order_relaxed);
    part.end = work.iterations * (k + 1) / count;
  }
  job_.turn.fetch_add(1);
  job_.turn.notify_all();
  Take(0, work.scratch);
  job_.turn.fetch_add(1);
  for (Part& part : parts_) {
    while (part.looking.load() != 0) WaitWhile(part.looking, 1u);
  }
}

UseThreads::UseThreads(HostThreads* pool) : before_(threads_in_use) { threads_in_use = pool; }
UseThreads::~UseThreads() { threads_in_use = before_; }

extern "C" void tessera_parallel(void (*body)(void*, void*, int64_t, int64_t), void* context,
                                 int64_t iterations, void* scratch, int64_t scratch_bytes) {
  if (HostThreads* pool = threads_in_use) {
    const UseThreads alone(nullptr);  // the thread of an outer loop runs a loop inside it alone
    return pool->Run({body, context, iterations, scratch, scratch_bytes});
  }
  if (iterations > 0) body(context, scratch, 0, iterations);
}

}  // namespace tessera
