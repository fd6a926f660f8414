// SPDX-License-Identifier: Apache-2.0
//
// Structs to bits and back, for profile `tessera`; isa/vta_encoding.h is for profile `vta`.
#ifndef TESSERA_ISA_ENCODING_H_
#define TESSERA_ISA_ENCODING_H_

#include <cstdint>

#include "base/error.h"
#include "isa/insns.h"

namespace tessera::isa {

// The 256 bits of |insn|.
//   errors  kOutOfRange  a field's value does not fit; the message names instruction, field, value,
//                       width
Result<InsnWord> Encode(const Insn& insn);

// The instruction in |word|. Checks bits only; isa/check checks meaning.
//   errors  kInvalidArgument  unknown opcode, or a bit set that no field names
Result<Insn> Decode(const InsnWord& word);

// The same for the micro-op.
Result<uint64_t> EncodeUop(const Uop& uop);
Result<Uop> DecodeUop(uint64_t word);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_ENCODING_H_
