// SPDX-License-Identifier: Apache-2.0
#include "tools/traced_network.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "runtime/device/registry.h"
#include "sim/rig/run_image.h"

namespace tessera::tools {
namespace {

// The layers in a program's source map, named by their operators.
std::vector<TracedLayer> LayersOf(const isa::ProgramImage& image) {
  std::vector<TracedLayer> layers;
  for (const isa::SourceRange& range : image.source) {
    if (range.layer >= isa::kMaxSourceRanges) continue;
    if (layers.size() <= range.layer) layers.resize(range.layer + 1);
    if (layers[range.layer].name.empty()) layers[range.layer] = {range.op, range.op, 0};
  }
  return layers;
}

// The shape [1, ...] of one item for an input of |shape|.
std::vector<int64_t> OneItem(const std::vector<int64_t>& shape) {
  std::vector<int64_t> item = ItemShape(shape);
  item.insert(item.begin(), 1);
  return item;
}

Status WatchDevice(Device& device, MachineWatcher& watcher) {
  auto* const watched = dynamic_cast<WatchedDevice*>(&device);
  if (watched == nullptr)
    return Fail(Code::kUnsupported, "{}: it cannot be looked at", device.name());
  return watched->SetWatcher(&watcher);
}

}  // namespace

Result<TracedNetwork> TracedNetwork::Load(const std::string& path, const std::string& config,
                                          const ImportWords& import, const InputOptions& input,
                                          bool keep_tensors) {
  TracedNetwork traced;
  traced.name_ = std::filesystem::path(path).filename();
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
  if (isa::LooksLikeImage(bytes) || sim::LooksLikeDump(bytes)) {
    if (sim::LooksLikeDump(bytes)) {
      Result<sim::RunDump> dump = sim::ParseDump(bytes);
      if (!dump) return Within(path, dump.error());
      traced.dump_ = std::move(*dump);
    }
    Result<isa::ProgramImage> image =
        traced.dump_ ? std::move(traced.dump_->image) : isa::ParseImage(bytes);
    if (!image) return Within(path, image.error());
    const std::string name = !config.empty()              ? config
                             : image->config_name.empty() ? "default"
                                                          : image->config_name;
    if (traced.dump_ && config.empty()) {
      traced.config_ = traced.dump_->config;
    } else {
      TESSERA_ASSIGN(traced.config_, isa::LoadConfig(name));
    }
    if (const Status match = isa::CheckImageMatches(*image, traced.config_); !match)
      return Within(path, match.error());
    if (!input.input.empty()) {
      return Fail(
          Code::kInvalidArgument,
          "{}: is a program, whose data are in it; --input goes with a model or an artifact", path);
    }
    traced.layers_ = LayersOf(*image);
    for (size_t l = 0; traced.dump_ && l < traced.dump_->layers.size(); ++l) {
      if (l == traced.layers_.size()) traced.layers_.emplace_back();
      traced.layers_[l].name = traced.dump_->layers[l];
    }
    traced.image_ = std::move(*image);
    return traced;
  }
  TESSERA_ASSIGN(traced.network_,
                 LoadNetwork(path, config, {.device = true}, import, keep_tensors));
  traced.config_ = traced.network_->config;
  const artifact::Artifact& net = *traced.network_->artifact;
  if (net.programs.empty()) {
    return Fail(
        Code::kNotFound,
        "{}: no layer runs on the accelerator, so there is nothing to watch; tessera compile "
        "MODEL --dump graph tells why",
        path);
  }
  for (const artifact::Layer& layer : net.layers)
    traced.layers_.push_back({layer.name, layer.op, layer.macs});
  if (!input.input.empty()) {
    InputOptions one = input;
    one.first = 1;
    TESSERA_ASSIGN(traced.inputs_, LoadInputs(one, net));
  } else {
    for (const artifact::TensorInfo& tensor : net.inputs)
      traced.inputs_.items.push_back(HostTensor::Zeros(tensor.dtype, OneItem(tensor.shape)));
  }
  return traced;
}

Status TracedNetwork::Run(const ChosenDevice& device, ProgramListener& listener, uint64_t budget,
                          std::optional<FailedRun>* failed, MachineWatcher* watcher) const {
  if (image_) {
    TESSERA_ASSIGN(const std::unique_ptr<Device> opened,
                   OpenDevice(device.name, config_, device.options));
    ProgramRun run;
    RetiredList retired(&run.trace);
    ObserverList observers;
    observers.Add(&retired);
    observers.Add(listener.Begin(0));
    TESSERA_TRY(opened->SetObserver(&observers));
    if (watcher != nullptr) TESSERA_TRY(WatchDevice(*opened, *watcher));
    const Result<rig::ImageOutcome> outcome =
        rig::RunImage(*opened, *image_, /*trace=*/false, budget);
    if (!outcome) {
      if (failed != nullptr) *failed = FailedRun{*image_, budget, name_, {}};
      return std::unexpected(outcome.error());
    }
    run.report = outcome->report;
    listener.End(run);
    return {};
  }
  TESSERA_ASSIGN(
      Runner runner,
      OpenRunner(*network_, device, {.cpu_level = "", .budget = budget, .pixels = pixels()}));
  if (watcher != nullptr) TESSERA_TRY(WatchDevice(*runner.device, *watcher));
  ExecutionReport report;
  report.traced = watcher == nullptr;
  report.listener = &listener;
  if (const auto ran = runner.executor->Run(inputs(), &report); !ran) {
    if (failed != nullptr) *failed = runner.executor->Failed();
    return std::unexpected(ran.error());
  }
  return {};
}

}  // namespace tessera::tools
