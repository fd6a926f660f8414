// SPDX-License-Identifier: Apache-2.0
//
// Times in options of verbs. Depends on: base. Used by: regress, tune.
#ifndef TESSERA_TOOLS_DURATION_H_
#define TESSERA_TOOLS_DURATION_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/number.h"

namespace tessera::tools {

// "30m", "90s", "2h", given to |option|.
//   errors  kInvalidArgument  no whole number from 1 on with a unit
inline Result<std::chrono::seconds> ParseBudget(const std::string& text,
                                                const std::string& option = "--budget") {
  std::string_view behind = text;
  const int64_t count = TakeNumber<int64_t>(behind).value_or(0);
  const int64_t unit = behind == "s" ? 1 : behind == "m" ? 60 : behind == "h" ? 3600 : 0;
  if (unit == 0 || count < 1 || count > 1'000'000) {
    return Fail(Code::kInvalidArgument, "{} '{}': give a whole number and a unit: 90s, 30m or 2h",
                option, text);
  }
  return std::chrono::seconds(count * unit);
}

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_DURATION_H_
