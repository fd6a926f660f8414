// SPDX-License-Identifier: Apache-2.0
//
// tessera regress: compares machines with each other on many programs.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <thread>

#include "base/file.h"
#include "base/number.h"
#include "base/workers.h"
#include "isa/semantics/fetch.h"
#include "tools/devices.h"
#include "tools/duration.h"
#include "tools/failed_run.h"
#include "tools/interrupt.h"
#include "tools/network.h"
#include "tools/output.h"
#include "tools/regress_coverage.h"
#include "tools/regress_plan.h"
#include "tools/regress_report.h"
#include "tools/slurm.h"
#include "tools/slurm_pieces.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kOneItem{600};

struct RegressFlags {
  std::string devices = "func,rtl", config = "tiny", suites, budget = "60s";
  std::string only, corpus = TESSERA_CORPUS, directed = TESSERA_DIRECTED, models,
                    model = TESSERA_RESNET, since, json, output, dump_dir;
  uint64_t seed = 1;
  int64_t instructions = 0, findings = 10, layers = 3;
  int jobs = 0;
  SlurmWords slurm;
  bool shrink = true, check_races = false, coverage = false;
};

constexpr std::string_view kDefaultSuites = "corpus,directed,random";

Result<RegressSetup> MakeSetup(const RegressFlags& flags) {
  RegressSetup setup;
  setup.corpus = flags.corpus;
  TESSERA_TRY(CheckDumpDir(flags.dump_dir));
  setup.dump_dir = flags.dump_dir;
  setup.shrink = flags.shrink;
  setup.check_races = flags.check_races;
  TESSERA_ASSIGN(const std::vector<ChosenDevice> chosen, ChooseDevices(flags.devices));
  for (const ChosenDevice& device : chosen) {
    if (!device.machine()) {
      return Fail(Code::kInvalidArgument,
                  "--devices {}: {} runs no programs of the machine; tessera compare has it",
                  flags.devices, device.name);
    }
    if (!(*FindDriver(Drivers(), device.name))->executes) {
      return Fail(Code::kInvalidArgument, "--devices {}: {} executes nothing", flags.devices,
                  device.name);
    }
    setup.machines.push_back({device.name, device.options.values});
  }
  if (setup.machines.size() < 2) {
    return Fail(Code::kInvalidArgument,
                "--devices {}: two at least; the others are compared with the first",
                flags.devices);
  }
  TESSERA_ASSIGN(const std::vector<std::string> names, SplitNames(flags.config));
  for (const std::string& name : names) {
    TESSERA_ASSIGN(isa::Config config, isa::LoadConfig(name));
    setup.configs.push_back(std::move(config));
    setup.config_words.push_back(name);
  }
  return setup;
}

Result<std::array<bool, kRegressSuites>> ParseSuites(const std::string& list) {
  std::array<bool, kRegressSuites> wanted{};
  TESSERA_ASSIGN(const std::vector<std::string> names,
                 SplitNames(list.empty() ? std::string(kDefaultSuites) : list));
  for (const std::string& name : names) {
    int s = 0;
    while (s < kRegressSuites && Text(static_cast<RegressSuite>(s)) != name) ++s;
    if (s == kRegressSuites) {
      return Fail(Code::kInvalidArgument,
                  "--suite '{}': there are corpus, directed, random, networks and layers", name);
    }
    wanted[static_cast<size_t>(s)] = true;
  }
  return wanted;
}

class Regression {
 public:
  Regression(const RegressFlags& flags, RegressSetup setup, std::array<bool, kRegressSuites> suites,
             std::chrono::seconds budget)
      : flags_(flags), suites_(suites), budget_(budget), runner_(report_.setup) {
    report_.setup = std::move(setup);
    report_.seed = flags.seed;
    report_.jobs = flags.jobs > 0 ? flags.jobs
                   : flags.slurm.on
                       ? kSlurmTasks
                       : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    for (const isa::Config& config : report_.setup.configs)
      vta_.push_back(isa::Fetcher::Make(isa::Profile::kVta, config).has_value());
    report_.profiles = {isa::Profile::kTessera};
    if (vta_[0]) report_.profiles.insert(isa::Profile::kVta);
  }

