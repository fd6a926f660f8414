// SPDX-License-Identifier: Apache-2.0
//
// pipeline [--device func|cycle|clock] [--items N] [--rounds N] FILE ...: runs plan "device" of
// each artifact on N items one after another, and with two and three in progress at a time. The
// three take turns, so other work on the computer affects them alike. Prints the median of the
// rounds: items a second, and beside them those of the slowest device alone, that is the items over
// its busy time in the same round one after another. Device clock stands for a board: it runs each
// program once on the cycle model, and later only waits as long as its cycles take at the machine's
// clock, so its results are no longer those of the network. Inputs are random. Depends on:
// runtime/executor, runtime/device.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/device/registry.h"
#include "runtime/executor/executor.h"

namespace tessera {
namespace {

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Repeats the first run of each program in time alone.
class ClockDevice : public Device {
 public:
  explicit ClockDevice(std::unique_ptr<Device> device) : device_(std::move(device)) {}
  std::string_view name() const override { return "clock"; }
  const isa::Config& config() const override { return device_->config(); }
  bool has_clock() const override { return true; }
  Result<uint64_t> Allocate(uint64_t bytes, uint64_t align) override {
    return device_->Allocate(bytes, align);
  }
  Status Free(uint64_t address) override { return device_->Free(address); }
  Status Write(uint64_t address, std::span<const uint8_t> bytes) override {
    return device_->Write(address, bytes);
  }
  Status Read(uint64_t address, std::span<uint8_t> bytes) override {
    return device_->Read(address, bytes);
  }
  Status Submit(const Launch& launch) override {
    launch_ = launch;
    return {};
  }
  Result<RunReport> Wait() override {
    const auto start = std::chrono::steady_clock::now();
    const auto [it, fresh] = reports_.try_emplace(launch_.insn_addr);
    if (fresh) {
      TESSERA_ASSIGN(it->second, device_->Run(launch_));
      return it->second;
    }
    const double seconds = static_cast<double>(it->second.cycles) / (1e6 * clock_mhz());
    std::this_thread::sleep_until(start +
                                  std::chrono::nanoseconds(static_cast<int64_t>(1e9 * seconds)));
    return it->second;
  }
  Status Reset() override { return device_->Reset(); }
  Status SetObserver(RunObserver* observer) override { return device_->SetObserver(observer); }

 private:
  std::unique_ptr<Device> device_;
  Launch launch_;
  std::map<uint64_t, RunReport> reports_;  // by the address of the code
};

struct Options {
  std::string device = "func";
  int64_t items = 50;
  size_t rounds = 7;
  std::vector<std::string> files;
};

constexpr std::string_view kClock = "clock";
constexpr int kInFlight[] = {1, 2, 3};

Result<std::unique_ptr<Device>> OpenNamed(const std::string& name, const isa::Config& config) {
  if (name != kClock) return OpenDevice(name, config);
  TESSERA_ASSIGN(std::unique_ptr<Device> cycle, OpenDevice("cycle", config));
  return std::make_unique<ClockDevice>(std::move(cycle));
}

std::vector<HostTensor> RandomInputs(const artifact::Artifact& net, int64_t items) {
  std::mt19937 rng(1);
  std::vector<HostTensor> inputs;
  for (const artifact::TensorInfo& info : net.inputs) {
    std::vector<int64_t> shape = ItemShape(info.shape);
    shape.insert(shape.begin(), items);
    inputs.push_back(HostTensor::Zeros(info.dtype, std::move(shape)));
    if (info.dtype == DType::kFloat32) {
      for (float& value : inputs.back().as<float>())
        value = static_cast<float>(rng() % 1024) / 1024.0f;
    } else {
      for (uint8_t& byte : inputs.back().bytes) byte = static_cast<uint8_t>(rng());
    }
  }
  return inputs;
}

double Median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

Status Measure(const Options& options, const std::string& file) {
  TESSERA_ASSIGN(artifact::Artifact read, artifact::ReadArtifact(file));
  const auto net = std::make_shared<const artifact::Artifact>(std::move(read));
  TESSERA_ASSIGN(const isa::Config config, isa::ParseConfig(net->provenance.config_json, file));
  TESSERA_ASSIGN(const std::unique_ptr<Device> device, OpenNamed(options.device, config));
  const std::vector<HostTensor> inputs = RandomInputs(*net, options.items);
  std::vector<std::unique_ptr<Executor>> executors;
  for (const int in_flight : kInFlight) {
    TESSERA_ASSIGN(executors.emplace_back(),
                   Executor::Open(net, "device", device.get(), {.in_flight = in_flight}));
    TESSERA_TRY(executors.back()->Run(inputs));  // does not count
  }
  std::vector<std::vector<double>> rates(executors.size());
  std::vector<double> slowest, host, ratio, gain;
  for (size_t round = 0; round < options.rounds; ++round) {
    for (size_t k = 0; k < executors.size(); ++k) {
      ExecutionReport report;
      const auto start = std::chrono::steady_clock::now();
      TESSERA_TRY(executors[k]->Run(inputs, &report));
      const auto items = static_cast<double>(options.items);
      rates[k].push_back(items / SecondsSince(start));
      if (k > 0) continue;
      slowest.push_back(items / std::ranges::max(report.device_seconds));
      host.push_back(items / report.device_seconds[artifact::kHostDevice]);
    }
    ratio.push_back(rates.back().back() / slowest.back());
    gain.push_back(rates.back().back() / rates[0].back());
  }
  fmt::print("| {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {} | {:.3f} | {:.2f} |\n",
             file.substr(file.rfind('/') + 1), Median(rates[0]), Median(rates[1]), Median(rates[2]),
             Median(slowest), Median(host) <= Median(slowest) ? "host" : "accelerator",
             Median(ratio), Median(gain));
  std::fflush(stdout);
  return {};
}

Status Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--device" && i + 1 < argc) {
      options.device = argv[++i];
    } else if (word == "--items" && i + 1 < argc) {
      options.items = std::max(std::atoll(argv[++i]), 1LL);
    } else if (word == "--rounds" && i + 1 < argc) {
      options.rounds = static_cast<size_t>(std::max(std::atoll(argv[++i]), 1LL));
    } else {
      options.files.emplace_back(word);
    }
  }
  if (options.files.empty()) {
    return Fail(Code::kInvalidArgument,
                "usage: pipeline [--device func|cycle|clock] [--items N] [--rounds N] FILE ...");
  }
  fmt::print(
      "| artifact | items/s one after another | two at a time | three | slowest device alone | it "
      "is "
      "| three / slowest | three / one |\n|---|---:|---:|---:|---:|---|---:|---:|\n");
  for (const std::string& file : options.files) TESSERA_TRY(Measure(options, file));
  return {};
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  const tessera::Status status = tessera::Main(argc, argv);
  if (status) return 0;
  fmt::print(stderr, "pipeline: {}\n", status.error().message);
  return 2;
}
