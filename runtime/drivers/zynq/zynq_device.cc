// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/zynq/zynq_device.h"

#include <utility>

#include "runtime/device/register_device.h"
#include "runtime/drivers/zynq/simulated_board.h"
#include "runtime/drivers/zynq/udmabuf_memory.h"
#include "runtime/drivers/zynq/uio_port.h"

namespace tessera {
namespace {

constexpr std::string_view kName = "zynq";
constexpr std::string_view kUio = "uio";
constexpr std::string_view kInterrupt = "interrupt";
constexpr std::string_view kUdmabuf = "udmabuf";
constexpr std::string_view kRoot = "root";
constexpr std::string_view kShared = "shared";

Result<zynq::InterruptUse> InterruptUseOf(const std::string& word) {
  if (word == "auto") return zynq::InterruptUse::kAuto;
  if (word == "on") return zynq::InterruptUse::kAlways;
  if (word == "off") return zynq::InterruptUse::kNever;
  return Fail(Code::kInvalidArgument, "zynq: interrupt={}: give auto, on or off", word);
}

Result<std::unique_ptr<Device>> OpenShared(const isa::Config& config, uint64_t memory_bytes,
                                           const std::string& path) {
  TESSERA_ASSIGN(auto board, zynq::SimulatedBoard::Open(path));
  auto memory = std::make_unique<zynq::SimulatedMemory>(board, memory_bytes);
  return OpenRegisterDevice(std::string(kName), config,
                            std::make_unique<zynq::SimulatedPort>(std::move(board)),
                            std::move(memory));
}

Result<std::unique_ptr<Device>> Open(const isa::Config& config, uint64_t memory_bytes,
                                     const OptionValues& options) {
  if (!options.Text(kShared).empty())
    return OpenShared(config, memory_bytes, options.Text(kShared));
  // "/" and "" are the same root.
  std::string root = options.Text(kRoot);
  while (root.ends_with('/')) root.pop_back();
  TESSERA_ASSIGN(const zynq::InterruptUse use, InterruptUseOf(options.Text(kInterrupt)));
  TESSERA_ASSIGN(auto port, zynq::UioPort::Open(root, options.Text(kUio), use));
  TESSERA_ASSIGN(auto memory,
                 zynq::UdmabufMemory::Open(root, options.Text(kUdmabuf), memory_bytes));
  return OpenRegisterDevice(std::string(kName), config, std::move(port), std::move(memory));
}

}  // namespace

Driver ZynqDriver() {
  return {
      .name = kName,
      .what = "a board with a Zynq-7000 or Zynq UltraScale+, by UIO and u-dma-buf",
      .clock = true,
      .options =
          {{.name = kUio,
            .value = "NAME",
            .fallback = "tessera",
            .help = "the UIO device with the registers: its name, or uioN"},
           {.name = kInterrupt,
            .value = "auto|on|off",
            .fallback = "auto",
            .help = "how to wait; auto polls when interrupts do not come, on refuses"},
           {.name = kUdmabuf,
            .value = "NAME",
            .fallback = "udmabuf-tessera",
            .help = "the u-dma-buf buffer that is device memory"},
           {.name = kRoot, .value = "FOLDER", .fallback = "/", .help = "where /sys and /dev are"},
           {.name = kShared,
            .value = "FILE",
            .help = "a simulated device instead, which build/bin/simulated_board shares"}},
      .open = Open};
}

}  // namespace tessera
