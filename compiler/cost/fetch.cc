// SPDX-License-Identifier: Apache-2.0
#include "compiler/cost/fetch.h"

#include <algorithm>
#include <array>

#include "base/bits.h"

namespace tessera::cost {
namespace {

// The instructions of nest |k|'s pieces, or of its stream's parts.
double InsnsOf(const Nests& nests, const Pieces& pieces, size_t k) {
  const std::optional<Stream>& stream = pieces.streams[k];
  const size_t by = stream ? stream->reader : k;
  const auto runs_once = [&](const LoopOf& loop) {
    if (!stream) return nests.IsLastIn(by, loop);
    return std::ranges::count(stream->still, loop) > 0;
  };
  double runs = 1;
  for (const LoopOf& loop : nests.LoopsAround(by)) {
    if (runs_once(loop)) continue;
    const int64_t together = stream && stream->turn == loop ? stream->together : 1;
    runs *= static_cast<double>(CeilDiv(nests.At(loop).iterations, together));
  }
  return runs * (stream ? stream->part : pieces.all[k]).insns;
}

}  // namespace

Fetching FetchingOf(const Nests& nests, const Pieces& pieces, const isa::Config& config) {
  std::array<double, isa::kUnits> of{};
  for (size_t k = 0; k < nests.all.size(); ++k) {
    of[static_cast<size_t>(pieces.all[k].unit)] += InsnsOf(nests, pieces, k);
    if (pieces.all[k].micro_ops > 0)
      of[static_cast<size_t>(isa::Unit::kLoad)] += pieces.all[k].kernels;
  }
  double all = 1, cycles = DispatchCycles(isa::Unit::kGemm);  // FINISH
  for (size_t u = 0; u < isa::kUnits; ++u) {
    all += of[u];
    cycles += of[u] * DispatchCycles(static_cast<isa::Unit>(u));
  }
  const auto beats = static_cast<double>(CeilDiv(isa::kInsnBytes, config.bus_bytes()));
  const auto queue = static_cast<double>(config.queue_depth);
  return {.insn_beats = beats,
          .beats = all * beats,
          .ahead = queue * all / std::ranges::max(of) * beats,
          .rate = std::min(beats * all / cycles, 1.0)};
}

}  // namespace tessera::cost