  // Lists the items to run; random programs follow the list without end.
  Status Plan() {
    if (Wanted(RegressSuite::kCorpus))
      TESSERA_TRY(Add(PlanFolder(RegressSuite::kCorpus, flags_.corpus, flags_.seed)));
    if (Wanted(RegressSuite::kDirected)) TESSERA_TRY(PlanDirected());
    const RegressSetup& setup = report_.setup;
    if (Wanted(RegressSuite::kNetworks))
      TESSERA_TRY(Add(PlanNetworks(setup, flags_.models, flags_.seed)));
    if (Wanted(RegressSuite::kLayers))
      TESSERA_TRY(Add(PlanLayers(setup, flags_.model, flags_.layers, flags_.seed)));
    random_ = Wanted(RegressSuite::kRandom);
    if (!flags_.since.empty()) {
      report_.before_name = flags_.since;
      TESSERA_ASSIGN(report_.before, ReadTimes(flags_.since));
    }
    if (!flags_.only.empty()) TESSERA_TRY(KeepOnly());
    if (items_.empty() && !random_) {
      return Fail(Code::kInvalidArgument, "--suite {}: there is nothing to run{}", flags_.suites,
                  flags_.only.empty() ? "" : " with --only " + flags_.only);
    }
    return {};
  }

  // Opens the machines once, to report what is missing and to verilate what must be.
  Status OpenAll() {
    for (const isa::Config& config : report_.setup.configs)
      TESSERA_TRY(rig::Lockstep::Open(config, report_.setup.machines));
    return {};
  }

  //   errors  those of SlurmPool
  Status Run() {
    const auto start = steady_clock::now();
    const auto until = start + budget_;
    Progress progress("regress");
    int64_t begun = 0;  // pieces: the list, then random programs
    std::deque<int64_t> again;
    const auto next = [&]() -> std::optional<int64_t> {
      if (Interrupted()) {
        report_.ended = "interrupted";
        return std::nullopt;
      }
      if (!again.empty()) {
        const int64_t piece = again.front();
        again.pop_front();
        return ~piece;
      }
      if (std::ssize(report_.findings) >= flags_.findings) {
        report_.ended = fmt::format("ended after {} findings; --findings changes that",
                                    report_.findings.size());
        return std::nullopt;
      }
      const bool listed = begun < std::ssize(items_);
      if (!listed && !RandomLeft()) return std::nullopt;
      if (steady_clock::now() < until) return begun++;
      if (listed || flags_.instructions > 0)
        report_.ended = fmt::format("ended by --budget {}", flags_.budget);
      return std::nullopt;
    };
    const auto done = [&](int64_t piece, WorkEnd end) {
      const bool careful = piece < 0;
      const RegressItem item = ItemOf(careful ? ~piece : piece);
      if (end.crash.empty()) {
        report_.Add(item, RegressEndOf(end.bytes));
      } else if (!careful) {
        again.push_back(piece);
      } else {
        report_.Add(item, {.difference = "the process that runs it " + end.crash});
      }
    };
    const auto tick = [&] {
      const auto now = steady_clock::now();
      const auto ms = [](auto span) {
        return std::chrono::duration_cast<std::chrono::milliseconds>(span).count();
      };
      if (flags_.instructions > 0) {
        progress.Update(Randoms().instructions, flags_.instructions);
      } else {
        progress.Update(ms(std::min(now, until) - start) / 1000, ms(until - start) / 1000);
      }
    };
    if (flags_.slurm.on) {
      TESSERA_ASSIGN(cluster::SlurmPool pool, OpenSlurm(flags_.slurm, report_.jobs, kOneItem));
      TESSERA_TRY(RunPieces(pool, next, done, tick, Interrupted));
    } else {
      Workers(report_.jobs, kOneItem, [&](int64_t piece) {
        return RunPiece(piece);
      }).Run(next, done, tick);
    }
    for (; begun < std::ssize(items_); ++begun)
      ++report_.suites[static_cast<size_t>(items_[static_cast<size_t>(begun)].suite)].left_out;
    report_.seconds = std::chrono::duration<double>(steady_clock::now() - start).count();
    return {};
  }

  // In the process of a task: does its pieces.
  Status Answer() {
    return AnswerPieces(flags_.slurm.task, kOneItem,
                        [&](int64_t piece) { return RunPiece(piece); });
  }

  Status AddCoverage() {
    TESSERA_ASSIGN(report_.rtl, SumRtlCoverage());
    return {};
  }

