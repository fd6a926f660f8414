// SPDX-License-Identifier: Apache-2.0
//
// Versions of a schedule, one after the other, as docs/schedules.md shows them: what each costs,
// and in which lines it differs. Used by: schedules_doc.
#ifndef TESSERA_TOOLS_SCHEDULE_VERSIONS_H_
#define TESSERA_TOOLS_SCHEDULE_VERSIONS_H_

#include <string>
#include <vector>

#include "base/error.h"
#include "isa/config.h"
#include "tools/schedule_problems.h"

namespace tessera::tools {

struct Version {
  const char* title;
  const char* says;
  std::string steps;
  size_t from = 0;  // number of the version that it is shown as a change of; 0: shown whole
  bool refused =
      false;  // the machine cannot run it: its line of refusal is shown instead of cycles
};

// A table of |versions| of |problem|, then each with its steps. Each result is compared.
//   errors  kInvalidArgument  a version that should be refused runs; else those of Measure
Result<std::string> VersionsText(const ScheduleProblem& problem,
                                 const std::vector<Version>& versions, const isa::Config& config);

// What makes |to| of |from|: lines taken out have "- " in front, lines put in "+ ", and each place
// has an unchanged line before and behind it, with two blanks; "..." stands between places.
std::string ChangedLines(const std::string& from, const std::string& to);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_SCHEDULE_VERSIONS_H_
