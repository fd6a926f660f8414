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

// The cycles of a run by layer, in order and without a gap from 0 to |total|: those of LayerCycles.
// Empty if the program has no layers.
std::vector<LayerSpan> LayerSpans(const isa::ProgramImage& program,
                                  std::span<const TraceEntry> trace, size_t layers, uint64_t total);

// Cycles of each of |layers| layers, from the trace of one run of |program| on a device with a
// clock. The layers of a program overlap (one's weights load while another computes), so a layer is
// charged with the time from the last retirement of every layer that ends before it in the program,
// to its own last retirement; what follows the last layer's is its own too. The sum is |total|, the
// run's cycles.
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
