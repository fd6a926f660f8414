// SPDX-License-Identifier: Apache-2.0
//
// tessera explore: searches for machines that are fast and small for some networks on a part.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <thread>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "compiler/import/import.h"
#include "explore/search.h"
#include "tools/duration.h"
#include "tools/explore_files.h"
#include "tools/import_options.h"
#include "tools/interrupt.h"
#include "tools/model_file.h"
#include "tools/output.h"
#include "tools/tune_line.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

struct ExploreFlags {
  std::vector<std::string> networks, sweep, with;
  std::string output, part = "xc7z020", config = "default", objective = "ms,lut",
                      search = "halving", budget;
  ImportWords import;
  int64_t runs = 0, seed = 1, workers = 0, clock = 0;
  bool resume = false;
};

Result<std::vector<explore::ExploredNetwork>> LoadNetworks(const ExploreFlags& flags) {
  std::vector<explore::ExploredNetwork> networks;
  TESSERA_ASSIGN(const ImportOptions importing, ImportOptionsOf(flags.import));
  for (const std::string& path : flags.networks) {
    TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
    explore::ExploredNetwork network;
    network.name = path.substr(path.find_last_of('/') + 1);
    network.crc = Crc64(bytes);
    for (const explore::ExploredNetwork& other : networks) {
      if (other.crc == network.crc)
        return Fail(Code::kInvalidArgument, "{}: this network is there twice, as {} too", path,
                    other.name);
    }
    TESSERA_ASSIGN(network.graph, ImportModel(bytes, path, importing));
    networks.push_back(std::move(network));
  }
  return networks;
}

// What machines are named beside the space, the base first.
Result<std::vector<isa::Config>> OthersOf(const ExploreFlags& flags, const isa::Config& base) {
  std::vector<isa::Config> others{base};
  for (const std::string& word : flags.with) {
    TESSERA_ASSIGN(isa::Config config, isa::LoadConfig(word));
    config.clock_mhz = base.clock_mhz;
    for (const isa::Config& other : others) {
      if (other.name == config.name || other.Hash() == config.Hash()) {
        return Fail(Code::kInvalidArgument,
                    "--with {}: configuration {} is there twice, as {} too; leave one out", word,
                    config.name, other.name);
      }
    }
    others.push_back(std::move(config));
  }
  return others;
}

void PrintSpace(const explore::Explored& explored) {
  const explore::MachineSpace& space = explored.space();
  std::printf("%s machines, %s legal, %s fit %s\n", Grouped(space.CountAll()).c_str(),
              Grouped(std::ssize(space.legal())).c_str(),
              Grouped(std::ssize(explored.fitting())).c_str(), explored.part().name.c_str());
  for (const explore::IllegalMachines& illegal : space.illegal()) {
    std::printf(
        "  %s illegal: %s%s\n", Grouped(illegal.count).c_str(), Legible(illegal.example).c_str(),
        illegal.nearest.empty() ? "" : ("; the nearest legal value is " + illegal.nearest).c_str());
  }
  for (const explore::MisfitCount& misfit : explored.misfits()) {
    std::printf("  %s do not fit for %s, the nearest has %s\n", Grouped(misfit.count).c_str(),
                misfit.resource.c_str(), MisfitText(misfit.least).c_str());
  }
}

void PrintFront(const explore::Explored& explored) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](int64_t number, const char* what) {
    const explore::KnownMachine& m = explored.Of(number);
    const explore::MachineCost* cost = m.Answer(explore::Stage::kRun);
    rows.push_back(
        {m.config.name, what, std::string(StageOf(m)),
         cost != nullptr ? fmt::format("{:.3f}", 1e3 * cost->total()) : "-",
         fmt::format("{}", m.config.clock_mhz), Grouped(static_cast<int64_t>(m.area.lut)),
         Grouped(m.area.dsp), Grouped(m.area.bram18)});
  };
  for (const int64_t number : explored.Front()) add(number, "front");
  for (const int64_t number : explored.others()) add(number, "beside");
  std::fputs(Table({"machine", "", "stage", "ms", "MHz", "LUT", "DSP", "BRAM18"}, "lllrrrrr",
                   std::move(rows))
                 .c_str(),
             stdout);
}

std::string LineText(const explore::ExploreProgress& p, const explore::ExploreOptions& options) {
  const double minutes = std::max(p.seconds, 1e-3) / 60;
  const auto count = static_cast<double>(p.predicted + p.ran - p.known);
  std::string left;
  if (options.time.count() > 0) {
    const double all = std::chrono::duration<double>(options.time).count();
    left = fmt::format(", ends in {:.0f} s at most", std::max(all - p.seconds, 0.0));
  } else if (options.runs > 0 && p.ran > 0) {
    left = fmt::format(", {} runs to go", std::max<int64_t>(options.runs - p.ran, 0));
  }
  return fmt::format("{} predicted, {} ran, {} failed, {} on the front, {:.0f} machines a minute{}",
                     p.predicted, p.ran, p.failed, p.front, count / minutes, left);
}

