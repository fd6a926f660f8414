// SPDX-License-Identifier: Apache-2.0
//
// Keeps programs as files of assembly. Depends on: isa/asm/asm.h. Used by: `tessera regress`,
// runtime/device/record.h, tests that compare machines.
#ifndef TESSERA_ISA_ASM_KEEP_PROGRAM_H_
#define TESSERA_ISA_ASM_KEEP_PROGRAM_H_

#include <string>

#include "base/error.h"
#include "isa/config.h"
#include "isa/image.h"

namespace tessera::isa {

// Writes |image| as assembly, with its data, to |folder|/NAME.tsr.s, under |why| as comments; makes
// the folder. Returns the path.
//   errors  kUnavailable  the file cannot be written
Result<std::string> KeepProgram(const std::string& folder, const std::string& name,
                                const std::string& why, const ProgramImage& image,
                                const Config& config);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_ASM_KEEP_PROGRAM_H_
