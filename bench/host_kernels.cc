// SPDX-License-Identifier: Apache-2.0
//
// host_kernels [--threads N] ROUNDS FILE ...: times plan "cpu" of each artifact on one thread and,
// if asked, on N threads, a column for each. The columns take turns, so other work on the computer
// affects them alike. Prints, for each kernel and each whole inference, the least time of all
// rounds beside the first column's: on one thread that thread's time on a processor, on several
// what a clock on the wall shows. Also prints the sum of the kernels' least times, which needs
// fewer rounds on a busy computer. Inputs are zeros, because no kernel's time depends on them.
// Depends on: runtime/artifact, runtime/host.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <numeric>
#include <vector>

#include "runtime/artifact/artifact.h"
#include "runtime/host/cpu_level.h"
#include "runtime/host/host_code.h"
#include "runtime/host/mapping.h"
#include "runtime/host/threads.h"

namespace tessera {
namespace {

// The time of |clock|, in milliseconds.
double Milliseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

constexpr double kNever = std::numeric_limits<double>::infinity();

// One loaded artifact: its kernels in order, each with the addresses of its buffers.
struct Network {
  struct Kernel {
    HostKernel function = nullptr;
    std::vector<void*> buffers;
    int32_t layer = -1;
  };
  artifact::Artifact file;
  HostCode code;
  Mapping arena, constants;
  std::vector<Kernel> kernels;
};

// A network on a pool of threads (null: one thread), and its least times.
struct Column {
  Network* network = nullptr;
  HostThreads* pool = nullptr;
  std::vector<double> kernels;
  double whole = kNever;

  double Sum() const { return std::accumulate(kernels.begin(), kernels.end(), 0.0); }

  void Run() {
    const UseThreads use(pool);
    const clockid_t clock = pool == nullptr ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    const double begin = Milliseconds(clock);
    double last = begin;
    kernels.resize(network->kernels.size(), kNever);
    for (size_t k = 0; k < kernels.size(); ++k) {
      network->kernels[k].function(network->kernels[k].buffers.data());
      const double now = Milliseconds(clock);
      kernels[k] = std::min(kernels[k], now - last);
      last = now;
    }
    whole = std::min(whole, last - begin);
  }
};

Result<Network> Load(const std::string& path) {
  TESSERA_ASSIGN(artifact::Artifact file, artifact::ReadArtifact(path));
  const artifact::ExecutionPlan* plan = file.PlanNamed("cpu");
  if (plan == nullptr)
    return Fail(Code::kNotFound, "{} has no plan \"cpu\"; compile it with --target cpu", path);
  const artifact::HostObject* object = nullptr;
  for (const std::string& level : CpuLevels()) {
    const auto it = std::ranges::find(file.objects, level, &artifact::HostObject::level);
    if (object == nullptr && it != file.objects.end()) object = &*it;
  }
  if (object == nullptr) return Fail(Code::kUnsupported, "{} has no code for this processor", path);
  TESSERA_ASSIGN(HostCode code, HostCode::Load(object->elf));
  TESSERA_ASSIGN(Mapping arena, Mapping::Make(plan->arenas[artifact::kHostDevice].bytes));
  TESSERA_ASSIGN(Mapping constants, Mapping::Make(file.constants.size()));
  std::memcpy(constants.data(), file.constants.data(), file.constants.size());
  std::vector<Network::Kernel> kernels;
  for (const artifact::PlanStep& step : plan->steps) {
    const auto* call = std::get_if<artifact::KernelStep>(&step);
    if (call == nullptr) continue;
    Network::Kernel kernel{.layer = call->layer};
    TESSERA_ASSIGN(kernel.function, code.Find(call->symbol));
    for (const uint32_t id : call->buffers) {
      const artifact::PlanBuffer& buffer = plan->buffers[id];
      const Mapping& home = buffer.home == artifact::BufferHome::kArena ? arena : constants;
      kernel.buffers.push_back(home.data() + buffer.offset);
    }
    kernels.push_back(std::move(kernel));
  }
  return Network{std::move(file), std::move(code), std::move(arena), std::move(constants),
                 std::move(kernels)};
}

int Main(int count, char** words) {
  int first = 1, threads = 1;
  if (count > 2 && std::strcmp(words[1], "--threads") == 0) {
    threads = std::atoi(words[2]);
    first = 3;
  }
  const int rounds = count > first + 1 ? std::atoi(words[first]) : 0;
  if (rounds < 1) {
    fmt::print(stderr,
               "host_kernels [--threads N] ROUNDS FILE ...: ROUNDS inferences of each artifact\n");
    return 2;
  }
  const auto refuse = [](const Error& error) {
    fmt::print(stderr, "host_kernels: {}\n", error.message);
    return 2;
  };
  const auto pool = HostThreads::Make(threads);
  if (!pool) return refuse(pool.error());
  std::vector<Network> networks;
  for (int i = first + 1; i < count; ++i) {
    Result<Network> network = Load(words[i]);
    if (!network) return refuse(network.error());
    networks.push_back(std::move(*network));
  }
  std::vector<Column> columns;
  for (Network& network : networks) {
    columns.push_back({.network = &network});
    if (threads > 1) columns.push_back({.network = &network, .pool = pool->get()});
  }
  for (int round = 0; round < rounds; ++round) {
    for (Column& column : columns) column.Run();
  }
  for (size_t k = 0; k < networks[0].kernels.size(); ++k) {
    const int32_t layer = networks[0].kernels[k].layer;
    for (const Column& c : columns) {
      const bool same = k < c.kernels.size() && c.network->kernels[k].layer == layer;
      fmt::print("{:>9.3f}", same ? c.kernels[k] : 0.0);
    }
    const auto& layers = networks[0].file.layers;
    fmt::print("  {}\n",
               layer < 0 ? "order of an input or output" : layers[static_cast<size_t>(layer)].name);
  }
  for (const Column& c : columns) fmt::print("{:>9.3f}", c.Sum());
  fmt::print("  ms, the least of each kernel");
  for (const Column& c : columns) fmt::print("  {:.2f}x", columns[0].Sum() / c.Sum());
  fmt::print("\n");
  for (const Column& c : columns) fmt::print("{:>9.3f}", c.whole);
  fmt::print("  ms, whole");
  for (const Column& c : columns) fmt::print("  {:.2f}x", columns[0].whole / c.whole);
  fmt::print("\n");
  return 0;
}

}  // namespace
}  // namespace tessera

int main(int count, char** words) { return tessera::Main(count, words); }
