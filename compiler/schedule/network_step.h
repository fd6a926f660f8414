// SPDX-License-Identifier: Apache-2.0
//
// The steps of a layer in its network: what layers of one accelerator program agree on, and layers
// of the host; a type for each. A layer's network trace decides all of it: a step that is not there
// does not happen.
// Depends on: base. Used by: trace_file.h, compiler/network, which carries them out.
#ifndef TESSERA_COMPILER_SCHEDULE_NETWORK_STEP_H_
#define TESSERA_COMPILER_SCHEDULE_NETWORK_STEP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "base/error.h"

namespace tessera::schedule {

// Keeps the layer's result in INP until its last reader has run.
struct StayStep {
  static constexpr const char* kName = "stay";
  static constexpr const char* kUsage = "stay";
  bool operator==(const StayStep&) const = default;
  static auto Fields(auto&) { return std::tie(); }
};

// LAYERS layers, this one first, take turns: each computes a tile of a few rows, so that INP holds
// a band of the tensors between them. This layer's tiles have ROWS rows. A layer runs up to SPARE
// tiles further than the next one waits for. With BLOCKS, the layers do that for so many blocks of
// channels, all rows of them, then for as many further ones; else for all channels at once.
struct TurnsStep {
  static constexpr const char* kName = "turns";
  static constexpr const char* kUsage = "turns LAYERS ROWS SPARE [BLOCKS]";
  int64_t layers = 2, rows = 1, spare = 1;
  std::optional<int64_t> blocks = {};
  bool operator==(const TurnsStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.layers, s.rows, s.spare, s.blocks); }
};

// The generator of this layer's schedule leaves EIGHTHS eighths of the INP tiles for the layer's
// own boxes to the boxes of the next layer, whose generator uses no more. So the next layer begins
// under this one.
struct RoomStep {
  static constexpr const char* kName = "room";
  static constexpr const char* kUsage = "room EIGHTHS";
  int64_t eighths = 1;
  bool operator==(const RoomStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.eighths); }
};

// The host packs the layer's input with the taps of its window as channels (im2col). AXES: 1 the
// taps of a column, 2 those of a row, 3 both.
struct TapsStep {
  static constexpr const char* kName = "taps";
  static constexpr const char* kUsage = "taps AXES";
  int64_t axes = 3;
  bool operator==(const TapsStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.axes); }
};

// On the host, the layer's result has its channels last (0,2,3,1) between layers, not row-major.
struct ChannelsLastStep {
  static constexpr const char* kName = "channels_last";
  static constexpr const char* kUsage = "channels_last";
  bool operator==(const ChannelsLastStep&) const = default;
  static auto Fields(auto&) { return std::tie(); }
};

using AnyNetworkStep = std::variant<StayStep, TurnsStep, RoomStep, TapsStep, ChannelsLastStep>;
// A step and its place in a file, "mine.txt:24"; "": not from a file. Equality ignores the place.
struct NetworkStep : AnyNetworkStep {
  using AnyNetworkStep::AnyNetworkStep;
  std::string from;
};
using NetworkTrace = std::vector<NetworkStep>;

// The step of kind |S|; null: the trace has none.
template <typename S>
const S* StepOf(const NetworkTrace& trace) {
  for (const NetworkStep& step : trace) {
    if (const S* found = std::get_if<S>(&step)) return found;
  }
  return nullptr;
}

// Whether |step| is for layers of the host; the others are for the accelerator's.
inline bool IsForHost(const NetworkStep& step) {
  return std::holds_alternative<ChannelsLastStep>(step);
}

// The form of each step for the accelerator, or |for_host|: "turns LAYERS ROWS SPARE".
std::vector<std::string> NetworkStepUsages(bool for_host = false);

std::string Print(const NetworkTrace& trace);  // one step a line

// |file| is the name of the file of |text|, or "".
//   errors  kInvalidArgument  naming the line, the word and what belongs there; a step that is
//                             there twice
Result<NetworkTrace> ParseNetworkTrace(const std::string& text, const std::string& file = "");

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_NETWORK_STEP_H_
