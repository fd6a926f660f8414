// SPDX-License-Identifier: Apache-2.0
//
// Small quantised networks with random parameters for the tests of the accelerator's compiler, and
// three ways to run them: the definition (te::Evaluate), the lowered loop IR in the interpreter,
// and the program on the functional simulator.
#ifndef TESSERA_TESTS_COMPILER_ACCEL_NET_H_
#define TESSERA_TESTS_COMPILER_ACCEL_NET_H_

#include <map>
#include <string>
#include <vector>

#include "base/rng.h"
#include "compiler/codegen/accel/accel.h"
#include "compiler/graph/graph.h"
#include "compiler/network/program.h"
#include "compiler/region/region.h"
#include "isa/config.h"
#include "runtime/device.h"

namespace tessera::test {

// A configuration by name.
isa::Config NamedConfig(const std::string& name);

class Net {
 public:
  explicit Net(uint64_t seed) : rng_(seed) {}

  graph::Graph& graph() { return graph_; }
  Rng& rng() { return rng_; }

  graph::TensorId Input(std::vector<int64_t> shape);
  // |window|'s kernel, strides, dilations and pads; |outs| output channels.
  graph::TensorId Conv(graph::TensorId x, int64_t outs, graph::Window window, int64_t groups = 1,
                       isa::Round round = isa::Round::kEven);
  graph::TensorId Dense(graph::TensorId x, int64_t outs);
  graph::TensorId Add(graph::TensorId a, graph::TensorId b, isa::Round round = isa::Round::kEven);
  graph::TensorId Sub(graph::TensorId a, graph::TensorId b);
  graph::TensorId Mul(graph::TensorId a, graph::TensorId b);
  // With a slope for each channel; of 256 channels every int8 number is one.
  graph::TensorId Prelu(graph::TensorId x, isa::Round round = isa::Round::kTflite);
  graph::TensorId MaxPool(graph::TensorId x, graph::Window window);
  graph::TensorId AvgPool(graph::TensorId x, graph::Window window);
  graph::TensorId Rescale(graph::TensorId x);
  graph::TensorId Transpose(graph::TensorId x);  // exchanges the last two dimensions
  graph::TensorId Reshape(graph::TensorId x, std::vector<int64_t> shape);
  void Output(graph::TensorId id) { graph_.outputs.push_back(id); }

 private:
  graph::TensorId Result(graph::Node node, std::vector<int64_t> shape);
  graph::Requant Scale(int64_t channels, int64_t products, isa::Round round);
  int32_t Zero() { return static_cast<int32_t>(rng_.Range(-20, 20)); }

  graph::Graph graph_;
  Rng rng_;
};

// |kernel| x |kernel| with equal stride and dilation and pads that keep the extent at stride 1.
graph::Window Square(int64_t kernel, int64_t stride = 1, int64_t dilation = 1);

// The place and the layout of an activation in the arena.
struct ActivationPlace {
  int activation = -1;
  int64_t offset = 0;  // bytes
  schedule::accel::Packing packing;
};

// A program with an arena of its own, and a place of its own for every tensor in it.
struct ProgramAlone : codegen::accel::AccelProgram {
  std::vector<ActivationPlace> inputs;   // to be packed before a run
  std::vector<ActivationPlace> results;  // stored results of regions
  std::vector<int> residents;            // activations that stay in INP
  std::vector<schedule::Trace> traces;   // one for each region
  // The plan that it was emitted for (validate/validate.h).
  network::ProgramPlan plan;
  std::vector<int64_t> offsets;
  int64_t arena_bytes = 0;
};
struct AloneOptions {
  bool store_all = false;
  bool residency = true;
  bool dump = false;
};
Result<ProgramAlone> CompileAlone(const std::vector<network::Activation>& activations,
                                  const std::vector<lower::accel::AccelRegion>& regions,
                                  const isa::Config& config, const AloneOptions& options = {});

// The network in the form that the compiler takes.
struct Compiled {
  std::vector<network::Activation> activations;  // index = TensorId
  std::vector<lower::accel::AccelRegion> regions;
  std::vector<te::RegionTe> te;
  ProgramAlone program;
};
Result<Compiled> Compile(graph::Graph& graph, const isa::Config& config, bool dump = false,
                         bool store_all = false);
// The same, with the generator's decisions of each region written as steps.
//   errors  Compile's, and kUnsupported where steps cannot express a region yet
Result<Compiled> CompileBySteps(graph::Graph& graph, const isa::Config& config);

// Values of activations by TensorId, row-major.
using Values = std::map<int, std::vector<int8_t>>;

// Random input values.
Values RandomInputs(const graph::Graph& graph, Rng& rng);
// By definition; adds every region's result to |values|.
void Evaluate(const Compiled& compiled, Values& values);
// "" when |got| equals |want|; otherwise the number of differences and the first of them, in a
// line.
std::string CompareValues(const std::string& name, const std::vector<int8_t>& got,
                          const std::vector<int8_t>& want);
// Runs the lowered loop IR of each region in the interpreter on |values| (the definition's), with
// all activations in device memory, then with all on chip; returns "" when all results agree.
std::string InterpretAndCompare(const Compiled& compiled, const isa::Config& config,
                                const Values& values);
// Runs the program on the functional simulator, with the units interleaved by |schedule_seed|;
// returns "" when every region's result agrees with |values|, also in its padding.
std::string RunAndCompare(const Compiled& compiled, const isa::Config& config, const Values& values,
                          uint64_t schedule_seed = 0);
// The same on |device|; a program uses up its memory. |told| receives the report, if not null.
std::string RunAndCompareOn(Device& device, const Compiled& compiled, const Values& values,
                            RunReport* told = nullptr);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_ACCEL_NET_H_
