// SPDX-License-Identifier: Apache-2.0
//
// From a schedule to a function of the loop IR, and the passes on the way, each usable alone. Every
// pass keeps what the interpreter computes. Depends on: compiler/schedule, te, ir. Used by the back
// ends.
#ifndef TESSERA_COMPILER_LOWER_LOWER_H_
#define TESSERA_COMPILER_LOWER_LOWER_H_

#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/ir/ir.h"
#include "compiler/schedule/schedule.h"

namespace tessera::lower {

// Loops as the schedule says, nothing optimised. Parameters: the tensors named in |params|, or,
// when it is empty, the placeholders by first appearance and then the outputs.
//   errors  kInvalidArgument  a parameter list that misses a placeholder or an output; a stage
//                             attached where a reader is out of reach; a tensorized nest that does
//                             not match its intrinsic (names stage, loop and what differs); a
//                             parallel loop whose iterations may store to one element
Result<ir::Func> BuildLoops(const schedule::Schedule& schedule, const std::string& name,
                            const std::vector<std::string>& params = {});

// Loops of virtual threads are written out, up to |max_statements|: the threads take turns inside
// loops that they share, at every nest that waits for one before it. What is allocated inside has a
// copy for each.
ir::Func InterleaveThreads(const ir::Func& func, int64_t max_statements = 4096);

// Is there room for two copies of each buffer that rotates, beside all that is there with it?
//   errors  kOutOfRange  no: names the buffer, the memory, the bytes and the limit
Status CheckRoom(const ir::Func& func, const target::Target& target);

// Replaces logical indices by physical ones: afterwards no buffer has a layout.
ir::Func ResolveLayouts(const ir::Func& func);

// Moves conditions out of loops that they do not depend on.
ir::Func HoistGuards(const ir::Func& func);

// Cuts the last iteration off serial and parallel loops where that decides a condition for all the
// others.
ir::Func PeelGuards(const ir::Func& func);

// Cuts innermost loops where a select's condition on the loop's own variable changes.
ir::Func CutSelects(const ir::Func& func);

// Vector loops become vector expressions of up to |max_lanes| lanes; a body that has no vector form
// (a condition or a call that depends on the lane) becomes a serial loop.
ir::Func Vectorize(const ir::Func& func, int max_lanes = 64);

// Writes out the iterations of unroll loops, as long as a nest stays under |max_statements|; others
// become serial.
ir::Func Unroll(const ir::Func& func, int64_t max_statements = 4096);

struct LowerOptions {
  std::vector<std::string> params;
  // Conditions move out of loops, and loops are cut at them; without, leaf nests stay whole.
  bool guards = true;
};

// All of the above in order, simplified between passes: what host code generation takes.
Result<ir::Func> Lower(const schedule::Schedule& schedule, const std::string& name,
                       const LowerOptions& options = {});

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_LOWER_H_
