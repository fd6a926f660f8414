// SPDX-License-Identifier: Apache-2.0
//
// Charges the cycles of a run to layers. Depends on: runtime/device.h. Used by tools that print
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
// run of |program| on a device with a clock. Empty if no retired instruction has a layer.
//
// Layers overlap (the weights of one load while another computes), and some take turns, a few rows
// each. A cut ends a piece of the run wherever an instruction of GEMM retires, and wherever one of
// VECTOR or STORE retires if GEMM has not worked since the previous cut. A piece is charged to the
// layer of the instruction at its end; the rest after the last cut, to the layer of that cut. So
// each layer has the cycles in which the multipliers work for it, and the waits that it ends. A
// layer has a span for each of its turns. No layer multiplies more than its cycles allow, except
// that the pipeline begins the next instruction of GEMM some cycles before one retires.
std::vector<LayerSpan> LayerSpans(const isa::ProgramImage& program,
                                  std::span<const TraceEntry> trace, size_t layers, uint64_t total);

// Cycles of each of |layers| layers: the sums of LayerSpans. Their sum is |total|.
std::vector<uint64_t> LayerCycles(const isa::ProgramImage& program,
                                  std::span<const TraceEntry> trace, size_t layers, uint64_t total);

// What the units did in the cycles that LayerCycles charges to each layer: by layer, by unit. The
// five counters of a unit add up to the layer's cycles; all layers add up to |report|.
std::vector<std::array<UnitCounters, isa::kUnits>> LayerUnits(const isa::ProgramImage& program,
                                                              std::span<const TraceEntry> trace,
                                                              size_t layers,
                                                              const RunReport& report);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_EXECUTOR_LAYER_CYCLES_H_
