// SPDX-License-Identifier: Apache-2.0
//
// The contents of device memory before a program. Private to compiler/validate.
#ifndef TESSERA_COMPILER_VALIDATE_INPUT_PIECES_H_
#define TESSERA_COMPILER_VALIDATE_INPUT_PIECES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/network/program.h"

namespace tessera::validate {

// The pieces of plan.needs[|need|] that have contents before the program, in |grain| bytes. A piece
// that several needs share counts for the first one.
std::vector<size_t> InputPieces(const network::ProgramPlan& plan, size_t need, int64_t grain);

}  // namespace tessera::validate

#endif  // TESSERA_COMPILER_VALIDATE_INPUT_PIECES_H_
