// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/import.h"

#include "compiler/import/onnx.h"
#include "compiler/import/tflite.h"
#include "compiler/import/tflite_model.h"

namespace tessera {

std::string_view Text(ModelFormat format) {
  return format == ModelFormat::kTflite ? "TFLite" : "ONNX";
}

ModelFormat FormatOf(std::span<const uint8_t> bytes) {
  return tflite_model::LooksLikeTflite(bytes) ? ModelFormat::kTflite : ModelFormat::kOnnx;
}

Result<graph::Graph> ImportModel(std::span<const uint8_t> bytes, const std::string& path) {
  return FormatOf(bytes) == ModelFormat::kTflite ? ImportTflite(bytes, path)
                                                 : ImportOnnx(bytes, path);
}

}  // namespace tessera
