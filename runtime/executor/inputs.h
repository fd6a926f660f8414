// SPDX-License-Identifier: Apache-2.0
//
// What may be given for a model's input, and how it becomes the bytes the model takes. Depends on:
// runtime/artifact, runtime/tensor. Used by the executor, and by tools that read files.
//
// An input of shape [1, d1, d2, ...] takes a tensor [N, d1, d2, ...] of its type: N inferences. One
// of shape [B, d1, ...] with B > 1 takes [N, B, d1, ...]. An image input, of rank 4 with a first
// extent of 1 and of float32 or int8, also takes bytes as data sets hold them, uint8 of the same
// shape; where it has one channel, the axis of channels may be missing: [N, H, W]. PixelRule says
// what a pixel becomes.
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

// A pixel p becomes the real number (p * scale - mean) / std; an int8 or int16 input with a
// quantisation takes that number quantised: divided by the scale, rounded half to even, plus the
// zero point, and limited to the type. Where nothing was |given|, an int8 input takes p - 128
// instead.
struct PixelRule {
  double scale = 1.0 / 255;
  std::vector<double> mean{0}, std{1};  // one, or one a channel
  bool given = false;
};

// The shape of one inference's share of a tensor: |shape| without its first extent where that is 1.
std::vector<int64_t> ItemShape(std::span<const int64_t> shape);

// The axis of channels of an image input: of axes 1 and 3 of four the one of extent 1 or 3, as
// ONNX and TFLite have them. Nothing: no such axis, or both could be it.
std::optional<size_t> ChannelAxis(std::span<const int64_t> shape);

// Whether |given| is pixels that become |want|.
bool ArePixels(const artifact::TensorInfo& want, const HostTensor& given);

// How many inferences |given| holds for input |want|.
//   errors  kInvalidArgument  another type or shape; the message has both
Result<int64_t> CountInferences(const artifact::TensorInfo& want, const HostTensor& given);

// How many inferences |given| holds for |wants|, one tensor an input; 1 for a model without inputs.
//   errors  kInvalidArgument  another number of tensors, tensors that hold another number of
//                             inferences each; those of CountInferences and of CheckPixelRule
Result<int64_t> CountTogether(std::span<const artifact::TensorInfo> wants,
                              std::span<const HostTensor> given, const PixelRule& rule);

// |given| of exactly |want|'s shape, whose first extent is not 1, is one item: it becomes [1, ...].
void AddItemAxis(const artifact::TensorInfo& want, HostTensor& given);

// Whether |rule| can be applied to pixels of |want|.
//   errors  kInvalidArgument  a mean or std for another number of channels, or channels that cannot
//                             be told; a std that is not positive; an int8 input without a
//                             quantisation
Status CheckPixelRule(const artifact::TensorInfo& want, const PixelRule& rule);

// "p / 255", "(p * 1 - [103.5, 116.3, 123.7]) / 57.5", "p - 128": what a pixel p becomes.
std::string PixelText(const artifact::TensorInfo& want, const PixelRule& rule);

// Writes inference |n| of |given|, which CountInferences accepts, into |out|: the bytes of one
// |want|. CheckPixelRule accepts |rule| if |given| is pixels.
void FillInput(const artifact::TensorInfo& want, const HostTensor& given, int64_t n,
               const PixelRule& rule, std::span<uint8_t> out);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_EXECUTOR_INPUTS_H_
