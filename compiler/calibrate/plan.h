// SPDX-License-Identifier: Apache-2.0
//
// Which operators of a float model become integer ones, and which values get scales. The importer
// is asked: each operator is given to it alone, between DequantizeLinear and QuantizeLinear.
// Depends on: compiler/import, model_index.h. Used by: insert.h, shift.h, tools/quantize.cc.
#ifndef TESSERA_COMPILER_CALIBRATE_PLAN_H_
#define TESSERA_COMPILER_CALIBRATE_PLAN_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/import/onnx_model.h"

namespace tessera::calibrate {

// An operator that is one on integers.
struct IntegerLayer {
  size_t node = 0;                    // its position in the model
  std::vector<std::string> operands;  // the activations that it reads
  std::string result;                 // the value behind the Relus and Clips that it takes in
  int weight_axis = -1;               // of its weights, operand 1; -1: it has none
};

struct IntegerPlan {
  std::vector<IntegerLayer> layers;  // in the model's order
  // Every value that has integers, and the value whose scale those have: its own, or, where an
  // operator keeps the scale of its operand, that one's.
  std::map<std::string, std::string> scale_of;
};

// A pool, a reshape or a lone Relu is an integer operator only where its operand has integers for
// another reason: between two float layers it stays in float.
// |floats|: the model as the importer has it, for shapes. |computed|: Prepared's. |in_float|:
// positions of nodes that stay.
//   errors  kUnsupported  there is no operator that can be one on integers
Result<IntegerPlan> PlanIntegers(const onnx_model::OnnxModel& model, const graph::Graph& floats,
                                 const std::map<std::string, HostTensor>& computed,
                                 const std::set<size_t>& in_float);

}  // namespace tessera::calibrate

#endif  // TESSERA_COMPILER_CALIBRATE_PLAN_H_
