// SPDX-License-Identifier: Apache-2.0
//
// tessera quantize: turns a float ONNX model into one in QDQ form, with ranges from given items.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "base/file.h"
#include "compiler/calibrate/equalize.h"
#include "compiler/calibrate/model_index.h"
#include "compiler/calibrate/prepare.h"
#include "compiler/import/import.h"
#include "compiler/import/onnx.h"
#include "compiler/import/onnx_write.h"
#include "tools/classes.h"
#include "tools/inputs.h"
#include "tools/network.h"
#include "tools/observed_network.h"
#include "tools/quantize_passes.h"
#include "tools/quantize_report.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

struct QuantizeFlags {
  std::string model, output, method = "minmax", activations = "int8", json;
  std::vector<std::string> in_float;
  InputOptions data{.flag = "--data"};
  ExecutorOptions executor;
};

Result<onnx_model::OnnxModel> ReadModel(const std::string& path,
                                        const std::vector<uint8_t>& bytes) {
  if (FormatOf(bytes) == ModelFormat::kTflite) {
    return Fail(Code::kUnsupported,
                "{}: is a TFLite file; tessera quantize takes ONNX (TFLite's converter quantises "
                "its own)",
                path);
  }
  Result<onnx_model::OnnxModel> model = onnx_model::Parse(bytes, FolderOf(path));
  if (!model) return Within(path, model.error());
  return model;
}

