// SPDX-License-Identifier: Apache-2.0
//
// Runs a network by definition and as compiled, and compares every layer's result. During the run
// the executor overwrites storage that no later step reads with junk. Depends on: the compile
// driver, the executor, the drivers.
#ifndef TESSERA_TESTS_NETWORKS_AGREE_H_
#define TESSERA_TESTS_NETWORKS_AGREE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/codegen/llvm/llvm.h"
#include "compiler/graph/graph.h"
#include "compiler/schedule/trace_file.h"
#include "tests/networks/recipe.h"

namespace tessera::networks {

// How to compile and run a network.
struct Way {
  std::string config = "default";
  std::vector<std::string> devices{"cpu", "func"};
  bool fuse = true;  // CompileOptions::fuse
  // CompileOptions::keep_tensors; each value is one program to run.
  std::vector<bool> observe{true};
  // The placement of the least latency beside a host that is about as fast as the accelerator:
  // both get nodes, and channels of a layer.
  bool mixed = false;
  int64_t gpu_mhz = 0;  // the same with a GPU of this clock beside them, through OpenCL; 0: none
  std::vector<schedule::LayerTrace> schedules = {};  // CompileOptions::schedules
  // CompileOptions::host_effort of the first program; the others have the same host code.
  codegen::HostEffort host_effort = codegen::HostEffort::kFull;
};

struct Outcome {
  std::string broken;      // why the recipe makes no network, or no options to compile it with
  std::string refused;     // why it does not compile; empty: it compiles
  std::string difference;  // the first wrong value of each wrong layer; empty: all values agree
  int64_t layers = 0, compared = 0;  // over all devices: layers run, and compared
  int64_t on_accelerator = 0;        // layers of one inference on the accelerator
  int64_t on_gpu = 0;                // on the GPU
  int64_t programs = 0;              // accelerator programs: more than 1 with host layers between
  int64_t shared = 0;                // parts of layers that both devices make, of one program
  int64_t cuts = 0;                  // of rows that parts read
  // In the programs of a device: instructions that look results up in TAB, and layers that join or
  // cut tensors without an instruction, as views.
  int64_t lookups = 0, views = 0;
  bool Fails() const { return !difference.empty(); }
};

Outcome RunNetwork(const Recipe& recipe, const Way& way);
// The same for a graph with these input values.
Outcome RunGraph(const graph::Graph& graph,
                 const std::map<graph::TensorId, std::vector<uint8_t>>& inputs, const Way& way);

// The same in a child process: a crash, a failed TESSERA_CHECK or a run of more than |seconds| is a
// difference.
Outcome RunIsolated(const Recipe& recipe, const Way& way, unsigned seconds = 300);

// Every tensor of |graph| by its name, row-major: each node is computed alone by its definition,
// te::Evaluate.
//   errors  those of quantize::AttachRequant
Result<std::map<std::string, std::vector<uint8_t>>> Define(
    graph::Graph graph, const std::map<graph::TensorId, std::vector<uint8_t>>& inputs);

}  // namespace tessera::networks

#endif  // TESSERA_TESTS_NETWORKS_AGREE_H_
