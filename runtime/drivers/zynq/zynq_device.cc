// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/zynq/zynq_device.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "runtime/board/board.h"
#include "runtime/device/register_device.h"
#include "runtime/drivers/zynq/heap_memory.h"
#include "runtime/drivers/zynq/reloading_port.h"
#include "runtime/drivers/zynq/simulated_board.h"
#include "runtime/drivers/zynq/udmabuf_memory.h"
#include "runtime/drivers/zynq/uio_port.h"

namespace tessera {
namespace {

constexpr std::string_view kName = "zynq";
constexpr std::string_view kUio = "uio";
constexpr std::string_view kMemory = "memory";
constexpr std::string_view kUdmabuf = "udmabuf";
constexpr std::string_view kMib = "mib";
constexpr std::string_view kRoot = "root";
constexpr std::string_view kFirmware = "firmware";
constexpr std::string_view kShared = "shared";

// Opens the kind of memory that the option names, or the first kind that exists.
Result<std::unique_ptr<MemoryPort>> OpenMemory(const std::string& root, uint64_t memory_bytes,
                                               const OptionValues& options) {
  static zynq::Kernel kernel;
  std::string kind = options.Text(kMemory);
  const std::string& name = options.Text(kUdmabuf);
  constexpr uint64_t kMostMib = 4095;  // below the 4 GiB that a 32-bit bus address reaches
  const uint64_t mib = options.Number(kMib);
  if (kind == "auto") {
    if (zynq::UdmabufMemory::Exists(root, name)) {
      kind = "u-dma-buf";
    } else if (!zynq::FindZocl(root, kernel).empty()) {
      kind = "zocl";
    } else if (!zynq::FindDmaHeap(root).empty()) {
      kind = "dma-heap";
    } else {
      return Fail(
          Code::kNotFound,
          "zynq: no memory that the programmable logic could reach: {}/sys/class/u-dma-buf "
          "has no '{}', there is no zocl and no dma-heap: load the u-dma-buf module with the "
          "board's overlay, or give its buffer's name with udmabuf=NAME",
          root, name);
    }
  }
  if (kind == "u-dma-buf") return zynq::UdmabufMemory::Open(root, name, memory_bytes);
  if (mib == 0 || mib > kMostMib)
    return Fail(Code::kInvalidArgument, "zynq: mib={}: give 1 to {}", mib, kMostMib);
  const uint64_t bytes = mib << 20;
  if (kind == "zocl") return zynq::OpenZocl(root, bytes, kernel);
  if (kind == "dma-heap") return zynq::OpenDmaHeap(root, bytes, kernel);
  return Fail(Code::kInvalidArgument, "zynq: memory={}: give auto, u-dma-buf, zocl or dma-heap",
              kind);
}

// The clock of the image that `tessera flash` loaded; 0 if another program loaded one, because then
// there is no description.
//   errors  those of ReadBoard
Result<uint64_t> ClockOf(const std::string& root) {
  const std::string path = root + std::string(kLoadedBoard);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return uint64_t{0};
  TESSERA_ASSIGN(const BoardDescription board, ReadBoard(path));
  return board.FabricHz();
}

// |port|, or a port whose Reset loads the file of option firmware.
Result<std::unique_ptr<RegisterPort>> WithReset(std::unique_ptr<RegisterPort> port,
                                                const std::string& root,
                                                const OptionValues& options) {
  const std::string& firmware = options.Text(kFirmware);
  if (firmware.empty()) return port;
  return zynq::ReloadingPort::Make(std::move(port), root, firmware);
}

Result<std::unique_ptr<Device>> OpenShared(const isa::Config& config, uint64_t memory_bytes,
                                           const std::string& root, const OptionValues& options) {
  TESSERA_ASSIGN(auto board, zynq::SimulatedBoard::Open(options.Text(kShared)));
  auto memory = std::make_unique<zynq::SimulatedMemory>(board, memory_bytes);
  TESSERA_ASSIGN(auto port,
                 WithReset(std::make_unique<zynq::SimulatedPort>(std::move(board)), root, options));
  return OpenRegisterDevice(std::string(kName), config, std::move(port), std::move(memory));
}

Result<std::unique_ptr<Device>> Open(const isa::Config& config, uint64_t memory_bytes,
                                     const OptionValues& options) {
  // "/" and "" are the same root.
  std::string root = options.Text(kRoot);
  while (root.ends_with('/')) root.pop_back();
  if (!options.Text(kShared).empty()) return OpenShared(config, memory_bytes, root, options);
  TESSERA_ASSIGN(const InterruptUse use, InterruptUseOf(kName, options));
  TESSERA_ASSIGN(auto uio, zynq::UioPort::Open(root, options.Text(kUio), use));
  TESSERA_ASSIGN(auto port, WithReset(std::move(uio), root, options));
  TESSERA_ASSIGN(auto memory, OpenMemory(root, memory_bytes, options));
  TESSERA_ASSIGN(const uint64_t clock_hz, ClockOf(root));
  return OpenRegisterDevice(std::string(kName), config, std::move(port), std::move(memory),
                            clock_hz);
}

}  // namespace

Driver ZynqDriver() {
  return {
      .name = kName,
      .what =
          "a board with a Zynq-7000 or Zynq UltraScale+, by UIO and u-dma-buf, zocl or dma-heap",
      .clock = true,
      .options = {{.name = kUio,
                   .value = "NAME",
                   .fallback = "tessera",
                   .help = "the UIO device with the registers: its name, or uioN"},
                  InterruptOption(),
                  {.name = kMemory,
                   .value = "KIND",
                   .fallback = "auto",
                   .help = "u-dma-buf, zocl or dma-heap; auto: the first that exists"},
                  {.name = kUdmabuf,
                   .value = "NAME",
                   .fallback = "udmabuf-tessera",
                   .help = "the u-dma-buf buffer that is device memory"},
                  {.name = kMib,
                   .kind = OptionKind::kNumber,
                   .value = "MIB",
                   .fallback = "64",
                   .help = "how much zocl or a dma-heap is asked for"},
                  {.name = kFirmware,
                   .value = "NAME",
                   .help = "a reset loads /lib/firmware/NAME.bin again, which clears scratchpads"},
                  {.name = kRoot,
                   .value = "FOLDER",
                   .fallback = "/",
                   .help = "where /sys, /dev and /lib/firmware are"},
                  {.name = kShared,
                   .value = "FILE",
                   .help = "a simulated device instead, which build/bin/simulated_board shares"}},
      .open = Open,
      .here = []() -> Result<std::string> {
        TESSERA_ASSIGN(const std::string node, zynq::FindUio("", "tessera"));
        return "registers at /dev/" + node;
      }};
}

}  // namespace tessera
