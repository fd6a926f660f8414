// SPDX-License-Identifier: Apache-2.0
#include "tools/compare_report.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "tools/network.h"
#include "tools/output.h"

namespace tessera::tools {
namespace {

std::string Percent(std::optional<double> share) {
  return share ? fmt::format("{:.1f} %", 100 * *share) : "-";
}
std::string PredictionTable(const Comparison& c) {
  std::vector<std::string> header{"image"};
  std::string align = "r";
  if (!c.labels.empty()) header.push_back("label");
  for (const std::string& device : c.devices) header.push_back(device);
  align.append(header.size() - 1, 'r');
  std::vector<std::vector<std::string>> rows;
  for (int64_t i = 0; i < std::min(c.images, kShownItems); ++i) {
    const size_t at = static_cast<size_t>(i);
    std::vector<std::string> row{fmt::format("{}", i)};
    if (!c.labels.empty()) row.push_back(fmt::format("{}", c.labels[at]));
    for (const Classes& classes : c.classes)
      row.push_back(fmt::format("{}", fmt::join(classes.top[at], ", ")));
    rows.push_back(std::move(row));
  }
  std::string text = Table(header, align, rows);
  if (c.images > kShownItems) text += fmt::format("... and {} more\n", c.images - kShownItems);
  return text;
}

// Says which layers' results were compared, and how to see the others.
std::string KeptText(const Comparison& c) {
  if (c.devices.size() < 2) return "";
  const std::string& first = c.devices[0];
  if (c.KeepsLayers())
    return fmt::format("Every layer's result was compared, value by value, with the one on {}.\n",
                       first);
  const std::string kept = c.kept == 0
                               ? "no layer's result"
                               : fmt::format("{} of {} layers' results", c.kept, c.layers.size());
  return fmt::format(
      "The artifact keeps {}: {}the outputs were compared with those on {}; compile with "
      "--keep-tensors to see every layer.\n",
      kept, c.kept == 0 ? "" : "they and ", first);
}

std::string LayerTable(const Comparison& c) {
  const ClockedRun* const shown = c.Shown();
  std::vector<std::string> header{"layer", "operator", "where", "MACs"};
  for (const ClockedRun& clock : c.clocks) header.push_back(fmt::format("{} cycles", clock.device));
  if (c.clocks.empty()) header.push_back("cycles");
  header.insert(header.end(), {"MACs used", "mismatches"});
  const auto cycles = [&](std::vector<std::string>& row, const auto& of) {
    for (const ClockedRun& clock : c.clocks) row.push_back(of(clock));
    if (c.clocks.empty()) row.push_back("-");
  };
  std::vector<std::vector<std::string>> rows;
  for (size_t l = 0; l < c.layers.size(); ++l) {
    const LayerRow& layer = c.layers[l];
    std::vector<std::string> row{layer.name, layer.op,
                                 layer.stays ? layer.device + ", stays" : layer.device,
                                 Grouped(layer.macs)};
    cycles(row, [&](const ClockedRun& clock) {
      return clock.unseen.empty() ? Grouped(clock.layer_cycles[l]) : "-";
    });
    const bool seen = shown != nullptr && shown->unseen.empty() && layer.macs != 0;
    row.push_back(seen ? Percent(c.Utilisation(layer.macs, shown->layer_cycles[l])) : "-");
    row.push_back(layer.values == 0 && c.devices.size() > 1 ? "-" : Grouped(layer.mismatches));
    rows.push_back(std::move(row));
  }
  std::vector<std::string> total{"total", "", "", Grouped(c.Macs())};
  cycles(total, [](const ClockedRun& clock) { return Grouped(clock.cycles); });
  total.push_back(Percent(c.Utilisation(c.Macs(), shown == nullptr ? 0 : shown->cycles)));
  total.push_back(Grouped(c.Mismatches()));
  rows.push_back(std::move(total));
  return Table(header, "lll" + std::string(header.size() - 3, 'r'), rows);
}

// Whether all devices with a clock took the same cycles, and where they first differ.
std::string CyclesAgree(const Comparison& c) {
  const std::string named =
      fmt::format("{}", fmt::join(std::views::transform(c.clocks, &ClockedRun::device), ", "));
  const bool same_total = std::ranges::all_of(
      c.clocks, [&](const ClockedRun& clock) { return clock.cycles == c.clocks[0].cycles; });
  const ClockedRun& shown = *c.Shown();
  bool by_layer = false;  // another device also tells the cycles of layers
  for (const ClockedRun& clock : c.clocks) {
    if (&clock == &shown || !clock.unseen.empty()) continue;
    by_layer = true;
    const auto [at, other] = std::ranges::mismatch(shown.layer_cycles, clock.layer_cycles);
    if (at == shown.layer_cycles.end()) continue;
    const auto layer = static_cast<size_t>(at - shown.layer_cycles.begin());
    return fmt::format(
        "The cycles of {} are not the same: {} is the first layer that differs, {} on {} and {} on "
        "{}.\n",
        named, c.layers[layer].name, Grouped(*at), shown.device, Grouped(*other), clock.device);
  }
  return fmt::format("The cycles of {} are {}{}.\n", named,
                     same_total ? "the same" : "not the same",
                     by_layer && same_total ? ", layer by layer" : ", in total");
}

// The outputs, and how near they are to a reference.
std::string OutputTable(const Comparison& c) {
  const bool reference = std::ranges::any_of(
      c.outputs, [](const OutputRow& output) { return output.reference.has_value(); });
  if (c.outputs.size() < 2 && !reference) return "";
  std::vector<std::string> header{"output", "type", "values", "mismatches"};
  if (reference) header.insert(header.end(), {"same class", "max difference", "cosine", "SNR, dB"});
  std::vector<std::vector<std::string>> rows;
  for (const OutputRow& output : c.outputs) {
    const bool compared = c.devices.size() > 1;
    rows.push_back({output.name, output.type, compared ? Grouped(output.values) : "-",
                    compared ? Grouped(output.mismatches) : "-"});
    if (!reference) continue;
    std::vector<std::string> cells(4, "-");
    if (const auto& near = output.reference) {
      if (near->agree()) cells[0] = fmt::format("{} of {}", *near->agree(), near->items());
      cells[1] = fmt::format("{:.6g}", near->max_difference());
      cells[2] = fmt::format("{:.6f}", near->cosine());
      cells[3] = fmt::format("{:.1f}", near->snr_db());
    }
    rows.back().insert(rows.back().end(), cells.begin(), cells.end());
  }
  const std::string what =
      reference ? fmt::format("\nOutputs, and those on {} beside the reference:\n", c.devices[0])
                : "\nOutputs:\n";
  return what + Table(header, reference ? "llrrrrrr" : "llrr", std::move(rows));
}

// The counters of each clock, and why cycles of layers are missing.
std::string CyclesText(const Comparison& c) {
  std::string text;
  for (const ClockedRun& clock : c.clocks) {
    text += fmt::format("{}{} cycles an image are {:.3f} ms at {:g} MHz.\n",
                        c.clocks.size() > 1 ? clock.device + ": " : "", Grouped(clock.cycles),
                        static_cast<double>(clock.cycles) / (1e3 * clock.mhz), clock.mhz);
  }
  if (const auto seconds = c.HostSeconds(); seconds && c.programs > 0) {
    text += fmt::format("The host's steps took {:.3f} ms an image, measured on this machine.\n",
                        1e3 * *seconds);
  }
  if (c.Shown() != nullptr && c.Shown()->unseen.empty()) {
    text +=
        "Layers overlap: cycles in which the multipliers work are charged to the layer they work "
        "for,\nwaiting to the layer that ends it.\n";
  }
  for (const ClockedRun& clock : c.clocks) {
    if (!clock.unseen.empty())
      text +=
          fmt::format("Not seen: the cycles of a layer on {}; {}.\n", clock.device, clock.unseen);
  }
  if (c.clocks.size() > 1) text += CyclesAgree(c);
  return text;
}

// The host's steps around the accelerator's runs.
std::string HostText(const Comparison& c) {
  if (c.host.empty() || c.programs == 0) return "";
  std::vector<std::vector<std::string>> steps;
  for (const HostStep& step : c.host) {
    steps.push_back(
        {step.what, Grouped(step.bytes_read), Grouped(step.bytes_written),
         c.host_runs == 0
             ? "-"
             : fmt::format("{:.3f}", 1e3 * step.seconds / static_cast<double>(c.host_runs))});
  }
  return fmt::format(
             "\nLeft to the host around the accelerator's {}, for each image, and not in the "
             "cycles:\n",
             c.programs == 1 ? "one run" : fmt::format("{} runs", c.programs)) +
         Table({"step", "bytes read", "bytes written", "ms on this machine"}, "lrrr", steps);
}

// The line at the end when no value differs by more than it may.
std::string OkText(const Comparison& c) {
  const std::string on = fmt::format("{}", fmt::join(c.devices, ", "));
  if (c.allowed.empty())
    return fmt::format("\nok: all {} compared values are equal on {}\n", Grouped(c.Values()), on);
  return fmt::format(
      "\nok: of {} compared values on {}, {} are equal and {} differ, by {:.1e} of the greatest "
      "value "
      "of their tensor at most; fast floats may differ by the errors of the layers up to there "
      "together, at the outputs {:.1e}\n",
      Grouped(c.Values()), on, Grouped(c.Values() - c.apart.within), Grouped(c.apart.within),
      c.apart.greatest, c.allowed.back());
}

}  // namespace

std::optional<double> Comparison::HostSeconds() const {
  if (host_runs == 0) return std::nullopt;
  double sum = 0;
  for (const HostStep& step : host) sum += step.seconds;
  return sum / static_cast<double>(host_runs);
}

int64_t Comparison::Macs() const {
  int64_t sum = 0;
  for (const LayerRow& layer : layers) sum += layer.macs;
  return sum;
}
int64_t Comparison::LayerMismatches() const {
  int64_t sum = 0;
  for (const LayerRow& layer : layers) sum += layer.mismatches;
  return sum;
}
int64_t Comparison::OutputMismatches() const {
  int64_t sum = 0;
  for (const OutputRow& output : outputs) sum += output.mismatches;
  return sum;
}
int64_t Comparison::Mismatches() const { return OutputMismatches() + LayerMismatches(); }
int64_t Comparison::Values() const {
  int64_t sum = 0;
  for (const OutputRow& output : outputs) sum += output.values;
  for (const LayerRow& layer : layers) sum += layer.values;
  return sum;
}

const ClockedRun* Comparison::Shown() const {
  const auto tells = std::ranges::find(clocks, "", &ClockedRun::unseen);
  if (tells != clocks.end()) return &*tells;
  return clocks.empty() ? nullptr : &clocks.front();
}

std::optional<double> Comparison::Utilisation(int64_t macs, int64_t cycles_taken) const {
  if (cycles_taken <= 0) return std::nullopt;
  return static_cast<double>(macs) /
         (static_cast<double>(cycles_taken) * static_cast<double>(config.macs_per_cycle()));
}

std::optional<double> Comparison::Right(size_t d, int64_t of) const {
  if (labels.empty() || images == 0) return std::nullopt;
  return static_cast<double>(classes[d].Hits(labels, static_cast<size_t>(of))) /
         static_cast<double>(images);
}

const char* Comparison::MemoryName() const {
  return config.dram == isa::DramModel::kTsim ? "tsim" : "zynq";
}

std::string ReportText(const Comparison& c) {
  std::string text =
      fmt::format("{}: {} layers, {} multiply-accumulates (MACs) an image, {} images\n", c.model,
                  c.layers.size(), Grouped(c.Macs()), c.images);
  text += fmt::format(
      "accelerator: configuration {}, an array of {}x{}x{} = {} MACs a cycle, memory model {}\n",
      c.config.name, c.config.batch, c.config.block_out, c.config.block_in,
      c.config.macs_per_cycle(), c.MemoryName());
  for (const std::string& device : c.devices) text += fmt::format("  {}\n", DescribeDevice(device));
  if (c.accelerators > 1) {
    text += fmt::format(
        "each simulator is there {} times: its accelerators share the images, and run at the same "
        "time\n",
        c.accelerators);
  }
  text += c.pixels_line;
  if (!c.Whole()) {
    text += fmt::format("interrupted: {} of {} images were compared; what follows is of these\n",
                        c.images, c.asked);
  }
  text += KeptText(c) + "\n" + LayerTable(c) + CyclesText(c);
  const bool stays = std::ranges::any_of(c.layers, &LayerRow::stays);
  if (stays && c.KeepsLayers()) {
    text +=
        "A result that stays never leaves the chip; it was compared in a second run, whose program "
        "stores it too.\n";
  }
  text += c.coverage_lines + HostText(c);
  if (c.explain) text += ExplainText(c);
  text += OutputTable(c);
  if (c.class_output) {
    text += fmt::format("\nPredicted {} of each image{}:\n", c.top > 1 ? "classes" : "class",
                        c.outputs.size() > 1 ? ", by " + c.outputs[*c.class_output].name : "") +
            PredictionTable(c);
    for (size_t d = 0; d < c.devices.size() && !c.labels.empty(); ++d) {
      text += fmt::format("{}: {} right", c.devices[d], Percent(c.Right(d, 1)));
      if (c.top > 1) text += fmt::format(", {} in the first {}", Percent(c.Right(d, c.top)), c.top);
      text += "\n";
    }
  }
  if (c.devices.size() > 1) {
    text += c.Ok() ? OkText(c)
                   : fmt::format("\nNOT EQUAL: {} of {} compared values differ from {}\n",
                                 Grouped(c.Mismatches()), Grouped(c.Values()), c.devices[0]) +
                         c.where;
  }
  return text;
}

}  // namespace tessera::tools
