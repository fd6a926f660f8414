// SPDX-License-Identifier: Apache-2.0
//
// HostThreads: a pool of threads for the parallel loops of host code. It is made once; the system
// runs its threads on the processors of this process's cpu set. Compiled kernels call
// tessera_parallel, which uses the pool that UseThreads sets for the calling thread; without a pool
// the caller does all iterations. Depends on base. Used by: host_code, the executor.
#ifndef TESSERA_RUNTIME_HOST_THREADS_H_
#define TESSERA_RUNTIME_HOST_THREADS_H_

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/error.h"

namespace tessera {

// Processors that this process may use (sched_getaffinity), at least 1.
int AllowedProcessors();

// Iterations [0, iterations) of a loop, which may run in any order and at the same time;
// body(context, scratch, begin, end) does some of them.
struct ParallelWork {
  void (*body)(void* context, void* scratch, int64_t begin, int64_t end) = nullptr;
  void* context = nullptr;
  int64_t iterations = 0;
  void* scratch = nullptr;    // the caller's own memory for the body
  int64_t scratch_bytes = 0;  // of |scratch|; other threads have as much, aligned to 64
};

class HostThreads {
  static constexpr size_t kLine = 64;

 public:
  // |threads| threads work at a time; the caller is one of them.
  //   errors  kOutOfRange   below 1, or more than AllowedProcessors()
  //           kUnavailable  the system gives no thread
  static Result<std::unique_ptr<HostThreads>> Make(int threads);
  ~HostThreads();  // no Run may be in progress
  HostThreads(const HostThreads&) = delete;
  HostThreads& operator=(const HostThreads&) = delete;

  // Returns when all iterations are done. One call at a time. Does not depend on the other threads:
  // the caller does what they do not take. Of loops with equally many iterations each thread mostly
  // does the same ones, so that it finds in its caches what it wrote in the loop before.
  void Run(const ParallelWork& work);

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

 private:
  // Lines of a cache, so that threads do not wait for each other's writes.
  struct alignas(kLine) Job {
    ParallelWork work;
    std::atomic<uint32_t> turn{0};  // odd: there is work
  };
  // The iterations that one thread takes first; the others take what it leaves.
  struct alignas(kLine) Part {
    std::atomic<int64_t> next{0};      // the first iteration that no thread has taken
    int64_t end = 0;                   // behind the last one
    std::atomic<uint32_t> looking{0};  // 1: the part's worker looks at the work
  };
  struct Worker {
    HostThreads* pool = nullptr;
    size_t part = 0;
    pthread_t thread{};
    void* scratch = nullptr;
    int64_t scratch_bytes = 0;
  };

  explicit HostThreads(int threads) : parts_(static_cast<size_t>(threads)) {}
  static void* Main(void* worker);
  void Serve(Worker& worker);
  uint32_t NextTurn(uint32_t seen) const;
  // Does iterations of part |own|, then of the others.
  void Take(size_t own, void* scratch);

  std::vector<Worker> workers_;
  Job job_;
  std::vector<Part> parts_;  // the caller's, then the workers'
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