  const RegressReport& report() const { return report_; }

 private:
  bool Wanted(RegressSuite suite) const { return suites_[static_cast<size_t>(suite)]; }
  const SuiteTally& Randoms() const {
    return report_.suites[static_cast<size_t>(RegressSuite::kRandom)];
  }
  bool RandomLeft() const {
    return random_ && (flags_.instructions == 0 || Randoms().instructions < flags_.instructions);
  }

  // Does |piece|; below 0: ~piece, which ended its process before, with care.
  std::string RunPiece(int64_t piece) {
    const bool careful = piece < 0;
    std::string end = ToText(runner_.Run(ItemOf(careful ? ~piece : piece), careful));
    if (flags_.coverage) WriteCoverage(report_.setup);
    return end;
  }

  // Random programs take turns over the configurations; every fourth is of profile vta if possible.
  RegressItem ItemOf(int64_t piece) const {
    if (piece < std::ssize(items_)) return items_[static_cast<size_t>(piece)];
    const uint64_t n = static_cast<uint64_t>(piece - std::ssize(items_));
    const size_t config = n % report_.setup.configs.size();
    const bool vta = vta_[config] && n / report_.setup.configs.size() % 4 == 3;
    return RandomItem(report_.setup, config, vta ? isa::Profile::kVta : isa::Profile::kTessera,
                      flags_.seed + n);
  }

  Status Add(Result<std::vector<RegressItem>> items) {
    if (!items) return std::unexpected(items.error());
    std::ranges::move(*items, std::back_inserter(items_));
    return {};
  }

  // Missing directed programs are an error only if the user chose suites; else the report says so.
  Status PlanDirected() {
    const Status planned = Add(PlanFolder(RegressSuite::kDirected, flags_.directed, flags_.seed));
    if (planned || planned.error().code != Code::kNotFound) return planned;
    const std::string how = "; cmake --build build -t directed_programs records them";
    if (!flags_.suites.empty()) return Fail(Code::kNotFound, "{}{}", planned.error().message, how);
    report_.without = fmt::format("without directed programs: {}{}", planned.error().message, how);
    return {};
  }

  // --only keeps names that contain the word; the full name of a random program runs that program.
  Status KeepOnly() {
    std::erase_if(items_, [&](const RegressItem& item) {
      return item.name.find(flags_.only) == std::string::npos;
    });
    if (!flags_.only.starts_with("random/")) {
      random_ = false;
      return {};
    }
    random_ = false;
    for (size_t c = 0; c < report_.setup.configs.size(); ++c) {
      for (const isa::Profile profile : {isa::Profile::kTessera, isa::Profile::kVta}) {
        const RegressItem item = RandomItem(report_.setup, c, profile, 0);
        const std::string stem = item.name.substr(0, item.name.size() - 1);
        if (!flags_.only.starts_with(stem)) continue;
        const auto seed = NumberIn<uint64_t>(flags_.only.substr(stem.size()));
        if (seed && (profile == isa::Profile::kTessera || vta_[c]))
          items_.push_back(RandomItem(report_.setup, c, profile, *seed));
      }
    }
    if (!items_.empty()) return {};
    return Fail(Code::kInvalidArgument,
                "--only {}: a random program is random/CONFIG/PROFILE/SEED with a configuration of "
                "--config and a profile that it has",
                flags_.only);
  }

  const RegressFlags& flags_;
  const std::array<bool, kRegressSuites> suites_;
  const std::chrono::seconds budget_;
  RegressReport report_;
  RegressRunner runner_;
  std::vector<RegressItem> items_;
  std::vector<bool> vta_;  // by configuration
  bool random_ = false;
};

