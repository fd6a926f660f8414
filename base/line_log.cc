// SPDX-License-Identifier: Apache-2.0
#include "base/line_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tessera {

Result<LineLog> LineLog::Open(const std::string& path, std::string_view what, bool resume,
                              std::string* found) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) {
    return Fail(Code::kUnavailable, "{}: cannot write {}: {}; give another -o", path, what,
                std::strerror(errno));
  }
  LineLog log(path, what, file);
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    return Fail(Code::kUnavailable,
                "{}: another search writes to it; wait until it ends, or give another -o", path);
  }
  found->clear();
  struct stat about {};
  const bool plain = fstat(file, &about) == 0 && S_ISREG(about.st_mode);  // not a device or a pipe
  char buffer[1 << 16];
  for (ssize_t n = 0; plain && (n = read(file, buffer, sizeof buffer)) != 0;) {
    if (n < 0) return Fail(Code::kDataLoss, "{}: cannot be read: {}", path, std::strerror(errno));
    found->append(buffer, static_cast<size_t>(n));
  }
  if (!found->empty() && !resume) {
    return Fail(Code::kInvalidArgument,
                "{}: has {} already; go on with them with --resume, or give another -o", path,
                what);
  }
  const size_t whole = found->rfind('\n') == std::string::npos ? 0 : found->rfind('\n') + 1;
  if (whole < found->size() && ftruncate(file, static_cast<off_t>(whole)) != 0)
    return Fail(Code::kUnavailable, "{}: cannot be written: {}", path, std::strerror(errno));
  return log;
}

LineLog::~LineLog() {
  if (file_ >= 0) close(file_);
}

Status LineLog::Append(std::string_view line) {
  for (size_t done = 0; done < line.size();) {
    const ssize_t n = write(file_, line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      return Fail(Code::kUnavailable,
                  "{}: cannot write {}: {}; the lines before are in the file: make room and go on "
                  "with --resume",
                  path_, what_, std::strerror(errno));
    }
    done += static_cast<size_t>(n);
  }
  return {};
}

}  // namespace tessera
