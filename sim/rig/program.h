// SPDX-License-Identifier: Apache-2.0
//
// A program image as a list of instructions and back, for whoever changes programs. Depends on:
// isa/semantics/fetch.h. Used by: the rig, the shrinker, tests.
#ifndef TESSERA_SIM_RIG_PROGRAM_H_
#define TESSERA_SIM_RIG_PROGRAM_H_

#include <cstdint>
#include <vector>

#include "isa/image.h"
#include "isa/semantics/fetch.h"

namespace tessera::rig {

// Puts masks over enum Unit into the token fields of |insn|.
void SetTokens(isa::AnyInsn& insn, int unit, uint8_t pop, uint8_t push);

// Whether |from| can give tokens to |to|.
bool HasEdge(isa::Profile profile, int from, int to);

// An instruction of |unit| that does nothing but move the tokens that it is given.
isa::AnyInsn Carrier(isa::Profile profile, int unit);

// The code of |program| for |config|; every field must fit.
std::vector<uint8_t> EncodeAll(const std::vector<isa::AnyInsn>& program, isa::Profile profile,
                               const isa::Config& config);

// The instructions of |image|, which decode, with their units and tokens.
std::vector<isa::Fetched> FetchAll(const isa::ProgramImage& image, const isa::Config& config);

// |image| with another stream; tokens are those of pop and push. The source map is dropped.
isa::ProgramImage WithProgram(const isa::ProgramImage& image,
                              const std::vector<isa::Fetched>& program, const isa::Config& config);

}  // namespace tessera::rig

#endif  // TESSERA_SIM_RIG_PROGRAM_H_
