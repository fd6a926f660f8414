// SPDX-License-Identifier: Apache-2.0
//
// tessera trace: shows one run as a timeline.
#include <csignal>
#include <cstdio>
#include <memory>

#include "base/file.h"
#include "base/text.h"
#include "runtime/executor/layer_cycles.h"
#include "sim/trace/chrome_trace.h"
#include "tools/failed_run.h"
#include "tools/inputs.h"
#include "tools/output.h"
#include "tools/trace_page.h"
#include "tools/trace_wave.h"
#include "tools/traced_network.h"
#include "tools/unit_parts.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

constexpr const char* kSchema = "tessera-trace-1";

struct TraceFlags {
  std::string model, device = "rtl", output, html, wave, from = "cycle:0", config, json, dump_dir;
  ImportWords import;
  InputOptions input;
  std::map<std::string, std::string> driver_flags;
  sim::ChromeOptions chrome;
  uint64_t budget = Launch().budget, cycles = 2000;
};

Status RequireClock(const ChosenDevice& device) {
  std::string clocked;
  for (const Driver& driver : Drivers()) {
    if (!driver.clock) continue;
    if (driver.name == device.name) return {};
    clocked += (clocked.empty() ? "" : ", ") + std::string(driver.name);
  }
  return Fail(Code::kInvalidArgument,
              "--device {} has no clock, so it has no timeline; devices with one are {}",
              device.name, clocked);
}

// Reports how far the run is.
class Watch : public RunObserver {
 public:
  void Begin(int64_t instructions) { total_ = instructions, done_ = 0; }
  void OnRetired(const TraceEntry&) override {
    if (++done_ % 64 == 0) progress_.Update(done_, total_);
  }

 private:
  Progress progress_{"instructions"};
  int64_t total_ = 0, done_ = 0;
};

// The timeline of an inference: a Chrome trace, and the text printed at the end.
class Timeline : public ProgramListener {
 public:
  // |file|: null: no Chrome trace.
  Timeline(const TraceFlags& options, const TracedNetwork& network, sim::TraceFile* file)
      : network_(network), occupancy_(network.programs()) {
    for (const TracedLayer& layer : network.layers()) names_.push_back(layer.name);
    if (file != nullptr) list_.Add(&chrome_.emplace(*file, options.chrome));
    if (!options.html.empty()) list_.Add(&page_.emplace(network));
    if (!options.wave.empty()) list_.Add(&taken_);
    list_.Add(&watch_);
  }

  RunObserver* Begin(uint32_t program) override {
    const isa::ProgramImage& image = network_.program(program);
    text_.emplace(image, network_.config());
    if (!occupancy_[program]) {
      // A program that the checker rejects has no such counter.
      Result<sim::Occupancy> found = sim::FindOccupancy(image, network_.config());
      if (found) occupancy_[program] = std::move(*found);
    }
    const auto& occupancy = occupancy_[program];
    const sim::Occupancy* known = occupancy ? &*occupancy : nullptr;
    if (chrome_) chrome_->Begin(*text_, network_.config(), names_, known);
    if (page_) page_->Begin(*text_, known);
    watch_.Begin(image.insn_count());
    taken_.Begin(program);
    running_ = true;
    return &list_;
  }

  void End(const ProgramRun& run) override {
    running_ = false;
    const isa::ProgramImage& image = network_.program(run.program);
    if (chrome_) chrome_->End(&run.report, run.report.cycles);
    if (page_) page_->End(&run, run.report.cycles);
    Json layers = Json::array();
    for (const LayerSpan& span : LayerSpans(image, run.trace, names_.size(), run.report.cycles)) {
      if (chrome_) chrome_->AddLayer(names_[span.layer], span.begin, span.end);
      layers.push_back({{"name", names_[span.layer]}, {"begin", span.begin}, {"end", span.end}});
    }
    if (chrome_) chrome_->Next();
    cycles_ += run.report.cycles;
    instructions_ += run.report.instructions;
    programs_.push_back({{"program", run.program},
                         {"cycles", run.report.cycles},
                         {"instructions", run.report.instructions},
                         {"bytes_read", run.report.bytes_read},
                         {"bytes_written", run.report.bytes_written},
                         {"units", UnitsJson(run.report.units)},
                         {"layers", std::move(layers)}});
  }

  // Call it after the inference, also after a failed one.
  void Close() {
    if (!running_) return;
    if (chrome_) chrome_->End(nullptr, chrome_->cycle());
    if (page_) page_->End(nullptr, page_->cycle());
  }

