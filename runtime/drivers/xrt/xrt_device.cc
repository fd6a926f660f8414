// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/xrt/xrt_device.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/number.h"
#include "runtime/device/register_device.h"
#include "runtime/drivers/xrt/card_port.h"
#include "runtime/drivers/xrt/xrt_card.h"

namespace tessera {
namespace {

constexpr std::string_view kIndex = "index", kAny = "any";
constexpr std::string_view kFile = "xclbin";
constexpr std::string_view kKernel = "kernel";
constexpr std::string_view kAnswer = "answer-ms";
constexpr const char* kFileVariable = "TESSERA_XCLBIN";
constexpr uint64_t kLongestAnswer = 600'000;  // ms

// The buffer; destroyed before the card.
class CardMemory : public MemoryPort {
 public:
  CardMemory(std::shared_ptr<XrtCard> card, std::unique_ptr<MemoryPort> buffer)
      : card_(std::move(card)), buffer_(std::move(buffer)) {}

  uint64_t size() const override { return buffer_->size(); }
  uint64_t bus_address() const override { return buffer_->bus_address(); }
  Status Write(uint64_t address, std::span<const uint8_t> bytes) override {
    return buffer_->Write(address, bytes);
  }
  Status Read(uint64_t address, std::span<uint8_t> bytes) override {
    return buffer_->Read(address, bytes);
  }

 private:
  std::shared_ptr<XrtCard> card_;
  std::unique_ptr<MemoryPort> buffer_;
};

// The path of the file: the option, else the environment; in a folder, the configuration's file.
Result<std::string> FileOf(const OptionValues& options, const isa::Config& config) {
  std::string path = options.Text(kFile);
  if (const char* set = std::getenv(kFileVariable); path.empty() && set != nullptr) path = set;
  if (path.empty()) {
    return Fail(Code::kInvalidArgument,
                "xrt: no xclbin is named: say --device xrt:xclbin=FILE, or set {} to a file or to "
                "a folder with {}.xclbin",
                kFileVariable, config.name);
  }
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) path += fmt::format("/{}.xclbin", config.name);
  return path;
}

Result<std::optional<uint32_t>> IndexOf(const OptionValues& options) {
  const std::string& text = options.Text(kIndex);
  if (text == kAny) return std::nullopt;
  const auto index = NumberIn<uint32_t>(text);
  if (!index || *index > 0xffff) {
    return Fail(Code::kInvalidArgument,
                "xrt: index is '{}', wanted is a card's number from 0 to 65535, or '{}'", text,
                kAny);
  }
  return index;
}

Status CheckConfig(const xclbin::KernelPlace& place, const isa::Config& config,
                   const std::string& file) {
  if (!place.config_hash || *place.config_hash == config.Hash()) return {};
  return Fail(Code::kInvalidArgument,
              "{}: made for configuration {} with hash {:016x}, wanted is {} with {:016x}; open it "
              "with the configuration it was made for",
              file, place.configuration, *place.config_hash, config.name, config.Hash());
}

Result<std::unique_ptr<Device>> Open(const isa::Config& config, uint64_t memory_bytes,
                                     const OptionValues& options) {
  TESSERA_TRY(HaveXrt());
  CardRequest request;
  TESSERA_ASSIGN(request.index, IndexOf(options));
  TESSERA_ASSIGN(const InterruptUse use, InterruptUseOf("xrt", options));
  TESSERA_ASSIGN(request.file, FileOf(options, config));
  if (const uint64_t ms = options.Number(kAnswer); ms < 1 || ms > kLongestAnswer) {
    return Fail(Code::kInvalidArgument, "xrt: {} is {}, it can be 1 to {}", kAnswer, ms,
                kLongestAnswer);
  }
  request.answer = std::chrono::milliseconds(options.Number(kAnswer));
  TESSERA_ASSIGN(request.xclbin, ReadFile(request.file));
  TESSERA_ASSIGN(const xclbin::ContainerFile container,
                 xclbin::ReadContainer(request.xclbin, request.file));
  TESSERA_ASSIGN(request.place, xclbin::FindKernel(container, options.Text(kKernel), request.file));
  TESSERA_TRY(CheckConfig(request.place, config, request.file));
  if (memory_bytes > request.place.memory_bytes) {
    return Fail(Code::kInvalidArgument,
                "{}: the kernel's memory has {} bytes, {} are wanted; ask for less", request.file,
                request.place.memory_bytes, memory_bytes);
  }
  TESSERA_ASSIGN(const std::shared_ptr<XrtCard> card, OpenCard(request));
  TESSERA_ASSIGN(std::unique_ptr<MemoryPort> buffer, card->Allocate(memory_bytes));
  return OpenRegisterDevice("xrt", config, std::make_unique<CardPort>(card, use),
                            std::make_unique<CardMemory>(card, std::move(buffer)));
}

}  // namespace

Driver XrtDriver() {
  return {.name = "xrt",
          .what = "the machine on a card, through XRT",
          .clock = true,
          .options = {{.name = kIndex,
                       .value = "N",
                       .fallback = kAny,
                       .help = "which card, as xbutil numbers them; xrt:1 is xrt:index=1 (default: "
                               "the first that is free)",
                       .plain = true},
                      {.name = kFile,
                       .value = "FILE",
                       .help = "what to load: a file, or a folder with CONFIGURATION.xclbin "
                               "(default: $TESSERA_XCLBIN)"},
                      {.name = kKernel,
                       .value = "NAME",
                       .fallback = xclbin::kKernelName,
                       .help = "the kernel in it"},
                      InterruptOption(),
                      {.name = kAnswer,
                       .kind = OptionKind::kNumber,
                       .value = "MS",
                       .fallback = "10000",
                       .help = "milliseconds that a register or a transfer may take"}},
          .open = Open,
          .here = CardsHere};
}

}  // namespace tessera
