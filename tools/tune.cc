// SPDX-License-Identifier: Apache-2.0
//
// tessera tune: searches for schedules of a network's layers, measures each, and records what it
// finds. What it searches for is a TuneTarget (tune_target.h).
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "compiler/import/import.h"
#include "compiler/tune/cost_model.h"
#include "compiler/tune/record_log.h"
#include "compiler/tune/select.h"
#include "compiler/tune/t4.h"
#include "tools/curve_picture.h"
#include "tools/duration.h"
#include "tools/import_options.h"
#include "tools/interrupt.h"
#include "tools/model_file.h"
#include "tools/output.h"
#include "tools/tune_explain.h"
#include "tools/tune_line.h"
#include "tools/tune_model.h"
#include "tools/tune_slurm.h"
#include "tools/tune_target.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// What one run of the verb works with.
struct Tuning {
  std::unique_ptr<TunedNetwork> network = std::make_unique<TunedNetwork>();
  std::unique_ptr<TuneTarget> target;
  std::shared_ptr<const tune::SharedModel> learned;  // from a file; null: there is none
  std::optional<TuneCluster> cluster;                // that measures
  TuneBudget budget;
  Clock::time_point begin = Clock::now();
};

// Sets what |flags| leave to the target.
Result<Tuning> Prepare(TuneFlags& flags) {
  const bool host = flags.target == "cpu" || flags.target == "host";
  std::optional<artifact::DeviceKind> gpu;
  for (const auto kind : {artifact::DeviceKind::kOpenCl, artifact::DeviceKind::kCuda}) {
    if (flags.target == compiler::GpuName(kind)) gpu = kind;
  }
  if (!host && !gpu && flags.target != "vta" && flags.target != "accel") {
    return Fail(Code::kInvalidArgument,
                "--target {}: schedules are searched for one of vta (or accel), cpu (or host), "
                "opencl and cuda",
                flags.target);
  }
  if (!flags.level.empty() && !host) {
    return Fail(Code::kInvalidArgument, "--cpu-level {}: only code of --target cpu has a level",
                flags.level);
  }
  if (flags.slurm.on && (host || gpu)) {
    return Fail(Code::kInvalidArgument,
                "--slurm: --target {} is timed, and times are of one computer; only cycles of the "
                "accelerator can be counted on others",
                flags.target);
  }
  Tuning made;
  made.budget.trials = flags.trials;
  if (!flags.budget.empty() || flags.trials == 0) {
    TESSERA_ASSIGN(made.budget.time, ParseBudget(flags.budget.empty() ? "2m" : flags.budget));
  }
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(flags.model));
  made.network->crc = Crc64(bytes);
  TESSERA_ASSIGN(const ImportOptions importing, ImportOptionsOf(flags.import));
  TESSERA_ASSIGN(made.network->graph, ImportModel(bytes, flags.model, importing));
  TESSERA_ASSIGN(made.target, host || gpu ? MakeTimedTuning(flags, *made.network, gpu)
                                          : MakeAccelTuning(flags, *made.network));
  TESSERA_TRY(CheckModelFiles(flags));
  TESSERA_ASSIGN(made.learned, LoadModel(flags, *made.target));
  return made;
}

// Gives |search|, over |tasks|, the trials that |records| have of them; returns how many.
int64_t AddKnown(const tune::RecordSet& records, std::vector<tune::Task>& tasks,
                 tune::Search* search) {
  int64_t count = 0;
  for (size_t t = 0; t < tasks.size(); ++t) {
    for (const tune::Record* record : records.TrialsOf(tasks[t].key)) {
      const auto point = tune::PointOf(*tasks[t].space, *record);
      if (!point || search->history(t).Has(*point)) continue;
      search->AddKnown(t, {*point, record->cycles, record->cause, record->message});
      ++count;
    }
  }
  return count;
}

// Tells the target what |search|, over |tasks|, knows of an earlier search.
void TellKnown(TuneTarget& target, const std::vector<tune::Task>& tasks,
               const tune::Search& search) {
  for (size_t t = 0; t < tasks.size(); ++t) {
    const uint64_t given = search.GivenCycles(t);
    const tune::Trial* best = search.history(t).best();
    if (given > 0 && best != nullptr) target.Know(tasks[t], given, *best->cycles);
  }
}

