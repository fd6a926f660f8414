// SPDX-License-Identifier: Apache-2.0
//
// Parameters of an ONNX Resize or Upsample. Internal to compiler/ops.
#ifndef TESSERA_COMPILER_OPS_RESIZE_H_
#define TESSERA_COMPILER_OPS_RESIZE_H_

#include <string>
#include <vector>

#include "compiler/ops/unit.h"

namespace tessera::ops {

constexpr int64_t kMostExtent = 1 << 16;

// The text of attribute |name|; |otherwise| if it is absent.
std::string TextOr(const OnnxNode& node, const std::string& name, const std::string& otherwise);

// Whether |node| predates coordinate_transformation_mode.
bool IsOld(const QdqConverter& c, const OnnxNode& node);

// The wanted extents by axis of the operand, and the factors by which indices are divided.
struct ResizeWanted {
  Shape size;
  std::vector<float> scale;
};

// The extents and factors of |node| over an operand of shape |in|.
//   errors  kUnsupported      scales and sizes are not constants, batch or channels change
//           kInvalidArgument  they do not fit the operand or are out of range
Result<ResizeWanted> ResizeWantedOf(const QdqConverter& c, const OnnxNode& node, const Shape& in);

}  // namespace tessera::ops

#endif  // TESSERA_COMPILER_OPS_RESIZE_H_
