// SPDX-License-Identifier: Apache-2.0
#include "tools/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <cstring>

namespace tessera::tools {
namespace {

volatile std::sig_atomic_t g_interrupted = 0;

void Say(const char* text) { [[maybe_unused]] const auto n = write(2, text, std::strlen(text)); }

extern "C" void OnInterrupt(int) {
  if (g_interrupted != 0) {
    Say("\n");
    _exit(kExitInterrupted);
  }
  g_interrupted = 1;
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
