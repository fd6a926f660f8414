// SPDX-License-Identifier: Apache-2.0
#include "tools/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <ctime>

namespace tessera::tools {
namespace {

// One interruption may come as two signals: timeout of coreutils signals the process and its group.
// A second interruption by a person comes later than this.
constexpr int64_t kOneInterruption = 300'000'000;  // ns

std::atomic<int64_t> g_interrupted = 0;  // ns of the monotonic clock at the first; 0: none
static_assert(std::atomic<int64_t>::is_always_lock_free);  // so that a signal handler may use it

int64_t Now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void Say(const char* text) { [[maybe_unused]] const auto n = write(2, text, std::strlen(text)); }

extern "C" void OnInterrupt(int) {
  const int64_t first = g_interrupted, now = Now();
  if (first != 0 && now - first < kOneInterruption) return;
  if (first != 0) {
    Say("\n");
    _exit(kExitInterrupted);
  }
  g_interrupted = now;
  Say("\ntessera: interrupted: what was begun is ended; once more ends at once\n");
}

}  // namespace

void CatchInterrupt() {
  struct sigaction action {};
  action.sa_handler = OnInterrupt;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

bool Interrupted() { return g_interrupted != 0; }

}  // namespace tessera::tools
