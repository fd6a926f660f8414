// SPDX-License-Identifier: Apache-2.0
//
// tessera compile: compiles a model to an artifact; prints any level on the way.
#include "compiler/driver/compile.h"

#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/hash.h"
#include "compiler/import/import.h"
#include "tools/algorithms_text.h"
#include "tools/coverage_text.h"
#include "tools/import_options.h"
#include "tools/model_file.h"
#include "tools/network.h"
#include "tools/off_chip_text.h"
#include "tools/output.h"
#include "tools/records.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

// Reads the traces of "FILE", or the trace of one layer of "LAYER=FILE".
Status ReadSchedules(const std::string& given, std::vector<schedule::LayerTrace>* all) {
  const size_t equal = given.rfind('=');
  const std::string layer = equal == std::string::npos ? "" : given.substr(0, equal);
  const std::string file = equal == std::string::npos ? given : given.substr(equal + 1);
  if (file.empty() || equal == 0) {
    return Fail(Code::kInvalidArgument,
                "--schedule {}: give FILE, or LAYER=FILE for one of its layers", given);
  }
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(file));
  TESSERA_ASSIGN(std::vector<schedule::LayerTrace> traces,
                 schedule::ParseTraceFile({bytes.begin(), bytes.end()}, file));
  bool any = false;
  for (schedule::LayerTrace& trace : traces) {
    if (!layer.empty() && trace.layer != layer) continue;
    for (const schedule::LayerTrace& known : *all) {
      if (known.layer != trace.layer || known.target != trace.target) continue;
      return Fail(Code::kInvalidArgument, "--schedule {}: layer {} has a schedule for {} already",
                  given, trace.layer, schedule::TraceTargetText(trace.target));
    }
    all->push_back(std::move(trace));
    any = true;
  }
  if (any) return {};
  return Fail(Code::kNotFound, "--schedule {}: no schedule of layer {} is in {}", given, layer,
              file);
}

// Says what records did: to |told|, if not null; warnings go to standard error.
void ShowRecords(const UsedRecords& used, const std::string& file, std::FILE* told) {
  for (const std::string& warning : used.warnings)
    std::fprintf(stderr, "tessera: warning: %s\n", warning.c_str());
  if (told == nullptr) return;
  for (const std::string& line : used.lines) std::fprintf(told, "  %s\n", line.c_str());
  for (const auto& [where, count] : used.counts) {
    if (count.layers == 0) continue;
    std::fprintf(told, "%s: records of %s of %s layers of %s\n", file.c_str(),
                 Grouped(count.found).c_str(), Grouped(count.layers).c_str(), where.c_str());
  }
}

struct CompileFlags {
  std::string model, output, config = "default", targets = "cpu,vta", levels, json, records, floats;
  ImportWords import;
  std::vector<std::string> dumps, schedules;
  bool keep_tensors = false, time = false, verify = false, strict = false;
};

