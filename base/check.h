// SPDX-License-Identifier: Apache-2.0
//
// TESSERA_CHECK: what only our own bug can break. Always on; prints place and condition, then
// aborts (exit status by signal, which the command turns into "internal", 3).
#ifndef TESSERA_BASE_CHECK_H_
#define TESSERA_BASE_CHECK_H_

#include <fmt/format.h>

#include <string>

namespace tessera {
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition,
                              const std::string& detail);
}  // namespace tessera

// TESSERA_CHECK(a == b) or TESSERA_CHECK(a == b, "a is {}", a)
#define TESSERA_CHECK(condition, ...)                                                        \
  do {                                                                                       \
    if (!(condition)) [[unlikely]]                                                           \
      ::tessera::CheckFailed(__FILE__, __LINE__, #condition, ::fmt::format("" __VA_ARGS__)); \
  } while (0)

#endif  // TESSERA_BASE_CHECK_H_
