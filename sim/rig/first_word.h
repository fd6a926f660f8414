// SPDX-License-Identifier: Apache-2.0
//
// Finds the word behind two different digests. A digest is a sum over the 32-bit words that an
// instruction changed: each change times a key of the address of the word. Keys are odd, so the two
// digests identify a single word that differs (sim/trace/digest.h). Depends on: isa/semantics,
// sim/trace. Used by: run_image.cc.
#ifndef TESSERA_SIM_RIG_FIRST_WORD_H_
#define TESSERA_SIM_RIG_FIRST_WORD_H_

#include <string>
#include <string_view>

#include "isa/config.h"
#include "isa/image.h"
#include "sim/rig/run_image.h"

namespace tessera::rig {

// Names the word that instruction |number| wrote differently: "acc tile 12 byte 4: func 0x00000005,
// rtl 0x00000006". |a| must have run |image| by the semantics; |digest| is b's digest of the
// instruction. Returns "" if more than one word differs or if the run cannot be repeated.
std::string WordThatDiffers(const ImageOutcome& a, uint32_t number, uint64_t digest,
                            const isa::ProgramImage& image, const isa::Config& config,
                            std::string_view name_a, std::string_view name_b);

}  // namespace tessera::rig

#endif  // TESSERA_SIM_RIG_FIRST_WORD_H_
