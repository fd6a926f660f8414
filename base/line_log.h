// SPDX-License-Identifier: Apache-2.0
//
// A file to which a search appends line by line, so that a killed search loses no finished line.
// Depends on: base. Used by: compiler/tune, explore.
#ifndef TESSERA_BASE_LINE_LOG_H_
#define TESSERA_BASE_LINE_LOG_H_

#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace tessera {

class LineLog {
 public:
  // Opens |path|, or makes the file, and locks it while the log is open. |what|: its lines, in
  // messages ("records"). |resume|: the file may have lines, which |found| receives; Open cuts off
  // the remains of a killed search's last line.
  //   errors  kUnavailable      another search has it open; the file cannot be made or written
  //           kInvalidArgument  it has lines and |resume| is not set
  //           kDataLoss         the file cannot be read
  static Result<LineLog> Open(const std::string& path, std::string_view what, bool resume,
                              std::string* found);

  LineLog(LineLog&& other) noexcept
      : path_(std::move(other.path_)),
        what_(std::move(other.what_)),
        file_(std::exchange(other.file_, -1)) {}
  LineLog& operator=(LineLog&&) = delete;
  ~LineLog();

  // Appends |line|, which ends in '\n' and is in the file when Append returns.
  //   errors  kUnavailable  the disk is full, or the file cannot be written
  Status Append(std::string_view line);

 private:
  LineLog(std::string path, std::string_view what, int file)
      : path_(std::move(path)), what_(what), file_(file) {}
  std::string path_, what_;
  int file_ = -1;
};

}  // namespace tessera

#endif  // TESSERA_BASE_LINE_LOG_H_
