// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/remote/remote_device.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/copy.h"
#include "runtime/drivers/remote/channel.h"
#include "runtime/drivers/remote/wire.h"

namespace tessera {
namespace {

using remote::Answer;
using remote::Ask;
using remote::Bytes;
using remote::Channel;
using remote::Reader;
using remote::Writer;

constexpr std::string_view kSocket = "socket";
constexpr const char* kVariable = "TESSERA_SOCKET";

class RemoteDevice : public Device {
 public:
  explicit RemoteDevice(const isa::Config& config) : config_(config) {}

  Status Open(const std::string& path, uint64_t memory_bytes) {
    TESSERA_ASSIGN(channel_, Channel::Connect(path));
    TESSERA_TRY(channel_->CheckPeer());
    Writer hello;
    hello.Text(remote::kHello).Text(isa::ConfigToJson(config_)).Put(memory_bytes);
    TESSERA_ASSIGN(const Bytes answer, Do(Ask::kOpen, hello.bytes));
    Reader reader(answer);
    has_clock_ = reader.Get<bool>();
    clock_mhz_ = reader.Get<double>();
    return {};
  }

  std::string_view name() const override { return "remote"; }
  const isa::Config& config() const override { return config_; }
  bool has_clock() const override { return has_clock_; }
  double clock_mhz() const override { return clock_mhz_; }

  Result<uint64_t> Allocate(uint64_t bytes, uint64_t align) override {
    TESSERA_ASSIGN(const Bytes answer, Do(Ask::kAllocate, Writer().Put(bytes).Put(align).bytes));
    return Reader(answer).Get<uint64_t>();
  }
  Status Free(uint64_t address) override { return Done(Ask::kFree, Writer().Put(address).bytes); }
  Status Write(uint64_t address, std::span<const uint8_t> bytes) override {
    Writer ask;
    ask.bytes.reserve(sizeof address + bytes.size());
    ask.Put(address).bytes.insert(ask.bytes.end(), bytes.begin(), bytes.end());
    return Done(Ask::kWrite, ask.bytes);
  }
  Status Read(uint64_t address, std::span<uint8_t> bytes) override {
    const uint64_t size = bytes.size();
    TESSERA_ASSIGN(const Bytes answer, Do(Ask::kRead, Writer().Put(address).Put(size).bytes));
    if (answer.size() != size) {
      return Fail(Code::kDataLoss, "remote: {} bytes came of {} that were asked for", answer.size(),
                  size);
    }
    CopyBytes(answer, bytes.data());
    return {};
  }
  Status Submit(const Launch& launch) override {
    return Done(Ask::kSubmit, Writer().Put(launch).bytes);
  }
  Result<RunReport> Wait() override {
    TESSERA_ASSIGN(const Bytes answer, Do(Ask::kWait, {}));
    return Reader(answer).Get<RunReport>();
  }
  Status Reset() override { return Done(Ask::kReset, {}); }
  Status SetObserver(RunObserver* observer) override {
    if (observer == nullptr) return {};
    return Fail(
        Code::kUnsupported,
        "remote: a device in another process does not tell what it executes; observe it there");
  }

 private:
  Result<Bytes> Do(Ask ask, std::span<const uint8_t> bytes) {
    TESSERA_TRY(channel_->Send(static_cast<uint8_t>(ask), bytes));
    for (;;) {
      TESSERA_ASSIGN(Channel::Message message, channel_->Receive(remote::kPatience));
      if (message.kind == static_cast<uint8_t>(Answer::kBusy)) continue;
      if (message.kind == static_cast<uint8_t>(Answer::kDone)) return std::move(message.bytes);
      Reader reader(message.bytes);
      const auto code = static_cast<Code>(reader.Get<uint8_t>());
      return std::unexpected(Error(code, reader.Text()));
    }
  }
  Status Done(Ask ask, std::span<const uint8_t> bytes) {
    TESSERA_TRY(Do(ask, bytes));
    return {};
  }

  isa::Config config_;
  std::unique_ptr<Channel> channel_;
  bool has_clock_ = false;
  double clock_mhz_ = 0;
};

std::string SocketOr(const std::string& given) {
  const char* set = std::getenv(kVariable);
  return given.empty() && set != nullptr ? set : given;
}

Result<std::unique_ptr<Device>> Open(const isa::Config& config, uint64_t memory_bytes,
                                     const OptionValues& options) {
  const std::string path = SocketOr(options.Text(kSocket));
  if (path.empty()) {
    return Fail(Code::kInvalidArgument,
                "device remote: say where the other process serves: remote:socket=PATH, or {}",
                kVariable);
  }
  auto device = std::make_unique<RemoteDevice>(config);
  TESSERA_TRY(device->Open(path, memory_bytes));
  return device;
}

Result<std::string> Here() {
  const std::string path = SocketOr("");
  std::error_code ignored;
  if (!path.empty() && std::filesystem::is_socket(path, ignored)) return path;
  return Fail(Code::kNotFound,
              "no process serves a device at {} ({}); tessera serve does, then give "
              "remote:socket=PATH",
              kVariable, path.empty() ? "not set" : path);
}

}  // namespace

Driver RemoteDriver() {
  return {
      .name = "remote",
      .what = "a device that another process of this computer serves",
      .options = {{.name = kSocket,
                   .kind = OptionKind::kText,
                   .value = "PATH",
                   .fallback = "",
                   .help = "the socket of tessera serve; default: the variable TESSERA_SOCKET"}},
      .open = Open,
      .here = Here};
}

}  // namespace tessera
