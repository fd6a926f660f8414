// SPDX-License-Identifier: Apache-2.0
//
// tessera tune: searches for schedules of a network's layers, measures each exactly, and records
// what it finds.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
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
#include "tools/duration.h"
#include "tools/import_options.h"
#include "tools/interrupt.h"
#include "tools/model_file.h"
#include "tools/output.h"
#include "tools/tune_line.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

constexpr size_t kTriedOnNetwork = 8;  // of each task

struct TuneFlags {
  std::string model, output, config = "default", target = "vta", budget, json;
  std::string strategy = "evolution", cost_model = "prior";
  ImportWords import;
  int64_t trials = 0, seed = 1, workers = 0;
  bool resume = false;
};

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// What one run of the verb works with.
struct Tuning {
  isa::Config config;
  uint64_t model_crc = 0;
  std::vector<compiler::PlannedProgram> programs;
  std::vector<tune::Task> tasks;
  TuneBudget budget;
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
  TESSERA_ASSIGN(graph::Graph graph, ImportModel(bytes, flags.model, importing));
  compiler::CompileOptions options;
  options.config = made.config;
  options.cpu = false;
  auto compiled = compiler::Compile(std::move(graph), flags.model, made.model_crc, options);
  if (!compiled) return Within(flags.model, compiled.error());
  made.programs = std::move(compiled->programs);
  TESSERA_ASSIGN(made.tasks, tune::TasksOf(made.programs, made.config));
  if (made.tasks.empty()) {
    return Fail(Code::kUnsupported,
                "{}: no layer on the accelerator of configuration '{}' has a choice; `tessera "
                "info` says which layers run there",
                flags.model, made.config.name);
  }
  return made;
}

// Gives |search| the trials that |records| have of its tasks; returns how many.
int64_t AddKnown(const tune::RecordSet& records, Tuning& tuning, tune::Search* search) {
  int64_t count = 0;
  for (size_t t = 0; t < tuning.tasks.size(); ++t) {
    tune::Task& task = tuning.tasks[t];
    for (const tune::Record* record : records.TrialsOf(task.key)) {
      const auto point = tune::PointOf(task.space, *record);
      if (!point || search->history(t).Has(*point)) continue;
      search->AddKnown(t, {*point, record->cycles, record->cause, record->message});
      ++count;
    }
  }
  return count;
}

std::vector<std::string> RowOf(const tune::Task& task, const tune::History& history, uint64_t given,
                               const tune::Space::Size& size) {
  const tune::Trial* best = history.best();
  const auto cycles = best == nullptr ? uint64_t{0} : *best->cycles;
  return {
      task.name,
      fmt::format("{}", task.weight),
      fmt::format("{}{}", size.exact ? "" : "about ", Grouped(static_cast<int64_t>(size.points))),
      Grouped(static_cast<int64_t>(history.trials().size())),
      Grouped(static_cast<int64_t>(given)),
      Grouped(static_cast<int64_t>(cycles)),
      given == 0 ? ""
                 : fmt::format("{:.2f} %", 100 * (1 - static_cast<double>(cycles) /
                                                          static_cast<double>(given)))};
}

// Prints what was found; returns it as JSON.
Json Report(Tuning& tuning, const tune::Search& search, const tune::Selection& selection,
            double seconds, bool quiet) {
  std::vector<std::vector<std::string>> rows;
  Json json{{"ok", true}, {"tasks", Json::array()}};
  int64_t refused = 0;
  for (size_t t = 0; t < tuning.tasks.size(); ++t) {
    tune::Task& task = tuning.tasks[t];
    rows.push_back(RowOf(task, search.history(t), search.GivenCycles(t), task.space.CountPoints()));
    refused += task.space.rejected();
    const tune::Trial* best = search.history(t).best();
    json["tasks"].push_back({{"name", Legible(task.name)},
                             {"layers", task.weight},
                             {"trials", search.history(t).trials().size()},
                             {"given", search.GivenCycles(t)},
                             {"best", best == nullptr ? 0 : *best->cycles},
                             {"chosen", selection.chosen[t] != task.space.given()}});
  }
  const tune::SearchProgress& progress = search.progress();
  json["trials"] = progress.trials;
  json["failed"] = progress.failed;
  json["seconds"] = seconds;
  json["given"] = selection.given;
  json["cycles"] = selection.cycles;
  if (quiet) return json;
  std::fputs(Table({"layer", "times", "space", "trials", "given", "best", "gain"}, "lrrrrrr", rows)
                 .c_str(),
             stdout);
  const double rate = seconds > 0 ? static_cast<double>(progress.trials) / seconds : 0;
  std::fprintf(stdout,
               "%s new trials in %.0f s, %.1f a second; %s failed; %s draws were no legal "
               "schedule and were drawn again\n",
               Grouped(progress.trials).c_str(), seconds, rate, Grouped(progress.failed).c_str(),
               Grouped(refused).c_str());
  std::fprintf(stdout,
               "network: %s cycles as the compiler schedules it, %s with the records, %.2f %% "
               "fewer (%s networks counted)\n",
               Grouped(static_cast<int64_t>(selection.given)).c_str(),
               Grouped(static_cast<int64_t>(selection.cycles)).c_str(),
               100 * (1 - static_cast<double>(selection.cycles) /
                              static_cast<double>(std::max<uint64_t>(selection.given, 1))),
               Grouped(selection.tried).c_str());
  return json;
}

