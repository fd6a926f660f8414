// SPDX-License-Identifier: Apache-2.0
//
// Mapping: pages from the operating system, zeroed, allocated at the first touch, with protection.
// For host code and the executor's arena. Depends on base.
#ifndef TESSERA_RUNTIME_HOST_MAPPING_H_
#define TESSERA_RUNTIME_HOST_MAPPING_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error.h"

namespace tessera {

class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  // |bytes| of readable and writable memory; zero gives an empty mapping.
  //   errors  kUnavailable  the system refuses, or |bytes| is more than a pointer reaches
  static Result<Mapping> Make(uint64_t bytes);

  enum class Protection : uint8_t { kRead, kReadExecute };
  // |offset| and |bytes| must be whole pages inside the mapping.
  //   errors  kUnavailable  the system refuses
  Status Protect(size_t offset, size_t bytes, Protection access);

  uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  static size_t PageBytes();

 private:
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace tessera

#endif  // TESSERA_RUNTIME_HOST_MAPPING_H_
