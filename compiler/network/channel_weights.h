// SPDX-License-Identifier: Apache-2.0
//
// Convolutions whose channels stand elsewhere. Depends on: compiler/graph,
// network/channel_order.h. Used by: network/move_channels.h.
#ifndef TESSERA_COMPILER_NETWORK_CHANNEL_WEIGHTS_H_
#define TESSERA_COMPILER_NETWORK_CHANNEL_WEIGHTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace tessera::network {

// Whether the weights of |node|, a convolution of int8, can be moved: constants whose 0 is 0.
bool HasMovableWeights(const graph::Graph& graph, const graph::Node& node);
// Whether |node| is such a convolution of one group, or one with a channel a group.
bool IsPlainConv(const graph::Graph& graph, const graph::Node& node);
bool IsDepthwise(const graph::Graph& graph, const graph::Node& node);

// Gives |node|, which IsPlainConv, |x| in the place of its operand: channel c of that is channel
// |places|[c] of |x|, or zeros, where that is kGap. The weights of the others are 0.
void ReadFrom(graph::Graph& graph, graph::TensorId x, const std::vector<int64_t>& places,
              graph::Node* node);

// Gives the results of |node| |order|: channel k is channel order[k] of before, or made of weights
// of 0 where that is kGap. A depthwise node's operand has the same order. The caller sets the
// result.
void WriteIn(graph::Graph& graph, const std::vector<int64_t>& order, graph::Node* node);

// A convolution that copies: channel k of its result is channel |from|[k] of |x| behind |scale|, or
// a gap. The bounds and the rounding are those of |requant|. The caller sets name and result.
graph::Node Selection(graph::Graph& graph, graph::TensorId x, const std::vector<int64_t>& from,
                      const graph::OperandScale& scale, const graph::Requant& requant,
                      const std::string& name);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_CHANNEL_WEIGHTS_H_
