// SPDX-License-Identifier: Apache-2.0
//
// Shared code of operators with a window over the image. Internal to compiler/ops.
#ifndef TESSERA_COMPILER_OPS_WINDOW_H_
#define TESSERA_COMPILER_OPS_WINDOW_H_

#include <string>

#include "compiler/ops/unit.h"

namespace tessera::ops {

// The shape [N, channels, y, x] of the result of |window| over an image [N, C, H, W].
Shape Through(const Window& window, const Shape& in, int64_t channels);
// " kernel 3x3 stride 1,1 dilation 1,1 pads 0,0,0,0"
std::string WindowText(const Window& window);

// Pools: PoolAttributes over an image.
Result<Shape> PoolShape(const NodeCheck& node);
std::string PoolText(const Node& node);
// A 2x2 window in steps of 2 for the documentation; other examples draw extents and strides of 2 or
// 3.
void PoolExample(Example& example);
// The window of |node|, an ONNX pool over an image of shape |in|; a global pool covers the image.
Result<Window> PoolWindow(QdqConverter& c, const OnnxNode& node, const Shape& in);
// |window| plus the pads that ceil_mode adds behind the image.
Window WithCeiling(const OnnxNode& node, Window window, const Shape& in);
Status PoolFromTflite(Converter& c, Op op);

}  // namespace tessera::ops

#endif  // TESSERA_COMPILER_OPS_WINDOW_H_
