// SPDX-License-Identifier: Apache-2.0
//
// A convolution as a graph of cuDNN with one operation, and the plans of cuDNN's heuristics for it.
// Plans need no GPU: a test makes them for a described one. Depends on: cudnn_api.h,
// nvidia_libraries.h (sizes). Used by cudnn_conv.cc.
#ifndef TESSERA_BENCH_PEERS_CUDNN_GRAPH_H_
#define TESSERA_BENCH_PEERS_CUDNN_GRAPH_H_

#include <memory>
#include <string>
#include <vector>

#include "bench/peers/cudnn_api.h"
#include "bench/peers/nvidia_libraries.h"

namespace tessera {

// The form of a convolution for cuDNN.
struct ConvForm {
  int64_t channels = 0;         // of input and weights; channels past ConvSize's are 0
  bool channels_last = true;    // [n, y, x, c], else [n, c, y, x]
  DType out = DType::kFloat32;  // of the results; int8 clamps results to its limits
  bool operator==(const ConvForm&) const = default;
};

// The forms that may be fastest. Input channels: as they are, and rounded up to 4 and to 16 bytes,
// as tensor cores need. int8: results of int32, for which cuDNN has few plans, and of int8.
// float32: both orders of dimensions; other types: channels last.
std::vector<ConvForm> FormsOf(const ConvSize& size, DType dtype);

// A descriptor together with the descriptors it was made from.
using DnnOwned = std::shared_ptr<void>;

struct DnnPlan {
  DnnOwned plan;
  int64_t workspace = 0;  // bytes
  int64_t engine = 0;     // its number in cuDNN
  std::vector<int> notes;

  bool Has(int note) const;
  // False for transforms, which round; sums of whole numbers do not.
  bool exact() const { return !Has(kDnnWinograd) && !Has(kDnnFft); }
  std::string Text() const;  // "engine 12, Winograd"
};

// The GPU for which plans are made: that of a handle, or one described by cuDNN's own JSON.
struct DnnTarget {
  DnnHandle handle = nullptr;
  std::string device_json;
};

// At most |most| plans, cuDNN's best guess first; empty if cuDNN has none. For float32 takes no
// engines that shorten the factors.
//   errors  kUnavailable  cuDNN refuses a call
Result<std::vector<DnnPlan>> PlansOf(const CudnnApi& api, const DnnTarget& target,
                                     const ConvSize& size, DType dtype, const ConvForm& form,
                                     size_t most);

// Addresses in the GPU's memory.
struct DnnAddresses {
  uint64_t x = 0, w = 0, y = 0, workspace = 0;
};
Result<DnnOwned> Bind(const CudnnApi& api, const DnnAddresses& addresses);

Status DnnCheck(const CudnnApi& api, const char* call, int code);

}  // namespace tessera

#endif  // TESSERA_BENCH_PEERS_CUDNN_GRAPH_H_
