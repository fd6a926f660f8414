// SPDX-License-Identifier: Apache-2.0
#include "bench/peers/cudnn_graph.h"

#include <algorithm>
#include <array>

namespace tessera {
namespace {

constexpr int64_t kXId = 1, kWId = 2, kYId = 3;
constexpr int64_t kAlignment = 16;  // bytes; the driver's allocations have more

int NumberOf(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
      return kDnnInt8;
    case DType::kInt32:
      return kDnnInt32;
    case DType::kFloat16:
      return kDnnHalf;
    default:
      return kDnnFloat;
  }
}

// Fills a descriptor and keeps the first failure.
class DnnBuilder {
 public:
  DnnBuilder(const CudnnApi& api, DnnKind kind, std::string what)
      : api_(api), what_(std::move(what)) {
    DnnDescriptor made = nullptr;
    Keep("cudnnBackendCreateDescriptor", api_.CreateDescriptor(kind, &made));
    if (made != nullptr)
      made_ = DnnOwned(made, [destroy = api_.DestroyDescriptor](void* d) { destroy(d); });
  }

  template <typename T>
  DnnBuilder& Set(DnnAttribute name, DnnType type, std::span<const T> values) {
    if (status_)
      Keep("cudnnBackendSetAttribute",
           api_.SetAttribute(made_.get(), name, type, std::ssize(values), values.data()));
    return *this;
  }
  template <typename T>
  DnnBuilder& Set(DnnAttribute name, DnnType type, const T& value) {
    return Set(name, type, std::span<const T>(&value, 1));
  }
  DnnBuilder& Set(DnnAttribute name, const DnnOwned& other) {
    parts_.push_back(other);
    return Set(name, DnnType::kDescriptor, static_cast<const DnnDescriptor&>(other.get()));
  }

  Result<DnnOwned> Finalize() {
    if (status_) Keep("cudnnBackendFinalize", api_.Finalize(made_.get()));
    if (!status_) return std::unexpected(status_.error());
    // Keeps the parts alive as long as the descriptor made from them.
    struct WithParts {
      std::vector<DnnOwned> parts;
      DnnOwned made;
    };
    auto all = std::make_shared<WithParts>(std::move(parts_), made_);
    return DnnOwned(all, all->made.get());
  }

 private:
  void Keep(const char* call, int code) {
    if (!status_) return;
    status_ = DnnCheck(api_, call, code);
    if (!status_) status_ = Within(what_, status_.error());
  }

