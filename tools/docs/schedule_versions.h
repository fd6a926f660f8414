// SPDX-License-Identifier: Apache-2.0
//
// Versions of a schedule, one after another, for docs/schedules.md: the cost of each, and the lines
// that change. Used by: schedules_doc.
#ifndef TESSERA_TOOLS_DOCS_SCHEDULE_VERSIONS_H_
#define TESSERA_TOOLS_DOCS_SCHEDULE_VERSIONS_H_

#include <string>
#include <vector>

#include "base/error.h"
#include "isa/config.h"
#include "tools/docs/schedule_problems.h"

namespace tessera::tools {

struct Version {
  const char* title;
  const char* says;
  std::string steps;
  size_t from = 0;  // the version that the page shows this one as a change of; 0: shows it whole
  bool refused = false;  // the machine cannot run it: the page shows the error instead of cycles
};

// A table of |versions| of |problem|, then each with its steps. Checks each result.
//   errors  kInvalidArgument  a version marked |refused| runs; others: as Measure
Result<std::string> VersionsText(const ScheduleProblem& problem,
                                 const std::vector<Version>& versions, const isa::Config& config);

// The changes from |from| to |to|: "- " begins a removed line, "+ " an added line. Each place has
// an unchanged line, with two blanks, before and after it; "..." stands between places.
std::string ChangedLines(const std::string& from, const std::string& to);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_DOCS_SCHEDULE_VERSIONS_H_
