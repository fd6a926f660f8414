// SPDX-License-Identifier: Apache-2.0
//
// The places of the fields of profile `vta` in a configuration: isa/vta_insns.def evaluated with
// C's packing of bit-fields. Depends on isa/config.h. Used by vta_encoding, config_limits,
// isa/asm and isa_gen.
#ifndef TESSERA_ISA_VTA_LAYOUT_H_
#define TESSERA_ISA_VTA_LAYOUT_H_

#include <string_view>
#include <vector>

#include "isa/config.h"
#include "isa/insns.h"

namespace tessera::isa {

inline constexpr int kVtaUopBits = RowOf(Memory::kUop).vta_element_bits;

// The lines VTA_FIELD and VTA_UOP_FIELD with their places, in the shape of the lines of
// isa/insns.def: every field of every instruction in table order, then the micro-op's. |insn| is
// "VtaLoad" ..., "VtaUop" for the micro-op. Accepts any configuration: where VTA's encoding does
// not fit, lsb + width passes kVtaInsnBits (kVtaUopBits), or a width is more than a word;
// ValidateVtaProfile rejects such configurations.
std::vector<FieldRow> VtaFields(const Config& config);

// The fields of one instruction (or "VtaUop") of |fields|, in order.
std::vector<FieldRow> VtaFieldsOf(const std::vector<FieldRow>& fields, std::string_view insn);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_VTA_LAYOUT_H_
