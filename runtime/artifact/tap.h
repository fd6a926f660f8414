// SPDX-License-Identifier: Apache-2.0
//
// Turns the bytes of a buffer into a layer's result. Depends on: artifact.h, runtime/tensor. Used
// by: runtime/executor.
#ifndef TESSERA_RUNTIME_ARTIFACT_TAP_H_
#define TESSERA_RUNTIME_ARTIFACT_TAP_H_

#include <cstdint>
#include <span>

#include "runtime/artifact/artifact.h"
#include "runtime/tensor/tensor.h"

namespace tessera::artifact {

// Bytes of |tensor| in |layout|, which CheckArtifact must accept.
uint64_t BytesInLayout(const TensorInfo& tensor, const Layout& layout);

// The row-major tensor whose elements lie in |bytes| in |layout|. |bytes| has BytesInLayout bytes
// or more.
HostTensor UnpackTap(const TensorInfo& tensor, const Layout& layout,
                     std::span<const uint8_t> bytes);

}  // namespace tessera::artifact

#endif  // TESSERA_RUNTIME_ARTIFACT_TAP_H_
