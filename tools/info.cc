// SPDX-License-Identifier: Apache-2.0
//
// tessera info: describes a file: a model, an artifact, a program image.
#include <cstdio>
#include <memory>

#include "base/file.h"
#include "base/text.h"
#include "runtime/artifact/artifact.h"
#include "runtime/tensor/tensor.h"
#include "tools/algorithms_text.h"
#include "tools/coverage_text.h"
#include "tools/model_file.h"
#include "tools/output.h"
#include "tools/tensor_text.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

struct InfoFlags {
  std::string input, json, config;
  ImportWords import;
  bool schedules = false;
};

Json ImageJson(const isa::ProgramImage& image) {
  Json segments = Json::array();
  for (const isa::SegmentData& s : image.segments)
    segments.push_back({{"size", s.size}, {"data", s.data.size()}});
  return {{"profile", std::string(Text(image.profile))},
          {"config", image.config_name},
          {"config_hash", fmt::format("{:016x}", image.config_hash)},
          {"instructions", image.insn_count()},
          {"segments", segments}};
}

void PrintImage(const isa::ProgramImage& image) {
  std::printf("program: %s instructions, profile %s, configuration %s (%016llx)\n",
              Grouped(image.insn_count()).c_str(), std::string(Text(image.profile)).c_str(),
              image.config_name.c_str(), static_cast<unsigned long long>(image.config_hash));
  for (int s = 0; s < isa::kSegments; ++s) {
    const isa::SegmentData& segment = image.segments[static_cast<size_t>(s)];
    if (segment.size) {
      std::printf("  segment %d: %s bytes, %s of them initialised\n", s,
                  Grouped(static_cast<int64_t>(segment.size)).c_str(),
                  Grouped(static_cast<int64_t>(segment.data.size())).c_str());
    }
  }
}

// "conv1 (host)" for kernels, "q -> q on default" for transfers, "program 0 on default".
std::string StepText(const artifact::Artifact& net, const artifact::ExecutionPlan& plan,
                     const artifact::PlanStep& step) {
  if (const auto* kernel = std::get_if<artifact::KernelStep>(&step)) {
    const std::string what =
        kernel->layer < 0 ? kernel->symbol : net.layers[static_cast<size_t>(kernel->layer)].name;
    return fmt::format("{}: {}", net.devices[kernel->device].name, what);
  }
  if (const auto* transfer = std::get_if<artifact::TransferStep>(&step)) {
    const artifact::PlanBuffer &from = plan.buffers[transfer->from],
                               &to = plan.buffers[transfer->to];
    return fmt::format("transfer {} bytes of {} from {} to {}",
                       Grouped(static_cast<int64_t>(from.bytes)), to.name,
                       net.devices[from.device].name, net.devices[to.device].name);
  }
  const uint32_t program = std::get<artifact::ProgramStep>(step).program;
  return fmt::format("{}: program {}", net.devices[net.programs[program].device].name, program);
}

// The steps of a plan and the peak of its memory plan.
Json PlanOf(const artifact::Artifact& net, const artifact::ExecutionPlan& plan) {
  std::printf("plan %s:\n", plan.name.c_str());
  Json steps = Json::array(), memory = Json::array();
  for (const artifact::PlanStep& step : plan.steps) {
    steps.push_back(Legible(StepText(net, plan, step)));
    std::printf("  %s\n", steps.back().get<std::string>().c_str());
  }
  for (size_t d = 0; d < plan.arenas.size(); ++d) {
    const artifact::ArenaSize& arena = plan.arenas[d];
    std::printf("  memory on %s: %s bytes at the peak, %s if nothing shared storage\n",
                net.devices[d].name.c_str(), Grouped(static_cast<int64_t>(arena.bytes)).c_str(),
                Grouped(static_cast<int64_t>(arena.unshared_bytes)).c_str());
    memory.push_back({{"device", net.devices[d].name},
                      {"peak_bytes", arena.bytes},
                      {"unshared_bytes", arena.unshared_bytes}});
  }
  return {{"name", plan.name}, {"steps", steps}, {"memory", memory}};
}

