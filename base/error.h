// SPDX-License-Identifier: Apache-2.0
//
// Errors that a user's input can cause. Every function that can fail for a reason outside our own
// code returns Result<T>; TESSERA_CHECK (base/check.h) is for our own bugs.
#ifndef TESSERA_BASE_ERROR_H_
#define TESSERA_BASE_ERROR_H_

#include <fmt/format.h>

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace tessera {

// Why something failed, and so whether another attempt can help.
enum class Code : uint8_t {
  kInvalidArgument,  // this input can never work; do not retry
  kOutOfRange,       // a field, scratchpad or buffer is too small for the value
  kNotFound,         // no such device, symbol or file
  kUnsupported,      // legal, but this build or device cannot do it
  kTimeout,          // the device did not finish in its cycle budget
  kDeadlock,         // the device waits for tokens that no instruction will push
  kDataLoss,         // data is corrupt: a checksum, a bus error, a mismatch
  kUnavailable,      // the system refused: no space, no permission
};

// The name of |code| without the k, e.g. "OutOfRange".
const char* CodeName(Code code);

struct [[nodiscard]] Error {
  Error(Code code, std::string_view message);
  Code code;
  std::string message;  // one line (base/text.h): value, limit, place, and what to do
};

template <typename T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

// Fail(Code::kOutOfRange, "{}: x_size is {}, the field holds 16 bits", where, x)
template <typename... Args>
[[nodiscard]] std::unexpected<Error> Fail(Code code, fmt::format_string<Args...> format,
                                          Args&&... args) {
  return std::unexpected(Error(code, fmt::format(format, std::forward<Args>(args)...)));
}

// Puts |place| in front of the message of |error|: "model.onnx: node 3 (Conv): ...".
[[nodiscard]] inline std::unexpected<Error> Within(const std::string& place, const Error& error) {
  return std::unexpected(Error(error.code, place + ": " + error.message));
}

}  // namespace tessera

// TESSERA_TRY(expr): returns the error of a Status or Result from the enclosing function.
// TESSERA_ASSIGN(auto x, expr): the same, and binds the value.
#define TESSERA_CAT_(a, b) a##b
#define TESSERA_CAT(a, b) TESSERA_CAT_(a, b)
#define TESSERA_TRY(expr)                                                           \
  do {                                                                              \
    auto tessera_status = (expr);                                                   \
    if (!tessera_status) return std::unexpected(std::move(tessera_status).error()); \
  } while (0)
#define TESSERA_ASSIGN_(tmp, decl, expr)                    \
  auto tmp = (expr);                                        \
  if (!tmp) return std::unexpected(std::move(tmp).error()); \
  decl = std::move(*tmp)
#define TESSERA_ASSIGN(decl, expr) \
  TESSERA_ASSIGN_(TESSERA_CAT(tessera_result_, __LINE__), decl, expr)

#endif  // TESSERA_BASE_ERROR_H_