Result<int> Run(const ExploreFlags& flags) {
  TESSERA_TRY(explore::MakeMachineStrategy(flags.search, 1));
  TESSERA_ASSIGN(const std::vector<explore::Goal> goals, explore::ParseGoals(flags.objective));
  TESSERA_ASSIGN(const hw::Part part, hw::LoadPart(flags.part));
  TESSERA_ASSIGN(isa::Config base, isa::LoadConfig(flags.config));
  if (flags.clock > 0) base.clock_mhz = flags.clock;
  TESSERA_ASSIGN(std::vector<explore::SweptKey> keys, explore::ParseSweep(flags.sweep));
  if (keys.empty()) keys = explore::WholeSweep();
  explore::ExploreOptions options{.strategy = flags.search,
                                  .seed = static_cast<uint64_t>(flags.seed),
                                  .runs = flags.runs,
                                  .workers = static_cast<int>(flags.workers),
                                  .stop = Interrupted};
  if (!flags.budget.empty() || flags.runs == 0) {
    TESSERA_ASSIGN(options.time, ParseBudget(flags.budget.empty() ? "10m" : flags.budget));
  }
  if (options.workers == 0)
    options.workers = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  TESSERA_ASSIGN(const std::vector<explore::ExploredNetwork> networks, LoadNetworks(flags));
  TESSERA_ASSIGN(const std::vector<isa::Config> others, OthersOf(flags, base));
  TESSERA_ASSIGN(explore::MachineSpace space, explore::MachineSpace::Make(base, std::move(keys)));
  TESSERA_ASSIGN(
      explore::Explored explored,
      explore::Explored::Make(std::move(space), others, part, goals, [&](const isa::Config& c) {
        return explore::AreaOf(c, part.family);
      }));
  TESSERA_ASSIGN(const std::string folder, FolderFor(flags.output));
  std::vector<std::string> names, beside;
  for (const auto& network : networks)
    names.push_back(fmt::format("{} {:016x}", network.name, network.crc));
  for (const isa::Config& config : others)
    beside.push_back(fmt::format("{} {:016x}", config.name, config.Hash()));
  explore::KnownAnswers known;
  TESSERA_ASSIGN(explore::ExploreLog log,
                 explore::ExploreLog::Open(
                     folder + "answers.jsonl",
                     {.sweep = SweepText(explored.space().keys()),
                      .base = fmt::format("{} at {} MHz", fmt::join(beside, ", "), base.clock_mhz),
                      .networks = fmt::format("{}", fmt::join(names, ", ")),
                      .part = part.name,
                      .objective = flags.objective,
                      .strategy = flags.search,
                      .seed = std::to_string(flags.seed)},
                     flags.resume, &known));
  PrintSpace(explored);
  std::fflush(stdout);
  CatchInterrupt();
  explore::MachineSearch search(networks, options, std::move(known), &explored, &log);
  search.progress = [&](const explore::ExploreProgress& p) { ShowTuneLine(LineText(p, options)); };
  const Status ran = search.Run();
  EndTuneLine();
  if (!ran) return std::unexpected(ran.error());
  const explore::ExploreProgress& p = search.now();
  std::printf("%s\n", LineText(p, {}).c_str());
  for (const auto& [stage, work] : p.work) {
    std::printf("stage %s: %s machines, %.0f a minute on one core\n",
                std::string(explore::StageText(stage)).c_str(), Grouped(work.first).c_str(),
                60 * static_cast<double>(work.first) / std::max(work.second, 1e-9));
  }
  PrintFront(explored);
  std::printf("hypervolume: %.4f of the box up to the reference\n", explored.Volume());
  TESSERA_TRY(WriteFile(folder + "points.csv", MachinesCsv(explored, networks)));
  TESSERA_TRY(WriteJson(folder + "points.json", MachinesJson(explored, networks)));
  TESSERA_TRY(WriteFrontConfigs(explored, folder));
  return Interrupted() ? kExitInterrupted : kExitOk;
}

}  // namespace

Action AddExplore(CLI::App& app) {
  auto flags = std::make_shared<ExploreFlags>();
  CLI::App* verb = app.add_subcommand(
      "explore", "search for machines that are fast and small for some models on a part");
  verb->add_option("models", flags->networks, "TFLite or ONNX models; ms is the sum over them")
      ->required();
  verb->add_option("-o,--output", flags->output, "the folder for the results")->required();
  verb->add_option("--part", flags->part, "the part that machines have to fit")
      ->capture_default_str();
  verb->add_option("--sweep", flags->sweep,
                   "keys of configurations and their values, block=4,8,16 or inp_kib=16..64 for "
                   "powers of two, with commas between them (default: array, memories, bus)");
  verb->add_option("--config", flags->config, "the configuration for what is not swept")
      ->capture_default_str();
  verb->add_option("--clock", flags->clock,
                   "the MHz that are wanted (default: those of --config); a machine gets as many "
                   "as its longest path allows, and no more")
      ->check(CountFromOne());
  verb->add_option("--with", flags->with, "configurations to run beside those of the sweep");
  verb->add_option("--objective", flags->objective,
                   "what to make small: some of ms, lut, ff, dsp, bram, energy-proxy")
      ->capture_default_str();
  verb->add_option("--search", flags->search, "one of " + explore::MachineStrategyNames())
      ->capture_default_str();
  verb->add_option("--budget", flags->budget,
                   "time to spend: 90s, 30m, 2h (default: 10m, without a limit where --runs is)");
  verb->add_option("--runs", flags->runs, "machines to run")->check(CountFromOne());
  verb->add_option("--seed", flags->seed, "of the search")->capture_default_str();
  verb->add_option("--workers", flags->workers, "processes (default: the processors)")
      ->check(CountFromOne());
  verb->add_flag("--resume", flags->resume,
                 "go on with the search in the folder: no machine is looked at again");
  AddImportOptions(verb, flags->import);
  verb->footer(
      "Example: tessera explore models/fashion/fashion_int8.onnx --part xc7z020 "
      "--sweep block=4..16,bus_bits=64,128 --budget 1m -o out");
  return [flags] { return Run(*flags); };
}

}  // namespace tessera::tools
