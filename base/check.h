// SPDX-License-Identifier: Apache-2.0
//
// TESSERA_CHECK: a condition that only a bug of our own can break. Always on. A failure prints
// place and condition, then aborts; the command turns the signal into "internal", exit status 3.
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
