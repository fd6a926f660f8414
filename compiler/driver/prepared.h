// SPDX-License-Identifier: Apache-2.0
//
// The stages that a schedule prepares before its function, as further constants of a layer.
// Internal to compiler/driver.
#ifndef TESSERA_COMPILER_DRIVER_PREPARED_H_
#define TESSERA_COMPILER_DRIVER_PREPARED_H_

#include <vector>

#include "base/error.h"
#include "compiler/region/region.h"
#include "compiler/schedule/schedule.h"

namespace tessera::compiler {

// Inserts the stages that |made| prepares from constants before the output, the last of |bindings|.
//   errors  kInvalidArgument  a stage is prepared from an activation
Status AddPrepared(const schedule::Schedule& made, std::vector<te::Binding>* bindings);

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_PREPARED_H_
