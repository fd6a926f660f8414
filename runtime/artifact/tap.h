// SPDX-License-Identifier: Apache-2.0
//
// From the bytes of a buffer to a layer's result. Depends on: artifact.h, runtime/tensor. Used by:
// runtime/executor.
#ifndef TESSERA_RUNTIME_ARTIFACT_TAP_H_
#define TESSERA_RUNTIME_ARTIFACT_TAP_H_

#include <cstdint>
#include <span>

#include "runtime/artifact/artifact.h"
#include "runtime/tensor/tensor.h"

namespace tessera::artifact {

// Bytes of |tensor| in |layout|, which CheckArtifact has accepted.
uint64_t BytesInLayout(const TensorInfo& tensor, const Layout& layout);

// The row-major tensor whose elements lie in |bytes| (BytesInLayout of them or more) as |layout|
// says.
HostTensor UnpackTap(const TensorInfo& tensor, const Layout& layout,
                     std::span<const uint8_t> bytes);

}  // namespace tessera::artifact

#endif  // TESSERA_RUNTIME_ARTIFACT_TAP_H_
