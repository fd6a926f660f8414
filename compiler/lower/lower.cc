// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/lower.h"

#include "compiler/ir/simplify.h"

namespace tessera::lower {

Result<ir::Func> Lower(const schedule::Schedule& schedule, const std::string& name,
                       const LowerOptions& options) {
  TESSERA_ASSIGN(ir::Func func, BuildLoops(schedule, name, options.params));
  func = ir::Simplify(func);
  if (options.guards) func = HoistGuards(func);
  if (const ir::Func turns = InterleaveThreads(func); turns.body.get() != func.body.get())
    func = ir::Simplify(turns);
  TESSERA_TRY(CheckRoom(func, schedule.target()));
  func = ResolveLayouts(func);
  if (options.guards) func = CutSelects(HoistGuards(PeelGuards(func)));
  func = ir::Simplify(Vectorize(func));
  return ir::Simplify(Unroll(func));
}

}  // namespace tessera::lower
