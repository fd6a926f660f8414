// SPDX-License-Identifier: Apache-2.0
//
// All that a schedule is, compared: a step that is refused changes nothing of it. Tests only.
#ifndef TESSERA_TESTS_COMPILER_SCHEDULE_STATE_H_
#define TESSERA_TESTS_COMPILER_SCHEDULE_STATE_H_

#include <string>

#include "compiler/schedule/schedule.h"

namespace tessera::test {

// "" if |after| is what |before|, a copy of it, is: every field of every stage, the very nodes of
// its expressions, the trace and what was decided. Else what differs: "stage y: leaves".
std::string StateDifference(const schedule::Schedule& before, const schedule::Schedule& after);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_SCHEDULE_STATE_H_
