// SPDX-License-Identifier: Apache-2.0
//
// Threads for the parallel loops of host code: made once, they run wherever this process may, which
// the system decides from its cpu set. Compiled kernels call tessera_parallel, which uses the pool
// that UseThreads names for the calling thread; without one the caller does all iterations itself.
// Depends on base. Used by: host_code, the executor.
#ifndef TESSERA_RUNTIME_HOST_THREADS_H_
#define TESSERA_RUNTIME_HOST_THREADS_H_

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/error.h"

namespace tessera {

// Processors that this process may use (sched_getaffinity), at least 1.
int AllowedProcessors();

// Iterations [0, iterations) of a loop, in any order and at the same time; body(context, scratch,
// begin, end) does some of them.
struct ParallelWork {
  void (*body)(void* context, void* scratch, int64_t begin, int64_t end) = nullptr;
  void* context = nullptr;
  int64_t iterations = 0;
  void* scratch = nullptr;    // the caller's own memory for the body
  int64_t scratch_bytes = 0;  // of it; other threads have as much, aligned to 64
};

class HostThreads {
 public:
  // |threads| at work at a time, of which the caller is one.
  //   errors  kOutOfRange   below 1, or more than AllowedProcessors()
  //           kUnavailable  the system refuses a thread
  static Result<std::unique_ptr<HostThreads>> Make(int threads);
  ~HostThreads();  // of a pool at rest
  HostThreads(const HostThreads&) = delete;
  HostThreads& operator=(const HostThreads&) = delete;

  // Returns when all iterations are done. One call at a time. Ends whatever the other threads do:
  // what none of them takes, the caller does.
  void Run(const ParallelWork& work);

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

 private:
  struct Worker {
    HostThreads* pool = nullptr;
    pthread_t thread{};
    void* scratch = nullptr;
    int64_t scratch_bytes = 0;
  };

  HostThreads() = default;
  static void* Main(void* worker);
  void Serve(Worker& worker);
  uint32_t NextTurn(uint32_t seen) const;
  void Take(void* scratch);

  std::vector<Worker> workers_;
  ParallelWork work_;
  std::atomic<int64_t> next_{0};     // the first that nobody has taken
  std::atomic<uint32_t> turn_{0};    // odd: there is work
  std::atomic<uint32_t> inside_{0};  // workers that look at the work
  std::atomic<bool> stop_{false};
};

// Kernels that this thread calls use |pool| while this object lives; null: none.
class UseThreads {
 public:
  explicit UseThreads(HostThreads* pool);
  ~UseThreads();
  UseThreads(const UseThreads&) = delete;
  UseThreads& operator=(const UseThreads&) = delete;

 private:
  HostThreads* before_;
};

// What kernels call, by this name: the fields of ParallelWork.
extern "C" void tessera_parallel(void (*body)(void*, void*, int64_t, int64_t), void* context,
                                 int64_t iterations, void* scratch, int64_t scratch_bytes);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_HOST_THREADS_H_
