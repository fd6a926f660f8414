// SPDX-License-Identifier: Apache-2.0
//
// Writes the plain structs of onnx_model.h as an ONNX file: the inverse of Parse. Used by
// tools/quantize.cc, which changes a model and writes it again.
#ifndef TESSERA_COMPILER_IMPORT_ONNX_WRITE_H_
#define TESSERA_COMPILER_IMPORT_ONNX_WRITE_H_

#include <cstdint>
#include <vector>

#include "compiler/import/onnx_model.h"

namespace tessera::onnx_model {

// The bytes of an .onnx file from which Parse returns |model| again. Parse drops intermediate
// shapes, producers and comments, so the file lacks them. An extent of -1 is written as unknown.
std::vector<uint8_t> Write(const OnnxModel& model);

}  // namespace tessera::onnx_model

#endif  // TESSERA_COMPILER_IMPORT_ONNX_WRITE_H_
