// SPDX-License-Identifier: Apache-2.0
//
// tessera place: which device runs each layer of a model, what it costs there and elsewhere, and
// why.
#include <cstdio>
#include <memory>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "compiler/driver/placement.h"
#include "compiler/import/import.h"
#include "tools/coverage_text.h"
#include "tools/import_options.h"
#include "tools/learn_times.h"
#include "tools/model_file.h"
#include "tools/output.h"
#include "tools/place_json.h"
#include "tools/place_measure.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

struct PlaceFlags {
  std::string model, output, config = "default", json;
  ImportWords import;
  std::string measure;  // the device; "": no run
  std::string times;    // a file of what layers took; "": none
  bool strict = false, exact = false;
  int accelerators = 1;  // of `run --accelerators`
};

// "12 us"; "-": there is no estimate.
std::string TimeCell(const std::optional<double>& seconds) {
  return seconds ? network::TimeText(*seconds) : "-";
}

// What the layer's other device takes for it, with the starts and transfers that this adds.
std::string OtherCell(const network::LayerCost& cost) {
  if (!cost.moved) return "-";
  return network::TimeText(cost.device == network::kHost ? cost.moved->OnAccelerator()
                                                         : cost.moved->OnHost());
}

// The starts and transfers that the layer's place costs, or with a minus saves.
std::string EdgeCell(const network::LayerCost& cost) {
  if (!cost.moved) return "-";
  const double edges =
      (cost.moved->start + cost.moved->carry) * (cost.device == network::kHost ? -1 : 1);
  return edges < 0 ? "-" + network::TimeText(-edges) : network::TimeText(edges);
}

// "+4 %": how far a forecast is above what was measured; "-": it cannot be compared.
std::string ErrorCell(const std::optional<double>& forecast, const std::optional<double>& measured,
                      bool comparable) {
  if (!forecast || !measured || *measured <= 0 || !comparable) return "-";
  return fmt::format("{:+.0f} %", 100 * (*forecast / *measured - 1));
}

void PrintTable(const compiler::PlacedNetwork& placed, const isa::Config& config,
                const std::optional<MeasuredPlacement>& measured) {
  std::vector<std::vector<std::string>> rows;
  for (size_t l = 0; l < placed.layers.size(); ++l) {
    const compiler::PlacedLayer& layer = placed.layers[l];
    const network::LayerCost& cost = layer.cost;
    if (measured) {
      const bool comparable = cost.device != network::kHost || measured->same_cpu;
      rows.push_back({layer.name, layer.op, std::string(network::DeviceText(cost.device)),
                      TimeCell(cost.here), TimeCell(measured->layers[l]),
                      ErrorCell(cost.here, measured->layers[l], comparable)});
      continue;
    }
    rows.push_back({layer.name, layer.op, std::string(network::DeviceText(cost.device)),
                    TimeCell(cost.here), OtherCell(cost), EdgeCell(cost),
                    network::ReasonOf(cost, config.cpu.name)});
  }
  if (measured) {
    std::fputs(Table({"layer", "operators", "device", "forecast", "measured", "error"}, "lllrrr",
                     std::move(rows))
                   .c_str(),
               stdout);
    return;
  }
  std::fputs(Table({"layer", "operators", "device", "there", "elsewhere", "edges", "why"},
                   "lllrrrl", std::move(rows))
                 .c_str(),
             stdout);
}

std::string Share(const char* name, double part, double total) {
  return fmt::format("{} {} ({:.1f} %)", name, network::TimeText(part),
                     total > 0 ? 100 * part / total : 0.0);
}