Result<int> Run(const RegressFlags& flags) {
  TESSERA_ASSIGN(const std::chrono::seconds budget, ParseBudget(flags.budget));
  TESSERA_ASSIGN(const auto suites, ParseSuites(flags.suites));
  TESSERA_ASSIGN(RegressSetup setup, MakeSetup(flags));
  if (flags.coverage && flags.slurm.on)
    return Fail(Code::kInvalidArgument, "--coverage counts in this computer; leave --slurm out");
  if (flags.coverage) TESSERA_TRY(CountCoverage(setup));
  Regression regression(flags, std::move(setup), suites, budget);
  TESSERA_TRY(CheckJson(flags.json));
  if (!flags.output.empty()) TESSERA_TRY(CheckWritable(flags.output));
  TESSERA_TRY(regression.Plan());
  if (!flags.slurm.task.empty()) {
    TESSERA_TRY(regression.Answer());
    return kExitOk;
  }
  TESSERA_TRY(regression.OpenAll());
  CatchInterrupt();
  TESSERA_TRY(regression.Run());
  if (flags.coverage) TESSERA_TRY(regression.AddCoverage());
  const std::string text = ReportText(regression.report());
  if (flags.json != "-") std::fputs(text.c_str(), stdout);
  if (!flags.output.empty()) TESSERA_TRY(WriteFile(flags.output, text));
  TESSERA_TRY(WriteJson(flags.json, ReportJson(regression.report())));
  if (Interrupted()) return kExitInterrupted;
  return regression.report().Ok() ? kExitOk : kExitNo;
}

}  // namespace

Action AddRegress(CLI::App& app) {
  auto flags = std::make_shared<RegressFlags>();
  CLI::App* verb = app.add_subcommand(
      "regress", "compare machines with each other by many programs, for who changes the hardware");
  verb->add_option("--devices", flags->devices,
                   "which, see below; the others are compared with the first")
      ->capture_default_str();
  verb->add_option("--config", flags->config, "configurations: names or JSON files, with commas")
      ->capture_default_str();
  verb->add_option("--suite", flags->suites,
                   "corpus: kept programs; directed: those of this project's tests; random: "
                   "random programs; networks: the committed one and those of --models; layers: "
                   "some of --model")
      ->default_str(std::string(kDefaultSuites));
  verb->add_option("--seed", flags->seed, "of the first random program; the next have the next")
      ->capture_default_str();
  verb->add_option("--budget", flags->budget,
                   "time after which nothing more is begun: 90s, 30m, 2h")
      ->capture_default_str();
  verb->add_option("--instructions", flags->instructions,
                   "end after so many instructions of random programs, if the time lasts")
      ->check(CountFromOne());
  verb->add_option("--jobs", flags->jobs,
                   "processes (default: as many as processors); with --slurm tasks at once (32)")
      ->check(CountFromOne());
  AddSlurmOptions(*verb, flags->slurm);
  verb->add_option("--only", flags->only,
                   "only programs with this in their name; random/tiny/tessera/17 is that one");
  AddDumpDirOption(*verb, flags->dump_dir);
  verb->add_option("--corpus", flags->corpus,
                   "folder of kept programs; what differs is made small and kept there")
      ->capture_default_str();
  verb->add_option("--directed", flags->directed,
                   "folder of directed programs, as TESSERA_RECORD=FOLDER in the environment of "
                   "a program keeps what it runs")
      ->capture_default_str();
  verb->add_flag("--check-races", flags->check_races,
                 "follow which instructions race; a program in which some do differs");
  verb->add_flag("--coverage", flags->coverage,
                 "tell which lines of the RTL were executed and which signals changed, on tiny; "
                 "fewer than 98 % of lines, or a hole without a reason in hw/coverage.txt, fail");
  verb->add_option("--models", flags->models, "folder of models (.tflite, .onnx) for networks");
  verb->add_option("--model", flags->model, "model whose layers are run alone")
      ->capture_default_str();
  verb->add_option("--layers", flags->layers, "how many of its layers, drawn by --seed")
      ->check(CountFromOne())
      ->capture_default_str();
  verb->add_option("--since", flags->since,
                   "JSON of an earlier run: tell whose cycles moved since, and why");
  verb->add_option("--findings", flags->findings, "end after so many differences")
      ->check(CountFromOne())
      ->capture_default_str();
  verb->add_flag("!--no-shrink", flags->shrink,
                 "keep no program: tell what differs as it is found");
  verb->add_option("--json", flags->json,
                   "write {ok, devices, configs, seed, suites, findings[]} to this file");
  verb->add_option("-o,--output", flags->output, "write the page that is printed to this file too");
  verb->footer(DevicesHelp() +
               "Example: tessera regress --devices func,rtl --config tiny --budget 30m --json "
               "result.json\nExits with 1 when machines differ or a kept program cannot be read.");
  return [flags] { return Run(*flags); };
}

}  // namespace tessera::tools
