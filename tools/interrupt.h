// SPDX-License-Identifier: Apache-2.0
//
// Ctrl-C of verbs that work long: the first ends the work behind the item that is being done, and
// what is known is told; the second ends the process. Depends on nothing. Used by: run, compare,
// regress, main.
#ifndef TESSERA_TOOLS_INTERRUPT_H_
#define TESSERA_TOOLS_INTERRUPT_H_

namespace tessera::tools {

inline constexpr int kExitInterrupted = 130;  // as shells tell SIGINT

// From here on SIGINT is noted, and answered by a line on standard error.
void CatchInterrupt();

// Whether a SIGINT was noted.
bool Interrupted();

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_INTERRUPT_H_
