// SPDX-License-Identifier: Apache-2.0
//
// Program images as text and back. What Disassemble prints, Assemble turns into the same image.
// Depends on isa/image.h. Used by `tessera asm` and `disasm`, and by tests that want a program.
//
//   .profile tessera                     or vta; first
//   .config default 0x0123456789abcdef   name, and the hash that the program was made for
//   .segment constants 4096              segment (name or 0..7) and its size in bytes (data's, if
//   absent);
//     .hex 00010203                      its contents from offset 0: bytes,
//     .zero 64                           that many zero bytes,
//     uop dst=1 src=2 init=1             a micro-op of the profile
//   .code                                instructions follow, each a line
//     .source 3 "conv1+relu"             .. .end: layer and operator that instructions implement
//     load memory=wgt segment=constants x_bytes=256 x_size=4 push=gemm
//     .word 0x20                         an instruction that has no text
//     finish
//
// Fields that are absent are 0. Values are numbers (decimal, 0x), or names where the table has
// them; pop and push are lists joined by '+': units, or prev and next in profile vta. A comment
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

// Limits on what a text can ask for.
inline constexpr uint64_t kMaxAsmBytes = uint64_t{1} << 30;      // the text
inline constexpr uint64_t kMaxAsmDataBytes = uint64_t{1} << 28;  // contents of all segments

// The text of |image|, for which CheckImage holds. Profile vta's fields need its configuration,
// which is looked for by its hash in |configs| and among the named ones; without it instructions
// and micro-ops are printed as words.
std::string Disassemble(const ProgramImage& image, std::span<const Config> configs = {});

// The image that |text| describes. Configurations are looked for by name in |configs| and among the
// named ones.
//   errors  kInvalidArgument  "LINE:COLUMN: what is wrong"
//           kOutOfRange       the same, of a value past its limit
Result<ProgramImage> Assemble(std::string_view text, std::span<const Config> configs = {});

}  // namespace tessera::isa

#endif  // TESSERA_ISA_ASM_ASM_H_