// Searches the tasks of stage |k| until its share of the trials is spent, or |up_to| of the time,
// with that of the stages before it. |records| are those known before, and get the trials of the
// search.
Result<Found> SearchIn(const TuneFlags& flags, Tuning& tuning, size_t k, double up_to,
                       tune::RecordSet* records, tune::RecordLog* log) {
  TuneTarget* const target = tuning.target.get();
  const TuneStage stage = target->StageAt(k);
  std::vector<tune::Task>* const tasks = stage.tasks;
  tune::SearchOptions options;
  options.strategy = stage.strategy != nullptr ? stage.strategy : flags.strategy;
  TESSERA_ASSIGN(options.model, tune::ModelNamed(flags.cost_model));
  options.transfer = !flags.no_transfer;
  options.learned = tuning.learned;
  options.seed = static_cast<uint64_t>(flags.seed);
  options.workers = static_cast<int>(flags.workers);
  if (options.workers == 0)
    options.workers = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  if (flags.trials > 0) {
    options.trials =
        std::max<int64_t>(1, std::llround(stage.share * static_cast<double>(flags.trials)));
  }
  if (tuning.budget.time.count() > 0) {
    options.until =
        tuning.begin + std::chrono::duration_cast<Clock::duration>(tuning.budget.time * up_to);
  }
  if (tuning.cluster) {
    const auto over = [until = options.until] { return Interrupted() || Clock::now() >= until; };
    options.elsewhere = [&tuning, k, over](const tune::Task& task,
                                           const std::vector<tune::Point>& points,
                                           uint64_t budget) {
      return tuning.cluster->Measure(*tuning.target, k, task, points, budget, over);
    };
  }
  options.least_gain = flags.min_gain / 100;
  options.stop = Interrupted;
  options.finished = [log, records](const tune::Task& task, const tune::Trial& trial) {
    tune::Record record = tune::RecordOf(task, trial);
    Status written = log->Append(record);
    records->Add(std::move(record));
    return written;
  };
  Curve curve{stage.name, {}};
  options.progress = [&tuning, &curve, tasks](const tune::SearchProgress& progress) {
    if (progress.given > 0)
      curve.points.push_back({progress.trials, progress.best / progress.given});
    ShowTuneLine(TuneLineText((*tasks)[progress.task].name, tuning.target->unit(), progress,
                              tuning.budget, SecondsSince(tuning.begin)));
  };
  const auto measure = [target](const tune::Task& task, const tune::Point& point, uint64_t budget) {
    return target->Measure(task, point, budget);
  };
  TESSERA_ASSIGN(tune::Search search,
                 tune::Search::Make(tasks, target->config(), options, measure));
  Found found{tasks, std::move(search), 0, {}};
  found.known = AddKnown(*records, *tasks, &found.search);
  TellKnown(*target, *tasks, found.search);
  TESSERA_TRY(found.search.Run());
  found.curve = std::move(curve);
  return found;
}

// A line of the table, and the same as JSON.
std::vector<std::string> RowOf(const tune::Task& task, const tune::Search& search, size_t t,
                               Json* json) {
  const tune::History& history = search.history(t);
  const uint64_t given = search.GivenCycles(t);
  const tune::Trial* best = history.best();
  const uint64_t cycles = best == nullptr ? 0 : *best->cycles;
  json->push_back({{"name", Legible(task.name)},
                   {"layers", task.weight},
                   {"trials", history.trials().size()},
                   {"given", given},
                   {"best", cycles}});
  const tune::Space::Size size = task.space->CountPoints();
  const double gain = given == 0 ? 0 : 1 - static_cast<double>(cycles) / static_cast<double>(given);
  const std::string points = size.points < 1e9 ? Grouped(static_cast<int64_t>(size.points))
                                               : fmt::format("10^{:.0f}", std::log10(size.points));
  return {task.name,
          fmt::format("{}", task.weight),
          (size.exact ? "" : "about ") + points,
          Grouped(static_cast<int64_t>(history.trials().size())),
          Grouped(static_cast<int64_t>(given)),
          Grouped(static_cast<int64_t>(cycles)),
          given == 0 ? "" : fmt::format("{:.2f} %", 100 * gain)};
}

