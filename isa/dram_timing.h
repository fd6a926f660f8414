// SPDX-License-Identifier: Apache-2.0
//
// The timing of the device memories of Config::dram; sim/dram/dram.h says how the numbers combine.
// Depends on isa/config.h. Used by: sim/dram, jit, compiler/target, cost.
#ifndef TESSERA_ISA_DRAM_TIMING_H_
#define TESSERA_ISA_DRAM_TIMING_H_

#include <cstdint>

#include "base/check.h"
#include "isa/config.h"

namespace tessera::isa {

struct DramTiming {
  uint32_t burst_beats;    // longest burst; longer requests are split
  uint32_t read_latency;   // cycles from request to first beat
  bool pipelined;          // the latency counts from each request; else only when idle
  uint32_t reads;          // outstanding read bursts
  uint32_t writes;         // outstanding write bursts
  uint32_t write_latency;  // cycles from last beat to response
  bool shared;             // reads and writes share the beats of a frame; else each has all beats
  uint32_t frame_cycles;   // in each frame of so many cycles
  uint32_t frame_beats;    // the memory moves so many beats
};

constexpr DramTiming TimingOf(DramModel model) {
  switch (model) {
    case DramModel::kTsim:
      return {.burst_beats = 256,
              .read_latency = 16,
              .pipelined = false,
              .reads = 256,
              .writes = 256,
              .write_latency = 1,
              .shared = false,
              .frame_cycles = 1,
              .frame_beats = 1};
    case DramModel::kZynq:
      return {.burst_beats = 16,
              .read_latency = 60,
              .pipelined = true,
              .reads = 16,
              .writes = 8,
              .write_latency = 30,
              .shared = true,
              .frame_cycles = 20,
              .frame_beats = 17};
  }
  TESSERA_CHECK(false, "memory model {}", static_cast<int>(model));
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_DRAM_TIMING_H_
