// SPDX-License-Identifier: Apache-2.0
//
// What layers took when they ran: seconds by device and structure, measured once and kept in a text
// file. They count for the machine that they were measured on. Depends on: base, network/pins.h.
// Used by: network/known_costs.h, tools.
#ifndef TESSERA_COMPILER_NETWORK_LAYER_TIMES_H_
#define TESSERA_COMPILER_NETWORK_LAYER_TIMES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "compiler/network/pins.h"

namespace tessera::network {

class LayerTimes {
 public:
  // |machine|: a line that names processor, GPU and version.
  explicit LayerTimes(std::string machine) : machine_(std::move(machine)) {}

  const std::string& machine() const { return machine_; }
  size_t size() const { return times_.size(); }
  // Seconds on |device|, kHost or a GPU, of the layers of structure |key| (Layers::KeyOf).
  std::optional<double> Of(uint32_t device, uint64_t key) const;
  // In place of what is known. |layer|: the name of one that was measured, for people.
  void Set(uint32_t device, uint64_t key, double seconds, std::string layer);

  // The text that ParseLayerTimes reads.
  std::string Print() const;

 private:
  struct Time {
    double seconds = 0;
    std::string layer;
  };
  std::string machine_;
  std::map<std::pair<uint32_t, uint64_t>, Time> times_;
};

// Reads |text|, the contents of |file|: the machine, then a line for each device and structure.
//   errors  kInvalidArgument  a line that says something else, or a structure twice: names file,
//                             line
Result<LayerTimes> ParseLayerTimes(std::string_view text, const std::string& file);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_LAYER_TIMES_H_