// Prints what was found; returns it as JSON.
Json Report(const std::vector<Found>& found, const TuneGain& gain, const char* unit, double seconds,
            bool quiet) {
  std::vector<std::vector<std::string>> rows;
  Json json{{"ok", true}, {"tasks", Json::array()}};
  int64_t refused = 0, trials = 0, failed = 0;
  for (const Found& part : found) {
    for (size_t t = 0; t < part.tasks->size(); ++t) {
      rows.push_back(RowOf((*part.tasks)[t], part.search, t, &json["tasks"]));
      refused += (*part.tasks)[t].space->rejected();
    }
    trials += part.search.progress().trials;
    failed += part.search.progress().failed;
  }
  json["trials"] = trials;
  json["failed"] = failed;
  json["seconds"] = seconds;
  json["given"] = gain.given;
  json[unit] = gain.best;
  if (quiet) return json;
  std::fputs(Table({"layer", "times", "space", "trials", "given", "best", "gain"}, "lrrrrrr", rows)
                 .c_str(),
             stdout);
  const double rate = seconds > 0 ? static_cast<double>(trials) / seconds : 0;
  std::fprintf(stdout,
               "%s new trials in %.0f s, %.1f a second; %s failed; %s draws were no legal "
               "schedule and were drawn again\n",
               Grouped(trials).c_str(), seconds, rate, Grouped(failed).c_str(),
               Grouped(refused).c_str());
  for (const std::string& note : gain.notes) std::fprintf(stdout, "%s\n", note.c_str());
  std::fprintf(stdout, "%s\n", gain.told.c_str());
  return json;
}

// Says why trials failed and which choices mattered.
void Explain(const std::vector<Found>& found) {
  for (const Found& part : found) {
    for (size_t t = 0; t < part.tasks->size(); ++t) {
      const tune::Task& task = (*part.tasks)[t];
      const std::string unit = tune::UnitOf(task.key.target);
      for (const std::string& line :
           ExplainTrials(task.name, *task.space, part.search.history(t), unit))
        std::fprintf(stdout, "%s\n", line.c_str());
    }
  }
}

Result<int> Run(TuneFlags flags) {
  TESSERA_TRY(CheckJson(flags.json));
  if (flags.cost_model.empty()) flags.cost_model = tune::HasXgboost() ? "xgboost" : "prior";
  TESSERA_TRY(tune::ModelNamed(flags.cost_model));
  TESSERA_TRY(tune::MakeStrategy(flags.strategy, 1));
  if (!flags.curves.empty()) TESSERA_TRY(CheckCurves(flags.curves));
  if (!flags.t4.empty()) TESSERA_TRY(CheckWritable(flags.t4));
  TESSERA_ASSIGN(Tuning tuning, Prepare(flags));
  TuneTarget& target = *tuning.target;
  if (!flags.slurm.task.empty()) {
    TESSERA_TRY(AnswerTune(flags.slurm.task, target));
    return kExitOk;
  }
  if (flags.slurm.on) {
    TESSERA_ASSIGN(TuneCluster cluster, TuneCluster::Open(flags));
    tuning.cluster.emplace(std::move(cluster));
  }
  tune::RecordFile file;
  TESSERA_ASSIGN(tune::RecordLog log, tune::RecordLog::Open(flags.output, flags.resume, &file));
  for (const std::string& problem : file.problems)
    std::fprintf(stderr, "tessera: warning: %s\n", problem.c_str());
  CatchInterrupt();
  tuning.begin = Clock::now();
  std::vector<Found> found;
  double up_to = 0;
  for (size_t k = 0; k < target.CountStages(); ++k) {
    up_to += target.StageAt(k).share;
    TESSERA_ASSIGN(Found stage, SearchIn(flags, tuning, k, up_to, &file.records, &log));
    found.push_back(std::move(stage));
    TESSERA_TRY(target.Adopt(k, found.back().search, &log));
  }
  const double seconds = SecondsSince(tuning.begin);
  const auto over = [&] {
    return Interrupted() ||
           (tuning.budget.time.count() > 0 && Clock::now() >= tuning.begin + tuning.budget.time);
  };
  TESSERA_ASSIGN(const TuneGain gain, target.Choose(found, over, &log));
  EndTuneLine();
  const bool quiet = flags.json == "-";
  int64_t known = 0;
  std::vector<Curve> curves;
  for (const Found& stage : found) {
    known += stage.known;
    curves.push_back(stage.curve);
  }
  if (known > 0 && !quiet)
    std::fprintf(stdout, "%s trials were known from %s\n", Grouped(known).c_str(),
                 flags.output.c_str());
  TESSERA_TRY(WriteJson(flags.json, Report(found, gain, target.unit(), seconds, quiet)));
  if (flags.explain && !quiet) Explain(found);
  if (!flags.curves.empty()) TESSERA_TRY(WriteCurves(flags.curves, curves, target.unit()));
  if (!flags.t4.empty()) TESSERA_TRY(WriteFile(flags.t4, tune::T4Of(file.records)));
  TESSERA_ASSIGN(const std::string saved, SaveModel(flags, found, tuning.learned.get()));
  if (!quiet && !saved.empty()) std::fprintf(stdout, "%s\n", saved.c_str());
  if (!quiet)
    std::fprintf(stdout, "tessera compile %s %s --records %s -o net.tsr uses them\n",
                 flags.model.c_str(), target.CompileWords().c_str(), flags.output.c_str());
  return Interrupted() ? kExitInterrupted : kExitOk;
}

}  // namespace

