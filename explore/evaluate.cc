// SPDX-License-Identifier: Apache-2.0
#include "explore/evaluate.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <nlohmann/json.hpp>

#include "compiler/driver/compile.h"
#include "compiler/driver/placement.h"
#include "sim/cycle/count.h"

namespace tessera::explore {
namespace {

// Of this process, so that other work on the computer counts nothing.
double ProcessorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

compiler::CompileOptions OptionsFor(const isa::Config& config) {
  compiler::CompileOptions options;
  options.config = config;
  options.cpu = false;
  options.layers_only = true;
  return options;
}

// The members of NetworkCost, in the order in which a line has them.
constexpr std::array kMembers{
    &NetworkCost::cycles, &NetworkCost::predicted, &NetworkCost::accelerator, &NetworkCost::host,
    &NetworkCost::start,  &NetworkCost::carry,     &NetworkCost::gemm,        &NetworkCost::vector,
    &NetworkCost::bus,    &NetworkCost::bytes};

}  // namespace

Result<NetworkCost> PredictNetwork(const ExploredNetwork& network, const isa::Config& config) {
  TESSERA_ASSIGN(const network::NetworkTimes t,
                 compiler::ForecastTimes(network.graph, OptionsFor(config)));
  const double cycles = t.accelerator * static_cast<double>(config.clock_mhz) * 1e6;
  return NetworkCost{.cycles = cycles,
                     .predicted = cycles,
                     .accelerator = t.accelerator,
                     .host = t.host,
                     .start = t.start,
                     .carry = t.carry};
}

NetworkCost CostOfRun(const RunReport& ran, const isa::Config& config) {
  const auto busy = [&](isa::Unit unit) {
    return static_cast<double>(ran.units[static_cast<size_t>(unit)].busy);
  };
  const auto cycles = static_cast<double>(ran.cycles);
  // Reads and writes have channels of their own.
  const auto beats = static_cast<double>(std::max(ran.bytes_read, ran.bytes_written)) /
                     static_cast<double>(config.bus_bytes());
  return {.cycles = cycles,
          .accelerator = cycles / (static_cast<double>(config.clock_mhz) * 1e6),
          .gemm = busy(isa::Unit::kGemm),
          .vector = busy(isa::Unit::kVector),
          .bus = beats,
          .bytes = static_cast<double>(ran.bytes_read + ran.bytes_written)};
}

Result<NetworkCost> RunNetwork(const ExploredNetwork& network, const isa::Config& config) {
  TESSERA_ASSIGN(NetworkCost cost, PredictNetwork(network, config));
  TESSERA_ASSIGN(const compiler::Compiled compiled,
                 compiler::Compile(network.graph, network.name, network.crc, OptionsFor(config)));
  cost.cycles = 0;
  for (const artifact::DeviceProgram& program : compiled.artifact.programs) {
    TESSERA_ASSIGN(const RunReport ran, sim::CountCycles(program.image, config));
    const NetworkCost part = CostOfRun(ran, config);
    cost.cycles += part.cycles, cost.gemm += part.gemm, cost.vector += part.vector;
    cost.bus += part.bus, cost.bytes += part.bytes;
  }
  cost.accelerator = cost.cycles / (static_cast<double>(config.clock_mhz) * 1e6);
  return cost;
}

MachineCost CostOf(const std::vector<ExploredNetwork>& networks, const isa::Config& config,
                   Stage stage) {
  const double begin = ProcessorSeconds();
  MachineCost cost;
  for (const ExploredNetwork& network : networks) {
    auto one =
        stage == Stage::kPredict ? PredictNetwork(network, config) : RunNetwork(network, config);
    if (!one) {
      cost.cause = network.name + ": " + one.error().message;
      cost.networks.clear();
      break;
    }
    cost.networks.push_back(*one);
  }
  cost.seconds = ProcessorSeconds() - begin;
  return cost;
}

std::string PrintCost(const MachineCost& cost) {
  nlohmann::ordered_json json{{"seconds", cost.seconds}};
  if (!cost.cause.empty()) json["cause"] = cost.cause;
  for (const NetworkCost& network : cost.networks) {
    nlohmann::ordered_json values = nlohmann::ordered_json::array();
    for (const auto member : kMembers) values.push_back(network.*member);
    json["networks"].push_back(std::move(values));
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<MachineCost> ParseCost(const std::string& text) {
  const auto bad = [] { return Fail(Code::kDataLoss, "a line of costs is damaged"); };
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("seconds") || !json["seconds"].is_number()) return bad();
  MachineCost cost{.seconds = json["seconds"].get<double>()};
  if (json.contains("cause")) {
    if (!json["cause"].is_string()) return bad();
    cost.cause = json["cause"].get<std::string>();
  }
  for (const auto& values : json.value("networks", nlohmann::json::array())) {
    if (!values.is_array() || values.size() != kMembers.size()) return bad();
    NetworkCost& network = cost.networks.emplace_back();
    for (size_t k = 0; k < kMembers.size(); ++k) {
      if (!values[k].is_number()) return bad();
      network.*kMembers[k] = values[k].get<double>();
    }
  }
  if (cost.networks.empty() == cost.cause.empty()) return bad();
  return cost;
}

}  // namespace tessera::explore