void PrintTotals(const compiler::PlacedNetwork& placed, const isa::Config& config,
                 const std::optional<network::Objective>& goal, int accelerators) {
  const network::NetworkTimes& t = placed.times;
  const bool gpu = t.by_gpu() > 0 || !config.gpu.driver.empty();
  std::printf("forecast: %s an inference: %s, %s, %s%s, %s\n", network::TimeText(t.total()).c_str(),
              Share("accelerator", t.accelerator, t.total()).c_str(),
              Share("host", t.host, t.total()).c_str(),
              gpu ? (Share("GPU", t.gpu, t.total()) + ", ").c_str() : "",
              Share("starts", t.start, t.total()).c_str(),
              Share("transfers", t.carry + t.link, t.total()).c_str());
  if (!placed.shared.empty()) {
    std::printf("both devices make %zu layer%s, and work at once for %s of it\n",
                placed.shared.size(), placed.shared.size() == 1 ? "" : "s",
                network::TimeText(t.together).c_str());
  }
  if (placed.cycles) {
    network::NetworkTimes exact = t;
    exact.accelerator =
        static_cast<double>(*placed.cycles) / (static_cast<double>(config.clock_mhz) * 1e6);
    std::printf(
        "with the accelerator's exact cycles: %s an inference; its programs take %s cycles, %s\n",
        network::TimeText(exact.total()).c_str(),
        Grouped(static_cast<int64_t>(*placed.cycles)).c_str(),
        network::TimeText(exact.accelerator).c_str());
  }
  const double stream = network::Objective{network::Objective::Kind::kThroughput}.Of(t);
  std::printf("in a stream: %s inferences a second, the %s is busy %s of each\n",
              Grouped(static_cast<int64_t>(1 / stream)).c_str(),
              stream <= t.accelerator ? "accelerator"
              : stream <= t.by_gpu()  ? "GPU"
                                      : "host",
              network::TimeText(stream).c_str());
  if (accelerators > 1) {
    // Each runs its items one after another; the host's work is that of all of them.
    const double each = std::max(t.total() / accelerators, t.by_host());
    std::printf("with %d accelerators: %s items a second%s\n", accelerators,
                Grouped(static_cast<int64_t>(1 / each)).c_str(),
                each > t.by_host() ? "" : ", as many as the host can serve");
  }
  if (goal && goal->kind == network::Objective::Kind::kEnergy)
    std::printf("energy: %.3g mJ an inference\n", 1e3 * goal->Of(t));
  std::printf("all on the host: %s\n", network::TimeText(placed.on_host.total()).c_str());
  std::printf(
      "The accelerator is configuration %s at %lld MHz, the host %lld cores of %s%s. Figures are "
      "estimates%s.\n",
      config.name.c_str(), static_cast<long long>(config.clock_mhz),
      static_cast<long long>(config.cpu.cores), config.cpu.name.c_str(),
      config.gpu.driver.empty()
          ? ""
          : fmt::format(", the GPU {} processors of {} lanes at {} MHz through {}",
                        config.gpu.processors, config.gpu.lanes, config.gpu.clock_mhz,
                        config.gpu.driver)
                .c_str(),
      placed.cycles ? ", exact cycles apart" : "");
}

void PrintMeasured(const MeasuredPlacement& m, const compiler::PlacedNetwork& placed,
                   const isa::Config& config) {
  const network::NetworkTimes& t = placed.times;
  std::printf(
      "measured: %s an inference%s: accelerator %s on %s (forecast %s), host %s%s%s, packing "
      "and transfers %s\n",
      network::TimeText(m.total()).c_str(),
      m.same_cpu ? fmt::format(" (forecast without starts {})",
                               ErrorCell(t.total() - t.start + t.together, m.total(), true))
                       .c_str()
                 : "",
      network::TimeText(m.accelerator).c_str(), m.device.c_str(),
      ErrorCell(t.accelerator, m.accelerator, true).c_str(), network::TimeText(m.host).c_str(),
      m.same_cpu ? fmt::format(" (forecast {})", ErrorCell(t.host, m.host, true)).c_str() : "",
      m.gpu > 0 ? fmt::format(", GPU with its transfers {} (forecast {})", network::TimeText(m.gpu),
                              ErrorCell(t.by_gpu(), m.gpu, true))
                      .c_str()
                : "",
      network::TimeText(m.carry).c_str());
  if (!m.same_cpu) {
    std::printf(
        "The host's times are those of this computer, its forecast is for %s: `tessera "
        "devices --measure` describes this computer.\n",
        config.cpu.name.c_str());
  }
}

