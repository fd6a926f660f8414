// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/record_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tessera::tune {

Result<RecordLog> RecordLog::Open(const std::string& path, bool resume, RecordFile* found) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) {
    return Fail(Code::kUnavailable, "{}: cannot write records: {}; give another file with -o", path,
                std::strerror(errno));
  }
  RecordLog log(path, file);
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    return Fail(Code::kUnavailable,
                "{}: another search writes to it; wait until it ends, or give another file with -o",
                path);
  }
  std::string text;
  struct stat about {};
  const bool plain = fstat(file, &about) == 0 && S_ISREG(about.st_mode);  // not a device or a pipe
  char buffer[1 << 16];
  for (ssize_t n = 0; plain && (n = read(file, buffer, sizeof buffer)) != 0;) {
    if (n < 0) return Fail(Code::kDataLoss, "{}: cannot be read: {}", path, std::strerror(errno));
    text.append(buffer, static_cast<size_t>(n));
  }
  if (!text.empty() && !resume) {
    return Fail(Code::kInvalidArgument,
                "{}: has records already; go on with them with --resume, or give another file "
                "with -o",
                path);
  }
  *found = ParseRecords(text, path);
  const size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  if (whole < text.size() && ftruncate(file, static_cast<off_t>(whole)) != 0)
    return Fail(Code::kUnavailable, "{}: cannot be written: {}", path, std::strerror(errno));
  return log;
}

RecordLog::~RecordLog() {
  if (file_ >= 0) close(file_);
}

Status RecordLog::Append(const Record& record) {
  const std::string line = Print(record);
  for (size_t done = 0; done < line.size();) {
    const ssize_t n = write(file_, line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      return Fail(Code::kUnavailable,
                  "{}: cannot write a record: {}; the trials before are in the file: make room and "
                  "go on with --resume",
                  path_, std::strerror(errno));
    }
    done += static_cast<size_t>(n);
  }
  return {};
}

}  // namespace tessera::tune
