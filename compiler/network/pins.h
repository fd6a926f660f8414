// SPDX-License-Identifier: Apache-2.0
//
// Placements that a user gives: a text of lines "host LAYER", "accelerator LAYER", "opencl LAYER",
// "cuda LAYER", "both:CHANNELS LAYER" and "rows:ROWS LAYER". Depends on: base. Used by:
// network/place.h, compiler/driver, tools.
#ifndef TESSERA_COMPILER_NETWORK_PINS_H_
#define TESSERA_COMPILER_NETWORK_PINS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tessera::network {

// Devices: the values of artifact::DeviceKind. kOpenCl and kCuda are GPUs beside the host.
inline constexpr uint32_t kHost = 0, kAccelerator = 1, kOpenCl = 2, kCuda = 3;
inline bool IsGpu(uint32_t device) { return device >= kOpenCl; }

// "host", "accelerator", "opencl", "cuda".
std::string_view DeviceText(uint32_t device);

// A layer that the user puts on a device: the names of its nodes, "conv1+relu", or of one of them.
// With |channels| or |rows| both devices make it: the accelerator the first so many output channels
// or rows of its result, the host the others.
struct Pin {
  std::string layer;
  uint32_t device = kHost;
  int64_t channels = 0, rows = 0;
  bool shared() const { return channels > 0 || rows > 0; }
  bool operator==(const Pin&) const = default;
};
using Pins = std::vector<Pin>;

// Reads |text|, the contents of |file|: a device and a layer a line. Lines that begin with # and
// empty lines do not count. Layers that are not named stay the compiler's choice.
//   errors  kInvalidArgument  a line that says something else, or a layer twice: names file, line
Result<Pins> ParsePins(std::string_view text, const std::string& file);

// The text that ParsePins reads.
std::string PrintPins(const Pins& pins);

// The nodes of a layer: "conv1", "relu" of "conv1+relu".
std::vector<std::string> NodesOfLayer(std::string_view layer);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_PINS_H_