  const Json& programs() const { return programs_; }
  uint64_t cycles() const { return cycles_; }
  uint64_t instructions() const { return instructions_; }
  uint64_t reached() const { return cycles_ + (running_ && chrome_ ? chrome_->cycle() : 0); }
  const std::optional<TracePage>& page() const { return page_; }
  const TakenCycles& taken() const { return taken_; }

 private:
  const TracedNetwork& network_;
  std::vector<std::string> names_;
  std::optional<sim::ChromeTrace> chrome_;
  std::optional<TracePage> page_;
  TakenCycles taken_;
  std::vector<std::optional<sim::Occupancy>> occupancy_;  // by program
  std::optional<sim::ProgramText> text_;
  Watch watch_;
  ObserverList list_;
  bool running_ = false;
  uint64_t cycles_ = 0, instructions_ = 0;
  Json programs_ = Json::array();
};

std::string EndOfTrace(const TraceFlags& options, const Timeline& timeline,
                       const isa::Config& config, const Status& ran) {
  Json data{{"schema", kSchema},
            {"model", options.model},
            {"device", options.device},
            {"config", config.name},
            {"unit", "1 us is one cycle"},
            {"complete", ran.has_value()},
            {"cycles", timeline.cycles()},
            {"instructions", timeline.instructions()},
            {"programs", timeline.programs()}};
  if (!ran) data["error"] = ran.error().message;
  return "\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":" +
         data.dump(-1, ' ', false, Json::error_handler_t::replace) + "}\n";
}

// The end of a trace that did not fit the disk.
std::string EndOfCut(const std::string& why, uint64_t cycle) {
  const std::string note = fmt::format("the trace ends here: {}", why);
  return fmt::format(
      R"(,
{{"ph":"i","s":"g","pid":1,"tid":1,"ts":{},"name":"{}"}}
],
"displayTimeUnit":"ns",
"otherData":{{"schema":"{}","complete":false,"note":"{}"}}}}
)",
      cycle, note, kSchema, note);
}

Result<int> Run(const TraceFlags& options) {
  TESSERA_ASSIGN(const ChosenDevice device, ChooseDevice(options.device, options.driver_flags));
  TESSERA_TRY(RequireClock(device));
  TESSERA_TRY(CheckJson(options.json));
  if (options.output.empty() && options.html.empty() && options.wave.empty()) {
    return Fail(Code::kInvalidArgument,
                "nothing is to be written; give -o FILE.json, --html FILE or --wave FILE.fst");
  }
  if (!options.wave.empty()) {
    TESSERA_TRY(RequireWave(device, options.wave));
    TESSERA_TRY(CheckWritable(options.wave));
  }
  if (!options.html.empty()) TESSERA_TRY(CheckWritable(options.html));
  std::signal(SIGXFSZ, SIG_IGN);  // makes a limit on files an error of write(), like a full disk
  std::unique_ptr<sim::TraceFile> file;
  if (!options.output.empty()) {
    TESSERA_ASSIGN(file, sim::TraceFile::Create(options.output));
  }
  TESSERA_ASSIGN(const TracedNetwork network,
                 TracedNetwork::Load(options.model, options.config, options.import, options.input));
  WaveFrom from{.text = "", .layer = ""};
  if (!options.wave.empty()) {
    TESSERA_ASSIGN(from, ParseWaveFrom(options.from, network));
  }
  Timeline timeline(options, network, file.get());
  std::optional<FailedRun> failed;
  Status ran = network.Run(device, timeline, options.budget, &failed);
  timeline.Close();
  std::string text = fmt::format("{} on {}: {} cycles, {} instructions\n", options.model,
                                 options.device, Grouped(static_cast<int64_t>(timeline.cycles())),
                                 Grouped(static_cast<int64_t>(timeline.instructions()))) +
                     network.pixels_line();
  std::string kept;  // the files left by a failed run
  if (file) {
    const std::string why = file->cut().empty() ? "the file can grow no further" : file->cut();
    const Status written = file->Finish(EndOfTrace(options, timeline, network.config(), ran),
                                        EndOfCut(why, timeline.reached()));
    if (ran && !written) return std::unexpected(written.error());
    if (written) kept = options.output;
    text += fmt::format(
        "wrote {}: {} bytes; open it in ui.perfetto.dev or chrome://tracing, where 1 us is one "
        "cycle\n",
        options.output, Grouped(static_cast<int64_t>(file->bytes())));
  }
  if (!options.html.empty()) {
    const double mhz = static_cast<double>(network.config().clock_mhz);
    const Status written =
        WriteFile(options.html, timeline.page()->Html({.model = options.model,
                                                       .device = options.device,
                                                       .error = ran ? "" : ran.error().message,
                                                       .mhz = mhz}));
    if (ran && !written) return std::unexpected(written.error());
    if (written) kept += (kept.empty() ? "" : " and ") + options.html;
    text += fmt::format("wrote {}: a page that any browser shows\n", options.html);
  }
  if (!options.wave.empty()) {
    const Result<uint64_t> first = RecordWave(options.wave, from, options.cycles, network, device,
                                              timeline.taken(), !ran.has_value());
    if (ran && !first) return std::unexpected(first.error());
    if (first) {
      kept += (kept.empty() ? "" : " and ") + options.wave;
      text += fmt::format(
          "wrote {}: waves from cycle {} on, and groups of signals beside it: "
          "gtkwave {}.gtkw\n",
          options.wave, Grouped(static_cast<int64_t>(*first)),
          options.wave.substr(0, options.wave.size() - 4));
    }
  }
  if (!ran && failed)
    ran = std::unexpected(
        WithDump(ran.error(), "trace", options.dump_dir, device, network.config(), *failed));
  if (!ran) {
    return Fail(ran.error().code, "{}{}", ran.error().message,
                kept.empty() ? "" : "; the run until then is in " + kept);
  }
  const bool whole = !file || file->cut().empty();
  if (options.json != "-") std::fputs(text.c_str(), stdout);
  TESSERA_TRY(WriteJson(options.json, {{"ok", whole},
                                       {"model", options.model},
                                       {"device", options.device},
                                       {"config", network.config().name},
                                       {"cycles", timeline.cycles()},
                                       {"instructions", timeline.instructions()},
                                       {"programs", timeline.programs()}}));
  if (whole) return kExitOk;
  std::fprintf(stderr, "tessera: %s: %s; the run went on, the trace ends with a note\n",
               Legible(options.output).c_str(), file->cut().c_str());
  return kExitNo;
}

}  // namespace

