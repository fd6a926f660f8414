// SPDX-License-Identifier: Apache-2.0
//
// tessera trace: one run as a timeline.
#include <csignal>
#include <cstdio>
#include <memory>

#include "base/text.h"
#include "runtime/executor/layer_cycles.h"
#include "sim/trace/chrome_trace.h"
#include "tools/model_file.h"
#include "tools/output.h"
#include "tools/traced_network.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

constexpr const char* kSchema = "tessera-trace-1";

struct TraceFlags {
  std::string model, device = "rtl", output, config, tflite, input, json;
  std::map<std::string, std::string> driver_flags;
  sim::ChromeOptions chrome;
  uint64_t budget = Launch().budget;
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

// Says how far the run is.
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

Json UnitsJson(const std::array<UnitCounters, isa::kUnits>& units) {
  Json json;
  for (size_t u = 0; u < units.size(); ++u) {
    const UnitCounters& c = units[u];
    json[std::string(Text(static_cast<isa::Unit>(u)))] = {{"busy", c.busy},
                                                          {"token", c.token_wait},
                                                          {"memory", c.memory_wait},
                                                          {"hazard", c.hazard},
                                                          {"idle", c.idle}};
  }
  return json;
}

// The timeline of an inference: a Chrome trace, and what is printed at the end.
class Timeline : public ProgramListener {
 public:
  Timeline(const TraceFlags& options, const TracedNetwork& network, sim::TraceFile& file)
      : network_(network), chrome_(file, options.chrome), occupancy_(network.programs()) {
    for (const TracedLayer& layer : network.layers()) names_.push_back(layer.name);
    list_.Add(&chrome_);
    list_.Add(&watch_);
  }

  RunObserver* Begin(uint32_t program) override {
    const isa::ProgramImage& image = network_.program(program);
    text_.emplace(image, network_.config());
    if (!occupancy_[program]) {
      // A program that the checker refuses has no such counter.
      Result<sim::Occupancy> found = sim::FindOccupancy(image, network_.config());
      if (found) occupancy_[program] = std::move(*found);
    }
    const auto& occupancy = occupancy_[program];
    chrome_.Begin(*text_, network_.config(), names_, occupancy ? &*occupancy : nullptr);
    watch_.Begin(image.insn_count());
    running_ = true;
    return &list_;
  }

  void End(const ProgramRun& run) override {
    running_ = false;
    const isa::ProgramImage& image = network_.program(run.program);
    chrome_.End(&run.report, run.report.cycles);
    Json layers = Json::array();
    for (const LayerSpan& span : LayerSpans(image, run.trace, names_.size(), run.report.cycles)) {
      chrome_.AddLayer(names_[span.layer], span.begin, span.end);
      layers.push_back({{"name", names_[span.layer]}, {"begin", span.begin}, {"end", span.end}});
    }
    chrome_.Next();
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

  // After the inference, or what came of it.
  void Close() {
    if (running_) chrome_.End(nullptr, chrome_.cycle());
  }

  const Json& programs() const { return programs_; }
  uint64_t cycles() const { return cycles_; }
  uint64_t instructions() const { return instructions_; }
  uint64_t reached() const { return cycles_ + (running_ ? chrome_.cycle() : 0); }

 private:
  const TracedNetwork& network_;
  std::vector<std::string> names_;
  sim::ChromeTrace chrome_;
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

// A trace that the disk had no room for.
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
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on files is an error of write(), as a full disk is
  TESSERA_ASSIGN(const std::unique_ptr<sim::TraceFile> file,
                 sim::TraceFile::Create(options.output));
  TESSERA_ASSIGN(const TracedNetwork network,
                 TracedNetwork::Load(options.model, options.config, options.tflite, options.input));
  Timeline timeline(options, network, *file);
  const Status ran = network.Run(device, timeline, options.budget);
  timeline.Close();
  const std::string why = file->cut().empty() ? "the file can grow no further" : file->cut();
  const Status written = file->Finish(EndOfTrace(options, timeline, network.config(), ran),
                                      EndOfCut(why, timeline.reached()));
  if (!ran) {
    return Fail(ran.error().code, "{}{}", ran.error().message,
                written ? fmt::format("; {} has the run until then", options.output) : "");
  }
  if (!written) return std::unexpected(written.error());
  const std::string text = fmt::format(
      "{} on {}: {} cycles, {} instructions\nwrote {}: {} bytes; open it in ui.perfetto.dev or "
      "chrome://tracing, where 1 us is one cycle\n",
      options.model, options.device, Grouped(static_cast<int64_t>(timeline.cycles())),
      Grouped(static_cast<int64_t>(timeline.instructions())), options.output,
      Grouped(static_cast<int64_t>(file->bytes())));
  if (options.json != "-") std::fputs(text.c_str(), stdout);
  TESSERA_TRY(WriteJson(options.json, {{"ok", file->cut().empty()},
                                       {"model", options.model},
                                       {"device", options.device},
                                       {"config", network.config().name},
                                       {"cycles", timeline.cycles()},
                                       {"instructions", timeline.instructions()},
                                       {"programs", timeline.programs()}}));
  if (file->cut().empty()) return kExitOk;
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
                   "write a Chrome trace, which ui.perfetto.dev and chrome://tracing show")
      ->required();
  AddTfliteOption(verb, options->tflite);
  verb->add_option("--config", options->config,
                   "configuration of the accelerator: a name or a JSON file (default: default)");
  verb->add_option("--input", options->input,
                   "the first item of this .npy or IDX file (default: zeros; cycles are the same)");
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
  verb->footer(DevicesHelp() +
               "docs/timelines.md says what is in a trace.\n"
               "Example: tessera trace models/fashion/fashion_int8.onnx -o net.trace.json");
  return [options] { return Run(*options); };
}

}  // namespace tessera::tools
