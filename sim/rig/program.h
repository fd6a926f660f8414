// SPDX-License-Identifier: Apache-2.0
//
// Converts a program image to a list of instructions and back, to change programs. Depends on:
// isa/semantics/fetch.h. Used by: the rig, the shrinker, tests.
#ifndef TESSERA_SIM_RIG_PROGRAM_H_
#define TESSERA_SIM_RIG_PROGRAM_H_

#include <cstdint>
#include <vector>

#include "isa/image.h"
#include "isa/semantics/fetch.h"

namespace tessera::rig {

// Sets the token fields of |insn| from masks over enum Unit.
void SetTokens(isa::AnyInsn& insn, int unit, uint8_t pop, uint8_t push);

// Whether |from| can push tokens to |to|.
bool HasEdge(isa::Profile profile, int from, int to);

// An instruction of |unit| that only moves tokens.
isa::AnyInsn Carrier(isa::Profile profile, int unit);

// Encodes |program| for |config|; every field must fit.
std::vector<uint8_t> EncodeAll(const std::vector<isa::AnyInsn>& program, isa::Profile profile,
                               const isa::Config& config);

// The instructions of |image|, with their units and tokens; all must decode.
std::vector<isa::Fetched> FetchAll(const isa::ProgramImage& image, const isa::Config& config);

// |image| with the instructions of |program|. Tokens come from Fetched::pop and push. The result
// has no source map.
isa::ProgramImage WithProgram(const isa::ProgramImage& image,
                              const std::vector<isa::Fetched>& program, const isa::Config& config);

}  // namespace tessera::rig

#endif  // TESSERA_SIM_RIG_PROGRAM_H_
