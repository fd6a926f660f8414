// SPDX-License-Identifier: Apache-2.0
#include "tools/place_json.h"

namespace tessera::tools {
namespace {

Json Metric(const char* name, double seconds) {
  return {{"name", name}, {"value", seconds}, {"unit", "s"}};
}

Json MetricsOf(const network::NetworkTimes& times) {
  return {Metric("host", times.host),         Metric("accelerator", times.accelerator),
          Metric("gpu", times.gpu),           Metric("starts", times.start),
          Metric("transfers", times.carry),   Metric("gpu_transfers", times.link),
          Metric("together", times.together), Metric("total", times.total())};
}

}  // namespace

Json PlacementJson(const compiler::PlacedNetwork& placed,
                   const std::optional<MeasuredPlacement>& measured, const std::string& model,
                   const isa::Config& config) {
  Json entities{
      {{"id", "network"}, {"kind", "network"}, {"name", model}, {"parent_ids", Json::array()}}};
  Json breakdowns = Json::array();
  for (size_t l = 0; l < placed.layers.size(); ++l) {
    const compiler::PlacedLayer& layer = placed.layers[l];
    const std::string id = "layer" + std::to_string(l);
    entities.push_back({{"id", id},
                        {"kind", "layer"},
                        {"name", layer.name},
                        {"operators", layer.op},
                        {"parent_ids", {"network"}},
                        {"placement", network::DeviceText(layer.cost.device)},
                        {"reason", network::ReasonOf(layer.cost, config.cpu.name)}});
    Json metrics{{{"name", "macs"}, {"value", layer.macs}, {"unit", "MAC"}}};
    if (layer.cost.here) metrics.push_back(Metric("here", *layer.cost.here));
    if (measured && measured->layers[l])
      metrics.push_back(Metric("measured", *measured->layers[l]));
    if (layer.cost.moved) {
      metrics.push_back(Metric("on_host", layer.cost.moved->OnHost()));
      metrics.push_back(Metric("on_accelerator", layer.cost.moved->OnAccelerator()));
      metrics.push_back(Metric("starts_saved_on_host", layer.cost.moved->start));
      metrics.push_back(Metric("transfers_saved_on_host", layer.cost.moved->carry));
    }
    breakdowns.push_back({{"entity_id", id}, {"metrics", std::move(metrics)}});
  }
  Json metrics = MetricsOf(placed.times);
  if (placed.cycles) {
    metrics.push_back(
        {{"name", "accelerator_exact"}, {"value", *placed.cycles}, {"unit", "cycles"}});
  }
  Json run;
  if (measured) {
    run = {{"device", measured->device},
           {"same_cpu", measured->same_cpu},
           {"metrics",
            {Metric("accelerator", measured->accelerator), Metric("host", measured->host),
             Metric("gpu", measured->gpu), Metric("transfers", measured->carry),
             Metric("total", measured->total())}}};
  }
  return {{"schema_version", "1.1.0"},
          {"results",
           {{{"kind", "placement"},
             {"producer", fmt::format("tessera {}", TESSERA_VERSION)},
             {"config", config.name},
             {"cpu", config.cpu.name},
             {"metrics", std::move(metrics)},
             {"metrics_all_on_host", MetricsOf(placed.on_host)},
             {"measured", std::move(run)},
             {"entities", std::move(entities)},
             {"breakdowns", std::move(breakdowns)}}}}};
}

}  // namespace tessera::tools
