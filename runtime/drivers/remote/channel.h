// SPDX-License-Identifier: Apache-2.0
//
// Channel: messages between two processes of one user, through a local socket. No call waits longer
// than it is told. Depends on base, Boost.Asio. Used by: remote_device, serve.
#ifndef TESSERA_RUNTIME_DRIVERS_REMOTE_CHANNEL_H_
#define TESSERA_RUNTIME_DRIVERS_REMOTE_CHANNEL_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace tessera::remote {

using Bytes = std::vector<uint8_t>;
using Socket = boost::asio::local::stream_protocol::socket;

inline constexpr std::chrono::seconds kPatience{10};     // for an answer
inline constexpr std::chrono::hours kForever{24 * 365};  // for the next request

class Channel {
 public:
  // |io| has no other work; |socket| belongs to it. |peer|: for messages.
  Channel(std::unique_ptr<boost::asio::io_context> io, Socket socket, std::string peer)
      : io_(std::move(io)), socket_(std::move(socket)), peer_(std::move(peer)) {}

  // errors  kUnavailable  nobody serves |path|
  static Result<std::unique_ptr<Channel>> Connect(const std::string& path);

  // Whether the process at the other end runs as this user, by the word of the kernel.
  //   errors  kUnavailable  as another user
  Status CheckPeer() const;

  // errors  kUnavailable  the other process is gone, or takes nothing in time. Later calls fail
  // too.
  Status Send(uint8_t kind, std::span<const uint8_t> bytes);
  struct Message {
    uint8_t kind = 0;
    Bytes bytes;
  };
  // errors  kUnavailable  the other process is gone, or says nothing for |limit|
  Result<Message> Receive(std::chrono::seconds limit);

 private:
  Status RunFor(std::chrono::seconds limit, const boost::system::error_code& code);
  std::unexpected<Error> Lose(std::string message);

  std::unique_ptr<boost::asio::io_context> io_;
  Socket socket_;
  std::string peer_;
  std::string lost_;  // why no message goes through any more; "": they do
};

}  // namespace tessera::remote

#endif  // TESSERA_RUNTIME_DRIVERS_REMOTE_CHANNEL_H_
