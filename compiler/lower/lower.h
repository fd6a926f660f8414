// SPDX-License-Identifier: Apache-2.0
//
// Lowers a schedule to a function of the loop IR; each pass on the way can be used alone and
// preserves what the interpreter computes. Depends on: compiler/schedule, te, ir. Used by the back
// ends.
#ifndef TESSERA_COMPILER_LOWER_LOWER_H_
#define TESSERA_COMPILER_LOWER_LOWER_H_

#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/ir/ir.h"
#include "compiler/schedule/schedule.h"

namespace tessera::lower {

// Builds the schedule's loops without optimising. Parameters: the tensors named in |params|; if
// empty, the placeholders by first appearance, then the outputs.
//   errors  kInvalidArgument  a parameter list without a placeholder or an output; a stage attached
//                             where a reader is out of reach; a tensorized nest that does not match
//                             its intrinsic (names stage, loop and what differs); a parallel loop
//                             whose iterations may store to one element
Result<ir::Func> BuildLoops(const schedule::Schedule& schedule, const std::string& name,
                            const std::vector<std::string>& params = {});

// Unrolls loops of virtual threads, up to |max_statements|. The threads take turns inside loops
// that they share, at every nest that waits for an earlier one. Each thread has its own copy of
// allocations inside.
ir::Func InterleaveThreads(const ir::Func& func, int64_t max_statements = 4096);

// Checks that two copies of each rotating buffer fit, next to the other buffers live at the same
// time.
//   errors  kOutOfRange  they do not fit: names the buffer, the memory, the bytes and the limit
Status CheckRoom(const ir::Func& func, const target::Target& target);

// Replaces logical indices by physical ones: afterwards no buffer has a layout.
ir::Func ResolveLayouts(const ir::Func& func);

// Moves conditions out of loops that they do not depend on.
ir::Func HoistGuards(const ir::Func& func);

// Cuts the last iteration off serial and parallel loops if that decides a condition for all others.
ir::Func PeelGuards(const ir::Func& func);

// Cuts innermost loops where a select's condition on the loop's own variable changes value.
ir::Func CutSelects(const ir::Func& func);

// Vector loops become vector expressions of up to |max_lanes| lanes; a body that has no vector form
// (a condition or a call that depends on the lane) becomes a serial loop.
ir::Func Vectorize(const ir::Func& func, int max_lanes = 64);

// Unrolls unroll loops while a nest stays under |max_statements|; others become serial.
ir::Func Unroll(const ir::Func& func, int64_t max_statements = 4096);

struct LowerOptions {
  std::vector<std::string> params;
  // Move conditions out of loops and cut loops at them; without this, leaf nests stay whole.
  bool guards = true;
};

// Runs all passes above in order, with simplification between them: the input of host code
// generation.
Result<ir::Func> Lower(const schedule::Schedule& schedule, const std::string& name,
                       const LowerOptions& options = {});

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_LOWER_H_