Result<int> Run(const PlaceFlags& flags) {
  TESSERA_TRY(CheckJson(flags.json));
  if (!flags.output.empty()) TESSERA_TRY(CheckWritable(flags.output));
  if (!flags.times.empty() && !flags.measure.empty()) TESSERA_TRY(CheckWritable(flags.times));
  compiler::CompileOptions options;
  TESSERA_ASSIGN(options.config, isa::LoadConfig(flags.config));
  TESSERA_TRY(SetPlaces(flags.import, &options));
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(flags.model));
  TESSERA_ASSIGN(const ImportOptions importing, ImportOptionsOf(flags.import));
  TESSERA_ASSIGN(const graph::Graph graph, ImportModel(bytes, flags.model, importing));
  std::shared_ptr<network::LayerTimes> times;
  if (!flags.times.empty()) {
    TESSERA_ASSIGN(times, OpenLayerTimes(flags.times, options.config, !flags.measure.empty()));
    options.measured = times;
  }
  Result<compiler::PlacedNetwork> placed;
  std::optional<MeasuredPlacement> measured;
  if (times != nullptr && !flags.measure.empty()) {
    Progress progress("runs that measure layers");
    auto learnt = LearnTimes(graph, options, flags.exact, flags.measure, times.get(),
                             [&](int64_t done, int64_t all) { progress.Update(done, all); });
    if (!learnt) return Within(flags.model, learnt.error());
    placed = std::move(learnt->placed);
    measured = std::move(learnt->measured);
    TESSERA_TRY(WriteFile(flags.times, times->Print()));
  } else {
    Progress progress("costs of layers");
    placed = compiler::PlaceNetwork(graph, options, flags.exact,
                                    [&](int64_t done, int64_t all) { progress.Update(done, all); });
    if (!placed) return Within(flags.model, placed.error());
  }
  if (flags.strict) TESSERA_TRY(CheckStrict(placed->coverage, flags.model));
  if (times == nullptr && !flags.measure.empty()) {
    TESSERA_ASSIGN(measured, MeasurePlacement(*placed, graph, options, flags.measure));
  }
  if (flags.json != "-") {
    PrintTable(*placed, options.config, measured);
    PrintTotals(*placed, options.config, options.goal, flags.accelerators);
    if (measured) PrintMeasured(*measured, *placed, options.config);
    std::printf("%s\n", CoverageText(placed->coverage).c_str());
  }
  if (!flags.output.empty()) {
    const std::string text =
        fmt::format(
            "# Devices of the layers of {}, for --place. Lines may be edited or left out.\n",
            Legible(flags.model)) +
        network::PrintPins(placed->Pins());
    TESSERA_TRY(
        WriteFile(flags.output, {reinterpret_cast<const uint8_t*>(text.data()), text.size()}));
  }
  TESSERA_TRY(WriteJson(flags.json, PlacementJson(*placed, measured, flags.model, options.config)));
  return kExitOk;
}

}  // namespace

Action AddPlace(CLI::App& app) {
  auto flags = std::make_shared<PlaceFlags>();
  CLI::App* verb =
      app.add_subcommand("place", "which device runs each layer of a model, at what cost, and why");
  verb->add_option("model", flags->model, "a TFLite or ONNX model")->required();
  verb->add_option("-o,--output", flags->output,
                   "write the placement to this file, to be edited and given to --place");
  verb->add_option("--config", flags->config,
                   "configuration of the accelerator and its host: a name or a JSON file")
      ->capture_default_str();
  AddImportOptions(verb, flags->import);
  AddPlaceOption(verb, flags->import);
  verb->add_flag("--strict", flags->strict, "an error where an operator is left to the host");
  verb->add_flag("--exact", flags->exact,
                 "also make the accelerator's programs and count their cycles on device cycle");
  verb->add_option("--accelerators", flags->accelerators,
                   "also print the items a second of so many accelerators that share the items, as "
                   "with `run --accelerators`")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  verb->add_option("--measure", flags->measure,
                   "also run the network once on this device, and print what each layer took "
                   "beside its forecast, with the error")
      ->type_name("DEVICE");
  verb->add_option(
          "--times", flags->times,
          "layers of the host and the GPU cost what this file says that they took on this "
          "computer; with --measure also measure them and write the file: the network runs "
          "on the host alone, on the GPU alone if the configuration has one, and by the "
          "placement that is then the best, until that stays the same")
      ->type_name("FILE");
  verb->add_option("--json", flags->json,
                   "write entities (layers), their placement and breakdowns of their costs in "
                   "seconds to this file");
  verb->footer(
      "Example: tessera place models/fashion/fashion_int8.onnx --config pynq\n"
      "The placement with the least time, whatever the devices:\n"
      "  tessera place models/fashion/fashion_int8.onnx --place latency\n"
      "The forecast beside a run:\n"
      "  tessera place models/fashion/fashion_int8.onnx --measure cycle\n"
      "The best placement by what layers took here:\n"
      "  tessera devices --measure -o here.json\n"
      "  tessera place models/fashion/fashion_int8.onnx --config here.json --place latency "
      "--measure cycle --times here.times\n"
      "To pin a layer:\n"
      "  tessera place models/fashion/fashion_int8.onnx -o placement.txt\n"
      "  (edit placement.txt)\n"
      "  tessera compile models/fashion/fashion_int8.onnx --place placement.txt -o net.tsr");
  return [flags] { return Run(*flags); };
}

}  // namespace tessera::tools
