// SPDX-License-Identifier: Apache-2.0
//
// HlsTwin: the five tops of hw/hls for one configuration, the scratchpads that they share, and the
// queues between them. twin.cc is compiled as C++14, once for each configuration. Depends on:
// hw/hls. Used by: hls_run, hls_device.
#ifndef TESSERA_SIM_HLS_TWIN_H_
#define TESSERA_SIM_HLS_TWIN_H_

#include <cstdint>
#include <memory>

#include "tsr_hls_queues.h"

namespace tessera {
namespace sim {

// The numbers of the tops; the top of a unit is 1 + enum Unit.
constexpr int kHlsFetch = 0, kHlsUnits = 4, kHlsTops = 5;

// Every queue of the block design. There is no queue from a unit to itself: these are null.
struct HlsQueues {
  std::unique_ptr<tsr_commands> commands[kHlsUnits];
  std::unique_ptr<tsr_marks> command_places[kHlsUnits];
  std::unique_ptr<tsr_marks> tokens[kHlsUnits][kHlsUnits];        // [from][to]
  std::unique_ptr<tsr_marks> token_places[kHlsUnits][kHlsUnits];  // [from][to], back from |to|
};

struct HlsLaunch {
  uint8_t* memory = nullptr;  // device memory from address 0; a multiple of 64 bytes
  tsr_memory_map map;
  uint64_t insn_addr = 0;
  uint32_t insn_count = 0;
  bool vta = false;
};

class HlsTwin {
 public:
  virtual ~HlsTwin() {}
  // Zeroes the scratchpads.
  virtual void Clear() = 0;
  // Runs one top to its end in the calling thread.
  virtual void RunTop(int top, const HlsLaunch& launch, HlsQueues& queues, tsr_report* report) = 0;
};

// The twin of the configuration with this hash, null if the build has none.
std::unique_ptr<HlsTwin> MakeHlsTwin(uint64_t config_hash);

}  // namespace sim
}  // namespace tessera

#endif  // TESSERA_SIM_HLS_TWIN_H_
