// SPDX-License-Identifier: Apache-2.0
//
// Runs another program to its end or to a time limit; quotes words for a shell. Depends on: base.
// Used by: flash, runtime/board (the FPGA manager).
#ifndef TESSERA_BASE_PROCESS_H_
#define TESSERA_BASE_PROCESS_H_

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tessera {

struct ProcessEnd {
  int code = -1;               // exit code; -1: ended by a signal, or by RunProcess
  bool timed_out = false;      // RunProcess ended it and its children at the limit
  std::string output, errors;  // standard output and error, each cut to 1 MiB
};

// Runs |argv| (found on PATH) with |input| as its standard input, for at most |limit|.
//   errors  kNotFound     no such program
//           kUnavailable  the system gives no process or pipe
Result<ProcessEnd> RunProcess(const std::vector<std::string>& argv, std::span<const uint8_t> input,
                              std::chrono::seconds limit);

// |text| as one word of a POSIX shell.
std::string ShellWord(std::string_view text);

// The last line of |text| that is not blank, without its end of line.
std::string LastLine(std::string text);

}  // namespace tessera

#endif  // TESSERA_BASE_PROCESS_H_
