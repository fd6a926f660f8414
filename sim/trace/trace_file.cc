// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/trace_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/check.h"

namespace tessera::sim {
namespace {

constexpr size_t kBufferBytes = 1 << 13;

}  // namespace

Result<std::unique_ptr<TraceFile>> TraceFile::Create(const std::string& path) {
  struct stat info {};
  const bool there = ::stat(path.c_str(), &info) == 0;
  if (there && S_ISDIR(info.st_mode)) {
    return Fail(Code::kUnavailable, "{}: is a folder; name a file to write the trace to", path);
  }
  std::string temporary;
  int fd = -1;
  if (there && !S_ISREG(info.st_mode)) {
    fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    temporary = path + ".XXXXXX";
    fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  }
  if (fd < 0) {
    return Fail(Code::kUnavailable, "{}: cannot create: {}", path, std::strerror(errno));
  }
  return std::unique_ptr<TraceFile>(new TraceFile(path, std::move(temporary), fd));
}

TraceFile::~TraceFile() {
  if (fd_ >= 0) ::close(fd_);
  if (fd_ >= 0 && !temporary_.empty()) ::unlink(temporary_.c_str());
}

void TraceFile::Add(std::string_view piece) {
  if (!cut_.empty()) return;
  if (buffer_.size() + piece.size() > kBufferBytes) Flush();
  if (!cut_.empty()) return;
  buffer_ += piece;
  ends_.push_back(buffer_.size());
}

void TraceFile::Flush() {
  if (!Write(buffer_, written_)) {
    cut_ = std::strerror(errno);
  } else {
    const auto kept = std::find_if(ends_.rbegin(), ends_.rend(),
                                   [&](size_t end) { return end + kEndBytes <= buffer_.size(); });
    if (kept != ends_.rend()) keep_ = written_ + *kept;
    written_ += buffer_.size();
  }
  buffer_.clear();
  ends_.clear();
}

bool TraceFile::Write(std::string_view bytes, uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t n = temporary_.empty()
                          ? ::write(fd_, bytes.data(), bytes.size())
                          : ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
    at += static_cast<uint64_t>(n);
  }
  return true;
}

std::unexpected<Error> TraceFile::Failed(std::string_view why) {
  return Fail(Code::kUnavailable,
              "{}: the trace cannot be written: {}; give it a disk with more room", path_, why);
}

Status TraceFile::Finish(std::string_view end, std::string_view end_of_cut) {
  TESSERA_CHECK(end_of_cut.size() <= kEndBytes);
  Add(end);
  if (cut_.empty()) Flush();
  if (!cut_.empty()) {
    // The end overwrites bytes that have their place on the disk already.
    if (temporary_.empty() || keep_ == 0) return Failed(cut_);
    if (!Write(end_of_cut, keep_) ||
        ::ftruncate(fd_, static_cast<off_t>(keep_ + end_of_cut.size())) != 0) {
      return Failed(std::strerror(errno));
    }
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (!temporary_.empty() && ::fchmod(fd_, 0666 & ~mask) != 0) return Failed(std::strerror(errno));
  const bool closed = ::close(fd_) == 0;
  const int error = errno;
  fd_ = -1;
  if (temporary_.empty()) return closed ? Status{} : Failed(std::strerror(error));
  if (closed && std::rename(temporary_.c_str(), path_.c_str()) == 0) return {};
  const std::string why = std::strerror(closed ? errno : error);
  ::unlink(temporary_.c_str());
  return Failed(why);
}

}  // namespace tessera::sim
