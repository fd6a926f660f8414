// SPDX-License-Identifier: Apache-2.0
//
// The maker and the readers of each value of an ONNX model, and the operators that have weights.
// Depends on: compiler/import. Used by: the files of compiler/calibrate.
#ifndef TESSERA_COMPILER_CALIBRATE_MODEL_INDEX_H_
#define TESSERA_COMPILER_CALIBRATE_MODEL_INDEX_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/import/onnx_model.h"

namespace tessera::calibrate {

using onnx_model::OnnxModel;
using onnx_model::OnnxNode;

// Index of one model; valid until that model changes.
class ModelIndex {
 public:
  explicit ModelIndex(const OnnxModel& model);

  const OnnxNode* Maker(const std::string& value) const;  // null if no node makes it
  // Positions of nodes in the model; a node that reads the value twice occurs twice.
  const std::vector<size_t>& Readers(const std::string& value) const;
  bool IsOutput(const std::string& value) const { return outputs_.contains(value); }
  // The only reader of a value that is not an output of the model; null otherwise.
  const OnnxNode* OnlyReader(const std::string& value) const;
  // |wanted|, with a number appended if that name is in use. The returned name counts as used.
  std::string Fresh(const std::string& wanted);

 private:
  const OnnxModel& model_;
  std::map<std::string, size_t> makers_;
  std::map<std::string, std::vector<size_t>> readers_;
  std::set<std::string> outputs_, taken_;
};

// The axis of the output channels in a node's weights, operand 1; -1 if it has no weights.
int WeightAxis(const OnnxNode& node);
// The float32 constant |name|; null if there is none.
const HostTensor* FloatConstant(const OnnxModel& model, const std::string& name);
// Maps weight |i| to its index along |axis| of |shape|: (i / inner) % extent.
struct AxisIndex {
  AxisIndex(const std::vector<int64_t>& shape, int axis);
  size_t inner = 1, extent = 1;
  size_t operator()(size_t i) const { return i / inner % extent; }
};

// Removes initializers that no node reads.
void DropUnread(OnnxModel& model);

// The positions of the nodes that |names| name, by node or by a value that the node makes.
//   errors  kNotFound  an unknown name; the message lists the most similar names
Result<std::set<size_t>> NodesNamed(const OnnxModel& model, const std::vector<std::string>& names);

}  // namespace tessera::calibrate

#endif  // TESSERA_COMPILER_CALIBRATE_MODEL_INDEX_H_
