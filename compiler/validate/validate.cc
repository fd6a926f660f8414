// SPDX-License-Identifier: Apache-2.0
#include "compiler/validate/validate.h"

#include <algorithm>
#include <numeric>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/validate/explain.h"
#include "compiler/validate/input_pieces.h"
#include "compiler/validate/machine_run.h"
#include "compiler/validate/source_run.h"

namespace tessera::validate {
namespace {

// The contents of the arena before the program runs.
Result<std::vector<Symbol>> Arena(const network::ProgramPlan& plan,
                                  const std::vector<int64_t>& offsets, int64_t bytes,
                                  int64_t grain) {
  std::vector<Symbol> arena(static_cast<size_t>(CeilDiv(bytes, grain)));
  for (size_t k = 0; k < arena.size(); ++k) arena[k] = Unwritten(uint64_t{1} << 60 | k);
  std::vector<int> owner(arena.size(), -1);
  for (size_t n = 0; n < plan.needs.size(); ++n) {
    const network::MemoryNeed& need = plan.needs[n];
    const int64_t first = offsets[n] / grain, count = CeilDiv(need.packing.bytes(), grain);
    if (first + count > std::ssize(arena))
      return Fail(Code::kOutOfRange, "activation {} ends past the arena", need.activation);
    for (const size_t k : InputPieces(plan, n, grain)) {
      const size_t at = static_cast<size_t>(first) + k;
      if (owner[at] >= 0) {
        return Fail(Code::kDataLoss, "activations {} and {} are both in byte {} of the arena",
                    plan.needs[static_cast<size_t>(owner[at])].activation, need.activation,
                    offsets[n] + static_cast<int64_t>(k) * grain);
      }
      owner[at] = static_cast<int>(n);
      arena[at] = InputPiece(n, k);
    }
  }
  return arena;
}

}  // namespace

Result<TranslationReport> CheckTranslation(const network::ProgramPlan& plan,
                                           const std::vector<lower::accel::AccelRegion>& regions,
                                           const isa::Config& config,
                                           const std::vector<int64_t>& offsets, int64_t arena_bytes,
                                           const isa::ProgramImage& image,
                                           const TranslationOptions& options) {
  TESSERA_CHECK(offsets.size() == plan.needs.size());
  TESSERA_ASSIGN(const isa::Fetcher fetcher, isa::Fetcher::Make(image.profile, config));
  const auto read = [&](uint32_t number, std::span<uint8_t> to) {
    std::ranges::copy(std::span(image.code).subspan(number * to.size(), to.size()), to.begin());
    return true;
  };
  const isa::InsnStream program(fetcher, config, static_cast<uint32_t>(image.insn_count()), read,
                                [&](uint32_t number) { return image.SourceOf(number); });
  int64_t align = network::kArenaAlign;
  for (const int64_t offset : offsets) align = std::gcd(align, offset);
  const int64_t grain = GrainOf(program, config, align);

  SourceRun source(plan, regions, config, grain);
  TESSERA_TRY(source.Run());
  TESSERA_ASSIGN(const std::vector<Symbol> arena, Arena(plan, offsets, arena_bytes, grain));
  TranslationReport report{.instructions = static_cast<int64_t>(program.size())};
  const Explainer::Given given{plan, regions, config, offsets, grain, arena, image, program};
  for (const UnitOrder& order : {kLoadsFirst, kStoresFirst}) {
    if (order != kLoadsFirst && !options.both_orders) continue;
    MachineRun machine(image, program, config, grain, arena);
    TESSERA_TRY(machine.Run(order));
    report.steps = machine.steps(), report.results = 0;
    for (size_t n = 0; n < plan.needs.size(); ++n) {
      // A tensor that nothing reads after the program may be overwritten.
      const bool wanted = plan.needs[n].last == std::ssize(regions);
      if (!wanted && !(options.all && plan.needs[n].made)) continue;
      const std::span<const Symbol> want = source.MemoryOf(n);
      const std::span<const Symbol> got =
          machine.arena().subspan(static_cast<size_t>(offsets[n] / grain), want.size());
      report.results += std::ssize(want);
      for (size_t k = 0; k < want.size(); ++k) {
        // The loop IR leaves this piece unwritten: its contents are arbitrary.
        if (want[k] == kNothing || want[k] == got[k]) continue;
        return std::unexpected(Explainer(given).Explain(order, n, static_cast<int64_t>(k)));
      }
    }
  }
  return report;
}

}  // namespace tessera::validate
