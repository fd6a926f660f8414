// SPDX-License-Identifier: Apache-2.0
//
// TFLite models to graphs: int8 models with the arithmetic of TFLite's reference kernels, and float
// models. Depends on: compiler/graph. Used by tools, through import.h.
#ifndef TESSERA_COMPILER_IMPORT_TFLITE_H_
#define TESSERA_COMPILER_IMPORT_TFLITE_H_

#include <cstdint>
#include <span>
#include <string>

#include "base/error.h"
#include "compiler/graph/graph.h"
#include "compiler/import/options.h"

namespace tessera {

// Names of the supported operators, separated by blanks.
std::string TfliteOperators();

// Reads a .tflite file; every table is verified before it is read. Tensors of four axes become
// NCHW; graph inputs and outputs keep a note of the file's order (graph::Tensor::order). Fused
// activations become bounds of the node; every node rounds as TFLite does. The node that makes the
// result of operator k of the file gets the operator's name in lower case and its index:
// "conv_2d_3". Nodes that move its operands or finish its result have a suffix: "reshape_4.nhwc".
// The batch extent of the file is kept.
//   errors  kInvalidArgument  not a model; tables or buffers outside of the file; scales of 0, NaN
//                             or infinity; channel axes or shapes that disagree; each message names
//                             file, operator, index and tensor
//           kUnsupported      an operator, option or data type that is not in docs/operators.md
//                             (named); inputs whose shape is open
//           kOutOfRange       more operators, tensors or elements than the compiler takes
Result<graph::Graph> ImportTflite(std::span<const uint8_t> bytes, const std::string& path,
                                  const ImportOptions& options = {});

}  // namespace tessera

#endif  // TESSERA_COMPILER_IMPORT_TFLITE_H_