Result<int> Run(const CompileFlags& options) {
  if (options.output.empty() && options.dumps.empty() && !options.verify) {
    return Fail(Code::kInvalidArgument,
                "compile: nothing to do: give -o FILE, --dump LEVEL or --verify");
  }
  TESSERA_TRY(CheckJson(options.json));
  if (!options.output.empty()) TESSERA_TRY(CheckWritable(options.output));
  compiler::CompileOptions compile;
  TESSERA_ASSIGN(compile.config, isa::LoadConfig(options.config));
  TESSERA_TRY(SetPlaces(options.import, &compile));
  TESSERA_ASSIGN(const std::vector<std::string> targets, SplitNames(options.targets));
  compile.cpu = compile.device = false;
  for (const std::string& target : targets) {
    bool* const wanted = target == "cpu"      ? &compile.cpu
                         : target == "vta"    ? &compile.device
                         : target == "opencl" ? &compile.opencl
                         : target == "cuda"   ? &compile.cuda
                                              : nullptr;
    if (wanted == nullptr) {
      return Fail(Code::kInvalidArgument, "--target {}: the targets are cpu, vta, opencl and cuda",
                  target);
    }
    *wanted = true;
  }
  if (!options.levels.empty()) {
    TESSERA_ASSIGN(compile.cpu_levels, SplitNames(options.levels));
  }
  TESSERA_TRY(CheckFloats(options.floats, compile.cpu || compile.device));
  if (options.floats == kFastFloats) compile.floats = compiler::Floats::kFast;
  compile.keep_tensors = options.keep_tensors;
  compile.verify = options.verify;
  compile.dumps.insert(options.dumps.begin(), options.dumps.end());

  for (const std::string& given : options.schedules)
    TESSERA_TRY(ReadSchedules(given, &compile.schedules));

  PhaseClock clock;
  compile.clock = &clock;
  std::optional<PhaseClock::Phase> phase(std::in_place, &clock, "import");
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(options.model));
  TESSERA_ASSIGN(const ImportOptions importing, ImportOptionsOf(options.import));
  TESSERA_ASSIGN(graph::Graph graph, ImportModel(bytes, options.model, importing));
  phase.reset();
  // A dump goes to standard output, perhaps into a file, so messages go elsewhere.
  std::FILE* const told = options.dumps.empty() ? stdout : stderr;
  if (!options.records.empty()) {
    TESSERA_ASSIGN(const UsedRecords used,
                   UseRecords(options.records, graph, options.model, Crc64(bytes), &compile));
    ShowRecords(used, options.records, options.json == "-" ? nullptr : told);
  }
  Result<compiler::Compiled> compiled =
      compiler::Compile(std::move(graph), options.model, Crc64(bytes), compile);
  if (!compiled) return Within(options.model, compiled.error());
  if (options.strict) TESSERA_TRY(CheckStrict(compiled->artifact.coverage, options.model));
  std::fputs(compiled->dump.c_str(), stdout);
  WarnOfOffChip(compiled->off_chip);

  const artifact::Artifact& net = compiled->artifact;
  int64_t instructions = 0;
  for (const artifact::DeviceProgram& program : net.programs)
    instructions += program.image.insn_count();
  nlohmann::ordered_json json{{"ok", true},
                              {"model", options.model},
                              {"config", compile.config.name},
                              {"layers", net.layers.size()},
                              {"constant_bytes", net.constants.size()},
                              {"programs", net.programs.size()},
                              {"instructions", instructions}};
  if (!options.output.empty()) {
    phase.emplace(&clock, "artifact");
    TESSERA_TRY(artifact::WriteArtifact(options.output, net));
    phase.reset();
    if (options.json != "-") {
      std::fprintf(told, "%s: %zu layers, %s instructions for configuration %s\n",
                   options.output.c_str(), net.layers.size(), Grouped(instructions).c_str(),
                   compile.config.name.c_str());
    }
  }
  if (const std::string algorithms = AlgorithmLines(net); !algorithms.empty()) {
    json["algorithms"] = AlgorithmsJson(net);
    if (options.json != "-" && (options.dumps.empty() || !options.output.empty()))
      std::fputs(algorithms.c_str(), told);
  }
  if (compile.device) {
    json["coverage"] = CoverageJson(net.coverage);
    json["off_chip"] = OffChipJson(compiled->off_chip);
    // Prints no coverage if the user asked for a dump alone.
    if (options.json != "-" && (options.dumps.empty() || !options.output.empty()))
      std::fputs(CoverageLines(net).c_str(), told);
  }
  if (options.verify) {
    json["verified"] = nlohmann::ordered_json::array();
    for (const validate::TranslationReport& t : compiled->translations) {
      json["verified"].push_back(
          {{"instructions", t.instructions}, {"tiles", t.steps}, {"results", t.results}});
      if (options.json == "-") continue;
      std::fprintf(
          told,
          "verified: %s instructions, which make %s tiles, compute what the loops of their "
          "layers say, in two orders; %s pieces of device memory compared\n",
          Grouped(t.instructions).c_str(), Grouped(t.steps).c_str(), Grouped(t.results).c_str());
    }
    if (compiled->translations.empty() && options.json != "-")
      std::fputs("verified: the accelerator has no program\n", told);
  }
  if (options.time) {
    if (options.json != "-") std::fputs(clock.Text().c_str(), told);
    json["phases"] = nlohmann::ordered_json::array();
    for (const PhaseClock::PhaseTime& p : clock.phases())
      json["phases"].push_back({{"phase", p.name}, {"seconds", p.wall}, {"processor", p.cpu}});
  }
  TESSERA_TRY(WriteJson(options.json, json));
  return kExitOk;
}

}  // namespace

