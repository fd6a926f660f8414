// SPDX-License-Identifier: Apache-2.0
#include "provider/onnxruntime/network.h"

#include <cstring>
#include <utility>

#include "base/hash.h"
#include "compiler/driver/compile.h"
#include "compiler/import/onnx.h"
#include "compiler/import/onnx_write.h"
#include "runtime/executor/inputs.h"

namespace tessera::ort {

Result<artifact::Artifact> CompileGroup(const onnx_model::OnnxModel& model, const std::string& name,
                                        const ProviderOptions& options) {
  const std::vector<uint8_t> bytes = onnx_model::Write(model);
  TESSERA_ASSIGN(graph::Graph graph, ImportOnnx(bytes, name));
  compiler::CompileOptions compile;
  compile.config = options.config;
  compile.cpu = false;
  Result<compiler::Compiled> compiled =
      compiler::Compile(std::move(graph), name, Crc64(bytes), compile);
  if (!compiled) return Within(name, compiled.error());
  return std::move(compiled->artifact);
}

Result<std::shared_ptr<SessionDevice>> SessionDevice::Open(const ProviderOptions& options) {
  auto opened = std::make_shared<SessionDevice>();
  TESSERA_ASSIGN(opened->device,
                 OpenDevice(options.device, options.config, options.device_options));
  return opened;
}

Result<std::unique_ptr<Network>> Network::Open(const std::string& name, artifact::Artifact net,
                                               OpenExtents open,
                                               std::shared_ptr<SessionDevice> device,
                                               const ProviderOptions& options) {
  std::unique_ptr<Network> network(new Network);
  network->name_ = name;
  network->open_ = std::move(open);
  network->device_ = std::move(device);
  for (const artifact::DeviceProgram& program : net.programs) {
    if (const Status match = isa::CheckImageMatches(program.image, options.config); !match)
      return Within(name, match.error());
  }
  network->net_ = std::make_shared<const artifact::Artifact>(std::move(net));
  ExecutorOptions with;
  with.threads = options.threads;
  const std::scoped_lock lock(network->device_->mutex);
  TESSERA_ASSIGN(network->executor_,
                 Executor::Open(network->net_, "device", network->device_->device.get(), with));
  return network;
}

Result<std::vector<HostTensor>> Network::Inputs(const Calls& calls,
                                                OrtKernelContext* context) const {
  std::vector<HostTensor> inputs;
  int64_t items = 1;
  for (size_t i = 0; i < net_->inputs.size(); ++i) {
    const OrtValue* value = nullptr;
    TESSERA_TRY(Check(calls, calls.KernelContext_GetInput(context, i, &value)));
    TESSERA_ASSIGN(HostTensor tensor, TensorOf(calls, value));
    if (open_.inputs[i] && !tensor.shape.empty()) items = tensor.shape[0];
    inputs.push_back(std::move(tensor));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (open_.inputs[i]) continue;
    const artifact::TensorInfo& want = net_->inputs[i];
    if (inputs[i].shape != want.shape) {
      return Fail(Code::kInvalidArgument, "input '{}' is of shape {}, its network takes {}",
                  want.name, ShapeText(inputs[i].shape), ShapeText(want.shape));
    }
    inputs[i].shape = ItemShape(want.shape);
    inputs[i].shape.insert(inputs[i].shape.begin(), items);
    const std::vector<uint8_t> one = std::move(inputs[i].bytes);
    inputs[i].bytes.clear();
    for (int64_t n = 0; n < items; ++n)
      inputs[i].bytes.insert(inputs[i].bytes.end(), one.begin(), one.end());
  }
  return inputs;
}

Status Network::Give(const Calls& calls, OrtKernelContext* context, size_t index,
                     const HostTensor& result) const {
  const artifact::TensorInfo& info = net_->outputs[index];
  std::vector<int64_t> shape = info.shape;
  size_t bytes = result.bytes.size();
  const auto items = static_cast<size_t>(result.shape[0]);
  if (open_.outputs[index]) {
    if (shape.empty() || shape[0] != 1) {
      return Fail(Code::kInvalidArgument, "output '{}' of shape {} does not count items", info.name,
                  ShapeText(shape));
    }
    shape[0] = result.shape[0];
  } else {
    if (items == 0)
      return Fail(Code::kInvalidArgument, "output '{}' needs at least one item", info.name);
    bytes /= items;  // the same for every item
  }
  OrtValue* value = nullptr;
  TESSERA_TRY(Check(
      calls, calls.KernelContext_GetOutput(context, index, shape.data(), shape.size(), &value)));
  void* data = nullptr;
  TESSERA_TRY(Check(calls, calls.GetTensorMutableData(value, &data)));
  if (bytes > 0) std::memcpy(data, result.bytes.data(), bytes);
  return {};
}

Status Network::Run(const Calls& calls, OrtKernelContext* context, RunTimes* times) {
  Result<std::vector<HostTensor>> inputs = Inputs(calls, context);
  if (!inputs) return Within(name_, inputs.error());
  const std::scoped_lock lock(device_->mutex);
  ExecutionReport report;
  Result<std::vector<HostTensor>> outputs = executor_->Run(*inputs, &report);
  if (!outputs) return Within(name_, outputs.error());
  for (size_t i = 0; i < outputs->size(); ++i) {
    if (const Status given = Give(calls, context, i, (*outputs)[i]); !given)
      return Within(name_, given.error());
  }
  times->host_seconds = report.HostSeconds();
  for (const uint64_t cycles : report.Cycles())
    times->cycles += device_->device->has_clock() ? cycles : 0;
  return {};
}

}  // namespace tessera::ort
