// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/zynq/bus_guard.h"

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <mutex>

namespace tessera::zynq {
namespace {

// Where an access of this thread continues after SIGBUS; null outside an access.
thread_local volatile sigjmp_buf* t_resume = nullptr;
struct sigaction g_before;  // the previous handler of SIGBUS

void OnBusError(int signal, siginfo_t* info, void* context) {
  if (t_resume != nullptr) siglongjmp(*const_cast<sigjmp_buf*>(t_resume), 1);
  if ((g_before.sa_flags & SA_SIGINFO) != 0) {
    g_before.sa_sigaction(signal, info, context);
  } else if (g_before.sa_handler != SIG_DFL && g_before.sa_handler != SIG_IGN) {
    g_before.sa_handler(signal);
  } else {  // the access happens again and then ends the process
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    sigaction(SIGBUS, &standard, nullptr);
  }
}

void Install() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = OnBusError;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;  // siglongjmp leaves the mask as it is
    sigaction(SIGBUS, &action, &g_before);
  });
}

// Orders memory writes before the device's reads, and register accesses among each other.
void Barrier() {
#if defined(__arm__) || defined(__aarch64__)
  asm volatile("dsb sy" ::: "memory");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

template <typename Access>
bool Guarded(Access access) {
  Install();
  sigjmp_buf resume;
  if (sigsetjmp(resume, 0) != 0) {
    t_resume = nullptr;
    return false;
  }
  t_resume = &resume;
  Barrier();
  access();
  Barrier();  // a bus error arrives before this ends
  t_resume = nullptr;
  return true;
}

}  // namespace

bool GuardedRead(const volatile uint32_t* from, uint32_t* value) {
  return Guarded([&] { *value = *from; });
}

bool GuardedWrite(volatile uint32_t* to, uint32_t value) {
  return Guarded([&] { *to = value; });
}

}  // namespace tessera::zynq
