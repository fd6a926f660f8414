// SPDX-License-Identifier: Apache-2.0
//
// What share of a network the accelerator runs, and why it does not run the rest. Depends on:
// compiler/network. Used by: compile.cc, tools.
#ifndef TESSERA_COMPILER_DRIVER_COVERAGE_H_
#define TESSERA_COMPILER_DRIVER_COVERAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/graph/graph.h"
#include "compiler/network/place.h"
#include "isa/config.h"

namespace tessera::compiler {

struct Coverage {
  // Nodes of the host for one reason, in words of the machine (schedule/accel/refusals.def). Nodes
  // that only show a tensor under another shape are none.
  struct Left {
    std::string op, why;
    int64_t nodes = 0;
  };
  int64_t nodes = 0, accelerated = 0;      // without those that only show
  int64_t macs = 0, accelerated_macs = 0;  // of one inference
  std::vector<Left> left;                  // by operator, those with most nodes first
};

// Of |graph| with one place a node.
Coverage CoverageOf(const graph::Graph& graph, const std::vector<network::NodePlace>& places);

// Of |graph|, as an importer makes it, on a machine of |config|.
//   errors  those of the quantisation rules
Result<Coverage> CoverageOf(graph::Graph graph, const isa::Config& config);

// "accelerator: 12 of 14 operators, 99.9 % of 2,650,000 multiply-accumulates; host: 1 x sigmoid
// (VECTOR has no table lookup), ...", one line.
std::string Text(const Coverage& coverage);

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_COVERAGE_H_