Action AddTune(CLI::App& app) {
  auto flags = std::make_shared<TuneFlags>();
  CLI::App* verb = app.add_subcommand(
      "tune", "search for faster schedules of a model's layers, and record them");
  verb->add_option("model", flags->model, "a TFLite or ONNX model; for vta int8")->required();
  verb->add_option("-o,--output", flags->output,
                   "the records to write, a line a trial (records.jsonl)")
      ->required();
  verb->add_option("--target", flags->target,
                   "what to search for: vta, the accelerator; cpu, the host; opencl or cuda, a GPU")
      ->capture_default_str();
  verb->add_option("--config", flags->config,
                   "configuration of the accelerator: a name or a JSON file")
      ->capture_default_str();
  verb->add_option("--cpu-level", flags->level,
                   "the level of host code to search for, one that this machine runs (default: its "
                   "best)");
  AddImportOptions(verb, flags->import);
  verb->add_option("--budget", flags->budget,
                   "time to spend: 90s, 30m, 2h (default: 2m, without a limit where --trials is)");
  verb->add_option("--trials", flags->trials, "schedules to measure, of all layers together")
      ->check(CountFromOne());
  verb->add_option("--min-gain", flags->min_gain,
                   "end before the budget does, when the next trials of all layers are expected to "
                   "gain less than this many per cent, e.g. 0.1")
      ->check(CLI::Range(0.0, 100.0));
  verb->add_flag("--resume", flags->resume,
                 "go on with the records that the file has: none is measured again");
  verb->add_option("--strategy", flags->strategy,
                   "one of " + tune::StrategyNames() + " (default: evolution)");
  verb->add_option("--model", flags->cost_model,
                   "what predicts speed: none, prior (the compiler's estimate), tree (a network "
                   "that walks the loops), xgboost (corrects the estimate, learns by pairs; the "
                   "default, or prior in a build without libxgboost), xgboost-regression, "
                   "xgboost-alone (without the estimate), xgboost-compiled (without it, for "
                   "strategy screening)");
  verb->add_option("--load-model", flags->load_model,
                   "begin with what other searches learned: a file that --save-model wrote");
  verb->add_option("--save-model", flags->save_model,
                   "write what the search learned about layers, for other networks and "
                   "configurations");
  verb->add_flag("--no-transfer", flags->no_transfer,
                 "learn about each layer from its own trials alone");
  verb->add_option("--seed", flags->seed, "of the random numbers")
      ->check(CountFromOne())
      ->capture_default_str();
  verb->add_option("--workers", flags->workers,
                   "threads that measure, on the host threads that compile (default: one a "
                   "processor); with --slurm tasks at once (32); what is found does not depend on "
                   "it, unless time runs out or times are what is measured")
      ->check(CountFromOne());
  AddSlurmOptions(*verb, flags->slurm);
  verb->add_flag("--explain", flags->explain,
                 "say why trials failed, and which choices of the best one mattered most");
  verb->add_option("--curves", flags->curves,
                   "draw the best so far over the trials to this file, as SVG or PNG by its "
                   "ending: .svg or .png");
  verb->add_option("--t4", flags->t4,
                   "write all trials of the records to this file, as the JSON that tuners share: "
                   "results of the T4 schema");
  verb->add_option(
      "--json", flags->json,
      "write {ok, tasks, trials, failed, seconds, given, cycles} to this file, of what is timed "
      "ns instead of cycles");
  verb->footer(
      "Ctrl-C ends the search; what was found is recorded.\n"
      "Example: tessera tune models/fashion/fashion_int8.onnx --budget 1m -o records.jsonl\n"
      "  tessera compile models/fashion/fashion_int8.onnx --records records.jsonl -o net.tsr");
  return [flags] { return Run(*flags); };
}

}  // namespace tessera::tools
