// SPDX-License-Identifier: Apache-2.0
#include "tools/traced_network.h"

#include <algorithm>

#include "base/file.h"
#include "runtime/device/registry.h"
#include "sim/rig/run_image.h"
#include "tools/inputs.h"

namespace tessera::tools {
namespace {

// The layers that a program's source map numbers, by their operators.
std::vector<TracedLayer> LayersOf(const isa::ProgramImage& image) {
  std::vector<TracedLayer> layers;
  for (const isa::SourceRange& range : image.source) {
    if (range.layer >= isa::kMaxSourceRanges) continue;
    if (layers.size() <= range.layer) layers.resize(range.layer + 1);
    if (layers[range.layer].name.empty()) layers[range.layer] = {range.op, range.op, 0};
  }
  return layers;
}

}  // namespace

Result<TracedNetwork> TracedNetwork::Load(const std::string& path, const std::string& config,
                                          const std::string& tflite, const std::string& input) {
  TracedNetwork traced;
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
  if (isa::LooksLikeImage(bytes)) {
    Result<isa::ProgramImage> image = isa::ParseImage(bytes);
    if (!image) return Within(path, image.error());
    const std::string name = !config.empty()              ? config
                             : image->config_name.empty() ? "default"
                                                          : image->config_name;
    TESSERA_ASSIGN(traced.config_, isa::LoadConfig(name));
    if (const Status match = isa::CheckImageMatches(*image, traced.config_); !match)
      return Within(path, match.error());
    if (!input.empty()) {
      return Fail(
          Code::kInvalidArgument,
          "{}: is a program, whose data are in it; --input goes with a model or an artifact", path);
    }
    traced.layers_ = LayersOf(*image);
    traced.image_ = std::move(*image);
    return traced;
  }
  TESSERA_ASSIGN(traced.network_, LoadNetwork(path, config, false, true, tflite));
  traced.config_ = traced.network_->config;
  const artifact::Artifact& net = *traced.network_->artifact;
  if (net.programs.empty()) {
    return Fail(
        Code::kNotFound,
        "{}: no layer runs on the accelerator, so there is nothing to trace; tessera compile "
        "MODEL --dump graph tells why",
        path);
  }
  for (const artifact::Layer& layer : net.layers)
    traced.layers_.push_back({layer.name, layer.op, layer.macs});
  if (!input.empty()) {
    TESSERA_ASSIGN(Inputs inputs, LoadInputs({.input = input, .labels = "", .first = 1}));
    traced.inputs_.push_back(std::move(inputs.items));
  } else {
    for (const artifact::TensorInfo& tensor : net.inputs)
      traced.inputs_.push_back(HostTensor::Zeros(tensor.dtype, tensor.shape));
  }
  return traced;
}

Status TracedNetwork::Run(const ChosenDevice& device, ProgramListener& listener,
                          uint64_t budget) const {
  if (image_) {
    TESSERA_ASSIGN(const std::unique_ptr<Device> opened,
                   OpenDevice(device.name, config_, device.options));
    ProgramRun run;
    RetiredList retired(&run.trace);
    ObserverList observers;
    observers.Add(&retired);
    observers.Add(listener.Begin(0));
    TESSERA_TRY(opened->SetObserver(&observers));
    TESSERA_ASSIGN(const rig::ImageOutcome outcome,
                   rig::RunImage(*opened, *image_, /*trace=*/false, budget));
    run.report = outcome.report;
    listener.End(run);
    return {};
  }
  TESSERA_ASSIGN(Runner runner, OpenRunner(*network_, device, {.cpu_level = "", .budget = budget}));
  ExecutionReport report;
  report.traced = true;
  report.listener = &listener;
  TESSERA_TRY(runner.executor->Run(inputs_, &report));
  return {};
}

}  // namespace tessera::tools
