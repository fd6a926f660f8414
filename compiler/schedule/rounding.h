// SPDX-License-Identifier: Apache-2.0
//
// What a schedule rounds otherwise than the definition of its layer does. Depends on: schedule.h.
// Used by: compiler/driver.
#ifndef TESSERA_COMPILER_SCHEDULE_ROUNDING_H_
#define TESSERA_COMPILER_SCHEDULE_ROUNDING_H_

#include <string>

#include "compiler/schedule/schedule.h"

namespace tessera::schedule {

// An algorithm that a schedule computes by. |error|: how far results may be from the definition's,
// at most, as a share of the greatest one; 0: they are equal.
struct Rounding {
  std::string algorithm;  // "winograd_4"; "": that of the definition
  double error = 0;
};

// That of |made|: the errors of its steps together.
Rounding RoundingOf(const Schedule& made);

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_ROUNDING_H_
