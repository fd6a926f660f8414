// SPDX-License-Identifier: Apache-2.0
//
// Which layer a run's cycles went to. Depends on: runtime/device.h. Used by tools that print
// tables.
#ifndef TESSERA_RUNTIME_EXECUTOR_LAYER_CYCLES_H_
#define TESSERA_RUNTIME_EXECUTOR_LAYER_CYCLES_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/image.h"
#include "runtime/device.h"

namespace tessera {

// Cycles [begin, end) of a run that are charged to a layer.
struct LayerSpan {
  size_t layer = 0;
  uint64_t begin = 0, end = 0;
};

// The cycles of a run by layer, in order and without a gap from 0 to |total|, from the trace of one
// run of |program| on a device with a clock. Empty if no instruction that retired has a layer.
//
// Layers overlap (one's weights load while another computes), and some take turns, a few rows each.
// The run is cut where an instruction of GEMM retires, and where one of VECTOR or STORE does if
// GEMM has not worked since the cut before. What lies between two cuts is charged to the layer of
// the instruction at the second; what follows the last cut, to that one's layer. So the cycles in
// which the multipliers work are shared by whose work it was, and waiting goes to the layer that
// ends it. A layer has a span for each of its turns. The pipeline aside, in which the next
// instruction of GEMM begins some cycles before one retires, no layer multiplies more than its
// cycles allow.
std::vector<LayerSpan> LayerSpans(const isa::ProgramImage& program,
                                  std::span<const TraceEntry> trace, size_t layers, uint64_t total);

// Cycles of each of |layers| layers: the sums of LayerSpans. All together are |total|.
std::vector<uint64_t> LayerCycles(const isa::ProgramImage& program,
                                  std::span<const TraceEntry> trace, size_t layers, uint64_t total);

// What the units did in the cycles that LayerCycles charges to each layer: by layer, by unit. A
// unit's five counters add up to the layer's cycles, all layers' to |report|'s.
std::vector<std::array<UnitCounters, isa::kUnits>> LayerUnits(const isa::ProgramImage& program,
                                                              std::span<const TraceEntry> trace,
                                                              size_t layers,
                                                              const RunReport& report);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_EXECUTOR_LAYER_CYCLES_H_
