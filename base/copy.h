// SPDX-License-Identifier: Apache-2.0
//
// Copies of tensors' bytes. Depends on nothing. Used by: runtime.
#ifndef TESSERA_BASE_COPY_H_
#define TESSERA_BASE_COPY_H_

#include <cstdint>
#include <cstring>
#include <span>

namespace tessera {

// Copies |from| to |to|, which has room and does not overlap. std::ranges::copy of spans is a loop
// of single bytes in g++ 12: 0.12 ms for an image of 600 KB.
inline void CopyBytes(std::span<const uint8_t> from, uint8_t* to) {
  if (!from.empty()) std::memcpy(to, from.data(), from.size());
}

}  // namespace tessera

#endif  // TESSERA_BASE_COPY_H_
