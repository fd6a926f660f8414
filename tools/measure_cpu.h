// SPDX-License-Identifier: Apache-2.0
//
// Measures the processor that runs this, in the figures of a configuration's key "cpu". Depends on:
// compiler/codegen, compiler/lower, isa. Used by: tools/devices.
#ifndef TESSERA_TOOLS_MEASURE_CPU_H_
#define TESSERA_TOOLS_MEASURE_CPU_H_

#include <string>

#include "base/error.h"
#include "isa/cpu.h"

namespace tessera::tools {

// The processor's level, and of it: clock (a chain of additions, one a cycle), processors that this
// process may use, the largest cache, bytes that one thread reads from memory, and bytes that the
// compiled packing of an image of 64 channels writes. Takes about a second. The time of a start is
// that of the named processor: it is a matter of the board.
//   errors  kUnsupported  no processor of isa::NamedCpus has this level; those of the code
//                         generator and of memory
Result<isa::Cpu> MeasureCpu();

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_MEASURE_CPU_H_
