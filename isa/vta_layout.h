// SPDX-License-Identifier: Apache-2.0
//
// Where the fields of profile `vta` lie in a configuration: isa/vta_insns.def evaluated with C
// bit-field packing. Depends on isa/config.h. Used by vta_encoding, isa_gen and the disassembler.
#ifndef TESSERA_ISA_VTA_LAYOUT_H_
#define TESSERA_ISA_VTA_LAYOUT_H_

#include <string_view>
#include <vector>

#include "isa/config.h"
#include "isa/insns.h"

namespace tessera::isa {

inline constexpr int kVtaUopBits = RowOf(Memory::kUop).vta_element_bits;

// The lines VTA_FIELD and VTA_UOP_FIELD, placed: in the shape of those of isa/insns.def. |insn| is
// "VtaLoad" ..., "VtaUop" for the micro-op.
// Every field of every instruction in table order, then the micro-op's. Evaluates any
// configuration: where VTA's encoding does not fit, lsb + width passes kVtaInsnBits (kVtaUopBits),
// or a width is more than a word; ValidateVtaProfile refuses these.
std::vector<FieldRow> VtaFields(const Config& config);

// The fields of one instruction (or "VtaUop") of |fields|, in order.
std::vector<FieldRow> VtaFieldsOf(const std::vector<FieldRow>& fields, std::string_view insn);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_VTA_LAYOUT_H_
