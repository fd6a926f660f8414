// SPDX-License-Identifier: Apache-2.0
//
// A file of records to which a search appends line by line, so that a killed search loses no
// finished trial. Depends on: record.h. Used by: the command.
#ifndef TESSERA_COMPILER_TUNE_RECORD_LOG_H_
#define TESSERA_COMPILER_TUNE_RECORD_LOG_H_

#include <string>
#include <utility>

#include "base/error.h"
#include "compiler/tune/record.h"

namespace tessera::tune {

class RecordLog {
 public:
  // Opens |path|, or makes the file, and locks it while the log is open. |resume|: the file may
  // have records, which |found| receives; Open cuts off the remains of a killed search's last line.
  //   errors  kUnavailable      another search has it open; the file cannot be made or written
  //           kInvalidArgument  it has records and |resume| is not set
  //           kDataLoss         the file cannot be read
  static Result<RecordLog> Open(const std::string& path, bool resume, RecordFile* found);

  RecordLog(RecordLog&& other) noexcept
      : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}
  RecordLog& operator=(RecordLog&&) = delete;
  ~RecordLog();

  // Appends a line, which is in the file when Append returns.
  //   errors  kUnavailable  the disk is full, or the file cannot be written
  Status Append(const Record& record);

 private:
  RecordLog(std::string path, int file) : path_(std::move(path)), file_(file) {}
  std::string path_;
  int file_ = -1;
};

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_RECORD_LOG_H_
