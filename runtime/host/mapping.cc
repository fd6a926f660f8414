// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/mapping.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

namespace tessera {

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Mapping::~Mapping() {
  if (data_ != nullptr) munmap(data_, size_);
}

Result<Mapping> Mapping::Make(uint64_t bytes) {
  Mapping mapping;
  if (bytes == 0) return mapping;
  if (bytes > std::numeric_limits<size_t>::max() / 2) {
    return Fail(Code::kUnavailable, "{} bytes of memory are more than this processor reaches",
                bytes);
  }
  void* data = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED)
    return Fail(Code::kUnavailable, "the system gives no {} bytes of memory: {}", bytes,
                std::strerror(errno));
#ifdef MADV_HUGEPAGE
  // Kernels read weights of some megabytes from end to end; large pages save page walks there. A
  // system without large pages leaves the memory as it is.
  madvise(data, static_cast<size_t>(bytes), MADV_HUGEPAGE);
#endif
  mapping.data_ = static_cast<uint8_t*>(data);
  mapping.size_ = static_cast<size_t>(bytes);
  return mapping;
}

Status Mapping::Protect(size_t offset, size_t bytes, Protection access) {
  if (bytes == 0) return {};
  const int flags = access == Protection::kRead ? PROT_READ : PROT_READ | PROT_EXEC;
  if (mprotect(data_ + offset, bytes, flags) != 0) {
    return Fail(Code::kUnavailable, "the system does not let memory be protected: {}",
                std::strerror(errno));
  }
  return {};
}

size_t Mapping::PageBytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace tessera
