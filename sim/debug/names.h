// SPDX-License-Identifier: Apache-2.0
//
// Words of commands: numbers, and names that may be given by a part. Depends on: base. Used by:
// sim/debug, `tessera trace --from`.
#ifndef TESSERA_SIM_DEBUG_NAMES_H_
#define TESSERA_SIM_DEBUG_NAMES_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tessera::sim {

std::vector<std::string> SplitWords(std::string_view line);

// Parses a whole number, decimal or 0x...; |what| names it in the message.
//   errors  kInvalidArgument  |word| is not a whole number
Result<uint64_t> NumberOf(std::string_view what, std::string_view word);

// The index of |name| in |names|. |name| is a whole name, or a part that only one name has. Empty
// names never match. |kind|: "layer", for messages.
//   errors  kNotFound         no name matches; the message lists names, the most similar first
//           kInvalidArgument  several names match
Result<size_t> FindNamed(std::string_view kind, std::string_view name,
                         std::span<const std::string> names);

// Parses "FIRST", "FIRST:COUNT" or ":" (everything) as indices below |size|. |what| names them in
// messages.
struct IndexRange {
  int64_t first = 0, count = 0;
};
//   errors  kInvalidArgument  |word| has another form
//           kOutOfRange       the range is empty or goes past |size|
Result<IndexRange> RangeOf(std::string_view what, std::string_view word, int64_t size);

}  // namespace tessera::sim

#endif  // TESSERA_SIM_DEBUG_NAMES_H_
