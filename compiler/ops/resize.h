// SPDX-License-Identifier: Apache-2.0
//
// What a Resize or Upsample of ONNX asks for. Internal to compiler/ops.
#ifndef TESSERA_COMPILER_OPS_RESIZE_H_
#define TESSERA_COMPILER_OPS_RESIZE_H_

#include <string>
#include <vector>

#include "compiler/ops/unit.h"

namespace tessera::ops {

constexpr int64_t kMostExtent = 1 << 16;

// Attribute |name|, a text; |otherwise| where there is none.
std::string TextOr(const OnnxNode& node, const std::string& name, const std::string& otherwise);

// Whether |node| is of the time before coordinate_transformation_mode.
bool IsOld(const QdqConverter& c, const OnnxNode& node);

// What is asked for, by axis of the operand: extents, and the factors that indices are divided by.
struct ResizeWanted {
  Shape size;
  std::vector<float> scale;
};

// Of |node| over an operand of shape |in|.
//   errors  kUnsupported      scales and sizes are no constants, batch or channels change
//           kInvalidArgument  they do not fit the operand or are out of range
Result<ResizeWanted> ResizeWantedOf(const QdqConverter& c, const OnnxNode& node, const Shape& in);

}  // namespace tessera::ops

#endif  // TESSERA_COMPILER_OPS_RESIZE_H_
