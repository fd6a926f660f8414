// SPDX-License-Identifier: Apache-2.0
//
// All that a schedule is, compared: a step that is refused changes nothing of it. Tests only.
#ifndef TESSERA_TESTS_COMPILER_SCHEDULE_STATE_H_
#define TESSERA_TESTS_COMPILER_SCHEDULE_STATE_H_

#include <string>
#include <vector>

#include "compiler/schedule/schedule.h"

namespace tessera::test {

// A schedule as it was. Its stages are copies: schedules share theirs, and a stage that a step
// changed in place would be changed in all of them.
struct ScheduleState {
  ScheduleState(const schedule::Schedule& s);  // NOLINT: as good as the schedule

  schedule::Schedule schedule;
  std::vector<schedule::Stage> stages;
};

// "" if |after| is what |before| was: every field of every stage, the very nodes of its
// expressions, the trace and what was decided. Else what differs: "stage y: leaves".
std::string StateDifference(const ScheduleState& before, const schedule::Schedule& after);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_SCHEDULE_STATE_H_
