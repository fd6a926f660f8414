// SPDX-License-Identifier: Apache-2.0
//
// host_sketches MODEL ROUNDS [LAYER]: times every sketch (compiler/schedule/sketch.h) of each layer
// of a model that has several, on one thread of this computer; with LAYER of those alone whose name
// contains it. The sketches of a layer take turns, so other work on the computer affects them
// alike. Prints the least microseconds of each, the preferred one first, and the largest difference
// of its result from the first one's, beside the largest element. Weights are the model's, inputs
// random. Layers that are alike run once each.
//
//   ninja -C build host_sketches && build/bin/host_sketches models/fashion/fashion_int8.onnx 20
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "compiler/cost/processor.h"
#include "compiler/driver/compile.h"
#include "compiler/import/import.h"
#include "compiler/tune/layer_space.h"
#include "compiler/tune/task.h"
#include "compiler/tune/turns.h"

namespace tessera {
namespace {

// Processor time of this thread, which other work disturbs less than the clock.
double Microseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

struct Candidate {
  std::string name;
  std::unique_ptr<tune::TimedLayer> layer;
  std::vector<uint8_t> result;
  double least = 1e30, estimate = 0;  // microseconds
};

double LargestDifference(const std::vector<uint8_t>& got, const std::vector<uint8_t>& want) {
  double largest = 0, apart = 0;
  for (size_t i = 0; i + sizeof(float) <= got.size(); i += sizeof(float)) {
    float a = 0, b = 0;
    std::memcpy(&a, &got[i], sizeof a);
    std::memcpy(&b, &want[i], sizeof b);
    largest = std::max(largest, std::abs(double{b}));
    apart = std::max(apart, std::abs(double{a} - double{b}));
  }
  return largest > 0 ? apart / largest : apart;
}

Result<double> EstimateOf(const compiler::HostLayer& layer, const te::Tensor& output,
                          const schedule::Trace& trace) {
  const auto target = target::Host(*layer.level);
  TESSERA_ASSIGN(const schedule::Schedule made,
                 schedule::Schedule::Replay({output}, trace, target));
  TESSERA_ASSIGN(const cost::ProcessorCost cost, cost::CostOnProcessor(made));
  return cost.cycles / target->cycles_a_second * 1e6;
}

Status TimeLayer(const tune::Task& task, int rounds) {
  auto& space = dynamic_cast<tune::LayerSpace&>(*task.space);
  if (space.knobs()[0].name != tune::kSketchKnob) return {};
  std::vector<Candidate> candidates;
  for (std::optional<tune::Point> point = space.given(); point; point = space.Moved(*point, 0, 1)) {
    TESSERA_ASSIGN(compiler::HostCandidate made,
                   compiler::Evaluate(*task.host, space.TraceOf(*point)));
    Candidate one{.name = space.SketchOf(*point)};
    TESSERA_ASSIGN(one.estimate,
                   EstimateOf(*task.host, space.OutputOf(*point), made.made.schedule));
    one.layer = tune::OnHost(std::move(made));
    TESSERA_TRY(one.layer->Put(tune::RandomInputs(task.host->region, 5)));
    TESSERA_TRY(one.layer->Run(1));
    TESSERA_ASSIGN(one.result, one.layer->Output());
    candidates.push_back(std::move(one));
  }
  for (int round = 0; round < rounds; ++round) {
    for (Candidate& one : candidates) {
      const double begin = Microseconds();
      TESSERA_TRY(one.layer->Run(1));
      one.least = std::min(one.least, Microseconds() - begin);
    }
  }
  fmt::print("{} x{}\n", task.name, task.weight);
  for (const Candidate& one : candidates) {
    fmt::print("  {:16} {:>9.1f} us, estimated {:>9.1f}", one.name, one.least, one.estimate);
    if (space.OutputOf(space.given()).dtype() == DType::kFloat32)
      fmt::print("  differs by {:.1e}", LargestDifference(one.result, candidates[0].result));
    fmt::print("\n");
  }
  return {};
}

Status Run(const std::string& file, int rounds, const std::string& layer) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(file));
  TESSERA_ASSIGN(graph::Graph graph, ImportModel(bytes, file));
  compiler::CompileOptions options;
  options.device = false;
  options.layers_only = true;
  TESSERA_ASSIGN(const compiler::Compiled compiled,
                 compiler::Compile(std::move(graph), file, 0, options));
  TESSERA_ASSIGN(const std::vector<tune::Task> tasks, tune::TasksOf(compiled.host_layers));
  for (const tune::Task& task : tasks) {
    if (task.name.find(layer) != std::string::npos) TESSERA_TRY(TimeLayer(task, rounds));
  }
  return {};
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  const int rounds = argc >= 3 ? std::atoi(argv[2]) : 0;
  if (argc < 3 || argc > 4 || rounds < 1) {
    fmt::print(stderr, "usage: host_sketches MODEL ROUNDS [LAYER]\n");
    return 2;
  }
  const tessera::Status status = tessera::Run(argv[1], rounds, argc == 4 ? argv[3] : "");
  if (!status) fmt::print(stderr, "host_sketches: {}\n", status.error().message);
  return status ? 0 : 1;
}
