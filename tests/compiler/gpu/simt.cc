// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/gpu/simt.h"

#include <ucontext.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>

#include "base/check.h"
#include "compiler/ir/interp.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/layout.h"

// Tells the address sanitizer of each change of stacks.
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#define LEAVE(shadow, stack, bytes) __sanitizer_start_switch_fiber(shadow, stack, bytes)
#define ARRIVE(shadow, stack, bytes) __sanitizer_finish_switch_fiber(shadow, stack, bytes)
#else
#define LEAVE(shadow, stack, bytes)
#define ARRIVE(shadow, stack, bytes)
#endif

namespace tessera::test {
namespace {

constexpr size_t kStackBytes = 512 << 10;

// The threads of one group; each runs until it reaches a barrier or ends.
class Group {
 public:
  explicit Group(size_t threads) : fibers_(threads) {
    for (Fiber& f : fibers_) f.stack.reset(new char[kStackBytes]);
  }

  // Runs |body| for each thread. |order| gives the order of threads for each round.
  Status Run(const std::function<Status(size_t)>& body,
             const std::function<std::vector<size_t>()>& order) {
    body_ = &body;
    for (Fiber& f : fibers_) {
      f.ended = false;
      Prepare(&f);
    }
    current_group = this;
    Status status;
    for (;;) {
      for (const size_t k : order()) {
        current_ = k;
        LEAVE(&shadow_, fibers_[k].stack.get(), kStackBytes);
        TESSERA_CHECK(swapcontext(&caller_, &fibers_[k].context) == 0);
        ARRIVE(shadow_, nullptr, nullptr);
      }
      const auto ended = std::ranges::count_if(fibers_, [](const Fiber& f) { return f.ended; });
      if (ended == std::ssize(fibers_)) break;
      if (ended == 0) continue;
      for (const Fiber& f : fibers_) {
        if (f.ended && !f.status && status) status = f.status;
      }
      if (status)
        status = Fail(Code::kInvalidArgument, "{} threads wait for {} that have ended",
                      std::ssize(fibers_) - ended, ended);
      break;  // the stacks of waiting threads are abandoned
    }
    for (const Fiber& f : fibers_) {
      if (f.ended && !f.status && status) status = f.status;
    }
    current_group = nullptr;
    return status;
  }

  static void AtBarrier() {
    if (current_group != nullptr) current_group->Back(false);
  }

 private:
  struct Fiber {
    std::unique_ptr<char[]> stack;
    ucontext_t context;
    void* shadow = nullptr;
    bool ended = false;
    Status status;
  };

  __attribute__((noinline)) void Prepare(Fiber* f) {
    TESSERA_CHECK(getcontext(&f->context) == 0);
    f->context.uc_stack.ss_sp = f->stack.get();
    f->context.uc_stack.ss_size = kStackBytes;
    f->context.uc_link = nullptr;
    makecontext(&f->context, &Group::Enter, 0);
  }

  static void Enter() {
    Group& group = *current_group;
    ARRIVE(nullptr, &group.caller_stack_, &group.caller_bytes_);
    group.fibers_[group.current_].status = (*group.body_)(group.current_);
    group.Back(true);
  }

  void Back(bool ended) {
    Fiber& self = fibers_[current_];
    self.ended = ended;
    LEAVE(ended ? nullptr : &self.shadow, caller_stack_, caller_bytes_);
    TESSERA_CHECK(swapcontext(&self.context, &caller_) == 0);
    ARRIVE(self.shadow, &caller_stack_, &caller_bytes_);
  }

  static thread_local Group* current_group;
  std::vector<Fiber> fibers_;
  const std::function<Status(size_t)>* body_ = nullptr;
  ucontext_t caller_;
  void* shadow_ = nullptr;
  const void* caller_stack_ = nullptr;
  size_t caller_bytes_ = 0;
  size_t current_ = 0;
};
thread_local Group* Group::current_group = nullptr;

std::vector<size_t> Order(size_t count, ThreadOrder order, Rng& rng) {
  std::vector<size_t> all(count);
  std::iota(all.begin(), all.end(), size_t{0});
  if (order == ThreadOrder::kBackward) std::ranges::reverse(all);
  for (size_t i = count; order == ThreadOrder::kRandom && i > 1; --i)
    std::swap(all[i - 1], all[static_cast<size_t>(rng.Range(0, static_cast<int64_t>(i) - 1))]);
  return all;
}

Status RunKernel(const lower::GpuKernel& kernel,
                 const std::map<const ir::BufferNode*, ir::Array*>& at, ThreadOrder order,
                 Rng& rng) {
  ir::Func func{.name = kernel.name, .params = kernel.params};
  func.params.insert(func.params.end(), kernel.shared.begin(), kernel.shared.end());
  const auto count = [](const std::array<int64_t, 3>& n) {
    return static_cast<size_t>(n[0] * n[1] * n[2]);
  };
  // |body| with |ids| as constants, by loops of one iteration.
  const auto with = [](const ir::Stmt& body, const std::array<ir::Expr, 3>& ids,
                       const std::array<int64_t, 3>& extents, size_t which) {
    ir::Stmt out = body;
    auto rest = static_cast<int64_t>(which);
    for (size_t k = 0; k < 3; ++k) {
      if (ids[k]) out = ir::For(ids[k], rest % extents[k], 1, ir::LoopKind::kSerial, out);
      rest /= extents[k];
    }
    return out;
  };
  Group group(count(kernel.threads));
  for (const size_t g : Order(count(kernel.groups), order, rng)) {
    std::vector<ir::Array> shared;
    for (const ir::Buffer& b : kernel.shared)
      shared.emplace_back(b->dtype, ir::SizeInElements(*b), static_cast<uint8_t>(rng.Next()));
    std::vector<ir::Array*> arrays;
    for (const ir::Buffer& b : kernel.params) arrays.push_back(at.at(b.get()));
    for (ir::Array& a : shared) arrays.push_back(&a);
    const ir::Stmt body = with(kernel.body, kernel.group_ids, kernel.groups, g);
    TESSERA_TRY(group.Run(
        [&](size_t t) -> Status {
          const Result<ir::InterpStats> ran = ir::Interpret(
              {func.name, func.params, with(body, kernel.thread_ids, kernel.threads, t)}, arrays);
          return ran ? Status() : std::unexpected(ran.error());
        },
        [&] { return Order(count(kernel.threads), order, rng); }));
  }
  return {};
}

}  // namespace

Status RunKernels(const lower::KernelFunc& func, const std::vector<ir::Array*>& args,
                  ThreadOrder order, Rng& rng) {
  static const bool registered = [] {
    ir::RegisterTileIntrin({lower::kBarrier, {}, [](std::span<ir::TileOperand>) {
                              Group::AtBarrier();
                              return Status();
                            }});
    return true;
  }();
  TESSERA_CHECK(registered);
  std::map<const ir::BufferNode*, ir::Array*> at;
  for (size_t p = 0; p < args.size(); ++p) at[func.loops.params[p].get()] = args[p];
  std::vector<ir::Array> temporaries;
  temporaries.reserve(func.temporaries.size());
  for (const ir::Buffer& b : func.temporaries) {
    temporaries.emplace_back(b->dtype, ir::SizeInElements(*b), uint8_t{0x39});
    at[b.get()] = &temporaries.back();
  }
  for (const lower::GpuKernel& kernel : func.kernels)
    TESSERA_TRY(RunKernel(kernel, at, order, rng));
  return {};
}

}  // namespace tessera::test
