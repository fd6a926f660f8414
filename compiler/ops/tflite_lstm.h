// SPDX-License-Identifier: Apache-2.0
//
// TFLite's sequence LSTM: shared code of its float and int8 forms. Internal to compiler/ops.
#ifndef TESSERA_COMPILER_OPS_TFLITE_LSTM_H_
#define TESSERA_COMPILER_OPS_TFLITE_LSTM_H_

#include <optional>
#include <vector>

#include "compiler/ops/unit.h"

namespace tessera::ops {

// Inputs of the operator; gates in the order input, forget, cell, output.
inline constexpr size_t kLstmWeights = 1, kLstmRecurrent = 5, kLstmPeepholes = 9, kLstmBias = 12,
                        kLstmProjection = 16, kLstmProjectionBias = 17, kLstmHidden = 18,
                        kLstmCell = 19, kLstmNorms = 20;

// The order of gates in concatenated tensors: gates with a sigmoid come first. A layer whose input
// gate is coupled to its forget gate lacks the first.
enum class LstmGate : uint8_t { kInput, kForget, kOutput, kCell };
// The operator's number for each of these gates.
inline constexpr size_t kLstmFileGate[] = {0, 1, 3, 2};

// The current operator of |c|, and the nodes that are built for it step by step.
class SequenceLstm {
 public:
  explicit SequenceLstm(Converter& converter) : c(converter) {}
  // Reads shapes and options; refuses unsupported ones.
  Status Read();

  Converter& c;
  int64_t steps = 0, batch = 0, depth = 0, cells = 0, results = 0;  // |results|: of the output
  bool time_major = false;
  float cell_clip = 0, projection_clip = 0;  // 0: none
  std::vector<LstmGate> gates;
  int64_t width() const { return std::ssize(gates) * cells; }  // of all gates
  bool coupled() const { return gates.size() == 3; }

  Result<TensorId> Make(Node made, Shape shape, std::optional<Quant> quant = {},
                        std::optional<DType> dtype = {});
  // The operator's input as rows, ordered by step: [steps * batch, depth].
  Result<TensorId> Rows();
  // The rows of step |step| of |x|, [steps * batch, n], as [batch, n].
  Result<TensorId> StepOf(TensorId x, int64_t step);
  // Gates [first, first + count) of |x|, [batch, width()]; |first| counts only gates the layer has.
  Result<TensorId> Gates(TensorId x, size_t first, size_t count);
  // Makes the operator's result from one tensor [batch, results] per step.
  Status Finish(const std::vector<TensorId>& hidden);

 private:
  int count_ = 0;
};

// The int8 form (tflite_lstm_int8.cc): 8-bit activations and weights, a 16-bit cell.
Status Int8LstmFromTflite(SequenceLstm& layer);

}  // namespace tessera::ops

#endif  // TESSERA_COMPILER_OPS_TFLITE_LSTM_H_