  const CudnnApi& api_;
  std::string what_;
  DnnOwned made_;
  std::vector<DnnOwned> parts_;
  Status status_;
};

using Extents = std::array<int64_t, 4>;  // n, c, y, x

Result<DnnOwned> TensorOf(const CudnnApi& api, int64_t id, DType dtype, const Extents& n,
                          bool channels_last) {
  const Extents strides = channels_last ? Extents{n[1] * n[2] * n[3], 1, n[1] * n[3], n[1]}
                                        : Extents{n[1] * n[2] * n[3], n[2] * n[3], n[3], 1};
  return DnnBuilder(api, DnnKind::kTensor, "a tensor")
      .Set(DnnAttribute::kTensorId, DnnType::kInt64, id)
      .Set(DnnAttribute::kTensorType, DnnType::kDataType, NumberOf(dtype))
      .Set(DnnAttribute::kTensorAlignment, DnnType::kInt64, kAlignment)
      .Set<int64_t>(DnnAttribute::kTensorDimensions, DnnType::kInt64, std::span(n))
      .Set<int64_t>(DnnAttribute::kTensorStrides, DnnType::kInt64, std::span(strides))
      .Finalize();
}

Result<DnnOwned> GraphOf(const CudnnApi& api, const DnnTarget& target, const ConvSize& s,
                         DType dtype, const ConvForm& form) {
  const int64_t out = s.out_size(), dimensions = 2;
  const std::array<int64_t, 2> pads{s.taps / 2, s.taps / 2}, strides{s.stride, s.stride},
      dilations{1, 1};
  const float one = 1, zero = 0;
  TESSERA_ASSIGN(const DnnOwned x, TensorOf(api, kXId, dtype, {1, form.channels, s.size, s.size},
                                            form.channels_last));
  TESSERA_ASSIGN(
      const DnnOwned w,
      TensorOf(api, kWId, dtype, {s.outs, form.channels, s.taps, s.taps}, form.channels_last));
  TESSERA_ASSIGN(const DnnOwned y,
                 TensorOf(api, kYId, form.out, {1, s.outs, out, out}, form.channels_last));
  TESSERA_ASSIGN(
      const DnnOwned convolution,
      DnnBuilder(api, DnnKind::kConvolution, "the convolution")
          .Set(DnnAttribute::kConvolutionCompute, DnnType::kDataType,
               NumberOf(dtype == DType::kInt8 ? DType::kInt32 : DType::kFloat32))
          .Set(DnnAttribute::kConvolutionMode, DnnType::kConvolutionMode, kDnnCrossCorrelation)
          .Set(DnnAttribute::kConvolutionDimensions, DnnType::kInt64, dimensions)
          .Set<int64_t>(DnnAttribute::kConvolutionPrePads, DnnType::kInt64, std::span(pads))
          .Set<int64_t>(DnnAttribute::kConvolutionPostPads, DnnType::kInt64, std::span(pads))
          .Set<int64_t>(DnnAttribute::kConvolutionStrides, DnnType::kInt64, std::span(strides))
          .Set<int64_t>(DnnAttribute::kConvolutionDilations, DnnType::kInt64, std::span(dilations))
          .Finalize());
  TESSERA_ASSIGN(const DnnOwned forward,
                 DnnBuilder(api, DnnKind::kConvolutionForward, "the operation")
                     .Set(DnnAttribute::kForwardConvolution, convolution)
                     .Set(DnnAttribute::kForwardX, x)
                     .Set(DnnAttribute::kForwardW, w)
                     .Set(DnnAttribute::kForwardY, y)
                     .Set(DnnAttribute::kForwardAlpha, DnnType::kFloat, one)
                     .Set(DnnAttribute::kForwardBeta, DnnType::kFloat, zero)
                     .Finalize());
  DnnBuilder graph(api, DnnKind::kGraph, "the graph");
  if (target.handle != nullptr)
    graph.Set(DnnAttribute::kGraphHandle, DnnType::kHandle, target.handle);
  return graph.Set(DnnAttribute::kGraphOperations, forward).Finalize();
}

// Attribute |name| of |from|, whose elements are descriptors of |kind|.
Result<std::vector<DnnOwned>> DescriptorsOf(const CudnnApi& api, const DnnOwned& from,
                                            DnnAttribute name, DnnKind kind, int64_t count) {
  std::vector<DnnOwned> all;
  std::vector<DnnDescriptor> raw;
  for (int64_t i = 0; i < count; ++i) {
    DnnDescriptor made = nullptr;
    TESSERA_TRY(DnnCheck(api, "cudnnBackendCreateDescriptor", api.CreateDescriptor(kind, &made)));
    all.push_back(DnnOwned(made, [from, destroy = api.DestroyDescriptor](void* d) { destroy(d); }));
    raw.push_back(made);
  }
  int64_t got = 0;
  TESSERA_TRY(
      DnnCheck(api, "cudnnBackendGetAttribute",
               api.GetAttribute(from.get(), name, DnnType::kDescriptor, count, &got, raw.data())));
  all.resize(static_cast<size_t>(std::min(got, count)));
  return all;
}

// The plan of engine configuration |config|, if this GPU can run it for |dtype|.
Result<DnnPlan> PlanOf(const CudnnApi& api, const DnnTarget& target, const DnnOwned& device,
                       DType dtype, const DnnOwned& config) {
  DnnPlan plan;
  int64_t got = 0;
  TESSERA_ASSIGN(const std::vector<DnnOwned> engine,
                 DescriptorsOf(api, config, DnnAttribute::kConfigEngine, DnnKind::kEngine, 1));
  if (engine.empty()) return Fail(Code::kUnavailable, "cuDNN names no engine");
  TESSERA_TRY(DnnCheck(api, "cudnnBackendGetAttribute of an engine",
                       api.GetAttribute(engine[0].get(), DnnAttribute::kEngineIndex,
                                        DnnType::kInt64, 1, &got, &plan.engine)));
  plan.notes.resize(kDnnNotes);
  TESSERA_TRY(DnnCheck(api, "cudnnBackendGetAttribute of an engine",
                       api.GetAttribute(engine[0].get(), DnnAttribute::kEngineNotes, DnnType::kNote,
                                        kDnnNotes, &got, plan.notes.data())));
  plan.notes.resize(static_cast<size_t>(std::clamp<int64_t>(got, 0, kDnnNotes)));
  if (dtype == DType::kFloat32 && (plan.Has(kDnnTensorCores) || plan.Has(kDnnDownConverts)))
    return Fail(Code::kUnsupported, "cuDNN {} shortens float32", plan.Text());
  DnnBuilder builder(api, DnnKind::kPlan, "a plan");
  if (target.handle != nullptr) {
    builder.Set(DnnAttribute::kPlanHandle, DnnType::kHandle, target.handle);
  } else {
    builder.Set(DnnAttribute::kPlanDevice, device);
  }
  TESSERA_ASSIGN(plan.plan, builder.Set(DnnAttribute::kPlanConfig, config).Finalize());
  TESSERA_TRY(DnnCheck(api, "cudnnBackendGetAttribute of a plan",
                       api.GetAttribute(plan.plan.get(), DnnAttribute::kPlanWorkspace,
                                        DnnType::kInt64, 1, &got, &plan.workspace)));
  return plan;
}

}  // namespace

