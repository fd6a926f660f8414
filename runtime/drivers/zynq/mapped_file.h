// SPDX-License-Identifier: Apache-2.0
//
// Files of /sys and /dev for a driver: a line of text, a number, a mapped range. Errors name the
// file, and how to get a missing permission. Internal to runtime/drivers/zynq. Depends on: base.
#ifndef TESSERA_RUNTIME_DRIVERS_ZYNQ_MAPPED_FILE_H_
#define TESSERA_RUNTIME_DRIVERS_ZYNQ_MAPPED_FILE_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"

namespace tessera::zynq {

// An open file; the destructor closes it.
class OpenFile {
 public:
  explicit OpenFile(int fd = -1) : fd_(fd) {}
  OpenFile(OpenFile&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  OpenFile& operator=(OpenFile&& other) noexcept;
  ~OpenFile();

  // Opens |path| for reading and writing.
  //   errors  kNotFound     no such file
  //           kUnavailable  no permission, or another error of the system
  static Result<OpenFile> Open(const std::string& path);

  int fd() const { return fd_; }

 private:
  int fd_;
};

// The whole cache lines that |bytes| bytes at |address| touch, inside a buffer of |size|: drivers
// clean and invalidate caches in lines. kBytes is the longer line of the two families.
struct CacheLines {
  static constexpr uint64_t kBytes = 64;
  uint64_t begin, bytes;
};
inline CacheLines LinesOf(uint64_t address, uint64_t bytes, uint64_t size) {
  constexpr uint64_t k = CacheLines::kBytes;
  const uint64_t begin = address / k * k;
  return {begin, std::min((address + bytes + k - 1) / k * k, size) - begin};
}

// |bytes| bytes of a file from |offset|, mapped and shared with every process that maps them.
class MappedFile {
 public:
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  // |path| is for messages; |offset| is a multiple of the page size.
  //   errors  kUnavailable  the system refuses
  static Result<std::unique_ptr<MappedFile>> Map(const OpenFile& file, const std::string& path,
                                                 uint64_t offset, uint64_t bytes);

  uint8_t* data() const { return data_; }
  uint64_t size() const { return size_; }

 private:
  MappedFile(uint8_t* data, uint64_t size) : data_(data), size_(size) {}
  uint8_t* data_;
  uint64_t size_;
};

// Takes |file| for this process until it is closed.
//   errors  kUnavailable  another process has it
Status TakeForThisProcess(const OpenFile& file, const std::string& path);

// The first line of a file, and the number that it is (decimal, or hexadecimal with 0x).
//   errors  those of OpenFile::Open; kDataLoss no number
Result<std::string> ReadLine(const std::string& path);
Result<uint64_t> ReadNumber(const std::string& path);
// Writes |text| in one call, as files of /sys want it.
Status WriteText(const std::string& path, const std::string& text);

// The names in a folder, sorted; none when there is no such folder.
std::vector<std::string> NamesIn(const std::string& folder);

// What errno says, in the words of the system.
std::string SystemError();

}  // namespace tessera::zynq

#endif  // TESSERA_RUNTIME_DRIVERS_ZYNQ_MAPPED_FILE_H_