Action AddCompile(CLI::App& app) {
  auto options = std::make_shared<CompileFlags>();
  CLI::App* verb = app.add_subcommand("compile", "compile a model into an artifact");
  verb->add_option("model", options->model,
                   "a TFLite or ONNX model; int8 runs on every target, floats and plain integers "
                   "on cpu and GPUs")
      ->required();
  verb->add_option("-o,--output", options->output, "the artifact to write (net.tsr)");
  verb->add_option("--config", options->config,
                   "configuration of the accelerator: a name or a JSON file")
      ->capture_default_str();
  AddImportOptions(verb, options->import);
  AddPlaceOption(verb, options->import);
  verb->add_option(
          "--target", options->targets,
          "what to compile for, of cpu (in schedules: host), vta (accelerator), opencl and "
          "cuda")
      ->capture_default_str();
  verb->add_option("--cpu-level", options->levels,
                   "levels of host code, e.g. x86-64-v3,armv7,aarch64 (default: this machine's)");
  AddFloatsOption(verb, options->floats);
  verb->add_flag("--keep-tensors", options->keep_tensors,
                 "keep every layer's result, so that compare can read it: no storage is shared");
  verb->add_option("--dump", options->dumps,
                   "print a level: graph, te (tensor expressions), schedule (the steps of each "
                   "layer, for --schedule), ir (loops) or asm; may be repeated")
      ->check(CLI::IsMember(
          std::vector<std::string>(compiler::kDumpLevels.begin(), compiler::kDumpLevels.end())));
  verb->add_option(
      "--schedule", options->schedules,
      "[LAYER=]FILE: compile that layer, or all that are in FILE, by the schedules that "
      "--dump schedule or `tessera info net.tsr --schedules` printed and somebody edited "
      "(docs/steps.md has the steps); may be repeated");
  verb->add_option("--records", options->records,
                   "a file of records that `tessera tune` wrote: compile layers by the schedules "
                   "that it found (docs/tuning.md)");
  verb->add_flag("--verify", options->verify,
                 "say what the translation check, which runs always, followed of each program of "
                 "the accelerator, and follow it in a second order that its tokens allow "
                 "(docs/diagnosis.md)");
  verb->add_flag("--strict", options->strict,
                 "an error where an operator is left to the host; nothing is written then");
  verb->add_flag("--time", options->time, "print the time of each phase");
  verb->add_option(
      "--json", options->json,
      "write {ok, model, config, layers, constant_bytes, programs, instructions, coverage, "
      "off_chip} to this file, with --time phases, with --verify verified, where algorithms round "
      "otherwise "
      "than the definition algorithms too");
  verb->footer(
      "Example: tessera compile models/fashion/fashion_int8.onnx -o net.tsr --dump asm\n"
      "A schedule of one's own:\n"
      "  tessera compile models/fashion/fashion_int8.onnx --dump schedule > mine.txt\n"
      "  (edit mine.txt)\n"
      "  tessera compile models/fashion/fashion_int8.onnx --schedule mine.txt -o net.tsr");
  return [options] { return Run(*options); };
}

}  // namespace tessera::tools
