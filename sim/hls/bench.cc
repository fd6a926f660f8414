// SPDX-License-Identifier: Apache-2.0
//
// The test bench of the tops, for C simulation with the vendor's tools and with compilers here. It
// runs the programs of case files on the twin of one configuration and compares device memory with
// the result of the functional simulator. C++14. With the vendor's headers (TSR_HLS_VENDOR) every
// top has a thread; otherwise the shim runs the tops.
//   bench CASE...     exit status 1: a difference or an error
// A case is 64-bit little-endian words, then memory before and after (tests/sim/hls/cases.cc):
//   profile vta, instruction address, instructions, bytes of memory, 8 x (segment base, size)
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "sim/hls/twin.h"
#ifdef TSR_HLS_VENDOR
#include <thread>
#else
#include "shim/top_fibers.h"
#endif

// Defined in sim/hls/twin.cc, in the namespace of the tops if they have one.
#ifdef TSR_HLS_NAMESPACE
namespace TSR_HLS_NAMESPACE {
std::unique_ptr<tessera::sim::HlsTwin> MakeTwin();
}
using namespace TSR_HLS_NAMESPACE;
#else
std::unique_ptr<tessera::sim::HlsTwin> MakeTwin();
#endif

namespace {

using namespace tessera::sim;

// More than any edge holds: the places limit the tokens, not this depth.
constexpr int kDepth = 2048;

const char* const kNames[] = {"fetch", "load", "gemm", "vector", "store"};

#ifdef TSR_HLS_VENDOR
template <typename Stream>
std::unique_ptr<Stream> NewStream(const std::string& name) {
  return std::unique_ptr<Stream>(new Stream(name.c_str()));
}
#else
template <typename Stream>
std::unique_ptr<Stream> NewStream(const std::string& name) {
  return std::unique_ptr<Stream>(new Stream(name, kDepth));
}
#endif

void MakeQueues(HlsQueues* q) {
  for (int to = 0; to < kHlsUnits; ++to) {
    const std::string name = kNames[1 + to];
    q->commands[to] = NewStream<tsr_commands>("commands_" + name);
    q->command_places[to] = NewStream<tsr_marks>("places_" + name);
    for (int from = 0; from < kHlsUnits; ++from) {
      if (from == to) continue;
      const std::string edge = std::string(kNames[1 + from]) + "_" + name;
      q->tokens[from][to] = NewStream<tsr_marks>("tokens_" + edge);
      q->token_places[from][to] = NewStream<tsr_marks>("token_places_" + edge);
    }
  }
}

// Runs all tops. Returns "", or the standstill of the tops as text.
std::string RunTops(HlsTwin* twin, const HlsLaunch& launch, HlsQueues* queues,
                    tsr_report* reports) {
#ifdef TSR_HLS_VENDOR
  std::vector<std::thread> threads;
  for (int top = 0; top < kHlsTops; ++top) {
    threads.emplace_back([=, &launch] { twin->RunTop(top, launch, *queues, &reports[top]); });
  }
  for (std::thread& thread : threads) thread.join();
  return "";
#else
  std::vector<hls_shim::named_top> tops;
  for (int top = 0; top < kHlsTops; ++top) {
    tops.push_back({kNames[top], [=, &launch] {
                      hls_shim::current_probe() = nullptr;
                      twin->RunTop(top, launch, *queues, &reports[top]);
                    }});
  }
  hls_shim::top_fibers fibers(tops);
  fibers.run();
  return fibers.standing();
#endif
}

bool RunCase(const char* path) {
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) {
    std::fprintf(stderr, "bench: %s cannot be read\n", path);
    return false;
  }
  uint64_t head[20] = {};
  const bool has_head = std::fread(head, sizeof head, 1, file) == 1 && head[3] <= (1u << 28);
  const size_t bytes = has_head ? head[3] : 0;
  // Of 64-bit words, for the alignment of the memory.
  std::vector<uint64_t> memory(bytes / 8 + 4), after(bytes / 8 + 4);
  const bool whole = has_head && bytes % 64 == 0 &&
                     std::fread(memory.data(), 1, bytes, file) == bytes &&
                     std::fread(after.data(), 1, bytes, file) == bytes;
  std::fclose(file);
  if (!whole) {
    std::fprintf(stderr, "bench: %s is no case, or is cut off\n", path);
    return false;
  }
  HlsLaunch launch;
  launch.memory = reinterpret_cast<uint8_t*>(memory.data());
  launch.vta = head[0] != 0;
  launch.insn_addr = head[1];
  launch.insn_count = static_cast<uint32_t>(head[2]);
  launch.map.bytes = bytes;
  for (int s = 0; s < 8; ++s) {
    launch.map.segment_base[s] = head[4 + 2 * s];
    launch.map.segment_size[s] = head[5 + 2 * s];
  }
  const std::unique_ptr<HlsTwin> twin = MakeTwin();
  HlsQueues queues;
  MakeQueues(&queues);
  tsr_report reports[kHlsTops];
  const std::string standing = RunTops(twin.get(), launch, &queues, reports);
  for (int top = 0; top < kHlsTops; ++top) {
    if (reports[top].error == 0) continue;
    std::fprintf(stderr, "bench: %s: %s: error %d at instruction %d\n", path, kNames[top],
                 static_cast<int>(reports[top].error), static_cast<int>(reports[top].number));
    return false;
  }
  if (!standing.empty()) {
    std::fprintf(stderr, "bench: %s: deadlock: %s\n", path, standing.c_str());
    return false;
  }
  for (size_t i = 0; i < bytes; ++i) {
    const uint8_t want = reinterpret_cast<const uint8_t*>(after.data())[i];
    if (launch.memory[i] == want) continue;
    std::fprintf(stderr, "bench: %s: byte %zu of memory is %d, must be %d\n", path, i,
                 launch.memory[i], want);
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  int bad = 0;
  for (int i = 1; i < argc; ++i) bad += RunCase(argv[i]) ? 0 : 1;
  std::printf("bench: %d cases, %d differ\n", argc - 1, bad);
  return bad == 0 && argc > 1 ? 0 : 1;
}
