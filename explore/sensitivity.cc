// SPDX-License-Identifier: Apache-2.0
#include "explore/sensitivity.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera::explore {
namespace {

constexpr std::array<std::string_view, 7> kLimits{"the array",
                                                  "VECTOR",
                                                  "the bus",
                                                  "the host",
                                                  "packing and unpacking on the host",
                                                  "starts of the accelerator",
                                                  "waits of units for one another"};
constexpr double kWorth = 0.01;  // a gain that words mention

// The other values of |key| around |config|, each a legal configuration.
std::vector<std::pair<int64_t, isa::Config>> BesideOf(const isa::Config& config,
                                                      const isa::ConfigKey& key) {
  std::vector<std::pair<int64_t, isa::Config>> beside;
  const int64_t value = config.*(key.field) / key.unit;
  for (const int64_t other : {value / 2, value * 2}) {
    isa::Config changed = WithKey(config, key, other);
    if (key.field == &isa::Config::acc_bytes) changed.out_bytes = isa::OutBytesFor(changed);
    if (other > 0 && isa::ValidateConfig(changed)) beside.emplace_back(other, changed);
  }
  return beside;
}

// Keys that change what a machine takes or its area.
bool Matters(const isa::ConfigKey& key) {
  return key.field != &isa::Config::clock_mhz && key.field != &isa::Config::out_bytes &&
         key.field != &isa::Config::tab_bytes;
}

double CyclesOf(const MachineCost& cost) {
  double cycles = 0;
  for (const NetworkCost& network : cost.networks) cycles += network.cycles;
  return cycles;
}

std::string Percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

}  // namespace

std::string_view LimitText(Limit limit) { return kLimits[static_cast<size_t>(limit)]; }

Limit LimitOf(const NetworkCost& cost) {
  const std::array shares{std::pair(cost.host, Limit::kHost),
                          std::pair(cost.carry, Limit::kTransfers),
                          std::pair(cost.start, Limit::kStarts)};
  const auto& most = *std::ranges::max_element(shares, {}, &std::pair<double, Limit>::first);
  if (most.first > cost.accelerator) return most.second;
  const std::array units{std::pair(cost.gemm, Limit::kArray),
                         std::pair(cost.vector, Limit::kVector), std::pair(cost.bus, Limit::kBus)};
  const auto& busy = *std::ranges::max_element(units, {}, &std::pair<double, Limit>::first);
  return 2 * busy.first > cost.cycles ? busy.second : Limit::kWaits;
}

Result<std::vector<Sensitivity>> SensitivitiesOf(const Explored& explored,
                                                 const std::vector<int64_t>& machines,
                                                 MachineSearch* search) {
  std::vector<Sensitivity> asked;
  std::vector<isa::Config> configs;
  std::vector<size_t> own;  // by machine: its own configuration among |configs|
  for (const int64_t machine : machines) {
    const isa::Config& config = explored.Of(machine).config;
    own.push_back(configs.size());
    configs.push_back(config);
    for (const isa::ConfigKey& key : isa::ConfigKeys()) {
      if (!Matters(key)) continue;
      for (auto& [value, changed] : BesideOf(config, key)) {
        Sensitivity one{.machine = machine, .key = key};
        one.from = config.*(key.field) / key.unit, one.to = value;
        TESSERA_ASSIGN(one.area, hw::PredictSilicon(changed, explored.part().family));
        one.fits = MisfitOf(one.area, explored.part()).resource.empty();
        one.lut = one.area.lut / explored.Of(machine).area.lut - 1;
        changed.clock_mhz = ClockOf(one.area, changed.clock_mhz);
        asked.push_back(one);
        configs.push_back(changed);
      }
    }
  }
  TESSERA_ASSIGN(const std::vector<MachineCost> costs,
                 search->AnswersFor(configs, Stage::kPredict));
  std::vector<Sensitivity> answered;
  size_t next = 0;
  for (size_t m = 0; m < machines.size(); ++m) {
    const MachineCost& before = costs[own[m]];
    for (size_t c = own[m] + 1; next < asked.size() && asked[next].machine == machines[m]; ++c) {
      Sensitivity one = asked[next++];
      one.cause = costs[c].cause;
      if (one.cause.empty() && (costs[c].networks.empty() || before.networks.empty())) continue;
      if (one.cause.empty()) {
        one.ms = costs[c].total() / before.total() - 1;
        const double luts = one.area.lut - explored.Of(machines[m]).area.lut;
        if (std::abs(luts) >= 1) one.saved = (CyclesOf(before) - CyclesOf(costs[c])) / luts;
      }
      answered.push_back(std::move(one));
    }
  }
  return answered;
}

