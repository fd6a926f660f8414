// SPDX-License-Identifier: Apache-2.0
//
// tessera tune: searches for schedules of a network's layers, measures each exactly, and records
// what it finds.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "compiler/driver/compile.h"
#include "compiler/import/import.h"
#include "compiler/tune/record_log.h"
#include "compiler/tune/select.h"
#include "sim/cycle/count.h"
#include "tools/duration.h"
#include "tools/import_options.h"
#include "tools/interrupt.h"
#include "tools/model_file.h"
#include "tools/output.h"
#include "tools/records.h"
#include "tools/tune_explain.h"
#include "tools/tune_line.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

constexpr size_t kTriedOnNetwork = 8;  // of each task
// Shares of the budget: for the network traces, for the layers; the rest is for counting networks.
constexpr double kShareOfNetwork = 0.5, kShareOfLayers = 0.35;

struct TuneFlags {
  std::string model, output, config = "default", target = "vta", budget, json;
  std::string strategy = "evolution", cost_model = "prior";
  ImportWords import;
  std::string svg;
  int64_t trials = 0, seed = 1, workers = 0;
  bool resume = false, explain = false;
};

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// What one run of the verb works with.
struct Tuning {
  isa::Config config;
  graph::Graph graph;
  uint64_t model_crc = 0;
  std::vector<compiler::PlannedProgram> programs;
  // What the layers of each program agree on, then the layers. A layer's task is of the program
  // that the network's search has chosen.
  std::vector<tune::Task> network, layers;
  TuneBudget budget;
  Clock::time_point begin = Clock::now();
};

Result<Tuning> Prepare(const TuneFlags& flags) {
  Tuning made;
  if (flags.target != "vta" && flags.target != "accel") {
    return Fail(Code::kInvalidArgument,
                "--target {}: schedules are searched for the accelerator: give vta (or accel)",
                flags.target);
  }
  TESSERA_ASSIGN(made.config, isa::LoadConfig(flags.config));
  made.budget.trials = flags.trials;
  if (!flags.budget.empty() || flags.trials == 0) {
    TESSERA_ASSIGN(made.budget.time, ParseBudget(flags.budget.empty() ? "2m" : flags.budget));
  }
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(flags.model));
  made.model_crc = Crc64(bytes);
  TESSERA_ASSIGN(const ImportOptions importing, ImportOptionsOf(flags.import));
  TESSERA_ASSIGN(made.graph, ImportModel(bytes, flags.model, importing));
  compiler::CompileOptions options;
  options.config = made.config;
  options.cpu = false;
  auto compiled = compiler::Compile(made.graph, flags.model, made.model_crc, options);
  if (!compiled) return Within(flags.model, compiled.error());
  made.programs = std::move(compiled->programs);
  for (size_t p = 0; p < made.programs.size(); ++p) {
    TESSERA_ASSIGN(tune::Task task, tune::NetworkTaskOf(made.programs, p, made.config));
    if (!task.space->knobs().empty()) made.network.push_back(std::move(task));
  }
  TESSERA_ASSIGN(made.layers, tune::TasksOf(made.programs, made.config));
  if (made.layers.empty() && made.network.empty()) {
    return Fail(Code::kUnsupported,
                "{}: no layer on the accelerator of configuration '{}' has a choice; `tessera "
                "info` says which layers run there",
                flags.model, made.config.name);
  }
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

// What a search over some tasks found.
struct Found {
  std::vector<tune::Task>* tasks = nullptr;
  tune::Search search;
  int64_t known = 0;
  Curve curve;
};

// Searches |tasks| until |share| of the budget is spent.
Result<Found> SearchIn(const TuneFlags& flags, Tuning& tuning, std::vector<tune::Task>* tasks,
                       const tune::RecordSet& records, tune::RecordLog* log, double share) {
  tune::SearchOptions options;
  // Any random point of a network's space is far worse than the compiler's.
  options.strategy = tasks == &tuning.network ? "descent" : flags.strategy;
  TESSERA_ASSIGN(options.model, tune::ModelNamed(flags.cost_model));
  options.seed = static_cast<uint64_t>(flags.seed);
  options.workers = static_cast<int>(flags.workers);
  if (options.workers == 0)
    options.workers = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  if (flags.trials > 0)
    options.trials = std::max<int64_t>(1, std::llround(share * static_cast<double>(flags.trials)));
  if (tuning.budget.time.count() > 0) {
    options.until =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(tuning.budget.time * share);
  }
  options.stop = Interrupted;
  options.finished = [log](const tune::Task& task, const tune::Trial& trial) {
    return log->Append(tune::RecordOf(task, trial));
  };
  Curve curve{tasks == &tuning.network ? "network" : "layers", {}};
  options.progress = [&tuning, &curve, tasks](const tune::SearchProgress& progress) {
    if (progress.given > 0)
      curve.points.push_back({progress.trials, progress.best / progress.given});
    ShowTuneLine(TuneLineText((*tasks)[progress.task].name, progress, tuning.budget,
                              SecondsSince(tuning.begin)));
  };
  const auto measure = [&tuning](const tune::Task& task, const tune::Point& point,
                                 uint64_t budget) {
    return tune::CyclesOf(task, point, tuning.config, budget);
  };
  TESSERA_ASSIGN(tune::Search search, tune::Search::Make(tasks, tuning.config, options, measure));
  Found found{tasks, std::move(search), 0, {}};
  found.known = AddKnown(records, *tasks, &found.search);
  TESSERA_TRY(found.search.Run());
  found.curve = std::move(curve);
  return found;
}

