// SPDX-License-Identifier: Apache-2.0
//
// host_peaks KIND THREADS: how long the processor takes for products that it makes in registers
// alone, the bound of code that multiplies directly. KIND int8 adds products exactly in int32, by
// vpdpbusd, or by vpmaddwd of int16 if the processor lacks it. KIND float32 is fused multiply-add.
// Prints, for each line that it reads, the seconds of 10^9 products on THREADS threads together.
// bench/peers/host_peers.py runs it in turns with the networks that it times.
// Exit status 2: wrong use, or a processor of another kind. Depends on: runtime/host.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/host/cpu_level.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tessera {
namespace {

constexpr int kChains = 12;  // independent sums: more than latency times instructions a cycle

// A loop of |steps| steps; each makes kChains instructions of |products| products.
struct Loop {
  void (*run)(int64_t steps);
  int products;
};

#if defined(__x86_64__)
// Assembly, so that no compiler drops, joins or widens what is counted.
#define TESSERA_PEAK(NAME, TARGET, TYPE, ...)                                    \
  __attribute__((target(TARGET))) void NAME(int64_t steps) {                     \
    TYPE sum[kChains] = {}, a = {}, b = {};                                      \
    for (int64_t i = 0; i < steps; ++i) {                                        \
      _Pragma("GCC unroll 12") for (int c = 0; c < kChains; ++c) { __VA_ARGS__ } \
    }                                                                            \
  }

TESSERA_PEAK(DotBytes512, "avx512f,avx512vnni", __m512i,
             asm volatile("vpdpbusd %2, %1, %0"
                          : "+v"(sum[c])
                          : "v"(a), "v"(b));)
TESSERA_PEAK(Fma512, "avx512f", __m512,
             asm volatile("vfmadd231ps %2, %1, %0"
                          : "+v"(sum[c])
                          : "v"(a), "v"(b));)
TESSERA_PEAK(DotWords512, "avx512f,avx512bw", __m512i, __m512i pair;
             asm volatile("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0"
                          : "+v"(sum[c]), "=&v"(pair)
                          : "v"(a), "v"(b));)
TESSERA_PEAK(DotWords256, "avx2", __m256i, __m256i pair;
             asm volatile("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0"
                          : "+x"(sum[c]), "=&x"(pair)
                          : "x"(a), "x"(b));)
TESSERA_PEAK(Fma256, "avx2,fma", __m256,
             asm volatile("vfmadd231ps %2, %1, %0"
                          : "+x"(sum[c])
                          : "x"(a), "x"(b));)
#undef TESSERA_PEAK

// The fastest loop of this processor; run is null where none is known.
Loop LoopOf(bool floats) {
  for (const std::string& level : CpuLevels()) {
    if (level == "x86-64-v4-vnni" && !floats) return {DotBytes512, 64};
    if (level == "x86-64-v4") return floats ? Loop{Fma512, 16} : Loop{DotWords512, 32};
    if (level == "x86-64-v3") return floats ? Loop{Fma256, 8} : Loop{DotWords256, 16};
  }
  return {nullptr, 0};
}
#else
Loop LoopOf(bool) { return {nullptr, 0}; }
#endif

// Seconds of 10^9 products on |threads| threads: the least of some tries of about 10 ms each.
double SecondsOf(const Loop& loop, int threads) {
  constexpr int kTries = 8;
  constexpr int64_t kSteps = 1'000'000;
  double least = 1e9;
  for (int t = 0; t < kTries; ++t) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::jthread> others;
    for (int k = 1; k < threads; ++k) others.emplace_back(loop.run, kSteps);
    loop.run(kSteps);
    others.clear();  // waits for them
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    least = std::min(least, took.count());
  }
  return least / (1e-9 * threads * kSteps * kChains * loop.products);
}

int Main(int argc, char** argv) {
  const std::string_view kind = argc == 3 ? argv[1] : "";
  const int threads = argc == 3 ? std::atoi(argv[2]) : 0;
  if ((kind != "int8" && kind != "float32") || threads < 1) {
    fmt::print(stderr,
               "usage: host_peaks int8|float32 THREADS; example: echo | host_peaks int8 1\n");
    return 2;
  }
  const Loop loop = LoopOf(kind == "float32");
  if (!loop.run) {
    fmt::print(stderr, "host_peaks: no loop for a {}; x86-64-v3 and later have one\n",
               ProcessorName());
    return 2;
  }
  for (int c = std::getchar(); c != EOF; c = std::getchar()) {
    if (c != '\n') continue;
    fmt::print("{:.6f}\n", SecondsOf(loop, threads));
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) { return tessera::Main(argc, argv); }
