// SPDX-License-Identifier: Apache-2.0
//
// Runs the tops of a design over the shim's streams, each on a stack of its own in one thread. A
// top runs until it blocks on a queue, then the next ready top runs. So a run is the same every
// time, and a deadlock is known at the moment when no top is ready. C++14. Used by sim/hls and its
// bench.
#ifndef TSR_HLS_SHIM_TOP_FIBERS_H_
#define TSR_HLS_SHIM_TOP_FIBERS_H_

#include <hls_stream.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "shim/tsr_probe.h"

// The address sanitizer is told of each change of stacks.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TSR_FIBERS_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(TSR_FIBERS_ASAN)
#define TSR_FIBERS_ASAN 1
#endif
#ifdef TSR_FIBERS_ASAN
#include <sanitizer/common_interface_defs.h>
#define TSR_FIBER_LEAVE(shadow, stack, bytes) __sanitizer_start_switch_fiber(shadow, stack, bytes)
#define TSR_FIBER_ARRIVE(shadow, stack, bytes) __sanitizer_finish_switch_fiber(shadow, stack, bytes)
#else
#define TSR_FIBER_LEAVE(shadow, stack, bytes)
#define TSR_FIBER_ARRIVE(shadow, stack, bytes)
#endif

namespace hls_shim {

struct named_top {
  std::string name;
  std::function<void()> body;
};

class top_fibers : public top_runner {
 public:
  explicit top_fibers(std::vector<named_top> tops) : fibers_(tops.size()) {
    for (size_t k = 0; k < tops.size(); ++k) {
      fiber& f = fibers_[k];
      f.top = std::move(tops[k]);
      f.stack.reset(new char[kStackBytes]);
      prepare(&f.context, f.stack.get());
    }
  }

  // Runs all tops until each has ended or is blocked. Rethrows what a top throws, but standstill.
  void run() {
    top_runner* const outer = current_runner();
    probe* const outer_probe = current_probe();
    current_runner() = this;
    current_ = fibers_.size() - 1;
    while (!stopping_ && pick_ready()) switch_to(current_);
    if (!stopping_) describe_standing();
    // The blocked tops end, so that they release what they hold.
    stopping_ = true;
    for (size_t k = 0; k < fibers_.size(); ++k) {
      if (fibers_[k].state != state::ended) switch_to(k);
    }
    current_runner() = outer;
    current_probe() = outer_probe;
    if (thrown_) std::rethrow_exception(thrown_);
  }

  // Called by a running top: ends every other top by standstill; the caller throws its own.
  void stop() { stopping_ = true; }

  // After run: the stream on which each blocked top stood, "load reads the tokens gemm>load, which
  // is empty"; "" if all have ended.
  const std::string& standing() const { return standing_; }

  void wait(const fifo& stream, bool reading) override {
    probe* const own_probe = current_probe();
    fiber& self = fibers_[current_];
    self.state = state::blocked;
    self.stream = &stream;
    self.reading = reading;
    if (!stopping_) switch_back();
    if (stopping_) throw standstill("the run is over");
    current_probe() = own_probe;
  }

  void changed(const fifo& stream) override {
    for (fiber& f : fibers_) {
      if (f.state == state::blocked && f.stream == &stream) f.state = state::ready;
    }
  }

 private:
  // A top keeps a line of device memory, some tiles and the window there: a few KiB.
  static constexpr size_t kStackBytes = 256 << 10;
  enum class state { ready, blocked, ended };
  struct fiber {
    named_top top;
    top_fibers::state state = top_fibers::state::ready;
    const fifo* stream = nullptr;  // blocked: waits for this stream
    bool reading = false;
    std::unique_ptr<char[]> stack;
    ucontext_t context;
    void* shadow = nullptr;  // the address sanitizer's
  };

  // A compiler assumes that getcontext may return twice, so it has a function of its own.
  __attribute__((noinline)) void prepare(ucontext_t* context, char* stack) {
    if (getcontext(context) != 0) std::abort();
    context->uc_stack.ss_sp = stack;
    context->uc_stack.ss_size = kStackBytes;
    context->uc_link = &caller_;
    makecontext(context, &top_fibers::enter, 0);
  }

  // The entry of every stack; the runner is the thread's.
  static void enter() { static_cast<top_fibers*>(current_runner())->body(); }

  void body() {
    TSR_FIBER_ARRIVE(nullptr, &caller_stack_, &caller_stack_bytes_);
    fiber& self = fibers_[current_];
    try {
      if (!stopping_) self.top.body();
    } catch (const standstill&) {  // standing_ or the caller of stop reports it
    } catch (...) {
      thrown_ = std::current_exception();
      stopping_ = true;
    }
    self.state = state::ended;
    // The top leaves its stack for good: the sanitizer may free its shadow.
    TSR_FIBER_LEAVE(nullptr, caller_stack_, caller_stack_bytes_);
    setcontext(&caller_);
  }

  void switch_to(size_t next) {
    current_ = next;
    TSR_FIBER_LEAVE(&caller_shadow_, fibers_[next].stack.get(), kStackBytes);
    if (swapcontext(&caller_, &fibers_[next].context) != 0) std::abort();
    TSR_FIBER_ARRIVE(caller_shadow_, nullptr, nullptr);
  }

  void switch_back() {
    fiber& self = fibers_[current_];
    TSR_FIBER_LEAVE(&self.shadow, caller_stack_, caller_stack_bytes_);
    if (swapcontext(&self.context, &caller_) != 0) std::abort();
    TSR_FIBER_ARRIVE(self.shadow, &caller_stack_, &caller_stack_bytes_);
  }

  // Makes current_ the next fiber in turn that can go on; false: none can.
  bool pick_ready() {
    for (size_t k = 1; k <= fibers_.size(); ++k) {
      const size_t next = (current_ + k) % fibers_.size();
      if (fibers_[next].state != state::ready) continue;
      current_ = next;
      return true;
    }
    return false;
  }

  void describe_standing() {
    for (const fiber& f : fibers_) {
      if (f.state != state::blocked) continue;
      standing_ += (standing_.empty() ? "" : "; ") + f.top.name +
                   (f.reading ? " reads " : " writes ") + f.stream->name() + ", which is " +
                   (f.reading ? "empty" : "full with " + std::to_string(f.stream->depth()));
    }
  }

  std::vector<fiber> fibers_;
  ucontext_t caller_;
  void* caller_shadow_ = nullptr;
  const void* caller_stack_ = nullptr;
  size_t caller_stack_bytes_ = 0;
  size_t current_ = 0;
  bool stopping_ = false;
  std::string standing_;
  std::exception_ptr thrown_;
};

}  // namespace hls_shim

#endif  // TSR_HLS_SHIM_TOP_FIBERS_H_
