// SPDX-License-Identifier: Apache-2.0
#include "tools/compare_report.h"

#include <fmt/ranges.h>

#include "tools/network.h"
#include "tools/output.h"

namespace tessera::tools {
namespace {

constexpr int64_t kShownImages = 16;

std::string Percent(std::optional<double> share) {
  return share ? fmt::format("{:.1f} %", 100 * *share) : "-";
}
const char* MemoryName(const isa::Config& c) {
  return c.dram == isa::DramModel::kTsim ? "tsim" : "zynq";
}

std::string PredictionTable(const Comparison& c) {
  std::vector<std::string> header{"image"};
  std::string align = "r";
  if (!c.labels.empty()) header.push_back("label");
  for (const std::string& device : c.devices) header.push_back(device);
  align.append(header.size() - 1, 'r');
  std::vector<std::vector<std::string>> rows;
  for (int64_t i = 0; i < std::min(c.images, kShownImages); ++i) {
    const size_t at = static_cast<size_t>(i);
    std::vector<std::string> row{fmt::format("{}", i)};
    if (!c.labels.empty()) row.push_back(fmt::format("{}", c.labels[at]));
    for (const auto& predictions : c.predictions) row.push_back(fmt::format("{}", predictions[at]));
    rows.push_back(std::move(row));
  }
  std::string text = Table(header, align, rows);
  if (c.images > kShownImages) text += fmt::format("... and {} more\n", c.images - kShownImages);
  return text;
}

}  // namespace

int64_t Comparison::Macs() const {
  int64_t sum = 0;
  for (const LayerRow& layer : layers) sum += layer.macs;
  return sum;
}
int64_t Comparison::Mismatches() const {
  int64_t sum = output_mismatches;
  for (const LayerRow& layer : layers) sum += layer.mismatches;
  return sum;
}
int64_t Comparison::Values() const {
  int64_t sum = output_values;
  for (const LayerRow& layer : layers) sum += layer.values;
  return sum;
}

std::optional<double> Comparison::Utilisation(int64_t macs, int64_t cycles_taken) const {
  if (cycles_taken <= 0) return std::nullopt;
  return static_cast<double>(macs) /
         (static_cast<double>(cycles_taken) * static_cast<double>(config.macs_per_cycle()));
}

std::optional<double> Comparison::Top1(size_t d) const {
  if (labels.empty() || images == 0) return std::nullopt;
  int64_t hits = 0;
  for (size_t i = 0; i < labels.size(); ++i) hits += predictions[d][i] == labels[i];
  return static_cast<double>(hits) / static_cast<double>(images);
}

std::string ReportText(const Comparison& c) {
  std::string text =
      fmt::format("{}: {} layers, {} multiply-accumulates (MACs) an image, {} images\n", c.model,
                  c.layers.size(), Grouped(c.Macs()), c.images);
  text += fmt::format(
      "accelerator: configuration {}, an array of {}x{}x{} = {} MACs a cycle, memory model {}\n",
      c.config.name, c.config.batch, c.config.block_out, c.config.block_in,
      c.config.macs_per_cycle(), MemoryName(c.config));
  for (const std::string& device : c.devices) text += fmt::format("  {}\n", DescribeDevice(device));
  if (c.devices.size() > 1 && c.keeps_layers) {
    text += fmt::format("Every layer's result was compared, value by value, with the one on {}.\n",
                        c.devices[0]);
  } else if (c.devices.size() > 1) {
    text += fmt::format(
        "The artifact does not keep every layer's result: what it keeps, and the network's "
        "outputs, "
        "were compared\nwith those on {}. tessera compile --keep-tensors makes one that keeps "
        "all.\n",
        c.devices[0]);
  }
  const std::string clock = c.clocked.empty() ? "" : fmt::format("{} cycles", c.clocked);
  std::vector<std::vector<std::string>> rows;
  bool stays = false;
  for (const LayerRow& l : c.layers) {
    stays |= l.stays;
    rows.push_back({l.name, l.op, l.stays ? l.device + ", stays" : l.device, Grouped(l.macs),
                    c.clocked.empty() ? "-" : Grouped(l.cycles),
                    l.macs ? Percent(c.Utilisation(l.macs, l.cycles)) : "-",
                    l.values == 0 && c.devices.size() > 1 ? "-" : Grouped(l.mismatches)});
  }
  rows.push_back({"total", "", "", Grouped(c.Macs()), c.clocked.empty() ? "-" : Grouped(c.cycles),
                  Percent(c.Utilisation(c.Macs(), c.cycles)), Grouped(c.Mismatches())});
  text += "\n" + Table({"layer", "operator", "where", "MACs", c.clocked.empty() ? "cycles" : clock,
                        "MACs used", "mismatches"},
                       "lllrrrr", rows);
  if (!c.clocked.empty()) {
    text += fmt::format(
        "{} cycles an image are {:.3f} ms at {:g} MHz. Layers overlap: a layer is charged "
        "from\nthe "
        "end of the one before it, so one whose work began early can show more than 100 %.\n",
        Grouped(c.cycles), static_cast<double>(c.cycles) / (1e3 * c.clock_mhz), c.clock_mhz);
  }
  if (stays && c.keeps_layers) {
    text +=
        "A result that stays never leaves the chip; it was compared in a second run, whose program "
        "stores it too.\n";
  }
  text += c.host_only;
  if (!c.host.empty() && c.programs > 0) {
    std::vector<std::vector<std::string>> steps;
    for (const HostStep& step : c.host)
      steps.push_back({step.what, Grouped(step.bytes_read), Grouped(step.bytes_written)});
    text += fmt::format("\nLeft to the host around the accelerator's {}, for each image:\n",
                        c.programs == 1 ? "one run" : fmt::format("{} runs", c.programs)) +
            Table({"step", "bytes read", "bytes written"}, "lrr", steps);
  }
  if (c.explain) text += ExplainText(c);
  text += "\nPredicted class of each image:\n" + PredictionTable(c);
  for (size_t d = 0; d < c.devices.size(); ++d) {
    if (const auto top1 = c.Top1(d))
      text += fmt::format("{}: {} right\n", c.devices[d], Percent(top1));
  }
  if (c.devices.size() > 1) {
    text += c.Ok() ? fmt::format("\nok: all {} compared values are equal on {}\n",
                                 Grouped(c.Values()), fmt::join(c.devices, ", "))
                   : fmt::format("\nNOT EQUAL: {} of {} compared values differ from {}\n",
                                 Grouped(c.Mismatches()), Grouped(c.Values()), c.devices[0]);
  }
  return text;
}

nlohmann::ordered_json ReportJson(const Comparison& c) {
  const auto number = [](std::optional<double> v) { return v ? Json(*v) : Json(nullptr); };
  Json layers = Json::array();
  for (const LayerRow& l : c.layers) {
    Json units = Json::object();
    constexpr const char* kUnitKeys[] = {"load", "gemm", "vector", "store"};
    for (size_t u = 0; u < l.units.size() && c.explain; ++u) {
      const UnitCounters& n = l.units[u];
      units[kUnitKeys[u]] = {{"busy", n.busy},
                             {"token_wait", n.token_wait},
                             {"memory_wait", n.memory_wait},
                             {"hazard", n.hazard},
                             {"idle", n.idle}};
    }
    layers.push_back({{"name", l.name},
                      {"op", l.op},
                      {"device", l.device},
                      {"stays", l.stays},
                      {"macs", l.macs},
                      {"cycles", l.cycles},
                      {"utilisation", number(c.Utilisation(l.macs, l.cycles))},
                      {"values", l.values},
                      {"mismatches", l.mismatches}});
    if (c.explain) layers.back()["units"] = units;
  }
  Json host = Json::array();
  for (const HostStep& step : c.host)
    host.push_back({{"step", step.what},
                    {"bytes_read", step.bytes_read},
                    {"bytes_written", step.bytes_written}});
  return {{"ok", c.Ok()},
          {"model", c.model},
          {"config", c.config.name},
          {"memory", MemoryName(c.config)},
          {"devices", c.devices},
          {"layers", layers},
          {"host", host},
          {"programs", c.programs},
          {"keeps_layers", c.keeps_layers},
          {"totals",
           {{"images", c.images},
            {"macs", c.Macs()},
            {"cycles", c.cycles},
            {"utilisation", number(c.Utilisation(c.Macs(), c.cycles))},
            {"values", c.Values()},
            {"mismatches", c.Mismatches()},
            {"top1", number(c.Top1(0))}}},
          {"labels", c.labels},
          {"predictions", c.predictions}};
}

}  // namespace tessera::tools
