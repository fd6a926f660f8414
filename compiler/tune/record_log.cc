// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/record_log.h"

namespace tessera::tune {

Result<RecordLog> RecordLog::Open(const std::string& path, bool resume, RecordFile* found) {
  std::string text;
  TESSERA_ASSIGN(LineLog log, LineLog::Open(path, "records", resume, &text));
  *found = ParseRecords(text, path);
  return RecordLog(std::move(log));
}

}  // namespace tessera::tune
