// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/remote/serve.h"

#include <sys/stat.h>

#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <filesystem>
#include <future>
#include <thread>
#include <utility>

#include "runtime/drivers/remote/channel.h"
#include "runtime/drivers/remote/wire.h"

namespace tessera::remote {
namespace {

namespace fs = std::filesystem;
namespace asio = boost::asio;

constexpr std::chrono::seconds kBeat{1};  // between two words of a device at work

// One connection with its device.
class Connection {
 public:
  Connection(std::unique_ptr<Channel> channel, const ServeOptions& options)
      : channel_(std::move(channel)), options_(options) {}

  // Answers until the other process goes or stops asking.
  void Run() {
    if (!channel_->CheckPeer()) return;
    for (;;) {
      const Result<Channel::Message> asked = channel_->Receive(kForever);
      if (!asked) return;
      const Result<Bytes> answer = Do(static_cast<Ask>(asked->kind), asked->bytes);
      const Status sent = answer ? Send(Answer::kDone, *answer) : SendError(answer.error());
      if (!sent) return;
    }
  }

 private:
  Status Send(Answer kind, std::span<const uint8_t> bytes) {
    return channel_->Send(static_cast<uint8_t>(kind), bytes);
  }
  Status SendError(const Error& error) {
    Writer writer;
    writer.Put(static_cast<uint8_t>(error.code)).Text(error.message);
    return Send(Answer::kError, writer.bytes);
  }

  Result<Bytes> Do(Ask ask, std::span<const uint8_t> bytes) {
    Reader reader(bytes);
    if (ask == Ask::kOpen) return Open(reader);
    if (device_ == nullptr) return Fail(Code::kInvalidArgument, "remote: no device is open");
    const auto done = [](const Status& status) -> Result<Bytes> {
      if (!status) return std::unexpected(status.error());
      return Bytes();
    };
    switch (ask) {
      case Ask::kAllocate: {
        const auto size = reader.Get<uint64_t>(), align = reader.Get<uint64_t>();
        TESSERA_ASSIGN(const uint64_t address, device_->Allocate(size, align));
        return Writer().Put(address).bytes;
      }
      case Ask::kFree:
        return done(device_->Free(reader.Get<uint64_t>()));
      case Ask::kWrite: {
        const auto address = reader.Get<uint64_t>();
        return done(device_->Write(address, reader.rest()));
      }
      case Ask::kRead: {
        const auto address = reader.Get<uint64_t>(), size = reader.Get<uint64_t>();
        if (size > memory_bytes_) {
          return Fail(Code::kOutOfRange, "remote: {} bytes to read, device memory has {}", size,
                      memory_bytes_);
        }
        Bytes read(size);
        TESSERA_TRY(device_->Read(address, read));
        return read;
      }
      case Ask::kSubmit:
        return done(device_->Submit(reader.Get<Launch>()));
      case Ask::kWait:
        return Wait();
      case Ask::kReset:
        return done(device_->Reset());
      case Ask::kOpen:
        break;
    }
    return Fail(Code::kInvalidArgument, "remote: request {} is unknown", static_cast<int>(ask));
  }

  Result<Bytes> Open(Reader& reader) {
    const std::string hello = reader.Text(), json = reader.Text();
    memory_bytes_ = reader.Get<uint64_t>();
    if (hello != kHello || !reader.ok()) {
      return Fail(Code::kInvalidArgument,
                  "remote: the greeting is '{}', this process knows '{}'; "
                  "run the same tessera at both ends",
                  hello, kHello);
    }
    if (device_ != nullptr) return Fail(Code::kInvalidArgument, "remote: a device is open already");
    TESSERA_ASSIGN(const isa::Config config, isa::ParseConfig(json, "the other process"));
    TESSERA_ASSIGN(device_, OpenDevice(options_.device, config,
                                       {.memory_bytes = memory_bytes_, .values = options_.values}));
    return Writer().Put(device_->has_clock()).Put(device_->clock_mhz()).bytes;
  }

  // Says each second that the device is at work.
  Result<Bytes> Wait() {
    std::future<Result<RunReport>> run =
        std::async(std::launch::async, [&] { return device_->Wait(); });
    while (run.wait_for(kBeat) == std::future_status::timeout) {
      // If the other process is gone, the run ends by its budget, and then the connection.
      if (!Send(Answer::kBusy, {})) break;
    }
    TESSERA_ASSIGN(const RunReport report, run.get());
    return Writer().Put(report).bytes;
  }

  std::unique_ptr<Channel> channel_;
  const ServeOptions options_;
  std::unique_ptr<Device> device_;
  uint64_t memory_bytes_ = 0;
};

// Removes what a server that was killed has left; refuses the socket of one that lives.
Status MakeRoom(const std::string& path) {
  std::error_code code;
  const fs::file_status status = fs::symlink_status(path, code);
  if (!fs::exists(status)) return {};
  if (!fs::is_socket(status))
    return Fail(Code::kInvalidArgument, "{}: is there and is no socket; give another path", path);
  if (Channel::Connect(path))
    return Fail(Code::kInvalidArgument, "{}: another process serves there; give another path",
                path);
  fs::remove(path, code);
  return {};
}

}  // namespace

Status Serve(const ServeOptions& options, const std::function<void()>& ready) {
  TESSERA_TRY(FindDriver(Drivers(), options.device));
  TESSERA_TRY(MakeRoom(options.socket));
  asio::io_context io;
  boost::system::error_code code;
  Socket::protocol_type::acceptor acceptor(io);
  acceptor.open(Socket::protocol_type(), code);
  const mode_t mask = umask(0177);
  if (!code) acceptor.bind(Socket::endpoint_type(options.socket), code);
  umask(mask);
  if (!code) acceptor.listen(asio::socket_base::max_listen_connections, code);
  if (code)
    return Fail(Code::kUnavailable, "{}: no socket there: {}", options.socket, code.message());
  asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&](const boost::system::error_code&, int) { io.stop(); });
  std::function<void()> accept = [&] {
    auto own =
        std::make_shared<std::unique_ptr<asio::io_context>>(std::make_unique<asio::io_context>());
    auto socket = std::make_shared<Socket>(**own);
    acceptor.async_accept(*socket, [&, own, socket](const boost::system::error_code& failed) {
      if (!failed) {
        auto channel = std::make_unique<Channel>(std::move(*own), std::move(*socket), "remote");
        std::thread([connection = std::make_shared<Connection>(std::move(channel), options)] {
          connection->Run();
        }).detach();
      }
      accept();
    });
  };
  accept();
  ready();
  io.run();
  std::error_code ignored;
  fs::remove(options.socket, ignored);
  return {};
}

}  // namespace tessera::remote
