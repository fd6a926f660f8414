// SPDX-License-Identifier: Apache-2.0
//
// Decides which operators of a float model become integer operators, and which values get scales.
// It asks the importer: each operator is imported alone, between DequantizeLinear and
// QuantizeLinear. Depends on: compiler/import, model_index.h. Used by: insert.h, shift.h,
// tools/quantize.cc.
#ifndef TESSERA_COMPILER_CALIBRATE_PLAN_H_
#define TESSERA_COMPILER_CALIBRATE_PLAN_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/import/onnx_model.h"

namespace tessera::calibrate {

// An operator that is computed on integers.
struct IntegerLayer {
  size_t node = 0;                    // its position in the model
  std::vector<std::string> operands;  // the activations that it reads
  std::string result;                 // the value behind the Relus and Clips that it absorbs
  int weight_axis = -1;               // of its weights, operand 1; -1 if it has none
};

struct IntegerPlan {
  std::vector<IntegerLayer> layers;  // in the model's order
  // Every value that has integers, mapped to the value that owns their scale: itself, or the
  // operand whose scale the operator keeps.
  std::map<std::string, std::string> scale_of;
};

// A pool, a reshape or a lone Relu becomes an integer operator only if its operand has integers for
// another reason; between two float layers it stays in float. |floats| is the model as the importer
// reads it, for shapes. |computed| is Prepared's. |in_float|: positions of nodes that stay in
// float.
//   errors  kUnsupported  no operator can be computed on integers
Result<IntegerPlan> PlanIntegers(const onnx_model::OnnxModel& model, const graph::Graph& floats,
                                 const std::map<std::string, HostTensor>& computed,
                                 const std::set<size_t>& in_float);

}  // namespace tessera::calibrate

#endif  // TESSERA_COMPILER_CALIBRATE_PLAN_H_
