// SPDX-License-Identifier: Apache-2.0
//
// What `tessera regress --coverage` executes of the RTL: hw/scripts/coverage.sh makes the machine
// that counts and sums what it counted. Used by: regress.
#ifndef TESSERA_TOOLS_REGRESS_COVERAGE_H_
#define TESSERA_TOOLS_REGRESS_COVERAGE_H_

#include <string>
#include <vector>

#include "base/error.h"
#include "tools/regress_items.h"

namespace tessera::tools {

// Makes the machine of configuration tiny that counts, if it is not there or older than its
// sources (two minutes of CPU time), and has device rtl of |setup| be it; its data begin empty.
//   errors  kInvalidArgument  |setup| has no rtl, one with a machine of its own, or another
//                             configuration than tiny
//           kUnsupported      this command's sources or build folder are not there, or it cannot be
//                             made: what is missing
Status CountCoverage(RegressSetup& setup);

// Has this process write what its machines counted; once in ten seconds at most, because it takes a
// tenth of one. What is counted after the last time is lost.
void WriteCoverage(const RegressSetup& setup);

struct RtlCoverage {
  bool ok = false;  // 98 % of lines, a reason for each hole and a hole for each reason
  std::vector<std::string> lines;  // "lines    3456 of 3480 executed, 99.3 %; 24 holes", holes, ...
};

// Sums what all machines since CountCoverage counted.
//   errors  kUnsupported  the script did not run: why
Result<RtlCoverage> SumRtlCoverage();

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_REGRESS_COVERAGE_H_
