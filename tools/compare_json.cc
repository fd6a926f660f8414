// SPDX-License-Identifier: Apache-2.0
//
// compare --json.
#include "tools/compare_report.h"
#include "tools/output.h"
#include "tools/unit_parts.h"

namespace tessera::tools {
nlohmann::ordered_json ReportJson(const Comparison& c) {
  const auto number = [](std::optional<double> v) { return v ? Json(*v) : Json(nullptr); };
  const ClockedRun* const shown = c.Shown();
  Json layers = Json::array();
  for (size_t at = 0; at < c.layers.size(); ++at) {
    const LayerRow& l = c.layers[at];
    const bool seen = shown != nullptr && shown->unseen.empty();
    const int64_t cycles = seen ? shown->layer_cycles[at] : 0;
    layers.push_back({{"name", l.name},
                      {"op", l.op},
                      {"device", l.device},
                      {"stays", l.stays},
                      {"macs", l.macs},
                      {"cycles", seen || shown == nullptr ? Json(cycles) : Json(nullptr)},
                      {"utilisation", number(c.Utilisation(l.macs, cycles))},
                      {"values", l.values},
                      {"mismatches", l.mismatches}});
    if (!c.allowed.empty()) layers.back()["allowed"] = c.allowed[at];
    if (c.explain && seen) layers.back()["units"] = UnitsJson(shown->layer_units[at]);
  }
  Json clocks = Json::array();
  for (const ClockedRun& clock : c.clocks) {
    clocks.push_back({{"device", clock.device},
                      {"mhz", clock.mhz},
                      {"cycles", clock.cycles},
                      {"units", UnitsJson(clock.units)}});
    if (clock.unseen.empty()) {
      clocks.back()["layer_cycles"] = clock.layer_cycles;
    } else {
      clocks.back()["unseen"] = clock.unseen;
    }
  }
  Json host = Json::array();
  for (const HostStep& step : c.host) {
    host.push_back({{"step", step.what},
                    {"bytes_read", step.bytes_read},
                    {"bytes_written", step.bytes_written}});
    if (c.host_runs > 0) host.back()["seconds"] = step.seconds / static_cast<double>(c.host_runs);
  }
  Json outputs = Json::array();
  for (const OutputRow& output : c.outputs) {
    outputs.push_back({{"name", output.name},
                       {"type", output.type},
                       {"values", output.values},
                       {"mismatches", output.mismatches}});
    if (output.reference) outputs.back()["reference"] = output.reference->Json();
  }
  Json predictions = Json::array();
  for (const Classes& classes : c.classes) {
    predictions.push_back(Json::array());
    for (const auto& top : classes.top) predictions.back().push_back(top[0]);
  }
  Json json{
      {"ok", c.Ok() && c.Whole()},
      {"where", c.where},
      {"model", c.model},
      {"config", c.config.name},
      {"memory", c.MemoryName()},
      {"devices", c.devices},
      {"accelerators", c.accelerators},
      {"layers", layers},
      {"host", host},
      {"outputs", outputs},
      {"programs", c.programs},
      {"keeps_layers", c.KeepsLayers()},
      {"clocks", clocks},
      {"totals",
       {{"images", c.images},
        {"macs", c.Macs()},
        {"cycles", shown == nullptr ? 0 : shown->cycles},
        {"utilisation", number(c.Utilisation(c.Macs(), shown == nullptr ? 0 : shown->cycles))},
        {"host_seconds", number(c.HostSeconds())},
        {"values", c.Values()},
        {"mismatches", c.Mismatches()},
        {"within", c.apart.within},
        {"apart", c.apart.greatest},
        {"top1", number(c.class_output ? c.Right(0, 1) : std::nullopt)}}},
      {"labels", c.labels},
      {"predictions", predictions}};
  if (!c.coverage.is_null()) json["coverage"] = c.coverage;
  if (!c.Whole()) json["interrupted"] = true;
  if (c.top > 1) {
    json["classes"] = Json::array();
    for (const Classes& classes : c.classes) json["classes"].push_back(classes.top);
  }
  return json;
}

}  // namespace tessera::tools
