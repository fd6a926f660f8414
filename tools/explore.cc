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
#include "cluster/slurm_task.h"
#include "compiler/import/import.h"
#include "explore/search.h"
#include "tools/duration.h"
#include "tools/explore_explain.h"
#include "tools/explore_files.h"
#include "tools/explore_prove.h"
#include "tools/explore_text.h"
#include "tools/explore_tune.h"
#include "tools/import_options.h"
#include "tools/interrupt.h"
#include "tools/model_file.h"
#include "tools/output.h"
#include "tools/slurm.h"
#include "tools/tune_line.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

constexpr int64_t kSensitive = 6;  // machines of the front whose neighbours are predicted

struct ExploreFlags {
  std::vector<std::string> networks, sweep, with;
  std::string explain, output, part = "xc7z020", config = "default", objective = "ms,lut",
                               search = "halving", budget;
  ImportWords import;
  SlurmWords slurm;
  std::string tune_budget = "20s";
  int64_t runs = 0, seed = 1, workers = 0, clock = 0, tune = 0, prove = 0, synthesise = 0;
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

Result<isa::Config> BaseOf(const ExploreFlags& flags) {
  TESSERA_ASSIGN(isa::Config base, isa::LoadConfig(flags.config));
  if (flags.clock > 0) base.clock_mhz = flags.clock;
  return base;
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

explore::SearchIdentity IdentityOf(const ExploreFlags& flags, const explore::Explored& explored,
                                   const std::vector<explore::ExploredNetwork>& networks) {
  std::vector<std::string> names, beside;
  for (const auto& network : networks)
    names.push_back(fmt::format("{} {:016x}", network.name, network.crc));
  for (const int64_t other : explored.others()) {
    const isa::Config& config = explored.Of(other).config;
    beside.push_back(fmt::format("{} {:016x}", config.name, config.Hash()));
  }
  const isa::Config& base = explored.space().base();
  return {.sweep = SweepText(explored.space().keys()),
          .base = fmt::format("{} for {} MHz", fmt::join(beside, ", "), base.clock_mhz),
          .networks = fmt::format("{}", fmt::join(names, ", ")),
          .part = explored.part().name,
          .objective = flags.objective,
          .strategy = flags.search,
          .seed = std::to_string(flags.seed)};
}

Result<explore::ExploreOptions> OptionsOf(const ExploreFlags& flags) {
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
  TESSERA_TRY(explore::MakeMachineStrategy(flags.search, 1));
  TESSERA_TRY(ParseBudget(flags.tune_budget, "--tune-budget"));
  return options;
}

Result<explore::Explored> SpaceOf(const ExploreFlags& flags, const hw::Part& part) {
  TESSERA_ASSIGN(std::vector<explore::Goal> goals, explore::ParseGoals(flags.objective));
  TESSERA_ASSIGN(const isa::Config base, BaseOf(flags));
  TESSERA_ASSIGN(std::vector<explore::SweptKey> keys, explore::ParseSweep(flags.sweep));
  if (keys.empty()) keys = explore::WholeSweep();
  TESSERA_ASSIGN(const std::vector<isa::Config> others, OthersOf(flags, base));
  TESSERA_ASSIGN(explore::MachineSpace space, explore::MachineSpace::Make(base, std::move(keys)));
  return explore::Explored::Make(std::move(space), others, part, std::move(goals));
}

// At most |count| of |front|, from its one end to the other.
std::vector<int64_t> Spread(const std::vector<int64_t>& front, int64_t count) {
  std::vector<int64_t> some;
  const int64_t all = std::ssize(front);
  count = std::min(count, all);
  for (int64_t k = 0; k < count; ++k)
    some.push_back(front[static_cast<size_t>(count == 1 ? 0 : k * (all - 1) / (count - 1))]);
  return some;
}

// Searches for schedules on machines of the front, and on the first of others() to compare with.
Status Tune(const ExploreFlags& flags, const std::string& folder, explore::Explored* explored,
            explore::ExploreLog* log) {
  const std::vector<int64_t> front = explored->Front();
  const int64_t base = explored->others()[0];
  std::vector<int64_t> numbers = Spread(front, flags.tune);
  if (!numbers.empty() && std::ranges::count(numbers, base) == 0) numbers.push_back(base);
  for (const int64_t number : numbers) {
    const explore::KnownMachine& machine = explored->Of(number);
    if (machine.tuned || machine.Answer(explore::Stage::kRun) == nullptr) continue;
    ShowTuneLine("stage tune: " + machine.config.name);
    if (std::ranges::count(front, number) == 0)
      TESSERA_TRY(WriteConfigs(*explored, {number}, folder));
    TESSERA_ASSIGN(explore::MachineCost tuned,
                   TuneMachine(folder + machine.config.name + ".json", flags.networks, flags.import,
                               flags.tune_budget, *machine.Answer(explore::Stage::kRun),
                               machine.config.clock_mhz));
    TESSERA_TRY(log->Append(number, explore::Stage::kTune, tuned));
    explored->Tell(number, explore::Stage::kTune, std::move(tuned));
    EndTuneLine();
    if (Interrupted()) break;
  }
  return {};
}

// Proves machines of the front on the RTL.
//   returns  whether all of them are proven
Result<bool> Prove(const ExploreFlags& flags, const std::string& folder,
                   explore::Explored* explored, explore::ExploreLog* log) {
  bool all = true;
  for (const int64_t number : Spread(explored->Front(), flags.prove)) {
    if (explored->Of(number).proven) continue;
    const std::string& name = explored->Of(number).config.name;
    ShowTuneLine("stage prove: " + name);
    const auto proved = ProveMachine(folder + name + ".json", flags.networks, flags.import,
                                     static_cast<uint64_t>(flags.seed));
    EndTuneLine();
    if (proved) {
      const explore::MachineCost ran = *explored->Of(number).Answer(explore::Stage::kRun);
      TESSERA_TRY(log->Append(number, explore::Stage::kProve, ran));
      explored->Tell(number, explore::Stage::kProve, ran);
    }
    all = all && proved;
    std::printf("stage prove: %s: %s\n", name.c_str(),
                Legible(proved ? *proved : "failed: " + proved.error().message).c_str());
    std::fflush(stdout);
    if (Interrupted()) break;
  }
  return all;
}

// Synthesises machines of the front, and prints how far the prediction was off.
Status Synthesise(const ExploreFlags& flags, const std::string& folder,
                  const explore::Explored& explored) {
  for (const int64_t number : Spread(explored.Front(), flags.synthesise)) {
    const explore::KnownMachine& machine = explored.Of(number);
    ShowTuneLine("synthesis: " + machine.config.name);
    TESSERA_ASSIGN(const hw::Silicon made,
                   SynthesiseMachine(folder + machine.config.name + ".json", explored.part().name,
                                     explored.part().family));
    EndTuneLine();
    const auto words = [](const char* what, double predicted, double is, int decimals) {
      return fmt::format("{} {:.{}f}, predicted {:.{}f} ({:+.1f} %)", what, is, decimals, predicted,
                         decimals, 100 * (predicted / std::max(is, 1e-9) - 1));
    };
    std::printf(
        "synthesised: %s: %s; %s; %s; %s; %s\n", machine.config.name.c_str(),
        words("LUT", machine.area.lut, made.lut, 0).c_str(),
        words("FF", machine.area.ff, made.ff, 0).c_str(),
        words("DSP", static_cast<double>(machine.area.dsp), static_cast<double>(made.dsp), 0)
            .c_str(),
        words("BRAM18", static_cast<double>(machine.area.bram18), static_cast<double>(made.bram18),
              0)
            .c_str(),
        words("ns", machine.area.ns, made.ns, 2).c_str());
    std::fflush(stdout);
    if (Interrupted()) break;
  }
  return {};
}

Result<int> Explain(const ExploreFlags& flags) {
  TESSERA_ASSIGN(const hw::Part part, hw::LoadPart(flags.part));
  TESSERA_ASSIGN(isa::Config config, isa::LoadConfig(flags.explain));
  if (flags.clock > 0) config.clock_mhz = flags.clock;
  TESSERA_ASSIGN(const std::vector<explore::ExploredNetwork> networks, LoadNetworks(flags));
  TESSERA_TRY(ExplainMachine(config, part, networks));
  return kExitOk;
}

// What is known after the search, as text and as files.
Status Report(const explore::Explored& explored,
              const std::vector<explore::ExploredNetwork>& networks, const std::string& folder,
              explore::MachineSearch* search) {
  std::vector<explore::Sensitivity> sensitivities;
  if (!Interrupted()) {
    ShowTuneLine("the machines around the front");
    TESSERA_ASSIGN(sensitivities,
                   SensitivitiesOf(explored, Spread(explored.Front(), kSensitive), search));
    EndTuneLine();
  }
  std::printf("%s%s%s", FrontText(explored).c_str(), VolumeText(explored).c_str(),
              ErrorsText(explored).c_str());
  const std::string words = LimitsInWords(explored, networks, sensitivities);
  if (!words.empty()) std::printf("%s\n", Legible(words, 100'000).c_str());
  if (!sensitivities.empty()) {
    std::printf("Around %s:\n%s", explored.Of(sensitivities[0].machine).config.name.c_str(),
                SensitivityText(sensitivities, sensitivities[0].machine).c_str());
  }
  std::fflush(stdout);
  return WriteExplored(explored, networks, sensitivities, words, folder);
}

// In the process of a task: runs one machine.
Result<int> Answer(const ExploreFlags& flags) {
  TESSERA_ASSIGN(const std::vector<explore::ExploredNetwork> networks, LoadNetworks(flags));
  TESSERA_TRY(cluster::AnswerTask(
      flags.slurm.task, explore::ExploreOptions().machine_limit,
      [&](const std::string& request) { return explore::AnswerRequest(networks, request); }));
  return kExitOk;
}

Result<int> Run(const ExploreFlags& flags) {
  if (!flags.explain.empty()) return Explain(flags);
  if (flags.output.empty())
    return Fail(Code::kInvalidArgument, "-o is missing: give a folder for the results, say -o out");
  if (!flags.slurm.task.empty()) return Answer(flags);
  TESSERA_ASSIGN(explore::ExploreOptions options, OptionsOf(flags));
  TESSERA_ASSIGN(const hw::Part part, hw::LoadPart(flags.part));
  TESSERA_ASSIGN(explore::Explored explored, SpaceOf(flags, part));
  TESSERA_ASSIGN(const std::vector<explore::ExploredNetwork> networks, LoadNetworks(flags));
  TESSERA_ASSIGN(const std::string folder, FolderFor(flags.output));
  std::optional<cluster::SlurmPool> slurm;
  if (flags.slurm.on) {
    const int64_t tasks = flags.workers > 0 ? flags.workers : kSlurmTasks;
    TESSERA_ASSIGN(cluster::SlurmPool opened, OpenSlurm(flags.slurm, tasks, options.machine_limit));
    slurm.emplace(std::move(opened));
    options.slurm = &*slurm;
  }
  explore::KnownAnswers known;
  TESSERA_ASSIGN(
      explore::ExploreLog log,
      explore::ExploreLog::Open(folder + "answers.jsonl", IdentityOf(flags, explored, networks),
                                flags.resume, &known));
  std::fputs(SpaceText(explored).c_str(), stdout);
  std::fflush(stdout);
  CatchInterrupt();
  for (const auto& [answer, cost] : known) {
    if (answer.second >= explore::Stage::kTune && explored.machines().contains(answer.first))
      explored.Tell(answer.first, answer.second, cost);
  }
  explore::MachineSearch search(networks, options, std::move(known), &explored, &log);
  search.progress = [&](const explore::ExploreProgress& p) {
    ShowTuneLine(ExploreLineText(p, options));
  };
  const Status ran = search.Run();
  EndTuneLine();
  TESSERA_TRY(ran);
  const explore::ExploreProgress found = search.now();
  search.progress = nullptr;
  std::printf("%s\n%s", ExploreLineText(found, {}).c_str(), RatesText(found).c_str());
  if (found.known > 0)
    std::printf("%s answers were known from %sanswers.jsonl\n", Grouped(found.known).c_str(),
                folder.c_str());
  TESSERA_TRY(WriteConfigs(explored, explored.Front(), folder));
  TESSERA_TRY(Tune(flags, folder, &explored, &log));
  TESSERA_ASSIGN(const bool proven, Prove(flags, folder, &explored, &log));
  TESSERA_TRY(Report(explored, networks, folder, &search));
  TESSERA_TRY(Synthesise(flags, folder, explored));
  return Interrupted() ? kExitInterrupted : proven ? kExitOk : kExitNo;
}

}  // namespace

Action AddExplore(CLI::App& app) {
  auto flags = std::make_shared<ExploreFlags>();
  CLI::App* verb = app.add_subcommand(
      "explore", "search for machines that are fast and small for some models on a part");
  verb->add_option("models", flags->networks, "TFLite or ONNX models; ms is the sum over them")
      ->required();
  verb->add_option("-o,--output", flags->output, "the folder for the results");
  verb->add_option("--explain", flags->explain,
                   "search nothing: say of this configuration what the models take on it, by each "
                   "stage, and what limits each layer")
      ->type_name("CONFIG");
  verb->add_option("--part", flags->part, "the part that machines have to fit")
      ->capture_default_str();
  verb->add_option(
          "--sweep", flags->sweep,
          "keys of configurations and their values, block=4,8,16 or inp_kib=16..64 for "
          "powers of two, with commas between them (default: array, memories, bus, tokens)")
      ->allow_extra_args(false);
  verb->add_option("--config", flags->config, "the configuration for what is not swept")
      ->capture_default_str();
  verb->add_option("--clock", flags->clock,
                   "the MHz that are wanted (default: those of --config); a machine gets as many "
                   "as its longest path allows, and no more")
      ->check(CountFromOne());
  verb->add_option("--with", flags->with, "configurations to run beside those of the sweep")
      ->allow_extra_args(false);
  verb->add_option("--objective", flags->objective,
                   "what to make small: some of ms, lut, ff, dsp, bram, energy-proxy")
      ->capture_default_str();
  verb->add_option("--search", flags->search, "one of " + explore::MachineStrategyNames())
      ->capture_default_str();
  verb->add_option("--budget", flags->budget,
                   "time to spend: 90s, 30m, 2h (default: 10m, without a limit where --runs is)");
  verb->add_option("--runs", flags->runs, "machines to run")->check(CountFromOne());
  verb->add_option("--seed", flags->seed, "of the search")->capture_default_str();
  verb->add_option("--workers", flags->workers,
                   "processes (default: the processors); with --slurm tasks at once (32)")
      ->check(CountFromOne());
  AddSlurmOptions(*verb, flags->slurm);
  verb->add_flag("--resume", flags->resume,
                 "go on with the search in the folder: no machine is looked at again");
  verb->add_option("--tune", flags->tune,
                   "machines of the front, and the base, to search schedules for; the records are "
                   "beside their configurations")
      ->check(CountFromOne());
  verb->add_option("--tune-budget", flags->tune_budget, "time for each model of such a machine")
      ->capture_default_str();
  verb->add_option("--prove", flags->prove,
                   "machines of the front to run on the RTL beside the cycle model, with the "
                   "models and random programs; minutes each")
      ->check(CountFromOne());
  verb->add_option("--synthesise", flags->synthesise,
                   "machines of the front to synthesise with yosys; minutes each")
      ->check(CountFromOne());
  AddImportOptions(verb, flags->import);
  verb->footer(
      "Example: tessera explore models/fashion/fashion_int8.onnx --part xc7z020 "
      "--sweep block=4..16,bus_bits=64,128 --budget 1m -o out");
  return [flags] { return Run(*flags); };
}

}  // namespace tessera::tools
