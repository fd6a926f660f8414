// SPDX-License-Identifier: Apache-2.0
#include "sim/hls/top_fibers.h"

#include <fmt/format.h>

#include <utility>

#include "base/check.h"
#include "shim/tsr_probe.h"

// The address sanitizer is told of each change of stacks.
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#define TESSERA_FIBER_LEAVE(shadow, stack, bytes) \
  __sanitizer_start_switch_fiber(shadow, stack, bytes)
#define TESSERA_FIBER_ARRIVE(shadow, stack, bytes) \
  __sanitizer_finish_switch_fiber(shadow, stack, bytes)
#else
#define TESSERA_FIBER_LEAVE(shadow, stack, bytes)
#define TESSERA_FIBER_ARRIVE(shadow, stack, bytes)
#endif

namespace tessera::sim {
namespace {

// A top keeps a line of device memory, some tiles and the window there: a few KiB.
constexpr size_t kStackBytes = 256 << 10;

}  // namespace

TopFibers::TopFibers(std::vector<Top> tops) : fibers_(tops.size()) {
  for (size_t k = 0; k < tops.size(); ++k) {
    Fiber& fiber = fibers_[k];
    fiber.top = std::move(tops[k]);
    fiber.stack = std::make_unique_for_overwrite<std::byte[]>(kStackBytes);
    TESSERA_CHECK(getcontext(&fiber.context) == 0);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = kStackBytes;
    fiber.context.uc_link = &caller_;
    makecontext(&fiber.context, &TopFibers::Enter, 0);
  }
}

// The entry of every stack; the runner is the thread's.
void TopFibers::Enter() { static_cast<TopFibers*>(hls_shim::current_runner())->Body(); }

void TopFibers::Body() {
  TESSERA_FIBER_ARRIVE(nullptr, &caller_stack_, &caller_stack_bytes_);
  Fiber& self = fibers_[current_];
  try {
    if (!stopping_) self.top.body();
  } catch (const hls_shim::standstill&) {  // said in standing_, or by who called Stop
  } catch (...) {
    thrown_ = std::current_exception();
    stopping_ = true;
  }
  self.state = State::kEnded;
  // For good: the sanitizer may free this stack's shadow.
  TESSERA_FIBER_LEAVE(nullptr, caller_stack_, caller_stack_bytes_);
  setcontext(&caller_);
}

void TopFibers::SwitchTo(size_t fiber) {
  current_ = fiber;
  TESSERA_FIBER_LEAVE(&caller_shadow_, fibers_[fiber].stack.get(), kStackBytes);
  TESSERA_CHECK(swapcontext(&caller_, &fibers_[fiber].context) == 0);
  TESSERA_FIBER_ARRIVE(caller_shadow_, nullptr, nullptr);
}

void TopFibers::SwitchBack() {
  Fiber& self = fibers_[current_];
  TESSERA_FIBER_LEAVE(&self.shadow, caller_stack_, caller_stack_bytes_);
  TESSERA_CHECK(swapcontext(&self.context, &caller_) == 0);
  TESSERA_FIBER_ARRIVE(self.shadow, &caller_stack_, &caller_stack_bytes_);
}

// Makes current_ the next fiber in turn that can go on; false: none can.
bool TopFibers::PickReady() {
  for (size_t k = 1; k <= fibers_.size(); ++k) {
    const size_t next = (current_ + k) % fibers_.size();
    if (fibers_[next].state != State::kReady) continue;
    current_ = next;
    return true;
  }
  return false;
}

void TopFibers::DescribeStanding() {
  for (const Fiber& fiber : fibers_) {
    if (fiber.state != State::kBlocked) continue;
    standing_ +=
        fmt::format("{}{} {} {}, which is {}", standing_.empty() ? "" : "; ", fiber.top.name,
                    fiber.reading ? "reads" : "writes", fiber.stream->name(),
                    fiber.reading ? "empty" : fmt::format("full with {}", fiber.stream->depth()));
  }
}

void TopFibers::Run() {
  hls_shim::top_runner* const outer = std::exchange(hls_shim::current_runner(), this);
  hls_shim::probe* const outer_probe = hls_shim::current_probe();
  current_ = fibers_.size() - 1;
  while (!stopping_ && PickReady()) SwitchTo(current_);
  if (!stopping_) DescribeStanding();
  // Those that stand end, so that what they hold is released.
  stopping_ = true;
  for (size_t k = 0; k < fibers_.size(); ++k) {
    if (fibers_[k].state != State::kEnded) SwitchTo(k);
  }
  hls_shim::current_runner() = outer;
  hls_shim::current_probe() = outer_probe;
  if (thrown_) std::rethrow_exception(thrown_);
}

void TopFibers::wait(const hls_shim::fifo& stream, bool reading) {
  hls_shim::probe* const probe = hls_shim::current_probe();
  Fiber& self = fibers_[current_];
  self.state = State::kBlocked;
  self.stream = &stream;
  self.reading = reading;
  if (!stopping_) SwitchBack();
  if (stopping_) throw hls_shim::standstill("the run is over");
  hls_shim::current_probe() = probe;
}

void TopFibers::changed(const hls_shim::fifo& stream) {
  for (Fiber& fiber : fibers_) {
    if (fiber.state == State::kBlocked && fiber.stream == &stream) fiber.state = State::kReady;
  }
}

}  // namespace tessera::sim
