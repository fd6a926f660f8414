// SPDX-License-Identifier: Apache-2.0
#include "tools/quantize_report.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tessera::tools {
namespace {

std::string Decibels(double snr) { return std::isinf(snr) ? "exact" : fmt::format("{:.1f}", snr); }

std::string Percent(int64_t hits, int64_t of) {
  return fmt::format("{:.2f} %", 100.0 * static_cast<double>(hits) / static_cast<double>(of));
}

Json Number(double snr) { return std::isfinite(snr) ? Json(snr) : Json(nullptr); }

}  // namespace

std::vector<std::string> QuantizeReport::Proposed() const {
  std::vector<std::string> layers;
  const auto add = [&](const std::string& layer) {
    if (std::ranges::count(layers, layer) == 0) layers.push_back(layer);
  };
  if (OutputSnr() >= kBadOutput) return layers;
  for (const QuantizeRow& row : rows) {
    if (!row.integers || !row.channel_snr || *row.channel_snr >= kBadSnr ||
        *row.channel_snr >= row.operand_snr - kBadDrop)
      continue;
    add(row.layer);
    std::ranges::for_each(row.readers, add);
  }
  return layers;
}

std::string ReportText(const QuantizeReport& r) {
  std::string text = fmt::format("{}: {} items, method {}, activations {}\n", r.model,
                                 Grouped(r.items), r.method, r.activations);
  if (r.norms > 0)
    text += fmt::format("folded: {} BatchNormalization into what is in front\n", r.norms);
  if (r.biases > 0) text += fmt::format("folded: {} Add into the MatMul in front\n", r.biases);
  if (r.pairs > 0) {
    text += fmt::format("equalised: {} pairs of convolutions, outputs {} dB, {} dB without: {}\n",
                        r.pairs, Decibels(r.equalized_snr), Decibels(r.plain_snr),
                        r.equalized ? "kept" : "not kept");
  }
  std::vector<std::vector<std::string>> rows;
  for (const QuantizeRow& row : r.rows) {
    rows.push_back({row.layer, row.op, row.integers ? r.activations : "float",
                    row.snr ? Decibels(*row.snr) : "-",
                    row.channel_snr ? Decibels(*row.channel_snr) : "-",
                    row.integers ? fmt::format("{:.6g}", row.scale) : "-",
                    row.integers ? std::to_string(row.zero) : "-"});
  }
  text += "\n" + Table({"layer", "operator", "in", "SNR dB", "by channel", "scale", "zero"},
                       "lllrrrr", std::move(rows));
  text += fmt::format("\noutputs: SNR {} dB\n", Decibels(r.OutputSnr()));
  if (r.labelled) {
    text +=
        fmt::format("right: {} in float, {} in {}, of {} items\n", Percent(r.float_hits, r.items),
                    Percent(r.int8_hits, r.items), r.activations, Grouped(r.items));
  }
  if (const auto bad = r.Proposed(); !bad.empty())
    text += fmt::format("lose most; better in float: --float {}\n", fmt::join(bad, " --float "));
  text += fmt::format("wrote {}: {} bytes, {} before\n", r.output,
                      Grouped(static_cast<int64_t>(r.int8_bytes)),
                      Grouped(static_cast<int64_t>(r.float_bytes)));
  return text;
}

Json ReportJson(const QuantizeReport& r) {
  Json json{{"ok", true},
            {"model", r.model},
            {"output", r.output},
            {"method", r.method},
            {"activations", r.activations},
            {"items", r.items},
            {"folded_norms", r.norms},
            {"folded_biases", r.biases},
            {"equalization", {{"pairs", r.pairs}, {"kept", r.equalized}}},
            {"output_snr_db", Number(r.OutputSnr())}};
  if (r.labelled)
    json["right"] = {{"float", r.float_hits}, {"int8", r.int8_hits}, {"items", r.items}};
  json["proposed_float"] = r.Proposed();
  json["layers"] = Json::array();
  for (const QuantizeRow& row : r.rows) {
    Json layer{{"layer", row.layer}, {"operator", row.op}, {"integers", row.integers}};
    layer["snr_db"] = row.snr ? Number(*row.snr) : Json(nullptr);
    layer["channel_snr_db"] = row.channel_snr ? Number(*row.channel_snr) : Json(nullptr);
    layer["exact"] = row.snr && std::isinf(*row.snr);
    if (row.integers) {
      layer["scale"] = row.scale;
      layer["zero"] = row.zero;
    }
    json["layers"].push_back(std::move(layer));
  }
  return json;
}

}  // namespace tessera::tools
