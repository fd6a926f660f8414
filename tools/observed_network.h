// SPDX-License-Identifier: Apache-2.0
//
// ObservedNetwork: an ONNX model compiled for the host so that every value can be read after an
// inference. Depends on: compiler/driver, runtime/executor. Used by: quantize.cc,
// quantize_passes.cc.
#ifndef TESSERA_TOOLS_OBSERVED_NETWORK_H_
#define TESSERA_TOOLS_OBSERVED_NETWORK_H_

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/graph/graph.h"
#include "compiler/import/onnx_model.h"
#include "runtime/executor/executor.h"
#include "runtime/tensor/tensor.h"

namespace tessera::tools {

class ObservedNetwork {
 public:
  // |path| is for messages. errors: those of the importer and the compiler
  static Result<ObservedNetwork> Open(const onnx_model::OnnxModel& model, const std::string& path,
                                      const ExecutorOptions& options);

  const graph::Graph& graph() const { return graph_; }  // as imported
  const artifact::Artifact& artifact() const { return executor_->artifact(); }

  // Runs |item|, one tensor for each input; returns the outputs.
  Result<std::vector<HostTensor>> Run(std::vector<HostTensor> item);

  // Value |name| of the last inference as float32; dequantises integers. Nothing if the network has
  // no such value, or the compiler merged it into another one.
  Result<std::optional<HostTensor>> Floats(const std::string& name) const;

 private:
  graph::Graph graph_;
  std::unique_ptr<Executor> executor_;
  std::map<std::string, uint32_t> layers_;  // by the name of the layer's result
  std::vector<HostTensor> item_;
  PixelRule pixels_;
};

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_OBSERVED_NETWORK_H_
