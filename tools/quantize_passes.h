// SPDX-License-Identifier: Apache-2.0
//
// The runs of `tessera quantize`: the float network over the calibration items, and the quantised
// network beside it. Depends on: compiler/calibrate, observed_network.h. Used by: quantize.cc.
#ifndef TESSERA_TOOLS_QUANTIZE_PASSES_H_
#define TESSERA_TOOLS_QUANTIZE_PASSES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/calibrate/histogram.h"
#include "compiler/calibrate/insert.h"
#include "compiler/calibrate/plan.h"
#include "compiler/calibrate/range.h"
#include "runtime/executor/executor.h"
#include "tools/inputs.h"

namespace tessera::tools {

// What all passes of one call share.
struct QuantizeJob {
  std::string path;  // of the model, for messages
  calibrate::RangeMethod method = calibrate::RangeMethod::kMinMax;
  DType activations = DType::kInt8;
  const Inputs* data = nullptr;
  std::map<std::string, HostTensor> computed;  // of Prepared
  ExecutorOptions executor;
  std::function<void()> inference;  // called after each inference
};

// How far values of the quantised network are from those of the float network, over all items.
struct Fidelity {
  // In dB; infinite: no difference. |by_channel| takes the mean over channels (axis 1) of the ratio
  // of error to value, so narrow channels count as much as wide ones.
  struct Snr {
    double all = 0, by_channel = 0;
  };
  std::map<std::string, Snr> snr;         // by float value
  double output_snr = 0;                  // of all outputs together
  int64_t float_hits = 0, int8_hits = 0;  // items with the right label
};

// The results of quantising a float model.
struct QuantizedNetwork {
  calibrate::IntegerPlan plan;
  calibrate::ActivationScales scales;
  calibrate::QdqModel made;
  Fidelity fidelity;
  std::map<std::string, calibrate::ValueStatistics> statistics;  // by float value
};

// Calibrates |model|, corrects biases, inserts QDQ and measures the result. Nodes |in_float| stay
// float.
//   errors  kInvalidArgument  a value that is not finite
//           kUnsupported      a value that cannot be read back
//           others            as the importer, the compiler and the planner
Result<QuantizedNetwork> QuantizeNetwork(const onnx_model::OnnxModel& model,
                                         const std::set<size_t>& in_float, const QuantizeJob& job);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_QUANTIZE_PASSES_H_
