// SPDX-License-Identifier: Apache-2.0
#include "jit/tokens.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "jit/history.h"

namespace tessera::jit {
namespace {

using isa::kUnits;

// For each unit, how many of its first instructions are known to be complete.
using Completed = Positions;

// Checks that a run of the program in order never finds a counter full. Then the earliest
// unfinished instruction can always finish, whatever the timing.
Status CheckDepth(std::span<const TokenNode* const> nodes, std::span<const TokenMasks> masks,
                  int64_t depth) {
  std::array<std::array<int64_t, kUnits>, kUnits> count{};
  for (size_t n = 0; n < nodes.size(); ++n) {
    const auto unit = static_cast<size_t>(nodes[n]->unit);
    for (size_t v = 0; v < kUnits; ++v) {
      if ((masks[n].pop >> v & 1) != 0) --count[v][unit];
      if ((masks[n].push >> v & 1) != 0 && ++count[unit][v] > depth) {
        return Fail(Code::kOutOfRange,
                    "instruction {}: {} tokens from {} to {} under way, a counter holds {}; "
                    "a configuration with a greater token_depth runs it",
                    n, count[unit][v], isa::Text(nodes[n]->unit),
                    isa::Text(static_cast<isa::Unit>(v)), depth);
      }
    }
  }
  return {};
}

}  // namespace

Result<std::vector<TokenMasks>> InsertTokens(std::span<const TokenNode* const> nodes,
                                             int64_t token_depth) {
  AccessHistory history;
  for (const TokenNode* node : nodes) history.Add(node->unit, node->accesses);
  history.Prepare();

  std::vector<TokenMasks> masks(nodes.size());
  // carried[n]: what instruction n knows when it starts, plus itself and its predecessors; its
  // tokens carry that. stream: the instructions of each unit by position.
  std::vector<Completed> carried(nodes.size());
  std::array<std::vector<int32_t>, kUnits> stream;
  std::array<Completed, kUnits> known{};

  for (size_t n = 0; n < nodes.size(); ++n) {
    const auto unit = static_cast<size_t>(nodes[n]->unit);
    Completed& clock = known[unit];

    const Completed latest = history.FindConflicts(n);
    auto source = [&](size_t v) {
      return static_cast<size_t>(stream[v][static_cast<size_t>(latest[v]) - 1]);
    };
    std::array<bool, kUnits> wanted{};
    for (size_t v = 0; v < kUnits; ++v) wanted[v] = v != unit && latest[v] > clock[v];
    for (size_t v = 0; v < kUnits; ++v) {
      if (!wanted[v]) continue;
      bool implied = false;
      for (size_t w = 0; w < kUnits; ++w) {
        // Skips a token that another one implies. Two tokens cannot imply each other, because the
        // order of instructions has no cycle.
        implied |= w != v && wanted[w] && carried[source(w)][v] >= latest[v];
      }
      if (implied) continue;
      masks[n].pop = static_cast<uint8_t>(masks[n].pop | 1u << v);
      masks[source(v)].push = static_cast<uint8_t>(masks[source(v)].push | 1u << unit);
    }
    for (size_t v = 0; v < kUnits; ++v) {
      if (!wanted[v]) continue;
      const Completed& other = carried[source(v)];
      for (size_t w = 0; w < kUnits; ++w) clock[w] = std::max(clock[w], other[w]);
    }

    stream[unit].push_back(static_cast<int32_t>(n));
    const auto position = static_cast<int32_t>(stream[unit].size());
    carried[n] = clock;
    carried[n][unit] = position;
    history.Record(n, unit, position);
  }
  TESSERA_TRY(CheckDepth(nodes, masks, token_depth));
  return masks;
}

Result<std::vector<TokenMasks>> InsertTokens(std::span<const TokenNode> nodes,
                                             int64_t token_depth) {
  std::vector<const TokenNode*> pointers;
  for (const TokenNode& node : nodes) pointers.push_back(&node);
  return InsertTokens(pointers, token_depth);
}

}  // namespace tessera::jit
