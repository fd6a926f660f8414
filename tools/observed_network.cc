// SPDX-License-Identifier: Apache-2.0
#include "tools/observed_network.h"

#include "compiler/driver/compile.h"
#include "compiler/import/onnx.h"
#include "compiler/import/onnx_write.h"
#include "runtime/executor/inputs.h"

namespace tessera::tools {

Result<ObservedNetwork> ObservedNetwork::Open(const onnx_model::OnnxModel& model,
                                              const std::string& path,
                                              const ExecutorOptions& options) {
  ObservedNetwork network;
  network.pixels_ = options.pixels;
  TESSERA_ASSIGN(network.graph_, ImportOnnx(onnx_model::Write(model), path));
  compiler::CompileOptions compile;
  TESSERA_ASSIGN(compile.config, isa::LoadConfig("default"));
  compile.device = false;
  compile.keep_tensors = true;
  compile.fuse = false;
  compile.simplify = false;
  Result<compiler::Compiled> compiled = compiler::Compile(network.graph_, path, 0, compile);
  if (!compiled) return Within(path, compiled.error());
  TESSERA_ASSIGN(
      network.executor_,
      Executor::Open(std::make_shared<const artifact::Artifact>(std::move(compiled->artifact)),
                     "cpu", nullptr, options));
  const artifact::Artifact& net = network.executor_->artifact();
  for (uint32_t l = 0; l < net.layers.size(); ++l) {
    if (network.executor_->plan().TapOf(l)) network.layers_[net.layers[l].output.name] = l;
  }
  return network;
}

Result<std::vector<HostTensor>> ObservedNetwork::Run(std::vector<HostTensor> item) {
  item_ = std::move(item);
  return executor_->Run(item_);
}

Result<std::optional<HostTensor>> ObservedNetwork::Floats(const std::string& name) const {
  for (size_t k = 0; k < item_.size(); ++k) {
    const artifact::TensorInfo& input = artifact().inputs[k];
    if (input.name != name || input.dtype != DType::kFloat32) continue;
    HostTensor floats = HostTensor::Zeros(DType::kFloat32, input.shape);
    FillInput(input, item_[k], 0, pixels_, floats.bytes);
    return floats;
  }
  const auto it = layers_.find(name);
  if (it == layers_.end()) return std::nullopt;
  TESSERA_ASSIGN(HostTensor value, executor_->CaptureLayer(it->second));
  if (value.dtype == DType::kFloat32) return value;
  const auto& quant = executor_->artifact().layers[it->second].output.quant;
  if (value.dtype != DType::kInt8 || !quant) return std::nullopt;
  HostTensor floats = HostTensor::Zeros(DType::kFloat32, value.shape);
  for (size_t i = 0; i < value.as<int8_t>().size(); ++i)
    floats.as<float>()[i] =
        static_cast<float>(quant->scale * static_cast<double>(value.as<int8_t>()[i] - quant->zero));
  return floats;
}

}  // namespace tessera::tools
