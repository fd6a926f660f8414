// SPDX-License-Identifier: Apache-2.0
//
// Ctrl-C for verbs that work long. The first ends the work after the current item, and the verb
// reports what it knows; the second ends the process. Depends on nothing. Used by: run, compare,
// regress, main.
#ifndef TESSERA_TOOLS_INTERRUPT_H_
#define TESSERA_TOOLS_INTERRUPT_H_

namespace tessera::tools {

inline constexpr int kExitInterrupted = 130;  // as shells report SIGINT

// From now on notes SIGINT and answers with a line on standard error.
void CatchInterrupt();

// Whether a SIGINT was noted.
bool Interrupted();

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_INTERRUPT_H_