// Plans the programs by the best network traces of |search|. Where they are not the compiler's,
// makes the layers' tasks anew.
Status Adopt(Tuning& tuning, const tune::Search& search, tune::RecordLog* log) {
  bool other = false;
  for (size_t t = 0; t < tuning.network.size(); ++t) {
    const tune::Task& task = tuning.network[t];
    const tune::Trial* best = search.history(t).best();
    if (best == nullptr) continue;
    tune::Record record = tune::RecordOf(task, *best);
    record.network = tuning.model_crc;
    TESSERA_TRY(log->Append(record));
    if (best->point == task.space->given()) continue;
    other = true;
    compiler::PlannedProgram& program = tuning.programs[task.program];
    task.space->Put(best->point, &program);
    TESSERA_TRY(compiler::PlanAgain(&program, tuning.config));
  }
  if (other) {
    TESSERA_ASSIGN(tuning.layers, tune::TasksOf(tuning.programs, tuning.config));
  }
  return {};
}

// Compiles the network by the records, as `tessera compile` does: the translation check follows
// its programs. Its cycles have to be |cycles|.
Status CheckRecords(const TuneFlags& flags, const Tuning& tuning, uint64_t cycles) {
  compiler::CompileOptions options;
  options.config = tuning.config;
  options.cpu = false;
  TESSERA_TRY(UseRecords(flags.output, tuning.graph, flags.model, tuning.model_crc, &options));
  TESSERA_ASSIGN(const compiler::Compiled compiled,
                 compiler::Compile(tuning.graph, flags.model, tuning.model_crc, options));
  uint64_t counted = 0;
  for (const artifact::DeviceProgram& program : compiled.artifact.programs) {
    TESSERA_ASSIGN(const RunReport report, sim::CountCycles(program.image, tuning.config));
    counted += report.cycles;
  }
  if (counted == cycles) return {};
  return Fail(Code::kDataLoss,
              "{}: compiled by its records, the network takes {} cycles and not {}; please report "
              "this model",
              flags.output, counted, cycles);
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

// The cycles of the network as the compiler schedules it.
Result<uint64_t> CyclesAsGiven(const Tuning& tuning, const std::vector<Found>& found) {
  uint64_t cycles = 0;
  bool all = tuning.network.size() == tuning.programs.size();
  for (size_t t = 0; t < tuning.network.size(); ++t) {
    const uint64_t given = found[0].search.GivenCycles(t);
    cycles += given;
    all = all && given > 0;
  }
  return all ? cycles : tune::NetworkCycles(tuning.programs, tuning.config, {});
}

// Prints what was found; returns it as JSON.
Json Report(const std::vector<Found>& found, uint64_t given, const tune::Selection& selection,
            double seconds, bool quiet) {
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
  json["given"] = given;
  json["cycles"] = selection.cycles;
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
  std::fprintf(stdout,
               "network: %s cycles as the compiler schedules it, %s with the records, %.2f %% "
               "fewer (%s networks counted)\n",
               Grouped(static_cast<int64_t>(given)).c_str(),
               Grouped(static_cast<int64_t>(selection.cycles)).c_str(),
               100 * (1 - static_cast<double>(selection.cycles) /
                              static_cast<double>(std::max<uint64_t>(given, 1))),
               Grouped(selection.tried).c_str());
  return json;
}

Result<int> Run(const TuneFlags& flags) {
  TESSERA_TRY(CheckJson(flags.json));
  TESSERA_TRY(tune::ModelNamed(flags.cost_model));
  TESSERA_TRY(tune::MakeStrategy(flags.strategy, 1));
  if (!flags.svg.empty()) TESSERA_TRY(CheckWritable(flags.svg));
  TESSERA_ASSIGN(Tuning tuning, Prepare(flags));
  tune::RecordFile file;
  TESSERA_ASSIGN(tune::RecordLog log, tune::RecordLog::Open(flags.output, flags.resume, &file));
  for (const std::string& problem : file.problems)
    std::fprintf(stderr, "tessera: warning: %s\n", problem.c_str());
  CatchInterrupt();
  tuning.begin = Clock::now();
  std::vector<Found> found;
  TESSERA_ASSIGN(Found network,
                 SearchIn(flags, tuning, &tuning.network, file.records, &log, kShareOfNetwork));
  found.push_back(std::move(network));
  TESSERA_ASSIGN(const uint64_t given, CyclesAsGiven(tuning, found));
  TESSERA_TRY(Adopt(tuning, found[0].search, &log));
  TESSERA_ASSIGN(Found layers,
                 SearchIn(flags, tuning, &tuning.layers, file.records, &log, kShareOfLayers));
  found.push_back(std::move(layers));
  ShowTuneLine("whole networks");
  const double seconds = SecondsSince(tuning.begin);
  const auto over = [&] {
    return Interrupted() ||
           (tuning.budget.time.count() > 0 && Clock::now() >= tuning.begin + tuning.budget.time);
  };
  TESSERA_ASSIGN(const tune::Selection selection,
                 tune::SelectForNetwork(tuning.programs, tuning.config, tuning.layers,
                                        found[1].search, kTriedOnNetwork, over));
  for (size_t t = 0; t < tuning.layers.size(); ++t) {
    tune::Record record =
        tune::RecordOf(tuning.layers[t], {selection.chosen[t], selection.cycles, "", ""});
    record.network = tuning.model_crc;
    TESSERA_TRY(log.Append(record));
  }
  ShowTuneLine("checking the network of the records");
  TESSERA_TRY(CheckRecords(flags, tuning, selection.cycles));
  EndTuneLine();
  const bool quiet = flags.json == "-";
  const int64_t known = found[0].known + found[1].known;
  if (known > 0 && !quiet)
    std::fprintf(stdout, "%s trials were known from %s\n", Grouped(known).c_str(),
                 flags.output.c_str());
  TESSERA_TRY(WriteJson(flags.json, Report(found, given, selection, seconds, quiet)));
  for (const Found& part : found) {
    for (size_t t = 0; flags.explain && !quiet && t < part.tasks->size(); ++t) {
      const tune::Task& task = (*part.tasks)[t];
      for (const std::string& line : ExplainTrials(task.name, *task.space, part.search.history(t)))
        std::fprintf(stdout, "%s\n", line.c_str());
    }
  }
  if (!flags.svg.empty())
    TESSERA_TRY(WriteFile(flags.svg, CurveSvg({found[0].curve, found[1].curve})));
  if (!quiet)
    std::fprintf(stdout, "tessera compile %s --config %s --records %s -o net.tsr uses them\n",
                 flags.model.c_str(), flags.config.c_str(), flags.output.c_str());
  return Interrupted() ? kExitInterrupted : kExitOk;
}

}  // namespace

