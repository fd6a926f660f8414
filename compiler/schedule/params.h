// SPDX-License-Identifier: Apache-2.0
//
// What a scheduled function takes: the buffers of its parameters, and the values of those that a
// schedule has prepared before the function. Depends on: schedule.h. Used by: lower, the compile
// driver, tests.
#ifndef TESSERA_COMPILER_SCHEDULE_PARAMS_H_
#define TESSERA_COMPILER_SCHEDULE_PARAMS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/schedule/schedule.h"

namespace tessera::schedule {

// The names of a function's parameters where nobody lists them: the inputs that it reads by first
// appearance, what is prepared, the outputs.
std::vector<std::string> ParamNames(const Schedule& schedule);

// Does the function itself, not only what is prepared before it, read |stage|?
bool IsRead(const Schedule& schedule, const Stage& stage);

// The buffer, with its layout, that a scheduled function takes for the placeholder, prepared stage
// or output |name|; ir::PackLayout brings row-major data into it.
ir::Buffer ParamBuffer(const Schedule& schedule, const std::string& name);

// Row-major bytes of the prepared stages, added to |values|, which has those of the placeholders
// that they read, by name. |later|, if any, takes the stages that read what |values| has not, over
// placeholders by those names: what is computed each time before the function.
//   errors  kInvalidArgument  a placeholder that is not there, or of another size
//           kOutOfRange       a read outside of a tensor
Status Prepare(const Schedule& schedule, std::map<std::string, std::vector<uint8_t>>* values,
               std::map<std::string, te::Tensor>* later = nullptr);

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_PARAMS_H_
