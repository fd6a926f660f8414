// SPDX-License-Identifier: Apache-2.0
//
// From digests that differ to the values: a digest is a sum over the 32-bit words that an
// instruction changed, each change times a key of the word's address; keys are odd, so one word
// that differs can be told from the two digests (sim/trace/digest.h). Depends on: isa/semantics,
// sim/trace. Used by: run_image.cc.
#ifndef TESSERA_SIM_RIG_FIRST_WORD_H_
#define TESSERA_SIM_RIG_FIRST_WORD_H_

#include <string>
#include <string_view>

#include "isa/config.h"
#include "isa/image.h"
#include "sim/rig/run_image.h"

namespace tessera::rig {

// What instruction |number| wrote where |a| ran |image| as it is defined and |b|'s digest of it is
// |digest|: "acc tile 12 byte 4: func 0x00000005, rtl 0x00000006". "" where more than one word
// differs, or the run cannot be followed.
std::string WordThatDiffers(const ImageOutcome& a, uint32_t number, uint64_t digest,
                            const isa::ProgramImage& image, const isa::Config& config,
                            std::string_view name_a, std::string_view name_b);

}  // namespace tessera::rig

#endif  // TESSERA_SIM_RIG_FIRST_WORD_H_
