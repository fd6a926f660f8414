// SPDX-License-Identifier: Apache-2.0
//
// Stop: why an instruction could not be executed. The semantics return it; devices and the checker
// add the unit, the instruction number and text.
#ifndef TESSERA_ISA_SEMANTICS_STOP_H_
#define TESSERA_ISA_SEMANTICS_STOP_H_

#include <cstdint>
#include <string>

#include "base/error.h"
#include "isa/enums.h"

namespace tessera::isa {

// |error| kNone: no error. Otherwise |detail| names the value and the limit that it broke.
struct [[nodiscard]] Stop {
  MachineError error = MachineError::kNone;
  std::string detail;  // "inp tile 2050, the scratchpad holds 2048"
  explicit operator bool() const { return error != MachineError::kNone; }
};

template <typename... Args>
Stop StopWith(MachineError error, fmt::format_string<Args...> format, Args&&... args) {
  return Stop{error, fmt::format(format, std::forward<Args>(args)...)};
}

// The error code with which a Device reports a machine error (runtime/device.h).
constexpr Code CodeOf(MachineError error) {
  switch (error) {
    case MachineError::kSramRange:
    case MachineError::kDramRange:
      return Code::kOutOfRange;
    case MachineError::kBus:
      return Code::kDataLoss;
    case MachineError::kDeadlock:
      return Code::kDeadlock;
    default:
      return Code::kInvalidArgument;
  }
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_STOP_H_
