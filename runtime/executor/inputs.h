// SPDX-License-Identifier: Apache-2.0
//
// What may be given for a model's input, and how it becomes the bytes the model takes. Depends on:
// runtime/artifact, runtime/tensor. Used by the executor; tools use ItemShape for messages.
//
// An input of shape [1, d1, d2, ...] takes a tensor [N, d1, d2, ...] of its type: N inferences. An
// image input [1, 1, H, W] or [1, C, H, W] of float32 or int8 also takes bytes as data sets hold
// them, uint8 [N, H, W] (C = 1) or [N, C, H, W]: a pixel p becomes p / 255 for float32 and p - 128
// for int8.
#ifndef TESSERA_RUNTIME_EXECUTOR_INPUTS_H_
#define TESSERA_RUNTIME_EXECUTOR_INPUTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "runtime/artifact/artifact.h"
#include "runtime/tensor/tensor.h"

namespace tessera {

// The shape of one inference's share of a tensor: |shape| without its first extent where that is 1.
std::vector<int64_t> ItemShape(std::span<const int64_t> shape);

// How many inferences |given| holds for input |want|.
//   errors  kInvalidArgument  another type or shape; the message has both
Result<int64_t> CountInferences(const artifact::TensorInfo& want, const HostTensor& given);

// Writes inference |n| of |given|, which CountInferences accepts, into |out|: the bytes of one
// |want|.
void FillInput(const artifact::TensorInfo& want, const HostTensor& given, int64_t n,
               std::span<uint8_t> out);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_EXECUTOR_INPUTS_H_
