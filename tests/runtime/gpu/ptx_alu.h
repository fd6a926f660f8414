// SPDX-License-Identifier: Apache-2.0
//
// What one PTX instruction without memory computes, and the matrix product of a warp. For tests.
#ifndef TESSERA_TESTS_RUNTIME_GPU_PTX_ALU_H_
#define TESSERA_TESTS_RUNTIME_GPU_PTX_ALU_H_

#include <span>

#include "tests/runtime/gpu/ptx.h"

namespace tessera::test {

// |v|: the instruction's sources. The result is in the low bits, extended by its sign.
uint64_t PtxResult(const PtxInsn& insn, std::span<const uint64_t> v);

// The first byte of each of an instruction's registers: D, A, B, C of one lane.
struct PtxLane {
  uint64_t values[16] = {};
};

// mma.sync of 32 lanes: their sources to their destinations (the first four values).
Status PtxMma(const PtxInsn& insn, std::span<PtxLane> lanes);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_RUNTIME_GPU_PTX_ALU_H_
