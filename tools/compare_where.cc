// SPDX-License-Identifier: Apache-2.0
#include "tools/compare_where.h"

#include <fmt/format.h>

#include "sim/trace/compare.h"

namespace tessera::tools {
namespace {

Result<ExecutionReport> Watched(Runner& runner, std::span<const HostTensor> item) {
  ExecutionReport report;
  report.traced = true;
  TESSERA_TRY(runner.executor->Run(item, &report));
  return report;
}

// The first difference between the two runs; "": there is none. Traces depend on earlier contents
// of memory, so both runs begin on a fresh device.
Result<std::string> FirstDifference(const LoadedNetwork& network, const Runner& given,
                                    std::span<const HostTensor> item,
                                    const ExecutorOptions& options) {
  TESSERA_ASSIGN(const std::vector<ChosenDevice> chosen, ChooseDevices("func"));
  TESSERA_ASSIGN(Runner func, OpenRunner(network, chosen[0], options));
  TESSERA_ASSIGN(Runner runner, OpenRunner(network, given.chosen, options));
  for (const Runner* one : {&func, &runner})
    one->executor->SetStates(given.executor->StatesBefore());
  TESSERA_ASSIGN(const ExecutionReport right, Watched(func, item));
  TESSERA_ASSIGN(const ExecutionReport wrong, Watched(runner, item));
  for (size_t r = 0; r < std::min(right.runs.size(), wrong.runs.size()); ++r) {
    const isa::ProgramImage& image = network.artifact->programs[right.runs[r].program].image;
    const auto differences = sim::CompareTraces(right.runs[r].trace, wrong.runs[r].trace, image,
                                                network.config, "func", runner.name);
    if (differences.empty()) continue;
    const sim::TraceDifference& first = differences[0];
    const std::optional<TraceEntry>& entry = first.a ? first.a : first.b;
    return fmt::format("{} (program {}: {})", entry ? image.SourceOf(entry->insn) : "?", r,
                       first.text);
  }
  return "";
}

}  // namespace

std::string WhereItGoesWrong(const LoadedNetwork& network, const Runner& runner,
                             std::span<const HostTensor> item, const ExecutorOptions& options) {
  if (!runner.chosen.machine()) return "";
  const std::string about = fmt::format(
      "{}: every layer is right in the program that stores all results; the one that ran",
      runner.name);
  const Result<std::string> where = FirstDifference(network, runner, item, options);
  if (!where) {
    return fmt::format("{} cannot be followed here ({})\n", about, where.error().message);
  }
  if (where->empty()) {
    return fmt::format(
        "{} does what func does, instruction by instruction: look at the host's steps around it\n",
        about);
  }
  return fmt::format("{} goes wrong first in layer {}\n", about, *where);
}

}  // namespace tessera::tools
