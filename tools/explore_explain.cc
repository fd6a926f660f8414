// SPDX-License-Identifier: Apache-2.0
#include "tools/explore_explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "compiler/driver/compile.h"
#include "compiler/tune/task.h"
#include "explore/sensitivity.h"
#include "tools/output.h"

namespace tessera::tools {
namespace {

using explore::NetworkCost;

std::string ShareCell(double share) { return fmt::format("{:.1f} %", 100 * share); }

void PrintArea(const hw::Silicon& area, const hw::Part& part, const hw::SiliconErrors& errors,
               const isa::Config& config) {
  const auto row = [](const char* name, double used, int64_t has, const hw::SiliconError& error) {
    return std::vector<std::string>{
        name,
        Grouped(static_cast<int64_t>(used)),
        Grouped(has),
        ShareCell(used / static_cast<double>(std::max<int64_t>(has, 1))),
        ShareCell(error.median),
        ShareCell(error.worst)};
  };
  std::printf("%s on %s, stage predict:\n", config.name.c_str(), part.name.c_str());
  std::fputs(
      Table({"resource", "used", "part", "share", "error, median", "worst"}, "lrrrrr",
            {row("LUT", area.lut, part.lut, errors.lut), row("FF", area.ff, part.ff, errors.ff),
             row("DSP", static_cast<double>(area.dsp), part.dsp, errors.dsp),
             row("BRAM18", static_cast<double>(area.bram18), part.bram18, errors.bram18)})
          .c_str(),
      stdout);
  std::printf(
      "longest path %.2f ns (error %.1f %% in the median, %.1f %% at worst), so it runs at %lld "
      "MHz\n",
      area.ns, 100 * errors.ns.median, 100 * errors.ns.worst,
      static_cast<long long>(config.clock_mhz));
  for (const std::string& outside : hw::OutsideOfTable(config))
    std::printf("outside of what was synthesised, so the errors do not hold: %s\n",
                outside.c_str());
  if (const explore::Misfit misfit = explore::MisfitOf(area, part); !misfit.resource.empty())
    std::printf("it does not fit: %s\n", MisfitText(misfit).c_str());
}

void PrintNetwork(const std::string& name, const NetworkCost& predicted, const NetworkCost& ran) {
  const auto row = [](const char* what, double a, double b, int decimals) {
    return std::vector<std::string>{what, fmt::format("{:.{}f}", a, decimals),
                                    fmt::format("{:.{}f}", b, decimals),
                                    b > 0 ? fmt::format("{:+.1f} %", 100 * (a / b - 1)) : "-"};
  };
  std::printf("\n%s, an inference:\n", name.c_str());
  std::fputs(Table({"", "predict", "run", "error"}, "lrrr",
                   {row("cycles", predicted.cycles, ran.cycles, 0),
                    row("accelerator, ms", 1e3 * predicted.accelerator, 1e3 * ran.accelerator, 3),
                    row("host, ms", 1e3 * predicted.host, 1e3 * ran.host, 3),
                    row("packing, ms", 1e3 * predicted.carry, 1e3 * ran.carry, 3),
                    row("starts, ms", 1e3 * predicted.start, 1e3 * ran.start, 3),
                    row("total, ms", 1e3 * predicted.total(), 1e3 * ran.total(), 3)})
                 .c_str(),
             stdout);
  std::printf("limited by %s\n", std::string(LimitText(explore::LimitOf(ran))).c_str());
}

// A region of |program| alone, with its tensors in device memory.
Result<std::vector<std::string>> LayerRow(const compiler::PlannedProgram& program, size_t region,
                                          const isa::Config& config) {
  TESSERA_ASSIGN(const RunReport ran,
                 compiler::Evaluate(tune::PartOf(program, region, region + 1), config));
  const NetworkCost cost = explore::CostOfRun(ran, config);
  return std::vector<std::string>{
      program.regions[region].op,         Grouped(static_cast<int64_t>(ran.cycles)),
      ShareCell(cost.gemm / cost.cycles), ShareCell(cost.vector / cost.cycles),
      ShareCell(cost.bus / cost.cycles),  std::string(LimitText(explore::LimitOf(cost)))};
}

Status PrintLayers(const explore::ExploredNetwork& network, const isa::Config& config) {
  compiler::CompileOptions options;
  options.config = config;
  options.cpu = false;
  options.layers_only = true;
  TESSERA_ASSIGN(const compiler::Compiled compiled,
                 compiler::Compile(network.graph, network.name, network.crc, options));
  std::vector<std::vector<std::string>> rows;
  for (const compiler::PlannedProgram& program : compiled.programs) {
    for (size_t region = 0; region < program.regions.size(); ++region) {
      TESSERA_ASSIGN(std::vector<std::string> row, LayerRow(program, region, config));
      rows.push_back(std::move(row));
    }
  }
  std::fputs(
      Table({"layer of the accelerator, alone", "cycles", "array", "VECTOR", "bus", "limited by"},
            "lrrrrl", std::move(rows))
          .c_str(),
      stdout);
  return {};
}

}  // namespace

Status ExplainMachine(const isa::Config& wanted, const hw::Part& part,
                      const std::vector<explore::ExploredNetwork>& networks) {
  TESSERA_ASSIGN(const hw::Silicon area, hw::PredictSilicon(wanted, part.family));
  TESSERA_ASSIGN(const hw::SiliconErrors errors, hw::PredictionErrors(part.family));
  isa::Config config = wanted;
  config.clock_mhz = explore::ClockOf(area, wanted.clock_mhz);
  PrintArea(area, part, errors, config);
  for (const explore::ExploredNetwork& network : networks) {
    const auto predicted = explore::PredictNetwork(network, config);
    if (!predicted) return Within(network.name, predicted.error());
    const auto ran = explore::RunNetwork(network, config);
    if (!ran) return Within(network.name, ran.error());
    PrintNetwork(network.name, *predicted, *ran);
    TESSERA_TRY(PrintLayers(network, config));
  }
  return {};
}

}  // namespace tessera::tools
