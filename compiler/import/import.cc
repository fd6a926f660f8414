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

std::string_view Text(TfliteKernels kernels) {
  return kernels == TfliteKernels::k2_14 ? "2.14" : "litert-2.3";
}

Result<TfliteKernels> ParseTfliteKernels(const std::string& text) {
  for (const TfliteKernels kernels : {TfliteKernels::k2_14, TfliteKernels::kLitert2_3}) {
    if (Text(kernels) == text) return kernels;
  }
  return Fail(Code::kInvalidArgument, "--tflite {}: the integers are those of 2.14 or litert-2.3",
              text);
}

Result<graph::Graph> ImportModel(std::span<const uint8_t> bytes, const std::string& path,
                                 const ImportOptions& options) {
  return FormatOf(bytes) == ModelFormat::kTflite ? ImportTflite(bytes, path, options)
                                                 : ImportOnnx(bytes, path, options);
}

}  // namespace tessera