Result<int> Run(const TuneFlags& flags) {
  TESSERA_TRY(CheckJson(flags.json));
  TESSERA_ASSIGN(const tune::ModelKind model, tune::ModelNamed(flags.cost_model));
  TESSERA_ASSIGN(Tuning tuning, Prepare(flags));
  tune::RecordFile found;
  TESSERA_ASSIGN(tune::RecordLog log, tune::RecordLog::Open(flags.output, flags.resume, &found));
  for (const std::string& problem : found.problems)
    std::fprintf(stderr, "tessera: warning: %s\n", problem.c_str());
  CatchInterrupt();
  const auto begin = Clock::now();
  tune::SearchOptions options;
  options.strategy = flags.strategy;
  options.model = model;
  options.seed = static_cast<uint64_t>(flags.seed);
  options.workers = static_cast<int>(flags.workers);
  if (options.workers == 0)
    options.workers = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  options.trials = flags.trials;
  // A fifth of the time is for the networks of the last phase.
  if (tuning.budget.time.count() > 0) options.until = begin + tuning.budget.time * 4 / 5;
  options.stop = Interrupted;
  options.finished = [&](const tune::Task& task, const tune::Trial& trial) {
    return log.Append(tune::RecordOf(task, trial));
  };
  options.progress = [&](const tune::SearchProgress& progress) {
    ShowTuneLine(TuneLineText(tuning.tasks[progress.task].name, progress, tuning.budget,
                              SecondsSince(begin)));
  };
  const auto measure = [&](const tune::Task& task, const schedule::Trace& trace, uint64_t budget) {
    return tune::CyclesOf(task, trace, tuning.config, budget);
  };
  TESSERA_ASSIGN(tune::Search search,
                 tune::Search::Make(&tuning.tasks, tuning.config, options, measure));
  const int64_t known = AddKnown(found.records, tuning, &search);
  TESSERA_TRY(search.Run());
  ShowTuneLine("whole networks");
  const double seconds = SecondsSince(begin);
  const auto until =
      tuning.budget.time.count() > 0 ? begin + tuning.budget.time : Clock::time_point::max();
  TESSERA_ASSIGN(const tune::Selection selection,
                 tune::SelectForNetwork(tuning.programs, tuning.config, tuning.tasks, search,
                                        kTriedOnNetwork, [&] { return Clock::now() >= until; }));
  for (size_t t = 0; t < tuning.tasks.size(); ++t) {
    tune::Record record =
        tune::RecordOf(tuning.tasks[t], {selection.chosen[t], selection.cycles, "", ""});
    record.network = tuning.model_crc;
    TESSERA_TRY(log.Append(record));
  }
  EndTuneLine();
  const bool quiet = flags.json == "-";
  if (known > 0 && !quiet)
    std::fprintf(stdout, "%s trials were known from %s\n", Grouped(known).c_str(),
                 flags.output.c_str());
  TESSERA_TRY(WriteJson(flags.json, Report(tuning, search, selection, seconds, quiet)));
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
                   "by pairs), xgboost-regression")
      ->capture_default_str();
  verb->add_option("--seed", flags->seed, "of the random numbers")
      ->check(CountFromOne())
      ->capture_default_str();
  verb->add_option("--workers", flags->workers,
                   "threads that measure (default: one a processor); what is found does not "
                   "depend on it, unless time runs out")
      ->check(CountFromOne());
  verb->add_option("--json", flags->json,
                   "write {ok, tasks, trials, failed, seconds, given, cycles} to this file");
  verb->footer(
      "Ctrl-C ends the search; what was found is recorded.\n"
      "Example: tessera tune models/fashion/fashion_int8.onnx --budget 1m -o records.jsonl\n"
      "  tessera compile models/fashion/fashion_int8.onnx --records records.jsonl -o net.tsr");
  return [flags] { return Run(*flags); };
}

}  // namespace tessera::tools
