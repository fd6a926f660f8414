// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/layers.h"

#include <algorithm>
#include <set>
#include <string>

#include "compiler/cost/cost.h"
#include "compiler/cost/processor.h"
#include "compiler/network/host_form.h"
#include "compiler/schedule/accel/plan_steps.h"
#include "compiler/schedule/gpu.h"
#include "compiler/schedule/host.h"
#include "compiler/target/board_cpu.h"
#include "compiler/target/board_gpu.h"

namespace tessera::network {

lower::accel::AccelRegion BindRegion(const te::RegionTe& region) {
  lower::accel::AccelRegion bound{
      .op = region.name, .output = region.output, .result = region.output_id};
  for (const te::Binding& b : region.bindings) {
    if (b.activation >= 0) {
      bound.activations[b.placeholder.get()] = b.activation;
    } else {
      bound.constants[b.placeholder.get()] = b.constant;
    }
  }
  return bound;
}

uint32_t GpuOf(const isa::Config& config) {
  return config.gpu.driver == DeviceText(kCuda) ? kCuda : kOpenCl;
}

const te::RegionTe& Layers::Te(const graph::Region& layer) const {
  std::optional<te::RegionTe>& te = Of(layer).te;
  if (!te) te = te::BuildRegion(graph_, layer);
  return *te;
}

const lower::accel::Analysis& Layers::Analyzed(const graph::Region& layer) const {
  lower::accel::Analysis& analysis = Of(layer).analysis;
  if (!analysis) {
    const te::RegionTe& te = Te(layer);
    sched::ConstantSet constants;
    for (const te::Binding& b : te.bindings) {
      if (b.activation < 0) constants.insert(b.placeholder.get());
    }
    analysis = std::make_shared<lower::accel::Analysis::element_type>(
        sched::AnalyzeRegion(te.output, constants, config_));
  }
  return analysis;
}

lower::accel::AccelRegion Layers::Bound(const graph::Region& layer) const {
  lower::accel::AccelRegion bound = BindRegion(Te(layer));
  bound.analysis = Analyzed(layer);
  return bound;
}

StructureCosts& Layers::CostsOf(const graph::Region& layer) const {
  StructureCosts*& costs = Of(layer).costs;
  if (costs == nullptr) costs = &costs_->Of(Te(layer));
  return *costs;
}

const sched::Accepted<sched::TilePlan>& Layers::Check(const graph::Region& layer) const {
  std::optional<sched::Accepted<sched::TilePlan>>& check = Of(layer).check;
  if (check) return *check;
  std::optional<sched::TilePlan>& known = CostsOf(layer).plan;
  check = known ? sched::Accepted<sched::TilePlan>(*known)
                : lower::accel::CheckRegion(Analyzed(layer), config_);
  if (*check) known = **check;
  return *check;
}

namespace {

// Of the constants that |region| reads, which need not be there.
double ConstantBytes(const te::RegionTe& region) {
  double bytes = 0;
  for (const te::Binding& b : region.bindings) {
    if (b.activation >= 0) continue;
    double of = static_cast<double>(SizeOf(b.placeholder.dtype()));
    for (const int64_t extent : b.placeholder.shape()) of *= static_cast<double>(extent);
    bytes += of;
  }
  return bytes;
}

// What |cost| leaves where the bus carries constants alone: the busiest of GEMM, VECTOR and the
// bus.
double CyclesOnChip(const cost::Cost& cost, double constant_bytes) {
  const double bytes = cost.read_bytes + cost.written_bytes;
  const double bus = bytes > 0 ? cost.bus * std::min(1.0, constant_bytes / bytes) : 0;
  return std::min(cost.cycles,
                  std::max({cost.Busy(isa::Unit::kGemm), cost.Busy(isa::Unit::kVector), bus}));
}

}  // namespace

std::optional<double> Layers::Measured(uint32_t device, const graph::Region& layer) const {
  const LayerTimes* measured = costs_->measured();
  return measured != nullptr ? measured->Of(device, KeyOf(layer)) : std::nullopt;
}

std::optional<double> Layers::HostSeconds(const graph::Region& layer) const {
  if (const auto measured = Measured(kHost, layer)) return measured;
  Layer& of = Of(layer);
  if (of.on_host != nullptr) return *of.on_host->host;
  if (!cpu_) cpu_ = target::Host(config_.cpu);
  const te::RegionTe form = ForHost(Te(layer), *cpu_, nullptr, &costs_->scales());
  of.on_host = &costs_->Of(form);
  std::optional<std::optional<double>>& seconds = of.on_host->host;
  if (seconds) return *seconds;
  seconds.emplace();
  const auto schedule = schedule::HostSchedule(
      {form.output}, {.activations = te::ActivationNames(form), .target = cpu_});
  if (!schedule) return *seconds;
  if (const auto cost = cost::CostOnProcessor(*schedule, {.threads = config_.cpu.cores}))
    *seconds = cost->cycles / cpu_->cycles_a_second;
  return *seconds;
}

std::optional<double> Layers::GpuSeconds(const graph::Region& layer) const {
  if (const auto measured = Measured(GpuOf(config_), layer)) return measured;
  std::optional<std::optional<double>>& seconds = CostsOf(layer).gpu;
  if (seconds) return *seconds;
  seconds.emplace();
  if (config_.gpu.driver.empty()) return *seconds;
  if (!gpu_) gpu_ = target::Gpu(config_.gpu);
  const auto schedule =
      schedule::GpuSchedule({Te(layer).output}, gpu_, te::ConstantNames(Te(layer)));
  if (!schedule) return *seconds;
  const auto is_kernel = [](const schedule::Stage& stage) {
    return stage.attach == schedule::Attach::kRoot && !stage.placeholder && !stage.prepared;
  };
  const auto kernels = std::ranges::count_if(schedule->stages(), is_kernel);
  if (const auto cost = cost::CostOnProcessor(*schedule)) {
    *seconds = cost->cycles / gpu_->cycles_a_second +
               static_cast<double>(kernels * config_.gpu.launch_us) / 1e6;
  }
  return *seconds;
}

std::optional<AcceleratorTime> Layers::TimeBy(const graph::Region& layer,
                                              const sched::AnalyzedRegion& analyzed,
                                              const sched::TilePlan& plan) const {
  const auto schedule =
      lower::accel::ScheduleOf(Bound(layer), sched::StepsOf(analyzed, plan, config_), {}, config_);
  if (!schedule) return std::nullopt;
  const cost::CostOptions options{.follows = true, .double_buffers = true};
  const auto cost = cost::AccelCost(*schedule, config_, options);
  if (!cost) return std::nullopt;
  const double a_second = static_cast<double>(config_.clock_mhz) * 1e6;
  return AcceleratorTime{cost->cycles / a_second,
                         CyclesOnChip(*cost, ConstantBytes(Te(layer))) / a_second};
}

std::optional<AcceleratorTime> Layers::AcceleratorSeconds(const graph::Region& layer) const {
  std::optional<std::optional<AcceleratorTime>>& seconds = CostsOf(layer).accelerator;
  if (seconds) return *seconds;
  const sched::Accepted<sched::TilePlan>& plan = Check(layer);
  return seconds.emplace(plan ? TimeBy(layer, **Analyzed(layer), *plan) : std::nullopt);
}

std::optional<TapsOnHost> Layers::TapsOf(const graph::Region& layer) const {
  const lower::accel::Analysis& own = Analyzed(layer);
  if (!*own || (*own)->anchor.kind != sched::AnchorKind::kContraction) return {};
  const std::vector<te::Binding>& bindings = Te(layer).bindings;
  const auto input = std::ranges::find(bindings, (*own)->anchor.input, &te::Binding::placeholder);
  if (input == bindings.end() || input->activation < 0) return {};
  std::optional<std::optional<TapsOnHost>>& known = CostsOf(layer).taps;
  if (!known) known = PackedTaps(layer, **own);
  std::optional<TapsOnHost> taps = *known;
  if (taps) taps->input = input->activation;
  return taps;
}

std::optional<TapsOnHost> Layers::PackedTaps(const graph::Region& layer,
                                             const sched::AnalyzedRegion& own) const {
  const sched::AnalyzedRegion packed = WithTaps(own, config_);
  if (packed.anchor.im2col == 0) return {};
  const auto plan = sched::MakePlan(packed, config_);
  const auto time = plan ? TimeBy(layer, packed, *plan) : std::nullopt;
  if (!time) return {};
  const sched::Packing packing =
      sched::PackingOf(sched::ToShape4(packed.anchor.input.shape()), config_);
  return TapsOnHost{-1, static_cast<double>(packing.bytes()), *time};
}

std::vector<graph::TensorId> Layers::PackedByHost(const graph::Region& layer,
                                                  const schedule::Trace* trace) const {
  std::set<std::string> packed;
  if (trace == nullptr) {
    const lower::accel::Analysis& analysis = Analyzed(layer);
    if (!*analysis) return {};
    for (const te::Tensor& t : (*analysis)->anchor.Packed()) packed.insert(t.name());
  } else {
    std::map<std::string, std::string> read;  // by stages: what they are elements of
    for (const schedule::Step& step : *trace) {
      if (const auto* reindex = std::get_if<schedule::ReindexStep>(&step))
        read[reindex->name] = reindex->tensor;
      if (const auto* spread = std::get_if<schedule::SpreadStep>(&step))
        read[spread->name] = spread->tensor;
      if (const auto* prepare = std::get_if<schedule::PrepareStep>(&step))
        packed.insert(read[prepare->stage]);
    }
  }
  std::vector<graph::TensorId> ids;
  for (const te::Binding& b : Te(layer).bindings) {
    if (b.activation >= 0 && packed.contains(b.placeholder.name())) ids.push_back(b.activation);
  }
  return ids;
}

}  // namespace tessera::network
