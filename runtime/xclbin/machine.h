// SPDX-License-Identifier: Apache-2.0
//
// One of our machines in an xclbin. Makes the file that describes the machine to XRT's emulation or
// carries its bitstream; reads what a driver must know before it loads a file. The machine is a
// kernel that the host drives by registers (isa/regs.def), with one memory port. Depends on:
// container.h, sections.h, isa, bitstream (XML). Used by: drivers/xrt, sim/xrt, the command.
#ifndef TESSERA_RUNTIME_XCLBIN_MACHINE_H_
#define TESSERA_RUNTIME_XCLBIN_MACHINE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "isa/config.h"
#include "runtime/xclbin/container.h"

namespace tessera::xclbin {

inline constexpr std::string_view kKernelName = "tessera";
inline constexpr uint32_t kRegisterRange = 0x1000;  // bytes; 12 bits of address

// The file of |config|'s machine. Without a bitstream it is for XRT's software emulation: its
// BITSTREAM section then is the configuration as JSON, which sim/xrt reads. Its uuid and id follow
// from its contents.
ContainerFile MachineContainer(const isa::Config& config,
                               std::optional<std::vector<uint8_t>> bitstream = std::nullopt);

// The place of a kernel.
struct KernelPlace {
  std::string kernel, instance;
  uint64_t base_address = 0;  // of its registers
  uint64_t register_range = 0;
  int32_t memory = 0;  // entry of the topology
  uint64_t memory_bytes = 0;
  std::string configuration;            // "" if the file does not name it
  std::optional<uint64_t> config_hash;  // isa::Config::Hash(), if the file has it
};

// Finds kernel |kernel| of |file|; every message begins with |name|.
//   errors  kInvalidArgument  a section that XRT needs is missing; metadata is not XML or has no
//                             such kernel; IP_LAYOUT has no instance or several; the kernel has
//                             fewer registers than ours, or reaches no memory
//           kDataLoss         a section with wrong lengths
Result<KernelPlace> FindKernel(const ContainerFile& file, std::string_view kernel,
                               const std::string& name);

}  // namespace tessera::xclbin

#endif  // TESSERA_RUNTIME_XCLBIN_MACHINE_H_