Action AddTune(CLI::App& app) {
  auto flags = std::make_shared<TuneFlags>();
  CLI::App* verb = app.add_subcommand(
      "tune", "search for faster schedules of a model's layers, and record them");
  verb->add_option("model", flags->model, "an int8 TFLite or ONNX model")->required();
  verb->add_option("-o,--output", flags->output,
                   "the records to write, a line a trial (records.jsonl)")
      ->required();
  verb->add_option("--target", flags->target, "what to search for: vta, the accelerator")
      ->capture_default_str();
  verb->add_option("--config", flags->config,
                   "configuration of the accelerator: a name or a JSON file")
      ->capture_default_str();
  AddImportOptions(verb, flags->import);
  verb->add_option("--budget", flags->budget,
                   "time to spend: 90s, 30m, 2h (default: 2m, without a limit where --trials is)");
  verb->add_option("--trials", flags->trials, "schedules to measure, of all layers together")
      ->check(CountFromOne());
  verb->add_flag("--resume", flags->resume,
                 "go on with the records that the file has: none is measured again");
  verb->add_option("--strategy", flags->strategy, "one of " + tune::StrategyNames())
      ->capture_default_str();
  verb->add_option("--model", flags->cost_model,
                   "what predicts cycles: none, prior (the compiler's estimate), xgboost (learns "
                   "by pairs), xgboost-regression, xgboost-alone (without the estimate)")
      ->capture_default_str();
  verb->add_option("--seed", flags->seed, "of the random numbers")
      ->check(CountFromOne())
      ->capture_default_str();
  verb->add_option("--workers", flags->workers,
                   "threads that measure (default: one a processor); what is found does not "
                   "depend on it, unless time runs out")
      ->check(CountFromOne());
  verb->add_flag("--explain", flags->explain,
                 "say why trials failed, and which choices of the best one mattered most");
  verb->add_option("--svg", flags->svg, "draw the best so far over the trials to this file");
  verb->add_option("--json", flags->json,
                   "write {ok, tasks, trials, failed, seconds, given, cycles} to this file");
  verb->footer(
      "Ctrl-C ends the search; what was found is recorded.\n"
      "Example: tessera tune models/fashion/fashion_int8.onnx --budget 1m -o records.jsonl\n"
      "  tessera compile models/fashion/fashion_int8.onnx --records records.jsonl -o net.tsr");
  return [flags] { return Run(*flags); };
}

}  // namespace tessera::tools
