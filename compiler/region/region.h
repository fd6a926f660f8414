// SPDX-License-Identifier: Apache-2.0
//
// Turns a region of a graph into tensor expressions by the bodies of its operators. Depends on:
// compiler/graph, compiler/te. Used by tools and placement.
#ifndef TESSERA_COMPILER_REGION_REGION_H_
#define TESSERA_COMPILER_REGION_REGION_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/graph/fuse.h"
#include "compiler/graph/graph.h"
#include "compiler/te/te.h"

namespace tessera::te {

// A placeholder and the source of its values.
struct Binding {
  Tensor placeholder;
  graph::TensorId activation = -1;  // >= 0: the graph tensor that it holds
  std::vector<uint8_t> constant;    // otherwise: row-major bytes
};

struct RegionTe {
  std::string name;
  std::vector<Binding> bindings;  // every placeholder of the DAG, each once
  Tensor output;                  // holds the graph tensor |output_id|
  graph::TensorId output_id = -1;
  int64_t macs = 0;
};

// |graph| must have been through quantize::AttachRequant.
RegionTe BuildRegion(const graph::Graph& graph, const graph::Region& region);

// The names of the placeholders whose values are known at compile time, and those of the others.
std::set<std::string> ConstantNames(const RegionTe& region);
std::set<std::string> ActivationNames(const RegionTe& region);

// The elements of the int32 constant that |read| reads, row-major; empty if it reads anything else.
std::optional<std::vector<int32_t>> ConstantOf(const RegionTe& region, const Expr& read);

}  // namespace tessera::te

#endif  // TESSERA_COMPILER_REGION_REGION_H_
