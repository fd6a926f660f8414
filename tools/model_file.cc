// SPDX-License-Identifier: Apache-2.0
#include "tools/model_file.h"

#include <cstdio>

#include "base/hash.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/coverage.h"
#include "compiler/driver/user_order.h"
#include "compiler/graph/fuse.h"
#include "compiler/graph/passes.h"
#include "compiler/import/import.h"
#include "tools/coverage_text.h"
#include "tools/import_options.h"
#include "tools/off_chip_text.h"
#include "tools/output.h"
#include "tools/tensor_text.h"

namespace tessera::tools {

void AddImportOptions(CLI::App* verb, ImportWords& words) {
  const auto check = [](std::string& given) -> std::string {
    const auto kernels = ParseTfliteKernels(given);
    return kernels ? "" : kernels.error().message;
  };
  verb->add_option("--tflite", words.tflite,
                   "whose integers a TFLite model means: 2.14 (default) or litert-2.3")
      ->check(CLI::Validator(check, "KERNELS"));
  verb->add_option(
          "--shape", words.shapes,
          "NAME=1,3,224,224: the shape of an input whose extents the model leaves open; may "
          "be given for several")
      ->type_name("NAME=SHAPE")
      ->allow_extra_args(false);
  verb->add_option("--known", words.known,
                   "NAME=FILE: the value of an input of an ONNX model, .npy in the input's type: "
                   "it becomes a constant, say a shape that other extents depend on; may be given "
                   "for several")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
}

void AddPlaceOption(CLI::App* verb, ImportWords& words) {
  verb->add_option("--place", words.place,
                   "what the choice of devices makes small: auto (the time; connected layers stay "
                   "together), latency, throughput or "
                   "energy:HOST_WATTS,ACCELERATOR_WATTS[,GPU_WATTS]; or a file with the devices of "
                   "some layers, as `tessera place MODEL -o FILE` writes it (docs/placement.md)")
      ->type_name("GOAL|FILE");
}

Result<LoadedNetwork> CompileModel(const std::vector<uint8_t>& bytes, const std::string& path,
                                   const std::string& config_name, const WantedPlans& plans,
                                   const ImportWords& words, bool keep_tensors) {
  TESSERA_ASSIGN(const ImportOptions import, ImportOptionsOf(words));
  TESSERA_ASSIGN(graph::Graph graph, ImportModel(bytes, path, import));
  compiler::CompileOptions options;
  TESSERA_ASSIGN(options.config, isa::LoadConfig(config_name.empty() ? "default" : config_name));
  TESSERA_TRY(SetPlaces(words, &options));
  options.cpu = plans.cpu;
  options.device = plans.device;
  options.opencl = plans.opencl;
  options.cuda = plans.cuda;
  options.verify = plans.verify;
  if (plans.floats == kFastFloats) options.floats = compiler::Floats::kFast;
  options.keep_tensors = keep_tensors;
  Result<compiler::Compiled> compiled =
      compiler::Compile(std::move(graph), path, Crc64(bytes), options);
  if (!compiled) return Within(path, compiled.error());
  WarnOfOffChip(compiled->off_chip);
  return LoadedNetwork{std::make_shared<const artifact::Artifact>(std::move(compiled->artifact)),
                       options.config};
}

namespace {

std::vector<artifact::TensorInfo> InfosOf(const graph::Graph& graph,
                                          std::span<const graph::TensorId> ids) {
  std::vector<artifact::TensorInfo> infos;
  for (const graph::TensorId id : ids) {
    const graph::GraphTensor& t = graph.tensor(id);
    infos.push_back({t.name, t.dtype, compiler::UserShape(t), std::nullopt});
    if (t.quant && t.quant->scale.size() == 1)
      infos.back().quant = artifact::Affine{t.quant->scale[0], t.quant->zero[0]};
  }
  return infos;
}

}  // namespace

Result<nlohmann::ordered_json> DescribeModel(const std::vector<uint8_t>& bytes,
                                             const std::string& path, const ImportWords& words,
                                             const std::string& config_name) {
  TESSERA_ASSIGN(const ImportOptions import, ImportOptionsOf(words));
  TESSERA_ASSIGN(const isa::Config config,
                 isa::LoadConfig(config_name.empty() ? "default" : config_name));
  TESSERA_ASSIGN(graph::Graph graph, ImportModel(bytes, path, import));
  const Result<artifact::Coverage> coverage = compiler::CoverageOf(graph, config);
  if (!coverage) return Within(path, coverage.error());
  graph::Simplify(graph);
  int64_t macs = 0, weights = 0;
  for (const graph::Node& node : graph.nodes) macs += graph::Macs(graph, node);
  for (const graph::GraphTensor& tensor : graph.tensors) {
    if (tensor.constant() && tensor.dtype == DType::kInt8) weights += tensor.count();
  }
  std::printf(
      "%s: %s model %s, %zu operators after import, %s MACs an inference, %s int8 weights\n",
      path.c_str(), std::string(Text(FormatOf(bytes))).c_str(), graph.name.c_str(),
      graph.nodes.size(), Grouped(macs).c_str(), Grouped(weights).c_str());
  const std::span<const graph::TensorId> all = graph.inputs, own = graph.UserInputs();
  const std::vector<artifact::TensorInfo> inputs = InfosOf(graph, own),
                                          outputs = InfosOf(graph, graph.UserOutputs()),
                                          states = InfosOf(graph, all.subspan(own.size()));
  for (const auto& t : inputs) std::printf("input: %s\n", TensorText(t).c_str());
  for (const auto& t : outputs) std::printf("output: %s\n", TensorText(t).c_str());
  for (const auto& t : states) std::printf("state: %s\n", TensorText(t).c_str());
  std::vector<std::vector<std::string>> rows;
  for (const graph::Node& node : graph.nodes) {
    rows.push_back({node.name, std::string(graph::Text(node.op)), Grouped(graph::Macs(graph, node)),
                    ShapeText(graph.tensor(node.output).shape)});
  }
  std::fputs(Table({"name", "operator", "MACs", "output"}, "llrl", std::move(rows)).c_str(),
             stdout);
  std::fputs("tessera compile MODEL --dump graph prints every tensor's type and scale\n", stdout);
  std::printf("configuration %s: %s\n", config.name.c_str(), CoverageText(*coverage).c_str());
  return nlohmann::ordered_json{{"kind", "model"},
                                {"name", graph.name},
                                {"inputs", TensorsJson(inputs)},
                                {"outputs", TensorsJson(outputs)},
                                {"states", TensorsJson(states)},
                                {"operators", graph.nodes.size()},
                                {"macs", macs},
                                {"weights", weights},
                                {"coverage", CoverageJson(*coverage)}};
}

}  // namespace tessera::tools