Action AddTrace(CLI::App& app) {
  auto options = std::make_shared<TraceFlags>();
  CLI::App* verb =
      app.add_subcommand("trace", "one run as a timeline: who did what in which cycle");
  verb->add_option("model", options->model,
                   "a model, an artifact (net.tsr) or a program image (of tessera asm)")
      ->required();
  verb->add_option("--device", options->device, "a device with a clock, see below")
      ->capture_default_str();
  verb->add_option("-o,--output", options->output,
                   "write a Chrome trace, which ui.perfetto.dev and chrome://tracing show");
  verb->add_option("--html", options->html,
                   "write a page with timeline, layers and roofline; it needs no network");
  verb->add_option("--wave", options->wave,
                   "write a window of the RTL's signals, FILE.fst, and FILE.gtkw for GTKWave");
  verb->add_option(
          "--from", options->from,
          "where the window begins: layer:NAME, insn:NUMBER, cycle:NUMBER or failure; of several "
          "programs insn:PROGRAM:NUMBER and cycle:PROGRAM:NUMBER")
      ->capture_default_str();
  verb->add_option("--cycles", options->cycles, "cycles in the window")
      ->capture_default_str()
      ->check(CountFromOne());
  AddNetworkOptions(verb, options->config, options->import);
  AddOneInputOption(*verb, options->input);
  AddDumpDirOption(*verb, options->dump_dir);
  verb->add_option("--shortest-wait", options->chrome.shortest_wait,
                   "cycles from which on a wait has a slice of its own")
      ->capture_default_str()
      ->check(CountFromOne());
  verb->add_option("--budget", options->budget, "cycles that the run may take")
      ->check(CountFromOne());
  verb->add_option(
      "--json", options->json,
      "write {ok, model, device, config, cycles, instructions, programs} to this file");
  AddDriverFlags(*verb, options->driver_flags);
  verb->footer(
      DevicesHelp() +
      "docs/timelines.md says what is in a trace.\n"
      "Example: tessera trace models/fashion/fashion_int8.onnx -o net.trace.json --html net.html");
  return [options] { return Run(*options); };
}

}  // namespace tessera::tools
