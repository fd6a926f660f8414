// SPDX-License-Identifier: Apache-2.0
//
// What a schedule has prepared before its function, as more constants of a layer. Internal to
// compiler/driver.
#ifndef TESSERA_COMPILER_DRIVER_PREPARED_H_
#define TESSERA_COMPILER_DRIVER_PREPARED_H_

#include <vector>

#include "base/error.h"
#include "compiler/region/region.h"
#include "compiler/schedule/schedule.h"

namespace tessera::compiler {

// Puts what |made| has prepared, of constants alone, in front of the last of |bindings|, which is
// the output.
//   errors  kInvalidArgument  it is prepared of an activation
Status AddPrepared(const schedule::Schedule& made, std::vector<te::Binding>* bindings);

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_PREPARED_H_
