// SPDX-License-Identifier: Apache-2.0
//
// The time of a schedule's replay with other picks: for each layer of a model that the accelerator
// runs, random values of its decisions, one trace after the other on one schedule. Prints, per
// layer, steps, decisions and the median over the traces in microseconds, and the median layer.
//
//   ninja -C build replays && build/bin/replays models/resnet18.onnx [CONFIG]
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/file.h"
#include "base/rng.h"
#include "compiler/graph/passes.h"
#include "compiler/import/import.h"
#include "compiler/network/bind.h"
#include "compiler/network/place.h"
#include "compiler/network/program.h"
#include "compiler/quantize/params.h"
#include "compiler/target/accelerator.h"

namespace tessera {
namespace {

constexpr int kTraces = 200;

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// |trace| with any value of each decision's domain.
Result<schedule::Trace> Picked(const te::Tensor& output, schedule::Trace trace,
                               const isa::Config& config, Rng& rng) {
  TESSERA_ASSIGN(schedule::Schedule s,
                 schedule::Schedule::Create({output}, target::Accelerator(config)));
  for (schedule::Step& step : trace) {
    if (auto* decide = std::get_if<schedule::DecideStep>(&step)) {
      TESSERA_ASSIGN(const std::vector<schedule::Choice> values, s.ValuesOf(*decide));
      decide->value = values[static_cast<size_t>(rng.Range(0, std::ssize(values) - 1))];
    }
    TESSERA_TRY(s.Apply(step));
  }
  return trace;
}

Status Run(const std::string& file, const std::string& name) {
  TESSERA_ASSIGN(const isa::Config config, isa::LoadConfig(name));
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(file));
  TESSERA_ASSIGN(graph::Graph graph, ImportModel(bytes, file, {}));
  TESSERA_TRY(quantize::AttachRequant(graph));
  graph::Simplify(graph);
  const auto places = network::PlaceNodes(graph, config);
  Rng rng(1);
  std::vector<double> medians;
  fmt::print("{:40} {:>6} {:>9} {:>10}\n", "layer", "steps", "decisions", "replay, us");
  for (const graph::Region& region : network::FusePlaced(graph, places, config, true)) {
    if (places[region.nodes[0]].device != network::kAccelerator) continue;
    const te::RegionTe te = te::BuildRegion(graph, region);
    const network::AccelRegion bound = network::BindRegion(te);
    const auto text = network::StepsOf(bound, config);
    if (!text) continue;  // a view
    TESSERA_ASSIGN(const schedule::Trace trace, schedule::ParseTrace(*text));
    std::vector<schedule::Trace> traces;
    for (int k = 0; k < kTraces; ++k) {
      TESSERA_ASSIGN(traces.emplace_back(), Picked(bound.output, trace, config, rng));
    }
    TESSERA_ASSIGN(schedule::Schedule s,
                   schedule::Schedule::Replay({bound.output}, trace, target::Accelerator(config)));
    std::vector<double> times;
    for (const schedule::Trace& other : traces) {
      const auto begin = std::chrono::steady_clock::now();
      TESSERA_TRY(s.Become(other));
      const std::chrono::duration<double, std::micro> took =
          std::chrono::steady_clock::now() - begin;
      times.push_back(took.count());
    }
    medians.push_back(Median(times));
    fmt::print("{:40} {:>6} {:>9} {:>10.1f}\n", region.name.substr(0, 40), trace.size(),
               s.decisions().size(), medians.back());
  }
  if (!medians.empty())
    fmt::print("median of {} layers: {:.1f} us\n", medians.size(), Median(medians));
  return {};
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    fmt::print(stderr, "usage: replays MODEL [CONFIG]\n");
    return 2;
  }
  const tessera::Status status = tessera::Run(argv[1], argc > 2 ? argv[2] : "default");
  if (!status) fmt::print(stderr, "replays: {}\n", status.error().message);
  return status ? 0 : 1;
}
