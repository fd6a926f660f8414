// SPDX-License-Identifier: Apache-2.0
#include "runtime/artifact/tap.h"

#include "base/check.h"

namespace tessera::artifact {

uint64_t BytesInLayout(const TensorInfo& tensor, const Layout& layout) {
  return static_cast<uint64_t>(SizeInElements(tensor.shape, layout) * SizeOf(tensor.dtype));
}

HostTensor UnpackTap(const TensorInfo& tensor, const Layout& layout,
                     std::span<const uint8_t> bytes) {
  TESSERA_CHECK(BytesInLayout(tensor, layout) <= bytes.size(), "{} bytes for a layout",
                bytes.size());
  return {tensor.dtype, tensor.shape,
          UnpackLayout(tensor.shape, layout, SizeOf(tensor.dtype), bytes)};
}

}  // namespace tessera::artifact
