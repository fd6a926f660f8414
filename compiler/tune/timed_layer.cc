// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/timed_layer.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>

#include "base/check.h"
#include "base/workers.h"
#include "compiler/ir/array.h"
#include "compiler/ir/interp.h"
#include "compiler/ir/layout.h"
#include "runtime/gpu/gpu_drivers.h"

namespace tessera::tune {
namespace {

constexpr uint8_t kJunk = 0x5b;            // in results before a run
constexpr int64_t kInterpreted = 1 << 27;  // steps of the interpreter: some seconds
constexpr std::chrono::seconds kOpening{60};

// The result of |func| on the values of its parameters, the last of which is the result. |params|
// are the parameters with their layouts.
Result<std::vector<uint8_t>> InterpretedResult(const ir::Func& func,
                                               const std::vector<ir::Buffer>& params,
                                               const std::vector<std::vector<uint8_t>>& values) {
  std::vector<ir::Array> arrays;
  for (size_t p = 0; p < values.size(); ++p) arrays.emplace_back(params[p]->dtype, values[p]);
  std::ranges::fill(arrays.back().bytes(), kJunk);
  std::vector<ir::Array*> args;
  for (ir::Array& array : arrays) args.push_back(&array);
  TESSERA_TRY(ir::Interpret(func, args, {.budget = kInterpreted}));
  return ir::UnpackLayout(*params.back(), arrays.back().bytes());
}

class HostLayerRun : public TimedLayer {
 public:
  explicit HostLayerRun(compiler::HostCandidate made) : made_(std::move(made)) {
    for (const Mapping& memory : made_.memory) places_.push_back(memory.data());
  }

  Status Put(const LayerInputs& inputs) override {
    for (size_t p = 0; p < Last(); ++p) {
      const auto given = inputs.find(made_.made.bindings[p].activation);
      if (given == inputs.end()) continue;
      std::ranges::copy(ir::PackLayout(*made_.made.buffers[p], given->second),
                        made_.memory[p].data());
    }
    Mapping& result = made_.memory[Last()];
    std::fill_n(result.data(), result.size(), kJunk);
    return {};
  }

  Result<uint64_t> Run(uint64_t calls) override {
    const auto begin = std::chrono::steady_clock::now();
    for (uint64_t k = 0; k < calls; ++k) made_.kernel(places_.data());
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begin;
    return std::max<uint64_t>(static_cast<uint64_t>(took.count()) / calls, 1);
  }

  Result<std::vector<uint8_t>> Output() override {
    return ir::UnpackLayout(*made_.made.buffers[Last()], BytesOf(Last()));
  }

  Result<std::vector<uint8_t>> Interpreted() override {
    std::vector<std::vector<uint8_t>> values;
    for (size_t p = 0; p < made_.made.buffers.size(); ++p) values.push_back(BytesOf(p));
    return InterpretedResult(made_.made.func, made_.made.buffers, values);
  }

 private:
  size_t Last() const { return made_.made.bindings.size() - 1; }
  std::vector<uint8_t> BytesOf(size_t p) const {
    const uint8_t* bytes = made_.memory[p].data();
    return {bytes, bytes + ir::SizeInBytes(*made_.made.buffers[p])};
  }

  compiler::HostCandidate made_;
  std::vector<void*> places_;
};

class GpuLayerRun : public TimedLayer {
 public:
  GpuLayerRun(compiler::GpuFunc made, std::unique_ptr<KernelDevice> device)
      : made_(std::move(made)), device_(std::move(device)) {}

  Status Prepare(const std::string& source) {
    TESSERA_TRY(device_->Build(source));
    const std::vector<ir::Buffer>& params = made_.func.loops.params;
    for (size_t p = 0; p < params.size(); ++p) {
      TESSERA_TRY(Allocate(params[p]));
      values_.push_back(made_.bindings[p].constant);
      values_.back().resize(static_cast<size_t>(ir::SizeInBytes(*params[p])));
      TESSERA_TRY(device_->Write(memory_.at(params[p].get()), values_.back()));
    }
    for (const ir::Buffer& temporary : made_.func.temporaries) TESSERA_TRY(Allocate(temporary));
    for (const lower::GpuKernel& kernel : made_.func.kernels) {
      LaunchWords words{.kernel = kernel.name};
      std::ranges::copy(kernel.groups, words.groups.begin());
      std::ranges::copy(kernel.threads, words.threads.begin());
      for (const ir::Buffer& b : kernel.params) words.places.push_back(memory_.at(b.get()));
      launches_.push_back(std::move(words));
    }
    return {};
  }