namespace {

// "ad01: 0.40 ms, 91 % of it the accelerator, whose array works in 12 % of its cycles, VECTOR in
// 3 % and the bus in 95 %: the bus limits it."
std::string NetworkInWords(const std::string& name, const NetworkCost& cost) {
  const double cycles = std::max(cost.cycles, 1.0);
  return fmt::format(
      "{}: {:.3f} ms, {} of it the accelerator, {} layers of the host, {} packing and unpacking, "
      "{} starts. In the accelerator's cycles the array works {}, VECTOR {}, the bus {}. It is "
      "limited by {}.",
      name, 1e3 * cost.total(), Percent(cost.accelerator / cost.total()),
      Percent(cost.host / cost.total()), Percent(cost.carry / cost.total()),
      Percent(cost.start / cost.total()), Percent(cost.gemm / cycles),
      Percent(cost.vector / cycles), Percent(cost.bus / cycles), LimitText(LimitOf(cost)));
}

// Which change of |machine| gains most time, behind a space; "": nothing is known of changes.
std::string NextInWords(int64_t machine, const std::vector<Sensitivity>& sensitivities) {
  const Sensitivity* best = nullptr;
  for (const Sensitivity& one : sensitivities) {
    if (one.machine == machine && one.cause.empty() && (best == nullptr || one.ms < best->ms))
      best = &one;
  }
  if (best == nullptr) return "";
  if (best->ms > -kWorth)
    return " No figure of it, doubled or halved alone, saves 1 % of the time by estimate.";
  return fmt::format(
      " By estimate {} {} instead of {} would save {} of the time for {} more LUTs{}.",
      best->key.key, best->to, best->from, Percent(-best->ms), Percent(best->lut),
      best->fits ? ", and fits the part" : ", and does not fit the part");
}

std::string PartInWords(const hw::Silicon& area, const hw::Part& part) {
  const std::array uses{
      std::pair(area.lut / static_cast<double>(std::max<int64_t>(part.lut, 1)), "LUTs"),
      std::pair(area.ff / static_cast<double>(std::max<int64_t>(part.ff, 1)), "flip-flops"),
      std::pair(static_cast<double>(area.dsp) / static_cast<double>(std::max<int64_t>(part.dsp, 1)),
                "DSPs"),
      std::pair(
          static_cast<double>(area.bram18) / static_cast<double>(std::max<int64_t>(part.bram18, 1)),
          "block RAMs")};
  const auto& most = *std::ranges::max_element(uses, {}, [](const auto& use) { return use.first; });
  return fmt::format("It uses {} of the {} of {}, more than of anything else there.",
                     Percent(most.first), most.second, part.name);
}

}  // namespace

std::string LimitsInWords(const Explored& explored, const std::vector<ExploredNetwork>& networks,
                          const std::vector<Sensitivity>& sensitivities) {
  const std::vector<int64_t> front = explored.Front();
  if (front.empty()) return "";
  const int64_t fastest = *std::ranges::min_element(front, {}, [&](int64_t machine) {
    return explored.Of(machine).Answer(Stage::kRun)->total();
  });
  const KnownMachine& machine = explored.Of(fastest);
  const MachineCost& cost = *machine.Answer(Stage::kRun);
  std::string words = fmt::format("The fastest machine of the front is {}.", machine.config.name);
  for (size_t n = 0; n < networks.size(); ++n)
    words += " " + NetworkInWords(networks[n].name, cost.networks[n]);
  return words + NextInWords(fastest, sensitivities) + " " +
         PartInWords(machine.area, explored.part());
}

}  // namespace tessera::explore
