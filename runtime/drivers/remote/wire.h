// SPDX-License-Identifier: Apache-2.0
//
// What a device in another process is asked and answers, as bytes. Both processes run on one
// computer, so numbers have its byte order. Depends on: runtime/device.h. Used by: remote_device,
// serve.
#ifndef TESSERA_RUNTIME_DRIVERS_REMOTE_WIRE_H_
#define TESSERA_RUNTIME_DRIVERS_REMOTE_WIRE_H_

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "runtime/device.h"
#include "runtime/drivers/remote/channel.h"

namespace tessera::remote {

// The first words of a connection; a change of a message changes them.
inline constexpr std::string_view kHello = "tessera device 1";

enum class Ask : uint8_t { kOpen, kAllocate, kFree, kWrite, kRead, kSubmit, kWait, kReset };
enum class Answer : uint8_t { kDone, kError, kBusy };  // kBusy: still at it, another answer follows

class Writer {
 public:
  template <typename T>
  Writer& Put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* first = reinterpret_cast<const uint8_t*>(&value);
    bytes.insert(bytes.end(), first, first + sizeof value);
    return *this;
  }
  Writer& Text(std::string_view text) {
    Put(static_cast<uint64_t>(text.size()));
    bytes.insert(bytes.end(), text.begin(), text.end());
    return *this;
  }
  Bytes bytes;
};

// Reads what Writer wrote; after a message that is too short, ok() is false and values are zero.
class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes) : rest_(bytes) {}
  template <typename T>
  T Get() {
    T value{};
    if (rest_.size() < sizeof value) {
      ok_ = false;
    } else {
      std::memcpy(&value, rest_.data(), sizeof value);
      rest_ = rest_.subspan(sizeof value);
    }
    return value;
  }
  std::string Text() {
    const auto size = Get<uint64_t>();
    if (size > rest_.size()) ok_ = false;
    if (!ok_) return "";
    std::string text(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(size));
    rest_ = rest_.subspan(size);
    return text;
  }
  std::span<const uint8_t> rest() const { return rest_; }
  bool ok() const { return ok_; }

 private:
  std::span<const uint8_t> rest_;
  bool ok_ = true;
};

static_assert(std::is_trivially_copyable_v<Launch> && std::is_trivially_copyable_v<RunReport>);

}  // namespace tessera::remote

#endif  // TESSERA_RUNTIME_DRIVERS_REMOTE_WIRE_H_
