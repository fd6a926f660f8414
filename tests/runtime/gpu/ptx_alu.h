// SPDX-License-Identifier: Apache-2.0
//
// The result of one PTX instruction that uses no memory, and the matrix product of a warp. For
// tests.
#ifndef TESSERA_TESTS_RUNTIME_GPU_PTX_ALU_H_
#define TESSERA_TESTS_RUNTIME_GPU_PTX_ALU_H_

#include <span>

#include "tests/runtime/gpu/ptx.h"

namespace tessera::test {

// |v|: the instruction's sources. The result is in the low bits, sign-extended.
uint64_t PtxResult(const PtxInsn& insn, std::span<const uint64_t> v);

// The values of an instruction's registers in one lane: D, A, B, C.
struct PtxLane {
  uint64_t values[16] = {};
};

// mma.sync of 32 lanes: computes their destinations (the first four values) from their sources.
Status PtxMma(const PtxInsn& insn, std::span<PtxLane> lanes);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_RUNTIME_GPU_PTX_ALU_H_
