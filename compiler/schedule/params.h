// SPDX-License-Identifier: Apache-2.0
//
// The parameters of a scheduled function: their buffers, and the values of stages that are prepared
// before the function runs. Depends on: schedule.h. Used by: lower, compiler/driver, tests.
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

// The default names of a function's parameters, in order: the inputs that it reads by first
// appearance, the prepared stages, the outputs.
std::vector<std::string> ParamNames(const Schedule& schedule);

// Whether the function itself reads |stage|, not only a stage prepared before it.
bool IsRead(const Schedule& schedule, const Stage& stage);

// The buffer, with its layout, of the parameter for the placeholder, prepared stage or output
// |name|; ir::PackLayout converts row-major data to it.
ir::Buffer ParamBuffer(const Schedule& schedule, const std::string& name);

// The prepared stages as tensors over placeholders with the schedule's names.
struct PreparedStages {
  std::vector<te::Tensor> constants;        // of known placeholders alone
  std::map<std::string, te::Tensor> later;  // others: computed before each run of the function
};
PreparedStages FindPrepared(const Schedule& schedule,
                            const std::function<bool(const std::string&)>& is_known);

// Computes the prepared stages of |prepared.constants| and adds their row-major bytes to |values|,
// which has the bytes of placeholders by name.
//   errors  kInvalidArgument  a placeholder of another size
//           kOutOfRange       a read outside of a tensor
Status Prepare(const PreparedStages& prepared, std::map<std::string, std::vector<uint8_t>>* values);
// Does the same for all prepared stages of |schedule|.
//   errors  ...; kInvalidArgument  a stage that reads a tensor that |values| lacks
Status Prepare(const Schedule& schedule, std::map<std::string, std::vector<uint8_t>>* values);

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_PARAMS_H_
