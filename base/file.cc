// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace tessera {
namespace {

// A file descriptor that closes itself.
class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&&) = delete;
  int get() const { return fd_; }
  bool Close() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd) == 0;
  }

 private:
  int fd_;
};

// A file to write: a temporary one, which is deleted unless it is finished, or an existing path
// that is not an ordinary file.
class WrittenFile {
 public:
  static Result<WrittenFile> Open(const std::string& path) {
    struct stat info {};
    const bool special =
        ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
    std::string temporary = special ? "" : path + ".XXXXXX";
    const int fd =
        special ? ::open(path.c_str(), O_WRONLY | O_CLOEXEC) : ::mkstemp(temporary.data());
    if (fd < 0)
      return Fail(Code::kUnavailable, "{}: cannot create: {}", path, std::strerror(errno));
    return WrittenFile(path, std::move(temporary), fd);
  }
  WrittenFile(WrittenFile&& other) noexcept
      : path_(std::move(other.path_)),
        temporary_(std::exchange(other.temporary_, "")),
        file_(std::move(other.file_)) {}
  WrittenFile& operator=(WrittenFile&&) = delete;
  ~WrittenFile() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }

  Status Write(std::span<const uint8_t> bytes) {
    size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t n = ::write(file_.get(), bytes.data() + done, bytes.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return Cannot("write");
      done += static_cast<size_t>(n);
    }
    return {};
  }

  Status Finish() {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (!temporary_.empty() && ::fchmod(file_.get(), 0666 & ~mask) != 0)
      return Cannot("set the mode");
    if (!file_.Close()) return Cannot("close");
    if (temporary_.empty()) return {};
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return Cannot("rename into place");
    temporary_.clear();
    return {};
  }

 private:
  WrittenFile(std::string path, std::string temporary, int fd)
      : path_(std::move(path)), temporary_(std::move(temporary)), file_(fd) {}
  Status Cannot(const char* what) const {
    return Fail(Code::kUnavailable, "{}: cannot {}: {}", path_, what, std::strerror(errno));
  }

  std::string path_, temporary_;
  Fd file_;
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

std::vector<uint8_t> FirstBytes(const std::string& path, size_t count) {
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::vector<uint8_t> bytes(count);
  ssize_t n = -1;
  while (file.get() >= 0 && (n = ::read(file.get(), bytes.data(), count)) < 0 && errno == EINTR) {
  }
  bytes.resize(static_cast<size_t>(std::max<ssize_t>(n, 0)));
  return bytes;
}

Status WriteFile(const std::string& path, std::span<const uint8_t> bytes) {
  TESSERA_ASSIGN(WrittenFile target, WrittenFile::Open(path));
  TESSERA_TRY(target.Write(bytes));
  return target.Finish();
}

Status CheckWritable(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
    return Fail(Code::kUnavailable, "{}: cannot create: {}", path, std::strerror(EISDIR));
  TESSERA_ASSIGN(const WrittenFile target, WrittenFile::Open(path));
  return {};
}

Status WriteFile(const std::string& path, std::string_view text) {
  return WriteFile(path, std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

}  // namespace tessera
