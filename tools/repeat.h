// SPDX-License-Identifier: Apache-2.0
//
// Repeats what `tessera devices --measure` times. Depends on: base. Used by: measure_cpu.cc,
// measure_gpu.cc.
#ifndef TESSERA_TOOLS_REPEAT_H_
#define TESSERA_TOOLS_REPEAT_H_

#include <chrono>
#include <functional>

#include "base/error.h"

namespace tessera::tools {

inline double SecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Calls |work| for a tenth of a second or longer, and 8 times or more. The fastest call is then one
// that nothing else disturbed, as short as it may be.
//   errors  the first of |work|
inline Status Repeat(const std::function<Status()>& work) {
  constexpr int kLeast = 8;
  const auto begin = std::chrono::steady_clock::now();
  for (int done = 0; done < kLeast || SecondsSince(begin) < 0.1; ++done) TESSERA_TRY(work());
  return {};
}

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_REPEAT_H_
