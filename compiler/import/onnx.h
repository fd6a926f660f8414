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

// Names of the supported operators, separated by blanks.
std::string OnnxOperators();

// The folder of the file |path|.
std::string FolderOf(const std::string& path);

// Reads an ONNX model. External data are read from files in the folder of |path|. An operator
// between DequantizeLinear and QuantizeLinear becomes an int8 operator; every other operator works
// on plain floats or integers. A symbolic first extent of an input becomes 1; |options| give the
// others. Activations of uint8 become int8: 128 is subtracted from value and zero point. Relu and
// Clip become bounds of the operator in front of them. Nodes that depend on constants alone are
// computed.
//   errors  kInvalidArgument  not a model; missing shapes; bad scales; weight zero points that are
//                             not 0; shapes that do not fit; every message names file and node
//           kUnsupported      an operator, attribute or type that docs/operators.md does not list
//                             (named)
//           kDataLoss         truncated data
Result<graph::Graph> ImportOnnx(std::span<const uint8_t> bytes, const std::string& path,
                                const ImportOptions& options = {});
Result<graph::Graph> ImportOnnxFile(const std::string& path, const ImportOptions& options = {});

}  // namespace tessera

#endif  // TESSERA_COMPILER_IMPORT_ONNX_H_
