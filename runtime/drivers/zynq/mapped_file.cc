// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/zynq/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/number.h"

namespace tessera::zynq {
namespace {

std::unexpected<Error> CannotOpen(const std::string& path) {
  const int error = errno;
  if (error == ENOENT) return Fail(Code::kNotFound, "{}: does not exist", path);
  if (error == EACCES || error == EPERM) {
    return Fail(Code::kUnavailable,
                "{}: no permission: run as root, or let a udev rule give your user the device",
                path);
  }
  return Fail(Code::kUnavailable, "{}: {}", path, SystemError());
}

}  // namespace

std::string SystemError() { return std::strerror(errno); }

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

OpenFile::~OpenFile() {
  if (fd_ >= 0) close(fd_);
}

Result<OpenFile> OpenFile::Open(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return CannotOpen(path);
  return OpenFile(fd);
}

Result<std::unique_ptr<MappedFile>> MappedFile::Map(const OpenFile& file, const std::string& path,
                                                    uint64_t offset, uint64_t bytes) {
  void* start = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED,
                     file.fd(), static_cast<off_t>(offset));
  if (start == MAP_FAILED) {
    return Fail(Code::kUnavailable, "{}: {} bytes at {:#x} cannot be mapped: {}", path, bytes,
                offset, SystemError());
  }
  return std::unique_ptr<MappedFile>(new MappedFile(static_cast<uint8_t*>(start), bytes));
}

MappedFile::~MappedFile() { munmap(data_, static_cast<size_t>(size_)); }

Status TakeForThisProcess(const OpenFile& file, const std::string& path) {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = 0;
  lock.l_len = 1;
  if (fcntl(file.fd(), F_OFD_SETLK, &lock) == 0) return {};
  if (errno != EAGAIN && errno != EACCES) return {};  // the file does not support locks
  return Fail(Code::kUnavailable,
              "{}: another process uses this device: end it, or wait until it has ended", path);
}

Result<std::string> ReadLine(const std::string& path) {
  const OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd() < 0) return CannotOpen(path);
  char text[256];
  const ssize_t count = read(file.fd(), text, sizeof text);
  if (count < 0) return Fail(Code::kUnavailable, "{}: {}", path, SystemError());
  return std::string(text, std::find(text, text + count, '\n'));
}

Result<uint64_t> ReadNumber(const std::string& path) {
  const Result<std::string> line = ReadLine(path);
  if (!line) return std::unexpected(line.error());
  if (const auto value = NumberOrHexIn<uint64_t>(*line)) return *value;
  return Fail(Code::kDataLoss, "{}: '{}' is no number", path, *line);
}

Status WriteText(const std::string& path, const std::string& text) {
  const OpenFile file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.fd() < 0) return CannotOpen(path);
  if (write(file.fd(), text.data(), text.size()) == static_cast<ssize_t>(text.size())) return {};
  return Fail(Code::kUnavailable, "{}: '{}' cannot be written: {}", path, text, SystemError());
}

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

}  // namespace tessera::zynq
