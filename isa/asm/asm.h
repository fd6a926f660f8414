// SPDX-License-Identifier: Apache-2.0
//
// Program images as text and back: Assemble turns the text that Disassemble prints into the same
// image. Depends on isa/image.h. Used by `tessera asm` and `disasm`, and by tests.
//
//   .profile tessera                     or vta; first
//   .config default 0x0123456789abcdef   name, and the hash of the program's configuration
//   .segment constants 4096              segment (name or 0..7), size in bytes (absent: the data's)
//     .hex 00010203                      its contents from offset 0: bytes,
//     .zero 64                           that many zero bytes,
//     uop dst=1 src=2 init=1             a micro-op of the profile
//   .code                                instructions follow, one on each line
//     .source 3 "conv1+relu"             up to .end: layer and operator that instructions implement
//     load memory=wgt segment=constants x_bytes=256 x_size=4 push=gemm
//     .word 0x20                         an instruction without text
//     finish
//
// Absent fields are 0. Values are numbers (decimal, 0x), or names where the table has names; pop
// and push are lists joined by '+': units, or prev and next in profile vta. A comment
// runs from ';' to the end of its line.
#ifndef TESSERA_ISA_ASM_ASM_H_
#define TESSERA_ISA_ASM_ASM_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "isa/config.h"
#include "isa/image.h"

namespace tessera::isa {

// Limits of a text.
inline constexpr uint64_t kMaxAsmBytes = uint64_t{1} << 30;      // the text
inline constexpr uint64_t kMaxAsmDataBytes = uint64_t{1} << 28;  // contents of all segments

// The text of |image|; CheckImage(image) must hold. The fields of profile vta need the
// configuration; this function finds it by its hash in |configs| or among the named ones, and
// prints instructions and micro-ops as words if there is no such configuration.
std::string Disassemble(const ProgramImage& image, std::span<const Config> configs = {});

// The image that |text| describes. Finds configurations by name in |configs| and among the named
// ones.
//   errors  kInvalidArgument  "LINE:COLUMN: what is wrong"
//           kOutOfRange       the same, for a value past its limit
Result<ProgramImage> Assemble(std::string_view text, std::span<const Config> configs = {});

}  // namespace tessera::isa

#endif  // TESSERA_ISA_ASM_ASM_H_
