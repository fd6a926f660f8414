// SPDX-License-Identifier: Apache-2.0
//
// Structs to bits and back, for profile `vta`. VTA's field widths follow the configuration, so each
// codec serves one configuration. Depends on isa/vta_layout.h. Used by isa/semantics, sim/debug,
// sim/rig, tests.
#ifndef TESSERA_ISA_VTA_ENCODING_H_
#define TESSERA_ISA_VTA_ENCODING_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "isa/config.h"
#include "isa/insns.h"
#include "isa/vta_layout.h"

namespace tessera::isa {

class VtaCodec {
 public:
  //   errors  as ValidateVtaProfile
  static Result<VtaCodec> Make(const Config& config);

  //   errors  kOutOfRange  a field's value does not fit; the message names instruction, field,
  //   value, width
  Result<VtaInsnWord> Encode(const VtaInsn& insn) const;
  Result<uint32_t> EncodeUop(const VtaUop& uop) const;

  // Ignores bits that no field names, as VTA's own machines do.
  //   errors  kInvalidArgument  unknown opcode
  Result<VtaInsn> Decode(const VtaInsnWord& word) const;
  VtaUop DecodeUop(uint32_t word) const;

  // Fields of one instruction (or "VtaUop") in table order.
  const std::vector<FieldRow>& FieldsOf(std::string_view insn) const;

 private:
  VtaCodec() = default;
  struct InsnFields {
    std::string_view insn;
    std::vector<FieldRow> fields;
  };
  std::vector<InsnFields> shapes_;  // in VtaInsn's order, then VtaUop
};

}  // namespace tessera::isa

#endif  // TESSERA_ISA_VTA_ENCODING_H_
