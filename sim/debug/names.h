// SPDX-License-Identifier: Apache-2.0
//
// Words of commands: numbers, and names of which a part is enough. Depends on: base. Used by:
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

// A whole number, decimal or 0x...; |what| it is of, for the message.
//   errors  kInvalidArgument  it is none
Result<uint64_t> NumberOf(std::string_view what, std::string_view word);

// The place of |name| in |names|: the whole name, or a part that only one of them has. Empty names
// are nobody's. |kind|: "layer".
//   errors  kNotFound         none is called so; the message lists those most like it
//           kInvalidArgument  several are
Result<size_t> FindNamed(std::string_view kind, std::string_view name,
                         std::span<const std::string> names);

// "FIRST", "FIRST:COUNT" or ":" as indices below |size|. |what|: for messages.
struct IndexRange {
  int64_t first = 0, count = 0;
};
//   errors  kInvalidArgument  another form
//           kOutOfRange       past |size|, or empty
Result<IndexRange> RangeOf(std::string_view what, std::string_view word, int64_t size);

}  // namespace tessera::sim

#endif  // TESSERA_SIM_DEBUG_NAMES_H_
