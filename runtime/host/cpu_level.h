// SPDX-License-Identifier: Apache-2.0
//
// Names of the instruction-set levels of host code. The compiler makes one object for each level;
// the executor loads the best one that this machine runs. The processor's name. Depends on nothing.
#ifndef TESSERA_RUNTIME_HOST_CPU_LEVEL_H_
#define TESSERA_RUNTIME_HOST_CPU_LEVEL_H_

#include <string>
#include <vector>

namespace tessera {

// The levels that this machine runs, best first. On x86: of "x86-64-v4-amx" (AMX-INT8 besides
// VNNI, where the system gives this process tile registers), "x86-64-v4-vnni" (v4 and AVX512-VNNI),
// "x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64"; the v levels are those of the x86-64 psABI.
// On Arm: of "aarch64-i8mm" (dot products of uint8 and int8), "aarch64-dotprod" (of int8),
// "aarch64" (from ARMv8.0 on), or "armv7" (32-bit, with NEON).
std::vector<std::string> CpuLevels();

// The processor as the system names it, "AMD EPYC, family 25, model 1"; "unknown" where it does
// not.
std::string ProcessorName();

}  // namespace tessera

#endif  // TESSERA_RUNTIME_HOST_CPU_LEVEL_H_
