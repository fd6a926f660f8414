// SPDX-License-Identifier: Apache-2.0
//
// ONNX models to graphs. Depends on: compiler/graph, onnx_model.h. Used by tools.
#ifndef TESSERA_COMPILER_IMPORT_ONNX_H_
#define TESSERA_COMPILER_IMPORT_ONNX_H_

#include <cstdint>
#include <span>
#include <string>

#include "base/error.h"
#include "compiler/graph/graph.h"
#include "compiler/import/options.h"

namespace tessera {

// Names of the operators that are read, with blanks between them.
std::string OnnxOperators();

// The folder of the file |path|.
std::string FolderOf(const std::string& path);

// Reads an ONNX model; data that lie beside it are read from files in the folder of |path|. An
// operator between DequantizeLinear and QuantizeLinear is one on int8, any
// other is one on plain floats or integers. A symbolic first extent of an input becomes 1; others
// are given in |options|. Activations of uint8 become int8 by -128 on value and zero point. Relu
// and Clip become bounds of the operator in front of them. What depends on constants alone is
// computed.
//   errors  kInvalidArgument  not a model; missing shapes; bad scales; weight zero points that are
//   not 0;
//                             shapes that do not fit; every message names file and node
//           kUnsupported      an operator, attribute or type that is not in docs (named)
//           kDataLoss         truncated data
Result<graph::Graph> ImportOnnx(std::span<const uint8_t> bytes, const std::string& path,
                                const ImportOptions& options = {});
Result<graph::Graph> ImportOnnxFile(const std::string& path, const ImportOptions& options = {});

}  // namespace tessera

#endif  // TESSERA_COMPILER_IMPORT_ONNX_H_
