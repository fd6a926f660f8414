// SPDX-License-Identifier: Apache-2.0
//
// Operators of files that have no single counterpart in the graph, by source file. Internal to
// compiler/ops; list.cc concatenates them (graph::ComposedOnnx, ComposedTflite).
#ifndef TESSERA_COMPILER_OPS_COMPOSED_H_
#define TESSERA_COMPILER_OPS_COMPOSED_H_

#include <span>

#include "compiler/graph/op_def.h"

namespace tessera::ops {

std::span<const graph::OnnxRow> NormalizationRows();  // normalize.cc
std::span<const graph::OnnxRow> MovementRows();       // movement.cc
std::span<const graph::OnnxRow> RecurrentRows();      // recurrent.cc
std::span<const graph::OnnxRow> BoxRows();            // boxes.cc

std::span<const graph::TfliteRow> DetectionRows();            // detection.cc
std::span<const graph::TfliteRow> TflitePartRows();           // tflite_parts.cc
std::span<const graph::TfliteRow> TfliteBlockRows();          // tflite_blocks.cc
std::span<const graph::TfliteRow> TfliteNumberRows();         // tflite_numbers.cc
std::span<const graph::TfliteRow> TfliteConstantRows();       // tflite_constants.cc
std::span<const graph::TfliteRow> TfliteMovementRows();       // movement.cc
std::span<const graph::TfliteRow> TfliteNormalizationRows();  // normalize.cc
std::span<const graph::TfliteRow> TfliteStateRows();          // tflite_lstm.cc

}  // namespace tessera::ops

#endif  // TESSERA_COMPILER_OPS_COMPOSED_H_