  Status Put(const LayerInputs& inputs) override {
    for (size_t p = 0; p < values_.size(); ++p) {
      const auto given = inputs.find(made_.bindings[p].activation);
      if (given != inputs.end()) values_[p] = given->second;
      if (p + 1 == values_.size()) std::ranges::fill(values_[p], kJunk);
      TESSERA_TRY(device_->Write(memory_.at(made_.func.loops.params[p].get()), values_[p]));
    }
    return {};
  }

  Result<uint64_t> Run(uint64_t calls) override {
    TESSERA_ASSIGN(const uint64_t all, device_->Timed([&]() -> Status {
      for (uint64_t k = 0; k < calls; ++k) {
        for (const LaunchWords& launch : launches_)
          TESSERA_TRY(device_->Launch(launch.kernel, launch.groups, launch.threads, launch.places));
      }
      return {};
    }));
    return std::max<uint64_t>(all / calls, 1);
  }

  Result<std::vector<uint8_t>> Output() override {
    const ir::Buffer& last = made_.func.loops.params.back();
    std::vector<uint8_t> bytes(static_cast<size_t>(ir::SizeInBytes(*last)));
    TESSERA_TRY(device_->Read(memory_.at(last.get()), bytes));
    return bytes;
  }

  Result<std::vector<uint8_t>> Interpreted() override {
    return InterpretedResult(made_.func.loops, made_.func.loops.params, values_);
  }

 private:
  struct LaunchWords {
    std::string kernel;
    std::array<uint32_t, 3> groups{}, threads{};
    std::vector<KernelDevice::MemoryPlace> places;
  };

  Status Allocate(const ir::Buffer& buffer) {
    TESSERA_ASSIGN(const uint64_t memory,
                   device_->Allocate(static_cast<uint64_t>(ir::SizeInBytes(*buffer))));
    memory_[buffer.get()] = {memory, 0};
    return {};
  }

  compiler::GpuFunc made_;
  std::unique_ptr<KernelDevice> device_;
  std::map<const ir::BufferNode*, KernelDevice::MemoryPlace> memory_;
  std::vector<std::vector<uint8_t>> values_;  // by parameter
  std::vector<LaunchWords> launches_;         // in order
};

}  // namespace

std::unique_ptr<TimedLayer> OnHost(compiler::HostCandidate made) {
  return std::make_unique<HostLayerRun>(std::move(made));
}

Result<std::unique_ptr<TimedLayer>> OnGpu(compiler::GpuCandidate made, artifact::DeviceKind kind) {
  const GpuDriver* driver = FindGpuDriver(compiler::GpuName(kind));
  TESSERA_CHECK(driver != nullptr, "{}", compiler::GpuName(kind));
  TESSERA_ASSIGN(std::unique_ptr<KernelDevice> device, driver->open());
  auto run = std::make_unique<GpuLayerRun>(std::move(made.made), std::move(device));
  TESSERA_TRY(run->Prepare(made.source));
  return run;
}

namespace {

Result<std::string> AskedName(artifact::DeviceKind kind) {
  const GpuDriver* driver = FindGpuDriver(compiler::GpuName(kind));
  TESSERA_CHECK(driver != nullptr, "{}", compiler::GpuName(kind));
  const WorkEnd end = RunIsolated(
      [&]() -> std::string {
        const auto device = driver->open();
        return device ? "+" + (*device)->name() : "-" + device.error().message;
      },
      kOpening);
  if (!end.crash.empty())
    return Fail(Code::kUnavailable, "device {}: opening it {}", driver->name, end.crash);
  if (end.bytes[0] != '+') return Fail(Code::kUnavailable, "{}", end.bytes.substr(1));
  return end.bytes.substr(1);
}

}  // namespace

Result<std::string> GpuDeviceName(artifact::DeviceKind kind) {
  static std::mutex mutex;
  static std::map<artifact::DeviceKind, Result<std::string>> known;
  const std::lock_guard lock(mutex);
  auto found = known.find(kind);
  if (found == known.end()) found = known.emplace(kind, AskedName(kind)).first;
  return found->second;
}

}  // namespace tessera::tune
