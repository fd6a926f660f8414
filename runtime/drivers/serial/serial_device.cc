// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/serial/serial_device.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

#include "runtime/device/register_device.h"
#include "runtime/drivers/serial/link.h"

namespace tessera {
namespace {

constexpr std::string_view kName = "serial";
constexpr std::string_view kPort = "port";
constexpr std::string_view kBaud = "baud";
constexpr std::string_view kAnswer = "answer-ms";
constexpr const char* kPortVariable = "TESSERA_SERIAL";
constexpr uint64_t kLongestAnswer = 60'000;  // ms
constexpr uint64_t kMostBaud = 3'000'000;

// The registers; the memory below shares the link.
class LinkPort : public RegisterPort {
 public:
  explicit LinkPort(std::shared_ptr<serial::SerialLink> link) : link_(std::move(link)) {}

  Result<uint32_t> Read(uint32_t offset) override { return link_->Read(offset); }
  Status Write(uint32_t offset, uint32_t value) override { return link_->Write(offset, value); }
  // A look takes longer on the line than a pause.
  void Pause() override { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }
  // Also resets a machine that does not answer a soft reset.
  Status Reset() override { return link_->ResetMachine(); }
  bool reset_clears() const override { return false; }

 private:
  std::shared_ptr<serial::SerialLink> link_;
};

class LinkMemory : public MemoryPort {
 public:
  LinkMemory(std::shared_ptr<serial::SerialLink> link, uint64_t most_bytes)
      : link_(std::move(link)),
        size_(std::min<uint64_t>(link_->facts().memory_bytes, most_bytes)) {}

  uint64_t size() const override { return size_; }
  Status Write(uint64_t address, std::span<const uint8_t> bytes) override {
    return link_->WriteMemory(static_cast<uint32_t>(address), bytes);
  }
  Status Read(uint64_t address, std::span<uint8_t> bytes) override {
    return link_->ReadMemory(static_cast<uint32_t>(address), bytes);
  }

 private:
  std::shared_ptr<serial::SerialLink> link_;
  uint64_t size_;
};

// The port: the option, else the environment, else the one that is there.
Result<std::string> PortOf(const OptionValues& options) {
  if (const std::string& named = options.Text(kPort); !named.empty()) return named;
  if (const char* set = std::getenv(kPortVariable); set != nullptr && *set != 0) return set;
  const std::vector<std::string> ports = serial::FindPorts();
  if (ports.size() == 1) return ports[0];
  if (ports.empty()) {
    return Fail(Code::kNotFound,
                "serial: no port of a ULX3S: /dev/serial/by-id has none of that name, and there is "
                "no /dev/ttyUSB*: plug the cable into connector US1, or name the port with "
                "serial:port=PATH or {}",
                kPortVariable);
  }
  return Fail(Code::kInvalidArgument,
              "serial: {} ports may be a ULX3S: choose one of [{}] with serial:port=PATH",
              ports.size(), fmt::join(ports, ", "));
}

Result<std::unique_ptr<Device>> Open(const isa::Config& config, uint64_t memory_bytes,
                                     const OptionValues& options) {
  const uint64_t ms = options.Number(kAnswer), baud = options.Number(kBaud);
  if (ms < 1 || ms > kLongestAnswer) {
    return Fail(Code::kInvalidArgument, "serial: {} is {}, it can be 1 to {}", kAnswer, ms,
                kLongestAnswer);
  }
  if (baud < 1 || baud > kMostBaud) {
    return Fail(Code::kInvalidArgument, "serial: {} is {}, it can be 115200 to {}", kBaud, baud,
                kMostBaud);
  }
  TESSERA_ASSIGN(const std::string path, PortOf(options));
  TESSERA_ASSIGN(auto line, serial::SerialLine::Open(path, static_cast<uint32_t>(baud)));
  TESSERA_ASSIGN(auto opened, serial::SerialLink::Open(std::move(line),
                                                       {.answer = std::chrono::milliseconds(ms)}));
  const std::shared_ptr<serial::SerialLink> link = std::move(opened);
  return OpenRegisterDevice(std::string(kName), config, std::make_unique<LinkPort>(link),
                            std::make_unique<LinkMemory>(link, memory_bytes),
                            link->facts().clock_hz);
}

}  // namespace

Driver SerialDriver() {
  return {.name = kName,
          .what = "a board behind a serial line, with its memory in the part: the ULX3S",
          .clock = true,
          .options = {{.name = kPort,
                       .value = "PATH",
                       .help = "the serial port (default: $TESSERA_SERIAL, else the one of a ULX3S "
                               "that is plugged in)"},
                      {.name = kBaud,
                       .kind = OptionKind::kNumber,
                       .value = "RATE",
                       .fallback = "2000000",
                       .help = "bits a second, as the bitstream was built"},
                      {.name = kAnswer,
                       .kind = OptionKind::kNumber,
                       .value = "MS",
                       .fallback = "250",
                       .help = "milliseconds to the first repetition of a request"}},
          .open = Open,
          .here = []() -> Result<std::string> {
            TESSERA_ASSIGN(const std::string path,
                           PortOf(*OptionValues::Make(kName, SerialDriver().options, {})));
            return "port " + path;
          }};
}

}  // namespace tessera
