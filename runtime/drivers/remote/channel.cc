// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/remote/channel.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cstring>

namespace tessera::remote {
namespace {

namespace asio = boost::asio;

constexpr uint64_t kMostBytes = uint64_t{1} << 32;
constexpr size_t kHeadBytes = 9;  // kind, length

}  // namespace

Result<std::unique_ptr<Channel>> Channel::Connect(const std::string& path) {
  // A socket's path has room for 107 bytes.
  if (path.empty() || path.size() > 107)
    return Fail(Code::kInvalidArgument, "socket '{}': a path has 1 to 107 bytes", path);
  auto io = std::make_unique<asio::io_context>();
  Socket socket(*io);
  boost::system::error_code code;
  socket.connect(Socket::endpoint_type(path), code);
  if (code) {
    return Fail(Code::kUnavailable,
                "socket {}: nobody serves a device there ({}); start tessera serve --socket {}",
                path, code.message(), path);
  }
  return std::make_unique<Channel>(std::move(io), std::move(socket), "socket " + path);
}

Status Channel::CheckPeer() const {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  // The native handle of a socket is not const.
  const int file = const_cast<Socket&>(socket_).native_handle();
  const int status = getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &bytes);
  if (status == 0 && peer.uid == geteuid()) return {};
  return Fail(Code::kUnavailable,
              "{}: the other process is of user {}, this one of {}; both must be "
              "of one user",
              peer_, status == 0 ? static_cast<int64_t>(peer.uid) : -1, geteuid());
}

std::unexpected<Error> Channel::Lose(std::string message) {
  boost::system::error_code ignored;
  socket_.close(ignored);
  lost_ = std::move(message);
  return Fail(Code::kUnavailable, "{}", lost_);
}

// Runs the one operation that was started, which sets |code|.
Status Channel::RunFor(std::chrono::seconds limit, const boost::system::error_code& code) {
  io_->restart();
  io_->run_for(limit);
  if (!io_->stopped()) {
    const auto silent = Lose(
        fmt::format("{}: the other process has not answered for {} seconds", peer_, limit.count()));
    io_->run();  // ends the operation, which uses the caller's memory
    return silent;
  }
  if (!code) return {};
  return Lose(fmt::format("{}: the other process is gone ({})", peer_, code.message()));
}

Status Channel::Send(uint8_t kind, std::span<const uint8_t> bytes) {
  if (!lost_.empty()) return Fail(Code::kUnavailable, "{}", lost_);
  std::array<uint8_t, kHeadBytes> head{kind};
  const uint64_t length = bytes.size();
  std::memcpy(head.data() + 1, &length, sizeof length);
  const std::array<asio::const_buffer, 2> both{asio::buffer(head),
                                               asio::buffer(bytes.data(), bytes.size())};
  boost::system::error_code code;
  asio::async_write(socket_, both, [&](const boost::system::error_code& c, size_t) { code = c; });
  return RunFor(kPatience, code);
}

Result<Channel::Message> Channel::Receive(std::chrono::seconds limit) {
  if (!lost_.empty()) return Fail(Code::kUnavailable, "{}", lost_);
  std::array<uint8_t, kHeadBytes> head{};
  boost::system::error_code code;
  const auto done = [&](const boost::system::error_code& c, size_t) { code = c; };
  asio::async_read(socket_, asio::buffer(head), done);
  TESSERA_TRY(RunFor(limit, code));
  uint64_t length = 0;
  std::memcpy(&length, head.data() + 1, sizeof length);
  if (length > kMostBytes) {
    return Lose(fmt::format("{}: a message of {} bytes, the limit is {}: this is no tessera serve",
                            peer_, length, kMostBytes));
  }
  Message message{head[0], Bytes(length)};
  asio::async_read(socket_, asio::buffer(message.bytes), done);
  TESSERA_TRY(RunFor(kPatience, code));
  return message;
}

}  // namespace tessera::remote