std::vector<QuantizeRow> RowsOf(const onnx_model::OnnxModel& model,
                                const QuantizedNetwork& network) {
  const auto snr_of = [&](const std::string& value) {
    const auto it = network.fidelity.snr.find(value);
    return it == network.fidelity.snr.end() ? std::nullopt : std::optional(it->second);
  };
  std::map<size_t, const calibrate::IntegerLayer*> integers;
  std::set<std::string> results;
  for (const calibrate::IntegerLayer& layer : network.plan.layers) {
    integers[layer.node] = &layer;
    results.insert(layer.result);
  }
  const auto name_of = [](const onnx_model::OnnxNode& node) {
    return node.name.empty() ? node.outputs[0] : node.name;
  };
  std::vector<QuantizeRow> rows;
  for (size_t n = 0; n < model.nodes.size(); ++n) {
    const onnx_model::OnnxNode& node = model.nodes[n];
    QuantizeRow row{.layer = name_of(node), .op = node.op_type};
    const auto it = integers.find(n);
    row.integers = it != integers.end();
    const auto snr = snr_of(row.integers ? it->second->result : node.outputs[0]);
    if (snr) {
      row.snr = snr->all;
      row.channel_snr = snr->by_channel;
    }
    // A Relu that the compiler merged into the layer before it is not a layer.
    if (!row.integers && (!row.snr || results.contains(node.outputs[0]))) continue;
    row.operand_snr = INFINITY;
    if (row.integers) {
      for (const std::string& operand : it->second->operands) {
        if (const auto worst = snr_of(operand))
          row.operand_snr = std::min(row.operand_snr, worst->by_channel);
      }
      const calibrate::ActivationScale& scale =
          network.scales.at(network.plan.scale_of.at(it->second->result));
      for (const calibrate::IntegerLayer& reader : network.plan.layers) {
        if (std::ranges::count(reader.operands, it->second->result) > 0)
          row.readers.push_back(name_of(model.nodes[reader.node]));
      }
      row.scale = scale.scale;
      row.zero = scale.zero;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<int> Run(const QuantizeFlags& options) {
  QuantizeJob job{.path = options.model, .executor = options.executor};
  TESSERA_ASSIGN(job.method, calibrate::ParseRangeMethod(options.method));
  if (options.activations != "int8" && options.activations != "uint8") {
    return Fail(Code::kInvalidArgument, "--activations {}: there are int8 and uint8",
                options.activations);
  }
  job.activations = options.activations == "int8" ? DType::kInt8 : DType::kUint8;
  TESSERA_TRY(CheckWritable(options.output));
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(options.model));
  TESSERA_ASSIGN(onnx_model::OnnxModel model, ReadModel(options.model, bytes));
  const Result<calibrate::Prepared> prepared = calibrate::Prepare(model);
  if (!prepared) return Within(options.model, prepared.error());
  Result<std::set<size_t>> in_float = calibrate::NodesNamed(model, options.in_float);
  if (!in_float) return Within(options.model, in_float.error());

  job.computed = prepared->computed;

  Inputs data;
  {
    TESSERA_ASSIGN(const ObservedNetwork floats,
                   ObservedNetwork::Open(model, options.model, options.executor));
    TESSERA_ASSIGN(data, LoadInputs(options.data, floats.artifact()));
    TESSERA_TRY(CheckClasses(floats.artifact().outputs, data.labels, false));
  }
  job.executor.pixels = data.pixels;
  job.data = &data;
  const std::vector<calibrate::ConvPair> pairs = calibrate::ConvPairs(model);
  Progress progress("calibrating");
  const int64_t all = data.count * (pairs.empty() ? 3 : 6);
  int64_t done = 0;
  job.inference = [&] { progress.Update(++done, all); };

  TESSERA_ASSIGN(QuantizedNetwork network, QuantizeNetwork(model, *in_float, job));
  QuantizeReport report{.model = options.model,
                        .output = options.output,
                        .method = options.method,
                        .activations = options.activations,
                        .items = data.count,
                        .norms = prepared->norms,
                        .biases = prepared->biases,
                        .plain_snr = network.fidelity.output_snr,
                        .labelled = !data.labels.empty()};
  onnx_model::OnnxModel equal = model;
  for (const calibrate::ConvPair& pair : pairs) {
    const auto it = network.statistics.find(pair.value);
    if (it != network.statistics.end())
      report.pairs += calibrate::Equalize(equal, pair, it->second.channel_most) > 0;
  }
  if (report.pairs > 0) {
    TESSERA_ASSIGN(QuantizedNetwork other, QuantizeNetwork(equal, *in_float, job));
    report.equalized_snr = other.fidelity.output_snr;
    report.equalized = report.equalized_snr >= report.plain_snr;
    if (report.equalized) network = std::move(other);
  }
  const std::vector<uint8_t> made = onnx_model::Write(network.made.model);
  TESSERA_TRY(WriteFile(options.output, made));
  report.rows = RowsOf(model, network);
  report.float_hits = network.fidelity.float_hits;
  report.int8_hits = network.fidelity.int8_hits;
  report.float_bytes = bytes.size();
  report.int8_bytes = made.size();
  if (options.json != "-") std::fputs((data.pixels_line + ReportText(report)).c_str(), stdout);
  TESSERA_TRY(WriteJson(options.json, ReportJson(report)));
  return kExitOk;
}

}  // namespace

Action AddQuantize(CLI::App& app) {
  auto options = std::make_shared<QuantizeFlags>();
  CLI::App* verb =
      app.add_subcommand("quantize", "make an int8 ONNX model of a float one, by example items");
  verb->add_option("model", options->model, "an ONNX model of float32")->required();
  AddInputOptions(*verb, options->data);
  verb->add_option("-o,--output", options->output, "the ONNX file to write")->required();
  verb->add_option("--method", options->method,
                   "the range of a value: minmax, percentile (99.99 % of the values) or entropy")
      ->capture_default_str();
  verb->add_option("--activations", options->activations, "their type: int8 or uint8")
      ->capture_default_str();
  verb->add_option("--float", options->in_float,
                   "a layer that stays in float: its name, or that of its result; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  AddThreadsOption(verb, options->executor);
  verb->add_option("--json", options->json,
                   "write {ok, model, output, layers[], right, proposed_float, ...} to this file");
  verb->footer(
      "Weights are int8 with a scale an output channel. Printed for each layer: how far its result "
      "is from the\nfloat network's over the items, as signal to noise; the result file runs here "
      "and in ONNX Runtime.\n"
      "Example: tessera quantize models/fashion/fashion.onnx --data IMAGES.idx.gz --first 256 -o "
      "int8.onnx");
  return [options] { return Run(*options); };
}

}  // namespace tessera::tools
