// SPDX-License-Identifier: Apache-2.0
#include "tools/tune_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <sstream>
#include <variant>
#include <vector>

#include "base/rng.h"
#include "base/workers.h"
#include "compiler/tune/turns.h"
#include "runtime/executor/executor.h"
#include "runtime/gpu/gpu_drivers.h"

namespace tessera::tools {
namespace {

using std::chrono::steady_clock;

// Inferences of each side, and the time from which on no more than the fewest run.
constexpr size_t kFewest = 5, kMost = 2001;
constexpr std::chrono::seconds kEnough{6};
constexpr std::chrono::seconds kLimit{300};
constexpr uint64_t kSeed = 1;

uint64_t MedianOf(std::vector<uint64_t> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Nanoseconds of each layer in the inference of |report|.
void KeepLeast(const Executor& executor, const ExecutionReport& report,
               std::vector<uint64_t>* least) {
  for (size_t k = 0; k < report.step_seconds.size(); ++k) {
    const auto* kernel = std::get_if<artifact::KernelStep>(&executor.plan().steps[k]);
    if (kernel == nullptr || kernel->layer < 0) continue;
    uint64_t& layer = (*least)[static_cast<size_t>(kernel->layer)];
    layer = std::min(layer, static_cast<uint64_t>(1e9 * report.step_seconds[k]));
  }
}

// "PLAIN TUNED INFERENCES", the two times of each layer, and the difference of the results.
Result<std::string> Measure(const std::array<std::shared_ptr<const artifact::Artifact>, 2>& sides,
                            const std::string& plan) {
  const GpuDriver* gpu = FindGpuDriver(plan);  // null: the host
  std::array<std::unique_ptr<KernelDevice>, 2> devices;
  std::array<std::unique_ptr<Executor>, 2> executors;
  for (size_t s = 0; s < 2; ++s) {
    ExecutorOptions options;
    if (gpu != nullptr) {
      TESSERA_ASSIGN(devices[s], gpu->open());
      options.kernel_device = devices[s].get();
    }
    TESSERA_ASSIGN(executors[s],
                   Executor::Open(sides[s], plan, static_cast<Device*>(nullptr), options));
  }
  Rng rng(kSeed);
  std::vector<HostTensor> inputs;
  for (const artifact::TensorInfo& info : sides[0]->inputs) {
    HostTensor input = HostTensor::Zeros(info.dtype, info.shape);
    input.bytes = tune::RandomValues(info.dtype, input.count(), rng);
    inputs.push_back(std::move(input));
  }
  std::array<std::vector<uint64_t>, 2> times;
  std::array<std::vector<HostTensor>, 2> results;
  std::vector<uint64_t> none(sides[0]->layers.size(), UINT64_MAX);
  std::array<std::vector<uint64_t>, 2> layers{none, none};
  const auto begin = steady_clock::now();
  for (size_t k = 0; k < kMost && (k < kFewest || steady_clock::now() - begin < kEnough); ++k) {
    // Either side begins, without a rhythm: other work on the core may have one.
    const size_t first = rng.OneIn(2) ? 0 : 1;
    for (const size_t s : {first, 1 - first}) {
      ExecutionReport report;
      TESSERA_ASSIGN(results[s], executors[s]->Run(inputs, &report));
      times[s].push_back(static_cast<uint64_t>(1e9 * report.HostSeconds()));
      if (gpu == nullptr) KeepLeast(*executors[s], report, &layers[s]);
    }
  }
  std::string rounded;
  for (size_t r = 0; r < results[0].size(); ++r) {
    const DType type = results[0][r].dtype;
    const std::string differs =
        tune::ResultDifference(type, results[1][r].bytes, results[0][r].bytes);
    if (differs.empty()) continue;
    if (!IsFloat(type))
      return Fail(Code::kDataLoss, "output {} by the records: {}", sides[0]->outputs[r].name,
                  differs);
    rounded = fmt::format("output {}: {}", sides[0]->outputs[r].name, differs);
  }
  std::string told =
      fmt::format("{} {} {}", MedianOf(times[0]), MedianOf(times[1]), times[0].size());
  for (size_t k = 0; k < none.size(); ++k)
    told += fmt::format(" {} {}", layers[0][k], layers[1][k]);
  return told + " " + rounded;
}

}  // namespace

Result<NetworkTimes> TimesInTurns(std::shared_ptr<const artifact::Artifact> plain,
                                  std::shared_ptr<const artifact::Artifact> tuned,
                                  const std::string& plan, const tune::TimeMeasurer& measurer) {
  const WorkEnd end = RunIsolated(
      [&]() -> std::string {
        measurer.StayOnCore();
        const auto told = Measure({plain, tuned}, plan);
        if (told) return "ok " + *told;
        return fmt::format("failed {} {}", static_cast<int>(told.error().code),
                           told.error().message);
      },
      kLimit);
  if (!end.crash.empty())
    return Fail(Code::kUnavailable, "the process that times the network {}", end.crash);
  std::istringstream words(end.bytes);
  std::string kind;
  words >> kind;
  if (kind != "ok") {
    int code = 0;
    std::string message;
    words >> code >> std::ws;
    std::getline(words, message);
    return std::unexpected(Error(static_cast<Code>(code), message));
  }
  NetworkTimes times;
  words >> times.plain >> times.tuned >> times.inferences;
  for (const artifact::Layer& layer : plain->layers) {
    uint64_t before = 0, now = 0;
    words >> before >> now;
    if (before != UINT64_MAX && now != UINT64_MAX) times.layers[layer.name] = {before, now};
  }
  words >> std::ws;
  std::getline(words, times.difference);
  return times;
}

}  // namespace tessera::tools
