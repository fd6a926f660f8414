// SPDX-License-Identifier: Apache-2.0
//
// Which nodes of a graph the provider takes: the groups that become one node of ONNX Runtime each.
// Depends on: graph_reader.h, compiler/driver. Used by: provider.cc.
//
// Nodes that the importer reads form parts. Each part is imported and placed as `tessera compile`
// does it. A layer of the placement names the ONNX nodes that it came from, because the importer
// keeps their names; here each node gets a name of its own for that. A node that no layer names
// went into a neighbour, or has nothing to do: QuantizeLinear, Relu and Clip go with the operator
// in front of them, the others with the operators behind them.
//
// Stages make a group convex. A node's stage is the greatest of those of its makers, and one more
// where the maker is not taken and the node is. A path that leaves the taken nodes comes back in a
// later stage, so connected taken nodes of one stage are a group. Taken nodes that no other node
// makes something for, such as the DequantizeLinear of weights, have the stage of their first user.
#ifndef TESSERA_PROVIDER_ONNXRUNTIME_CLAIM_H_
#define TESSERA_PROVIDER_ONNXRUNTIME_CLAIM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "isa/config.h"
#include "provider/onnxruntime/graph_reader.h"

namespace tessera::ort {

using NodeGroup = std::vector<size_t>;  // indices into ReadModel::nodes, ascending

enum class ClaimRule : uint8_t {
  kAccelerator,  // what the accelerator runs
  kAll,          // what the compiler takes, on the accelerator or the host
};

struct Claimed {
  std::vector<NodeGroup> groups;
  std::string why;  // why nodes stay with ONNX Runtime, one line; "": nothing to say
};

// The groups of |read| for an accelerator of |config|. The compiler has imported and placed each.
Claimed Claim(const ReadModel& read, const isa::Config& config, ClaimRule rule);

// The groups of a graph whose nodes are |taken| or not. |makers|: of each node's inputs, all before
// the node.
std::vector<NodeGroup> GroupsOf(const std::vector<bool>& taken,
                                const std::vector<NodeGroup>& makers);

}  // namespace tessera::ort

#endif  // TESSERA_PROVIDER_ONNXRUNTIME_CLAIM_H_
