// SPDX-License-Identifier: Apache-2.0
//
// From the bytes of a buffer or segment to a logical tensor. Depends on: artifact.h,
// runtime/tensor.
#ifndef TESSERA_RUNTIME_ARTIFACT_TAP_H_
#define TESSERA_RUNTIME_ARTIFACT_TAP_H_

#include <cstdint>
#include <span>

#include "base/error.h"
#include "runtime/artifact/artifact.h"
#include "runtime/tensor/tensor.h"

namespace tessera::artifact {

// Bytes from the first element's to the end of the last one that any index of |layout| can name.
//   errors  kInvalidArgument  a dimension that the shape lacks, a divisor below 1, a negative
//                             modulus or stride, other than one stride for each dimension
//           kOutOfRange       more than kMaxBlobBytes
Result<uint64_t> ExtentInBytes(const PhysicalLayout& layout);

// The row-major tensor whose elements lie in |bytes| as |layout| says; |bytes| holds
// ExtentInBytes(layout).
HostTensor UnpackTap(const PhysicalLayout& layout, std::span<const uint8_t> bytes);

}  // namespace tessera::artifact

#endif  // TESSERA_RUNTIME_ARTIFACT_TAP_H_
