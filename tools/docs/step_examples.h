// SPDX-License-Identifier: Apache-2.0
//
// One small example for each step of a schedule: docs/steps.md shows its loops, a test runs them.
// Depends on: compiler/schedule. Used by: steps_doc, tests/compiler/lower.
#ifndef TESSERA_TOOLS_DOCS_STEP_EXAMPLES_H_
#define TESSERA_TOOLS_DOCS_STEP_EXAMPLES_H_

#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/schedule/schedule.h"

namespace tessera::lower {

struct StepExample {
  std::string name;   // of the step
  std::string shows;  // one sentence
  te::Tensor output;
  std::string steps;
};

const std::vector<StepExample>& StepExamples();

// The schedule of an example, for the interpreter with a product of rows as intrinsic `dot.rows`.
Result<schedule::Schedule> ScheduleOf(const StepExample& example);

}  // namespace tessera::lower

#endif  // TESSERA_TOOLS_DOCS_STEP_EXAMPLES_H_
