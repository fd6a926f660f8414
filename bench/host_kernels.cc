// SPDX-License-Identifier: Apache-2.0
//
// host_kernels ROUNDS FILE ...: what plan "cpu" of each artifact takes on one thread. The files
// take turns, so that what else the machine does meets them alike; of each kernel and of each whole
// inference the least of all rounds is printed, beside the first file's. Inputs are zeros: the time
// of no kernel depends on them. Depends on: runtime/artifact, runtime/host.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "runtime/artifact/artifact.h"
#include "runtime/host/cpu_level.h"
#include "runtime/host/host_code.h"
#include "runtime/host/mapping.h"

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

double Milliseconds(Clock::duration d) {
  return std::chrono::duration<double, std::milli>(d).count();
}

// One artifact, loaded: its kernels in order, each with the addresses of its buffers.
struct Network {
  struct Kernel {
    HostKernel function = nullptr;
    std::vector<void*> buffers;
    int32_t layer = -1;
    double least = std::numeric_limits<double>::infinity();
  };
  artifact::Artifact file;
  HostCode code;
  Mapping arena, constants;
  std::vector<Kernel> kernels;
  double least = std::numeric_limits<double>::infinity();

  void Run() {
    const Clock::time_point begin = Clock::now();
    Clock::time_point last = begin;
    for (Kernel& k : kernels) {
      k.function(k.buffers.data());
      const Clock::time_point now = Clock::now();
      k.least = std::min(k.least, Milliseconds(now - last));
      last = now;
    }
    least = std::min(least, Milliseconds(last - begin));
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
  const int rounds = count > 2 ? std::atoi(words[1]) : 0;
  if (rounds < 1) {
    fmt::print(stderr, "host_kernels ROUNDS FILE ...: ROUNDS inferences of each artifact\n");
    return 2;
  }
  std::vector<Network> networks;
  for (int i = 2; i < count; ++i) {
    Result<Network> network = Load(words[i]);
    if (!network) {
      fmt::print(stderr, "host_kernels: {}\n", network.error().message);
      return 2;
    }
    networks.push_back(std::move(*network));
  }
  for (int round = 0; round < rounds; ++round) {
    for (Network& network : networks) network.Run();
  }
  for (size_t k = 0; k < networks[0].kernels.size(); ++k) {
    const int32_t layer = networks[0].kernels[k].layer;
    for (const Network& n : networks) {
      const bool same = k < n.kernels.size() && n.kernels[k].layer == layer;
      fmt::print("{:>9.3f}", same ? n.kernels[k].least : 0.0);
    }
    const auto& layers = networks[0].file.layers;
    fmt::print("  {}\n",
               layer < 0 ? "order of an input or output" : layers[static_cast<size_t>(layer)].name);
  }
  for (const Network& n : networks) fmt::print("{:>9.3f}", n.least);
  fmt::print("  ms, whole");
  for (const Network& n : networks) fmt::print("  {:.2f}x", networks[0].least / n.least);
  fmt::print("\n");
  return 0;
}

}  // namespace
}  // namespace tessera

int main(int count, char** words) { return tessera::Main(count, words); }
