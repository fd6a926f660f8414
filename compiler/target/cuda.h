// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA GPUs from sm_80 on: properties of every GPU, products of matrix fragments. Depends on:
// target.h. Used by: lower/gpu, codegen/llvm, the driver, one file of intrinsics (mma.cc).
#ifndef TESSERA_COMPILER_TARGET_CUDA_H_
#define TESSERA_COMPILER_TARGET_CUDA_H_

#include <memory>
#include <string>
#include <vector>

#include "compiler/target/target.h"

namespace tessera::target {

// The threads of thread.x that compute one matrix product together.
inline constexpr int64_t kWarpThreads = 32;

// Tiles of fragments, row-major without gaps: sums of 16 x 8 from rows of 32 bytes. Sums are in
// memory acc, which is spread over the registers of a warp: thread t holds columns 2 (t % 4) and 2
// (t % 4) + 1 of rows t / 4 and t / 4 + 8. Only these intrinsics access that memory.
//   mma.s8     acc i32[16, 8] += a i8[16, 32] * b i8[8, 32] transposed     acc, a, b, first
//   mma.f16    acc f32[16, 8] += a f16[16, 16] * b f16[8, 16] transposed   acc, a, b, first
//   mma.store.i32, mma.store.f32    out[16, 8] = acc, out in shared memory  out, acc
inline constexpr const char* kMmaS8 = "mma.s8";
inline constexpr const char* kMmaF16 = "mma.f16";
inline constexpr const char* kMmaStoreI32 = "mma.store.i32";
inline constexpr const char* kMmaStoreF32 = "mma.store.f32";
inline constexpr int64_t kMmaRows = 16, kMmaColumns = 8;

std::vector<TensorIntrin> MmaIntrinsics();

// Whether the threads of a warp execute tile intrinsic |call| together.
bool IsWarpCall(const std::string& call);

std::shared_ptr<const Target> Cuda();

}  // namespace tessera::target

#endif  // TESSERA_COMPILER_TARGET_CUDA_H_
