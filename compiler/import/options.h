// SPDX-License-Identifier: Apache-2.0
//
// Options of the importers. Depends on: runtime/tensor. Used by: import.h, tflite.h, tools.
#ifndef TESSERA_COMPILER_IMPORT_OPTIONS_H_
#define TESSERA_COMPILER_IMPORT_OPTIONS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "runtime/tensor/tensor.h"

namespace tessera {

// The kernels whose integer results a TFLite model must reproduce: the reference kernels of
// tflite-runtime 2.14, or those of LiteRT (ai-edge-litert) 2.3, which round fully connected layers
// once. docs/rationale/tflite.md lists the differences.
enum class TfliteKernels : uint8_t { k2_14, kLitert2_3 };

std::string_view Text(TfliteKernels kernels);  // "2.14", "litert-2.3"
// errors: kInvalidArgument  the message lists the valid names
Result<TfliteKernels> ParseTfliteKernels(const std::string& text);

// A tensor of more elements is refused.
inline constexpr int64_t kMostTensorElements = int64_t{1} << 28;

struct ImportOptions {
  TfliteKernels tflite = TfliteKernels::k2_14;
  // Shapes of model inputs by name, for inputs whose extents the file leaves open.
  std::map<std::string, std::vector<int64_t>> shapes;
  // Values of model inputs by name: these inputs become constants of the graph.
  std::map<std::string, HostTensor> known;
};

}  // namespace tessera

#endif  // TESSERA_COMPILER_IMPORT_OPTIONS_H_
