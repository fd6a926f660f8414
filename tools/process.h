// SPDX-License-Identifier: Apache-2.0
//
// Another program, run to its end or to a time limit. Depends on: base. Used by: flash.
#ifndef TESSERA_TOOLS_PROCESS_H_
#define TESSERA_TOOLS_PROCESS_H_

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace tessera::tools {

struct ProcessEnd {
  int code = -1;               // exit code; -1: ended by a signal, or by us
  bool timed_out = false;      // it ran past the limit: it and its children were ended
  std::string output, errors;  // standard output and error, each cut to 1 MiB
};

// Runs |argv| (found on PATH) with |input| as its standard input, at most |limit|.
//   errors  kNotFound     there is no such program
//           kUnavailable  the system gives no process or pipe
Result<ProcessEnd> RunProcess(const std::vector<std::string>& argv, std::span<const uint8_t> input,
                              std::chrono::seconds limit);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_PROCESS_H_
