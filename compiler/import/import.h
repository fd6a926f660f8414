// SPDX-License-Identifier: Apache-2.0
//
// Model files of any supported format to integer graphs. Depends on: onnx.h, tflite.h. Used by
// tools.
#ifndef TESSERA_COMPILER_IMPORT_IMPORT_H_
#define TESSERA_COMPILER_IMPORT_IMPORT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "compiler/graph/graph.h"
#include "compiler/import/options.h"

namespace tessera {

enum class ModelFormat : uint8_t { kOnnx, kTflite };

std::string_view Text(ModelFormat format);  // "ONNX"

// The format of |bytes|, from their content: TFLite if they carry its file identifier, else ONNX.
ModelFormat FormatOf(std::span<const uint8_t> bytes);

// Reads a model in the format that FormatOf returns. |path| appears in messages only.
//   errors  as ImportOnnx, ImportTflite
Result<graph::Graph> ImportModel(std::span<const uint8_t> bytes, const std::string& path,
                                 const ImportOptions& options = {});

}  // namespace tessera

#endif  // TESSERA_COMPILER_IMPORT_IMPORT_H_