Result<Json> Artifact(const std::vector<uint8_t>& bytes, const std::string& path) {
  const Result<artifact::Artifact> net = artifact::Parse(bytes);
  if (!net) return Within(path, net.error());
  std::printf("%s: artifact of %s, made by %s\n", path.c_str(), net->provenance.model_file.c_str(),
              net->provenance.tool.c_str());
  for (const auto& t : net->inputs) std::printf("input: %s\n", TensorText(t).c_str());
  for (const auto& t : net->outputs) std::printf("output: %s\n", TensorText(t).c_str());
  std::vector<artifact::TensorInfo> states;
  for (const artifact::ModelState& state : net->states) {
    states.push_back(state.tensor);
    std::printf("state: %s\n", TensorText(state.tensor).c_str());
  }
  std::vector<std::vector<std::string>> rows;
  Json layers = Json::array();
  for (const artifact::Layer& layer : net->layers) {
    rows.push_back({layer.name, layer.op, Grouped(static_cast<int64_t>(layer.macs)),
                    ShapeText(layer.output.shape)});
    layers.push_back({{"name", layer.name},
                      {"op", layer.op},
                      {"macs", layer.macs},
                      {"shape", layer.output.shape}});
    if (!layer.algorithm.empty()) layers.back()["algorithm"] = layer.algorithm;
  }
  std::fputs(Table({"layer", "operators", "MACs", "output"}, "llrl", rows).c_str(), stdout);
  std::fputs(AlgorithmLines(*net).c_str(), stdout);
  for (const artifact::HostObject& object : net->objects) {
    std::printf("host code: %s, %s bytes\n", object.level.c_str(),
                Grouped(static_cast<int64_t>(object.elf.size())).c_str());
  }
  Json programs = Json::array(), plans = Json::array();
  for (size_t p = 0; p < net->programs.size(); ++p) {
    const artifact::DeviceProgram& program = net->programs[p];
    std::printf("program %zu on %s\n", p, net->devices[program.device].name.c_str());
    PrintImage(program.image);
    programs.push_back(ImageJson(program.image));
  }
  for (const artifact::ExecutionPlan& plan : net->plans) plans.push_back(PlanOf(*net, plan));
  std::fputs(CoverageLines(*net).c_str(), stdout);
  Json json{{"kind", "artifact"},
            {"model", net->provenance.model_file},
            {"tool", net->provenance.tool},
            {"inputs", TensorsJson(net->inputs)},
            {"outputs", TensorsJson(net->outputs)},
            {"states", TensorsJson(states)},
            {"layers", layers},
            {"programs", programs},
            {"plans", plans}};
  if (net->PlanNamed("device") != nullptr) json["coverage"] = CoverageJson(net->coverage);
  return json;
}

Result<Json> Describe(const std::string& path, const ImportWords& import,
                      const std::string& config) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
  if (artifact::LooksLikeArtifact(bytes)) {
    TESSERA_TRY(CheckFitsArtifact(import, path));
    return Artifact(bytes, path);
  }
  if (bytes.size() >= 6 &&
      std::string_view(reinterpret_cast<const char*>(bytes.data()), 6) == "TSRIMG") {
    const Result<isa::ProgramImage> image = isa::ParseImage(bytes);
    if (!image) return Within(path, image.error());
    PrintImage(*image);
    return Json{{"kind", "image"}, {"program", ImageJson(*image)}};
  }
  return DescribeModel(bytes, path, import, config);
}

// Prints the schedules of an artifact in the form that `compile --schedule` takes.
Status PrintSchedules(const std::string& path) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
  if (!artifact::LooksLikeArtifact(bytes)) {
    return Fail(
        Code::kInvalidArgument,
        "{}: no artifact; only those have schedules, `tessera compile MODEL --dump schedule` "
        "prints a model's",
        path);
  }
  const Result<artifact::Artifact> net = artifact::Parse(bytes);
  if (!net) return Within(path, net.error());
  std::fputs(net->provenance.schedules.c_str(), stdout);
  return {};
}

Result<int> Run(const InfoFlags& options) {
  if (options.schedules) {
    TESSERA_TRY(PrintSchedules(options.input));
    return kExitOk;
  }
  TESSERA_ASSIGN(const Json json, Describe(options.input, options.import, options.config));
  TESSERA_TRY(WriteJson(options.json, json));
  return kExitOk;
}

}  // namespace

Action AddInfo(CLI::App& app) {
  auto options = std::make_shared<InfoFlags>();
  CLI::App* verb =
      app.add_subcommand("info", "say what a file holds: a model, an artifact or a program image");
  verb->add_option("input", options->input, "the file")->required();
  AddImportOptions(verb, options->import);
  verb->add_option(
      "--config", options->config,
      "of a model: the configuration of the accelerator for which it is told what runs "
      "there, a name or a JSON file (default: default)");
  CLI::Option* json = verb->add_option("--json", options->json, "write the facts to this file");
  verb->add_flag("--schedules", options->schedules,
                 "print the schedules of an artifact's layers instead; compile takes them again")
      ->excludes(json);
  verb->footer("Example: tessera info models/fashion/fashion_int8.onnx");
  return [options] { return Run(*options); };
}

}  // namespace tessera::tools
