// SPDX-License-Identifier: Apache-2.0
#include "explore/evaluate.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "compiler/driver/compile.h"
#include "compiler/driver/placement.h"

namespace tessera::explore {
namespace {

using Clock = std::chrono::steady_clock;

compiler::CompileOptions OptionsFor(const isa::Config& config) {
  compiler::CompileOptions options;
  options.config = config;
  options.cpu = false;
  options.layers_only = true;
  return options;
}

// The members of NetworkCost, in the order in which a line has them.
constexpr std::array kMembers{&NetworkCost::cycles, &NetworkCost::predicted, &NetworkCost::accelerator, &NetworkCost::host,
                              &NetworkCost::start,  &NetworkCost::carry,       &NetworkCost::gemm,
                              &NetworkCost::vector, &NetworkCost::bus,         &NetworkCost::bytes};

}  // namespace

Result<NetworkCost> PredictNetwork(const ExploredNetwork& network, const isa::Config& config) {
  TESSERA_ASSIGN(const compiler::PlacedNetwork placed,
                 compiler::PlaceNetwork(network.graph, OptionsFor(config), false,
                                        [](int64_t, int64_t) {}));
  const network::NetworkTimes& t = placed.times;
  const double cycles = t.accelerator * static_cast<double>(config.clock_mhz) * 1e6;
  return NetworkCost{.cycles = cycles,
                     .predicted = cycles,
                     .accelerator = t.accelerator,
                     .host = t.host,
                     .start = t.start,
                     .carry = t.carry};
}

Result<NetworkCost> RunNetwork(const ExploredNetwork& network, const isa::Config& config) {
  TESSERA_ASSIGN(NetworkCost cost, PredictNetwork(network, config));
  TESSERA_ASSIGN(const compiler::Compiled compiled,
                 compiler::Compile(network.graph, network.name, network.crc, OptionsFor(config)));
  cost.cycles = 0;
  for (const compiler::PlannedProgram& program : compiled.programs) {
    TESSERA_ASSIGN(const RunReport ran, compiler::Evaluate(program, config));
    const auto busy = [&](isa::Unit unit) {
      return static_cast<double>(ran.units[static_cast<size_t>(unit)].busy);
    };
    cost.cycles += static_cast<double>(ran.cycles);
    cost.gemm += busy(isa::Unit::kGemm);
    cost.vector += busy(isa::Unit::kVector);
    // Reads and writes have channels of their own.
    cost.bus += static_cast<double>(std::max(ran.bytes_read, ran.bytes_written)) /
                static_cast<double>(config.bus_bytes());
    cost.bytes += static_cast<double>(ran.bytes_read + ran.bytes_written);
  }
  cost.accelerator = cost.cycles / (static_cast<double>(config.clock_mhz) * 1e6);
  return cost;
}

MachineCost CostOf(const std::vector<ExploredNetwork>& networks, const isa::Config& config,
                   Stage stage) {
  const Clock::time_point begin = Clock::now();
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
  cost.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
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
