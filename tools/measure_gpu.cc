// SPDX-License-Identifier: Apache-2.0
#include "tools/measure_gpu.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "compiler/cost/processor.h"
#include "compiler/target/board_gpu.h"
#include "compiler/te/te.h"
#include "compiler/tune/timed_layer.h"
#include "compiler/tune/turns.h"
#include "runtime/gpu/gpu_drivers.h"
#include "tools/repeat.h"

namespace tessera::tools {
namespace {

constexpr int64_t kNominalMhz = 1000, kMostLanes = 1024, kLanes = 128;

// Seconds in which |bytes| come from the host's memory to the GPU's at |memory|, and back.
Result<double> ThereAndBack(KernelDevice& device, uint64_t memory, std::span<uint8_t> bytes) {
  double fastest = std::numeric_limits<double>::infinity();
  const auto once = [&]() -> Status {
    const auto begin = std::chrono::steady_clock::now();
    TESSERA_TRY(device.Write({memory, 0}, bytes));
    TESSERA_TRY(device.Read({memory, 0}, bytes));
    fastest = std::min(fastest, SecondsSince(begin));
    return {};
  };
  TESSERA_TRY(Repeat(once));
  return fastest;
}

// The larger of two int8 vectors.
te::RegionTe Elementwise(int64_t elements) {
  const te::Tensor a = te::Placeholder("a", DType::kInt8, {elements}),
                   b = te::Placeholder("b", DType::kInt8, {elements});
  const te::Tensor out = te::Compute("out", {elements}, {"i"},
                                     [&](const auto& i) { return ir::Max(a({i[0]}), b({i[0]})); });
  return {
      .name = "elementwise", .bindings = {{a, 0, {}}, {b, 1, {}}}, .output = out, .output_id = 2};
}

// Sums of int8 products: a [rows, depth] times b [columns, depth] transposed.
te::RegionTe Product(int64_t rows, int64_t columns, int64_t depth) {
  const te::Tensor a = te::Placeholder("a", DType::kInt8, {rows, depth}),
                   b = te::Placeholder("b", DType::kInt8, {columns, depth});
  const te::Axis k = te::ReduceAxis("k", depth);
  const te::Tensor out = te::Compute("out", {rows, columns}, {"i", "j"}, [&](const auto& i) {
    return te::Sum(
        ir::Cast(DType::kInt32, a({i[0], k.var})) * ir::Cast(DType::kInt32, b({i[1], k.var})), {k});
  });
  return {.name = "product",
          .bindings = {{a, 0, {}}, {b, 1, {}}},
          .output = out,
          .output_id = 2,
          .macs = rows * columns * depth};
}

// A layer with the generator's schedule, on the GPU.
struct OnDevice {
  schedule::Trace trace;
  std::unique_ptr<tune::TimedLayer> layer;
};
Result<OnDevice> Opened(const te::RegionTe& region, artifact::DeviceKind kind) {
  TESSERA_ASSIGN(const compiler::GpuFunc made, compiler::MakeGpuFunc(region, region.name, kind));
  TESSERA_ASSIGN(compiler::GpuCandidate candidate,
                 compiler::Evaluate(compiler::GpuLayer{region, kind}, made.schedule));
  OnDevice opened{.trace = made.schedule, .layer = {}};
  TESSERA_ASSIGN(opened.layer, tune::OnGpu(std::move(candidate), kind));
  TESSERA_TRY(opened.layer->Put(tune::RandomInputs(region, 1)));
  return opened;
}

// Seconds of a call by the device's clock, and by the host's.
struct CallTimes {
  double device = std::numeric_limits<double>::infinity(), host = device;
};
Result<CallTimes> TimesOf(tune::TimedLayer& layer) {
  CallTimes times;
  const auto once = [&]() -> Status {
    const auto begin = std::chrono::steady_clock::now();
    TESSERA_ASSIGN(const uint64_t ns, layer.Run(1));
    times.host = std::min(times.host, SecondsSince(begin));
    times.device = std::min(times.device, static_cast<double>(ns) / 1e9);
    return {};
  };
  TESSERA_TRY(Repeat(once));
  return times;
}

int64_t Rounded(double value, int64_t most) {
  return std::clamp<int64_t>(std::llround(std::min(value, 1e15)), 1, most);
}

}  // namespace

Result<isa::Gpu> MeasureGpu(const std::string& driver) {
  const GpuDriver* found = FindGpuDriver(driver);
  TESSERA_CHECK(found != nullptr, "{}", driver);
  const artifact::DeviceKind kind =
      driver == kCuda ? artifact::DeviceKind::kCuda : artifact::DeviceKind::kOpenCl;
  isa::Gpu gpu{.driver = driver};
  {
    TESSERA_ASSIGN(const std::unique_ptr<KernelDevice> device, found->open());
    constexpr size_t kFew = 64, kMany = size_t{16} << 20;
    std::vector<uint8_t> bytes(kMany);
    TESSERA_ASSIGN(const uint64_t memory, device->Allocate(kMany));
    TESSERA_ASSIGN(const double few, ThereAndBack(*device, memory, {bytes.data(), kFew}));
    TESSERA_ASSIGN(const double many, ThereAndBack(*device, memory, bytes));
    gpu.transfer_us = Rounded(few / 2 * 1e6, 1'000'000);
    gpu.link_mb_s = Rounded(2.0 * kMany / many / 1e6, 10'000'000);
  }

  TESSERA_ASSIGN(const OnDevice small, Opened(Elementwise(64), kind));
  TESSERA_ASSIGN(const CallTimes call, TimesOf(*small.layer));
  gpu.launch_us = Rounded(call.host * 1e6, 1'000'000);

  constexpr int64_t kElements = 16 << 20;
  TESSERA_ASSIGN(const OnDevice large, Opened(Elementwise(kElements), kind));
  TESSERA_ASSIGN(const CallTimes copied, TimesOf(*large.layer));
  gpu.memory_mb_s = Rounded(3.0 * kElements / copied.device / 1e6, 100'000'000);

  const te::RegionTe region = Product(512, 512, 512);
  TESSERA_ASSIGN(const OnDevice product, Opened(region, kind));
  TESSERA_ASSIGN(const CallTimes multiplied, TimesOf(*product.layer));
  gpu.clock_mhz = kNominalMhz;
  gpu.processors = 1;
  gpu.lanes = kMostLanes;
  TESSERA_ASSIGN(const schedule::Schedule schedule,
                 schedule::Schedule::Replay({region.output}, product.trace, target::Gpu(gpu)));
  TESSERA_ASSIGN(const cost::ProcessorCost estimate, cost::CostOnProcessor(schedule));
  const double lanes = kMostLanes * (estimate.cycles / (kNominalMhz * 1e6)) / multiplied.device;
  gpu.lanes = Rounded(lanes, kLanes);
  gpu.processors = Rounded(lanes / static_cast<double>(gpu.lanes), 1024);
  return gpu;
}

}  // namespace tessera::tools