Status DnnCheck(const CudnnApi& api, const char* call, int code) {
  if (code == 0) return {};
  return Fail(Code::kUnavailable, "{} gives {}", call, api.GetErrorString(code));
}

bool DnnPlan::Has(int note) const { return std::ranges::find(notes, note) != notes.end(); }

std::string DnnPlan::Text() const {
  std::string text = fmt::format("engine {}", engine);
  const std::pair<int, const char*> kWords[] = {
      {kDnnTensorCores, "tensor cores"}, {kDnnWinograd, "Winograd"}, {kDnnFft, "Fourier"}};
  for (const auto& [note, word] : kWords) {
    if (Has(note)) text += std::string(", ") + word;
  }
  return text;
}

std::vector<ConvForm> FormsOf(const ConvSize& size, DType dtype) {
  std::vector<ConvForm> forms;
  for (const int64_t bytes : {1, 4, 16}) {
    const int64_t unit = std::max<int64_t>(bytes / SizeOf(dtype), 1);
    ConvForm form{(size.channels + unit - 1) / unit * unit, true, dtype};
    const auto add = [&] {
      if (std::ranges::find(forms, form) == forms.end()) forms.push_back(form);
    };
    add();
    if (dtype == DType::kFloat32) form.channels_last = false;
    if (dtype == DType::kInt8) form.out = DType::kInt32;
    add();
  }
  return forms;
}

Result<std::vector<DnnPlan>> PlansOf(const CudnnApi& api, const DnnTarget& target,
                                     const ConvSize& size, DType dtype, const ConvForm& form,
                                     size_t most) {
  DnnOwned device;
  if (target.handle == nullptr) {
    TESSERA_ASSIGN(device, DnnBuilder(api, DnnKind::kDeviceProperties, "the GPU's description")
                               .Set<char>(DnnAttribute::kDeviceJson, DnnType::kChar,
                                          std::span<const char>(target.device_json))
                               .Finalize());
  }
  TESSERA_ASSIGN(const DnnOwned graph, GraphOf(api, target, size, dtype, form));
  std::vector<DnnPlan> plans;
  for (const int mode : {kDnnBestGuesses, kDnnFallback}) {
    DnnBuilder builder(api, DnnKind::kHeuristic, "the heuristics");
    if (device != nullptr) builder.Set(DnnAttribute::kHeuristicDevice, device);
    const Result<DnnOwned> heuristic =
        builder.Set(DnnAttribute::kHeuristicGraph, graph)
            .Set(DnnAttribute::kHeuristicMode, DnnType::kHeuristicMode, mode)
            .Finalize();
    int64_t count = 0;
    if (!heuristic || api.GetAttribute(heuristic->get(), DnnAttribute::kHeuristicResults,
                                       DnnType::kDescriptor, 0, &count, nullptr) != 0)
      continue;  // this heuristic has no plan for the graph
    TESSERA_ASSIGN(const std::vector<DnnOwned> configs,
                   DescriptorsOf(api, *heuristic, DnnAttribute::kHeuristicResults,
                                 DnnKind::kEngineConfig, count));
    for (const DnnOwned& config : configs) {
      if (plans.size() == most) break;
      Result<DnnPlan> plan = PlanOf(api, target, device, dtype, config);
      if (plan) plans.push_back(std::move(*plan));
    }
  }
  return plans;
}

Result<DnnOwned> Bind(const CudnnApi& api, const DnnAddresses& addresses) {
  const std::array<int64_t, 3> ids{kXId, kWId, kYId};
  const std::array<uint64_t, 3> places{addresses.x, addresses.w, addresses.y};
  static_assert(sizeof(uint64_t) == sizeof(void*));
  return DnnBuilder(api, DnnKind::kVariantPack, "the addresses")
      .Set<int64_t>(DnnAttribute::kPackIds, DnnType::kInt64, std::span(ids))
      .Set<uint64_t>(DnnAttribute::kPackPointers, DnnType::kPointer, std::span(places))
      .Set(DnnAttribute::kPackWorkspace, DnnType::kPointer, addresses.workspace)
      .Finalize();
}

}  // namespace tessera
