// SPDX-License-Identifier: Apache-2.0
//
// Compares the estimated cost of host schedules (compiler/cost/processor.h) with times on one
// thread of this computer. Each layer of a model runs by its own schedule and by others, with
// random values of its decisions. Prints for each layer the least time of its own schedule, the
// estimate, and Spearman's rank correlation of estimate and time over all schedules of the layer,
// with the time of the schedule that the estimate prefers beside the fastest one's. Then the
// correlation over the layers, the median error of a layer's estimate after one common factor (the
// clock of the computer), and the microseconds of an estimate.
//
//   ninja -C build host_costs && build/bin/host_costs build/models/imagenet/resnet18_int8.onnx 8
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "base/file.h"
#include "base/rng.h"
#include "compiler/cost/processor.h"
#include "compiler/driver/evaluate.h"
#include "compiler/graph/passes.h"
#include "compiler/import/import.h"
#include "compiler/network/host_form.h"
#include "compiler/network/place.h"
#include "compiler/quantize/params.h"
#include "compiler/schedule/picks.h"
#include "runtime/host/cpu_level.h"

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

double Microseconds(Clock::duration d) {
  return std::chrono::duration<double, std::micro>(d).count();
}

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

// The mean ranks of |values|.
std::vector<double> RanksOf(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (const double v : values) {
    const auto below = std::ranges::count_if(values, [&](double w) { return w < v; });
    const auto equal = std::ranges::count(values, v);
    ranks.push_back(static_cast<double>(below) + static_cast<double>(equal - 1) / 2);
  }
  return ranks;
}

double Correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> p = RanksOf(a), q = RanksOf(b);
  const double n = static_cast<double>(p.size()), mean = (n - 1) / 2;
  double pq = 0, pp = 0, qq = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    pq += (p[i] - mean) * (q[i] - mean);
    pp += (p[i] - mean) * (p[i] - mean);
    qq += (q[i] - mean) * (q[i] - mean);
  }
  return pp * qq > 0 ? pq / std::sqrt(pp * qq) : 0;
}

struct Sample {
  double time = 0, estimate = 0;  // microseconds
};

Result<Sample> SampleOf(const compiler::HostLayer& layer, const schedule::Trace& trace,
                        std::vector<double>* took) {
  TESSERA_ASSIGN(compiler::HostCandidate candidate, compiler::Evaluate(layer, trace));
  Sample sample{.time = 1e30};
  double spent = 0;
  for (int run = 0; run < 200 && (run < 5 || spent < 10000); ++run) {
    const auto begin = Clock::now();
    candidate.Run();
    const double one = Microseconds(Clock::now() - begin);
    spent += one;
    sample.time = std::min(sample.time, one);
  }
  const auto target = target::Host(*layer.level);
  const te::RegionTe region = network::ForHost(layer.region, *target, &trace);
  TESSERA_ASSIGN(const schedule::Schedule schedule,
                 schedule::Schedule::Replay({region.output}, candidate.made.schedule, target));
  const auto begin = Clock::now();
  TESSERA_ASSIGN(const cost::ProcessorCost cost, cost::CostOnProcessor(schedule));
  took->push_back(Microseconds(Clock::now() - begin));
  sample.estimate = cost.cycles / target->cycles_a_second * 1e6;
  return sample;
}

Status Run(const std::string& file, int draws) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(file));
  TESSERA_ASSIGN(graph::Graph graph, ImportModel(bytes, file, {}));
  TESSERA_TRY(quantize::AttachRequant(graph));
  graph::Simplify(graph);
  const network::Layers layers(graph, *isa::LoadConfig("default"));
  const auto regions = network::FusePlaced(layers, network::PlaceOnHost(graph), true);
  compiler::HostLayouts layouts;
  const auto traces = compiler::LayoutsOnHost(graph, regions);
  for (size_t r = 0; r < regions.size(); ++r) {
    if (traces[r] && !traces[r]->empty()) layouts[regions[r].output] = compiler::ChannelsLast();
  }
  const target::HostLevel* level = target::FindHostLevel(CpuLevels().front());
  Rng rng(1);
  std::vector<double> times, estimates, took;
  fmt::print("{:32} {:>10} {:>10} {:>6} {:>9} {:>9} {:>9}\n", "layer", "us", "estimate", "ratio",
             "schedules", "by rank", "preferred");
  for (const graph::Region& region : regions) {
    if (network::ViewedBy(graph, region)) continue;
    const compiler::HostLayer layer{layers.Te(region), layouts, level};
    TESSERA_ASSIGN(const compiler::HostFunc own,
                   compiler::MakeHostFunc(layer.region, "own", layouts, nullptr, level));
    TESSERA_ASSIGN(const Sample first, SampleOf(layer, own.schedule, &took));
    std::vector<Sample> samples{first};
    for (int k = 0; k < draws; ++k) {
      const auto target = target::Host(*level);
      const te::RegionTe form = network::ForHost(layer.region, *target, &own.schedule);
      const auto picked =
          schedule::PickedBy(form.output, own.schedule, target, schedule::AnyOf(rng));
      if (!picked || *picked == own.schedule) continue;
      if (const auto sample = SampleOf(layer, *picked, &took)) samples.push_back(*sample);
    }
    times.push_back(first.time);
    estimates.push_back(first.estimate);
    std::vector<double> own_times, own_estimates;
    for (const Sample& s : samples) {
      own_times.push_back(s.time);
      own_estimates.push_back(s.estimate);
    }
    const Sample& preferred = *std::ranges::min_element(samples, {}, &Sample::estimate);
    fmt::print("{:32} {:>10.1f} {:>10.1f} {:>6.2f} {:>9} {:>9.2f} {:>9.2f}\n",
               region.name.substr(0, 32), first.time, first.estimate, first.estimate / first.time,
               samples.size(), Correlation(own_times, own_estimates),
               preferred.time / std::ranges::min(own_times));
  }
  std::vector<double> ratios, errors;
  for (size_t i = 0; i < times.size(); ++i) ratios.push_back(estimates[i] / times[i]);
  const double common = Median(ratios);
  for (const double ratio : ratios) errors.push_back(std::abs(ratio / common - 1));
  fmt::print(
      "{} layers: rank correlation {:.2f}; error {:.0f} % in the median after a factor of "
      "{:.2f}; an estimate takes {:.0f} us\n",
      times.size(), Correlation(times, estimates), 100 * Median(errors), common, Median(took));
  return {};
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  const int draws = argc == 3 ? std::atoi(argv[2]) : 0;
  if (argc < 2 || argc > 3 || draws < 0) {
    fmt::print(stderr, "usage: host_costs MODEL [OTHER_SCHEDULES_A_LAYER]\n");
    return 2;
  }
  const tessera::Status status = tessera::Run(argv[1], draws);
  if (!status) fmt::print(stderr, "host_costs: {}\n", status.error().message);
  return status ? 0 : 1;
}
