// SPDX-License-Identifier: Apache-2.0
//
// The tensor expressions of docs/schedules.md with inputs and expected results, and runs of their
// schedules on the cycle model. Used by: schedules_doc.
#ifndef TESSERA_TOOLS_DOCS_SCHEDULE_PROBLEMS_H_
#define TESSERA_TOOLS_DOCS_SCHEDULE_PROBLEMS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "isa/config.h"
#include "runtime/device.h"
#include "tools/docs/schedule_examples.h"

namespace tessera::tools {

// Random int8 tensors, and the expected result from plain loops of this file.
struct ScheduleProblem {
  te::Tensor output;
  int64_t macs = 0;
  std::vector<std::vector<uint8_t>> inputs;
  std::vector<uint8_t> expected;
};

ScheduleProblem ProductProblem(int64_t m, int64_t n, int64_t k);
ScheduleProblem WindowProblem(const compiler::WindowShape& shape);

// Runs |steps| on device `cycle`.
//   errors  kDataLoss  a wrong result; others: as the steps and the run
Result<RunReport> Measure(const ScheduleProblem& problem, const std::string& steps,
                          const isa::Config& config);

// The estimated cycles of |steps|. errors: those of the steps
Result<double> Estimate(const ScheduleProblem& problem, const std::string& steps,
                        const isa::Config& config);

// The share of |report|'s cycles in which the array would do |macs| at full speed, in percent.
double ArrayShare(int64_t macs, const RunReport& report, const isa::Config& config);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_DOCS_SCHEDULE_PROBLEMS_H_
