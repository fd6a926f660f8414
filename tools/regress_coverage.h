// SPDX-License-Identifier: Apache-2.0
//
// `tessera regress --coverage`: which lines of the RTL ran. hw/scripts/coverage.sh makes the
// machine that counts, and sums its counts. Used by: regress.
#ifndef TESSERA_TOOLS_REGRESS_COVERAGE_H_
#define TESSERA_TOOLS_REGRESS_COVERAGE_H_

#include <string>
#include <vector>

#include "base/error.h"
#include "tools/regress_items.h"

namespace tessera::tools {

// Makes the counting machine of configuration tiny, if it is missing or older than its sources (two
// minutes of CPU time), sets device rtl of |setup| to it, and clears its data.
//   errors  kInvalidArgument  |setup| has no rtl, an rtl with a machine of its own, or another
//                             configuration than tiny
//           kUnsupported      this command's sources or build folder are missing, or the machine
//                             cannot be made; the message says what is missing
Status CountCoverage(RegressSetup& setup);

// Makes this process write the counts of its machines, at most once in ten seconds, because it
// takes a tenth of a second. Counts after the last call are lost.
void WriteCoverage(const RegressSetup& setup);

struct RtlCoverage {
  bool ok = false;  // 98 % of lines ran, and holes and reasons for holes match one to one
  std::vector<std::string> lines;  // "lines    3456 of 3480 executed, 99.3 %; 24 holes", holes, ...
};

// Sums the counts of all machines since CountCoverage.
//   errors  kUnsupported  the script did not run; the message says why
Result<RtlCoverage> SumRtlCoverage();

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_REGRESS_COVERAGE_H_
