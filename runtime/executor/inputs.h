// SPDX-License-Identifier: Apache-2.0
//
// What a model's input accepts, and how it becomes the bytes that the model takes. Depends on:
// runtime/artifact, runtime/tensor. Used by the executor, and by tools that read files.
//
// An input of shape [1, d1, d2, ...] takes a tensor [N, d1, d2, ...] of its type: N inferences. An
// input of shape [B, d1, ...] with B > 1 takes [N, B, d1, ...]. An image input (rank 4, first
// extent 1, float32, int8 or int16) also takes bytes as data sets hold them: uint8 of the same
// shape, or [N, H, W] if it has one channel. PixelRule says what a pixel becomes.
#ifndef TESSERA_RUNTIME_EXECUTOR_INPUTS_H_
#define TESSERA_RUNTIME_EXECUTOR_INPUTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/artifact/artifact.h"
#include "runtime/tensor/tensor.h"

namespace tessera {

// A pixel p becomes the real number (p * scale - mean) / std. An int8 or int16 input with a
// quantisation takes that number quantised: divided by the scale, rounded half to even, plus the
// zero point, clamped to the type. Without a |given| rule an int8 input takes p - 128 instead.
struct PixelRule {
  double scale = 1.0 / 255;
  std::vector<double> mean{0}, std{1};  // one, or one for each channel
  bool given = false;
};

// The shape of one inference of a tensor: |shape| without its first extent if that is 1.
std::vector<int64_t> ItemShape(std::span<const int64_t> shape);

// The axis of channels of an image input: of axes 1 (ONNX) and 3 (TFLite) the one of extent 1 or 3.
// Nothing if neither or both could be it.
std::optional<size_t> ChannelAxis(std::span<const int64_t> shape);

// Whether |given| holds pixels for |want|.
bool ArePixels(const artifact::TensorInfo& want, const HostTensor& given);

// How many inferences |given| holds for input |want|.
//   errors  kInvalidArgument  another type or shape; the message names both
Result<int64_t> CountInferences(const artifact::TensorInfo& want, const HostTensor& given);

// How many inferences |given| holds for |wants|, one tensor for each input; 1 for a model without
// inputs.
//   errors  kInvalidArgument  another number of tensors, tensors with different numbers of
//                             inferences; those of CountInferences and of CheckPixelRule
Result<int64_t> CountTogether(std::span<const artifact::TensorInfo> wants,
                              std::span<const HostTensor> given, const PixelRule& rule);

// Makes |given| of exactly |want|'s shape, whose first extent is not 1, one item: [1, ...].
void AddItemAxis(const artifact::TensorInfo& want, HostTensor& given);

// Checks that |rule| fits pixels of |want|.
//   errors  kInvalidArgument  a mean or std for another number of channels, or an unknown axis of
//                             channels; a std that is not positive; an int8 input without a
//                             quantisation
Status CheckPixelRule(const artifact::TensorInfo& want, const PixelRule& rule);

// What a pixel p becomes: "p / 255", "(p * 1 - [103.5, 116.3, 123.7]) / 57.5", "p - 128".
std::string PixelText(const artifact::TensorInfo& want, const PixelRule& rule);

// Writes inference |n| of |given| into |out|: the bytes of one |want|. CountInferences must accept
// |given|, and CheckPixelRule must accept |rule| if |given| is pixels.
void FillInput(const artifact::TensorInfo& want, const HostTensor& given, int64_t n,
               const PixelRule& rule, std::span<uint8_t> out);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_EXECUTOR_INPUTS_H_
