// SPDX-License-Identifier: Apache-2.0
//
// Runs the tops of a design, each on a stack of its own in one thread: a top runs until it blocks
// on a queue, then the next one that can go on does. So a run is the same every time, and the
// moment at which none can go on is known exactly. Depends on hw/hls/shim. Used by hls_run.
#ifndef TESSERA_SIM_HLS_TOP_FIBERS_H_
#define TESSERA_SIM_HLS_TOP_FIBERS_H_

#include <hls_stream.h>
#include <ucontext.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tessera::sim {

class TopFibers : public hls_shim::top_runner {
 public:
  struct Top {
    std::string name;
    std::function<void()> body;
  };

  explicit TopFibers(std::vector<Top> tops);

  // Runs all tops until each has ended or stands; what else a top throws comes out of here.
  void Run();

  // Called by a running top: every other top ends by hls_shim::standstill; the caller throws one
  // itself.
  void Stop() { stopping_ = true; }

  // After Run: what each top that did not end stood at, "load reads the tokens gemm>load, which is
  // empty"; "" if all have ended.
  const std::string& standing() const { return standing_; }

  void wait(const hls_shim::fifo& stream, bool reading) override;
  void changed(const hls_shim::fifo& stream) override;

 private:
  enum class State { kReady, kBlocked, kEnded };
  struct Fiber {
    Top top;
    State state = State::kReady;
    const hls_shim::fifo* stream = nullptr;  // kBlocked: which, and how
    bool reading = false;
    std::unique_ptr<std::byte[]> stack;
    ucontext_t context;
    void* shadow = nullptr;  // the address sanitizer's
  };

  static void Enter();
  void Body();
  void SwitchTo(size_t fiber);
  void SwitchBack();
  bool PickReady();
  void DescribeStanding();

  std::vector<Fiber> fibers_;
  ucontext_t caller_;
  void* caller_shadow_ = nullptr;
  const void* caller_stack_ = nullptr;
  size_t caller_stack_bytes_ = 0;
  size_t current_ = 0;
  bool stopping_ = false;
  std::string standing_;
  std::exception_ptr thrown_;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_HLS_TOP_FIBERS_H_
