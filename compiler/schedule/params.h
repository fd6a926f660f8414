// SPDX-License-Identifier: Apache-2.0
//
// What a scheduled function takes: the buffers of its parameters, and the values of those that a
// schedule has prepared before the function. Depends on: schedule.h. Used by: lower, the compile
// driver, tests.
#ifndef TESSERA_COMPILER_SCHEDULE_PARAMS_H_
#define TESSERA_COMPILER_SCHEDULE_PARAMS_H_

#include <cstdint>
#include <functional>
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

// The prepared stages as tensors over placeholders of the schedule's names.
struct PreparedStages {
  std::vector<te::Tensor> constants;        // of placeholders that are known
  std::map<std::string, te::Tensor> later;  // others: computed each time before the function
};
PreparedStages FindPrepared(const Schedule& schedule,
                            const std::function<bool(const std::string&)>& is_known);

// Row-major bytes of the prepared stages of what |values| has, added to it: bytes of placeholders
// by name.
//   errors  kInvalidArgument  a placeholder of another size
//           kOutOfRange       a read outside of a tensor
Status Prepare(const PreparedStages& prepared, std::map<std::string, std::vector<uint8_t>>* values);
// The same of all prepared stages of |schedule|.
//   errors  ...; kInvalidArgument  a stage that reads what |values| has not
Status Prepare(const Schedule& schedule, std::map<std::string, std::vector<uint8_t>>* values);

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_PARAMS_H_
