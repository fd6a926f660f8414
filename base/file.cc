// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace tessera {
namespace {

// A file descriptor that closes itself.
class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  int get() const { return fd_; }
  bool Close() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd) == 0;
  }

 private:
  int fd_;
};

}  // namespace

Result<std::vector<uint8_t>> ReadFile(const std::string& path, uint64_t max_bytes) {
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0)
    return Fail(Code::kNotFound, "{}: cannot open: {}", path, std::strerror(errno));
  struct stat info {};
  if (::fstat(file.get(), &info) != 0 || S_ISDIR(info.st_mode)) {
    return Fail(Code::kNotFound, "{}: is not a file", path);
  }
  const auto too_large = [&] {
    return Fail(Code::kOutOfRange, "{}: is larger than the {} bytes accepted here", path,
                max_bytes);
  };
  if (info.st_size > 0 && static_cast<uint64_t>(info.st_size) > max_bytes) return too_large();
  std::vector<uint8_t> bytes;
  if (info.st_size > 0) bytes.reserve(static_cast<size_t>(info.st_size));
  uint8_t chunk[65536];
  while (true) {
    const ssize_t n = ::read(file.get(), chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Fail(Code::kDataLoss, "{}: cannot read: {}", path, std::strerror(errno));
    if (n == 0) return bytes;
    bytes.insert(bytes.end(), chunk, chunk + n);
    if (bytes.size() > max_bytes) return too_large();
  }
}

Status WriteFile(const std::string& path, std::span<const uint8_t> bytes) {
  std::string temporary = path + ".XXXXXX";
  Fd file(::mkstemp(temporary.data()));
  if (file.get() < 0) {
    return Fail(Code::kUnavailable, "{}: cannot create: {}", path, std::strerror(errno));
  }
  const auto give_up = [&](const char* what) {
    const int error = errno;
    ::unlink(temporary.c_str());
    return Fail(Code::kUnavailable, "{}: cannot {}: {}", path, what, std::strerror(error));
  };
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::write(file.get(), bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return give_up("write");
    done += static_cast<size_t>(n);
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::fchmod(file.get(), 0666 & ~mask) != 0) return give_up("set the mode");
  if (!file.Close()) return give_up("close");
  if (std::rename(temporary.c_str(), path.c_str()) != 0) return give_up("rename into place");
  return {};
}

Status WriteFile(const std::string& path, std::string_view text) {
  return WriteFile(path, std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

}  // namespace tessera
