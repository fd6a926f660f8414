// SPDX-License-Identifier: Apache-2.0
//
// Shared includes and helpers of the operators' files. Internal to compiler/ops.
#ifndef TESSERA_COMPILER_OPS_UNIT_H_
#define TESSERA_COMPILER_OPS_UNIT_H_

#include <algorithm>
#include <vector>

#include "compiler/graph/example.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/node_check.h"
#include "compiler/graph/op_def.h"
#include "compiler/import/qdq.h"
#include "compiler/import/tflite_convert.h"
#include "compiler/quantize/factors.h"
#include "compiler/region/body.h"
#include "runtime/tensor/tensor.h"

namespace tessera::ops {

using graph::Category;
using graph::Example;
using graph::Fits;
using graph::Graph;
using graph::GraphTensor;
using graph::kAllTypes;
using graph::kAnyTypes;
using graph::kNumberTypes;
using graph::kPlainFloats;
using graph::kPlainNumbers;
using graph::kPlainTypes;
using graph::kWideTypes;
using graph::Node;
using graph::NodeCheck;
using graph::OnnxRow;
using graph::Op;
using graph::OpDef;
using graph::Quant;
using graph::Requant;
using graph::Shape;
using graph::TensorId;
using graph::TfliteRow;
using graph::TypePair;
using graph::Window;
using onnx_model::OnnxNode;
using onnx_model::QdqConverter;
using te::Axis;
using te::Expr;
using te::I32;
using te::RegionBuilder;
using te::Wide;
using tflite_model::Converter;

// Every operator's definition, k<Name>Def, in the file that graph/ops.def names.
#define OP(name, file)               \
  namespace file##_op {              \
    extern const OpDef k##name##Def; \
  }
#include "compiler/graph/ops.def"

using Indices = std::vector<Expr>;

inline constexpr graph::OnnxWhen kNever = graph::OnnxWhen::kNever;

}  // namespace tessera::ops

#endif  // TESSERA_COMPILER_OPS_UNIT_H_
