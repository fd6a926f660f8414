// SPDX-License-Identifier: Apache-2.0
//
// Who makes and who reads each value of an ONNX model, and which operators have weights. Depends
// on: compiler/import. Used by: the files of compiler/calibrate.
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

// Of one model, until that changes.
class ModelIndex {
 public:
  explicit ModelIndex(const OnnxModel& model);

  const OnnxNode* Maker(const std::string& value) const;  // null: no node makes it
  // Positions of nodes in the model; one that reads a value twice is there twice.
  const std::vector<size_t>& Readers(const std::string& value) const;
  bool IsOutput(const std::string& value) const { return outputs_.contains(value); }
  // The one reader of a value that is no output of the model; null: there is none, or more.
  const OnnxNode* OnlyReader(const std::string& value) const;
  // |wanted|, or with a number behind it where that name is taken. It is taken from then on.
  std::string Fresh(const std::string& wanted);

 private:
  const OnnxModel& model_;
  std::map<std::string, size_t> makers_;
  std::map<std::string, std::vector<size_t>> readers_;
  std::set<std::string> outputs_, taken_;
};

// The axis of a node's output channels in its weights, operand 1; -1: it has no weights.
int WeightAxis(const OnnxNode& node);
// The float32 constant |name|, or null.
const HostTensor* FloatConstant(const OnnxModel& model, const std::string& name);
// Weight |i| along |axis| of |shape| has the index (i / inner) % extent there.
struct AxisIndex {
  AxisIndex(const std::vector<int64_t>& shape, int axis);
  size_t inner = 1, extent = 1;
  size_t operator()(size_t i) const { return i / inner % extent; }
};

// Takes initializers out that nothing reads.
void DropUnread(OnnxModel& model);

// The positions of the nodes that |names| (of nodes, or of values that they make) mean.
//   errors  kNotFound  a name that is none; with those that are nearest
Result<std::set<size_t>> NodesNamed(const OnnxModel& model, const std::vector<std::string>& names);

}  // namespace tessera::calibrate

#endif  // TESSERA_COMPILER_CALIBRATE_MODEL_INDEX_H_
