// SPDX-License-Identifier: Apache-2.0
#include "tools/measure_cpu.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "base/check.h"
#include "compiler/codegen/llvm/llvm.h"
#include "compiler/lower/accel/host_pack.h"
#include "compiler/schedule/accel/plan.h"
#include "isa/config.h"
#include "runtime/host/cpu_level.h"
#include "runtime/host/host_code.h"
#include "runtime/host/mapping.h"
#include "runtime/host/threads.h"
#include "tools/repeat.h"

namespace tessera::tools {
namespace {

// The fewest seconds of many runs of |work|.
double FastestOf(const std::function<void()>& work) {
  double fastest = std::numeric_limits<double>::infinity();
  const Status done = Repeat([&]() -> Status {
    const auto begin = std::chrono::steady_clock::now();
    work();
    fastest = std::min(fastest, SecondsSince(begin));
    return {};
  });
  TESSERA_CHECK(done.has_value(), "no run fails");
  return fastest;
}

// Each addition waits for the one before it: one a cycle.
double ClockMhz() {
  constexpr int64_t kAdditions = 4'000'000;
  const double seconds = FastestOf([] {
    uint64_t sum = 0;
    for (int64_t n = 0; n < kAdditions / 8; ++n) {
      for (int k = 0; k < 8; ++k) {
        sum += 3;
        asm volatile("" : "+r"(sum));
      }
    }
  });
  return static_cast<double>(kAdditions) / seconds / 1e6;
}

// One thread, of a range that no cache holds.
Result<double> MemoryMbS() {
  constexpr uint64_t kBytes = uint64_t{256} << 20;
  TESSERA_ASSIGN(const Mapping memory, Mapping::Make(kBytes));
  std::fill_n(memory.data(), kBytes, uint8_t{1});
  const auto* words = reinterpret_cast<const uint64_t*>(memory.data());
  const double seconds = FastestOf([&] {
    uint64_t sums[4] = {};
    for (uint64_t n = 0; n < kBytes / 8; n += 4) {
      for (uint64_t k = 0; k < 4; ++k) sums[k] += words[n + k];
    }
    asm volatile("" : : "r"(sums[0] + sums[1] + sums[2] + sums[3]));
  });
  return static_cast<double>(kBytes) / seconds / 1e6;
}

// Bytes that the packing of an image writes, by the code that artifacts have.
Result<double> PackMbS(const std::string& level) {
  const schedule::accel::Packing packing =
      schedule::accel::PackingOf({1, 64, 56, 56}, isa::Config());
  const ir::Func func = lower::accel::PackFunc(packing, "pack");
  TESSERA_ASSIGN(const std::vector<uint8_t> object, codegen::CompileObject({&func, 1}, level));
  TESSERA_ASSIGN(const HostCode code, HostCode::Load(object));
  TESSERA_ASSIGN(const HostKernel kernel, code.Find("pack"));
  const auto bytes = static_cast<uint64_t>(packing.bytes());
  TESSERA_ASSIGN(const Mapping from, Mapping::Make(bytes));
  TESSERA_ASSIGN(const Mapping to, Mapping::Make(bytes));
  void* buffers[] = {from.data(), to.data()};
  return static_cast<double>(bytes) / FastestOf([&] { kernel(buffers); }) / 1e6;
}

int64_t Rounded(double value) { return std::max<int64_t>(1, std::llround(value)); }

}  // namespace

Result<isa::Cpu> MeasureCpu() {
  const std::vector<std::string> levels = CpuLevels();
  const isa::Cpu* named = nullptr;
  for (const std::string& level : levels) {
    const auto cpus = isa::NamedCpus();
    const auto found = std::ranges::find(cpus, level, &isa::Cpu::level);
    if (found == cpus.end()) continue;
    named = &*found;
    break;
  }
  if (named == nullptr) {
    return Fail(Code::kUnsupported,
                "this processor is of level {}, which no processor of a configuration has; write "
                "the key \"cpu\" by hand (docs/configurations.md)",
                levels.front());
  }
  isa::Cpu cpu = *named;
  cpu.clock_mhz = Rounded(ClockMhz());
  cpu.cores = AllowedProcessors();
  const int64_t cache = std::max(sysconf(_SC_LEVEL2_CACHE_SIZE), sysconf(_SC_LEVEL3_CACHE_SIZE));
  if (cache > 0) cpu.l2_kib = cache >> 10;
  TESSERA_ASSIGN(const double memory, MemoryMbS());
  cpu.memory_mb_s = Rounded(memory);
  TESSERA_ASSIGN(const double pack, PackMbS(cpu.level));
  cpu.pack_mb_s = Rounded(pack);
  return cpu;
}

}  // namespace tessera::tools
