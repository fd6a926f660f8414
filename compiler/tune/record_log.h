// SPDX-License-Identifier: Apache-2.0
//
// A file of records to which a search appends (base/line_log.h). Depends on: record.h. Used by: the
// command.
#ifndef TESSERA_COMPILER_TUNE_RECORD_LOG_H_
#define TESSERA_COMPILER_TUNE_RECORD_LOG_H_

#include <string>
#include <utility>

#include "base/error.h"
#include "base/line_log.h"
#include "compiler/tune/record.h"

namespace tessera::tune {

class RecordLog {
 public:
  // As LineLog::Open. |found| receives the records that the file has.
  static Result<RecordLog> Open(const std::string& path, bool resume, RecordFile* found);

  // As LineLog::Append.
  Status Append(const Record& record) { return log_.Append(Print(record)); }

 private:
  explicit RecordLog(LineLog log) : log_(std::move(log)) {}
  LineLog log_;
};

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_RECORD_LOG_H_
