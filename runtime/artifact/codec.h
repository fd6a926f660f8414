// SPDX-License-Identifier: Apache-2.0
//
// Codecs between structures and the bytes of a file. A structure lists its fields once, in a
// function template over the codec: the writer appends them, the reader fills them from untrusted
// bytes. Depends on: base. Used by: artifacts, the dumps of sim/debug.
#ifndef TESSERA_RUNTIME_ARTIFACT_CODEC_H_
#define TESSERA_RUNTIME_ARTIFACT_CODEC_H_

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/check.h"
#include "base/error.h"

namespace tessera::artifact {

static_assert(std::endian::native == std::endian::little,
              "numbers are copied to and from memory as they are");

class ArtifactWriter {
 public:
  static constexpr bool kReads = false;

  template <typename T>
  Status Number(const T& value, std::string_view) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    out_.insert(out_.end(), bytes, bytes + sizeof value);
    return {};
  }
  template <typename List>  // a string, or a vector of bytes
  Status Bytes(const List& list, std::string_view what, uint64_t limit) {
    TESSERA_TRY(Count(list, what, limit, 1));
    out_.insert(out_.end(), list.begin(), list.end());
    return {};
  }
  template <typename List>
  Status Count(const List& list, std::string_view what, uint64_t limit, uint64_t) {
    TESSERA_CHECK(list.size() <= limit, "{} is {}", what, list.size());
    return Number(static_cast<uint64_t>(list.size()), what);
  }
  std::vector<uint8_t> Take() { return std::move(out_); }

 private:
  std::vector<uint8_t> out_;
};

class ArtifactReader {
 public:
  static constexpr bool kReads = true;
  // |what|: the kind of file, for messages.
  explicit ArtifactReader(std::span<const uint8_t> bytes, std::string_view what = "artifact")
      : left_(bytes), file_(what) {}

  template <typename T>
  Status Number(T& value, std::string_view what) {
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>);
    if (left_.size() < sizeof(T))
      return Fail(Code::kDataLoss, "the {} ends inside {}", file_, what);
    std::memcpy(&value, left_.data(), sizeof value);
    left_ = left_.subspan(sizeof value);
    return {};
  }
  template <typename List>
  Status Bytes(List& list, std::string_view what, uint64_t limit) {
    TESSERA_ASSIGN(const uint64_t size, Size(what, limit, 1));
    list.assign(left_.begin(), left_.begin() + static_cast<int64_t>(size));
    left_ = left_.subspan(size);
    return {};
  }
  // Resizes |list| to a count of items that take at least |least_bytes| each in the file.
  template <typename List>
  Status Count(List& list, std::string_view what, uint64_t limit, uint64_t least_bytes) {
    TESSERA_ASSIGN(const uint64_t count, Size(what, limit, least_bytes));
    list.resize(count);
    return {};
  }
  size_t left() const { return left_.size(); }

 private:
  Result<uint64_t> Size(std::string_view what, uint64_t limit, uint64_t least_bytes) {
    uint64_t count = 0;
    TESSERA_TRY(Number(count, what));
    if (count > limit)
      return Fail(Code::kOutOfRange, "{}: {} has size {}, at most {} is accepted", file_, what,
                  count, limit);
    if (count > left_.size() / least_bytes) {
      return Fail(Code::kDataLoss, "{}: {} has size {}, but {} bytes are left", file_, what, count,
                  left_.size());
    }
    return count;
  }

  std::span<const uint8_t> left_;
  std::string_view file_;
};

}  // namespace tessera::artifact

#endif  // TESSERA_RUNTIME_ARTIFACT_CODEC_H_
