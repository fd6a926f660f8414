// SPDX-License-Identifier: Apache-2.0
//
// Why the accelerator does not run something, in two wordings: what the compiler found, for authors
// of operators and schedules, and what the machine lacks, for users with a model. Depends on: base.
// Used by: the analysis and plans here, placement, compiler/driver's coverage.
#ifndef TESSERA_COMPILER_SCHEDULE_ACCEL_REFUSAL_H_
#define TESSERA_COMPILER_SCHEDULE_ACCEL_REFUSAL_H_

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "base/error.h"

namespace tessera::schedule::accel {

// One kind for each line of refusals.def.
enum class RefusalKind : uint8_t {
#define REFUSAL(name, machine) name,
#include "compiler/schedule/accel/refusals.def"
};
#define REFUSAL(name, machine) +1
inline constexpr int kRefusalKinds = 0
#include "compiler/schedule/accel/refusals.def"
    ;

// The sentence of |kind|, with |about| in the place of {}.
std::string MachineWords(RefusalKind kind, std::string_view about = "");

// Converts to an Error whose message says what the compiler found.
struct Refusal : Error {
  // |found|: the message of the error.
  Refusal(RefusalKind of, std::string_view found, std::string_view about = "",
          Code as = Code::kUnsupported)
      : Error(as, found), kind(of), machine(MachineWords(of, about)) {}
  RefusalKind kind;
  std::string machine;
};

template <typename T>
using Accepted = std::expected<T, Refusal>;
using Acceptance = Accepted<void>;

}  // namespace tessera::schedule::accel

#endif  // TESSERA_COMPILER_SCHEDULE_ACCEL_REFUSAL_H_
