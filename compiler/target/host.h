// SPDX-License-Identifier: Apache-2.0
//
// The intrinsics of host processors, one file each. Depends on: tensor_intrin.h. Used by: host.cc.
#ifndef TESSERA_COMPILER_TARGET_HOST_H_
#define TESSERA_COMPILER_TARGET_HOST_H_

#include "compiler/target/host_level.h"
#include "compiler/target/tensor_intrin.h"

namespace tessera::target {

// dot_u8s8x<lanes>: out[l] += sum over k < 4 of x[k] * w[l, k], of uint8 and int8, in int32. All
// lanes read the same x. Each level has its own instructions, which give the same integers, and the
// costs of |level|.
TensorIntrin DotU8S8(int64_t lanes, const HostLevel& level);

// own_u8s8x<lanes>: out[l] += sum over k < 4 of x[l, k] * w[l, k], by the same instructions: each
// lane, a channel, has inputs of its own.
TensorIntrin OwnU8S8(int64_t lanes, const HostLevel& level);

// dot_s16s8x<lanes> and dot_s16s16x<lanes>: out[l] += sum over k < 2 of x[k] * w[l, k], of int16
// and |right|, int8 or int16, in int32. All lanes read the same x.
TensorIntrin DotS16(DType right, int64_t lanes, const HostLevel& level);

// fma_f32x<lanes>: out[l] += x * w[l] of float32, rounded once. All lanes read the same x. Levels
// without the unit round the product too. The costs are those of |level|.
TensorIntrin FmaF32(int64_t lanes, const HostLevel& level);

// amx_u8s8: out[p, l] += sum over q < 16, b < 4 of x[p, q, b] * w[q, l, b] for 16 points and 16
// lanes, of uint8 and int8, in int32: one product of tile registers (tdpbusd). Only for the level
// that has them.
TensorIntrin AmxU8S8();

}  // namespace tessera::target

#endif  // TESSERA_COMPILER_TARGET_HOST_H_
