// SPDX-License-Identifier: Apache-2.0
//
// A convolution as a graph of cuDNN of one operation, and the plans that its heuristics have for
// it. Plans can be made for a GPU that is not there, which a test does. Depends on: cudnn_api.h.
// Used by cudnn_conv.cc.
#ifndef TESSERA_BENCH_PEERS_CUDNN_GRAPH_H_
#define TESSERA_BENCH_PEERS_CUDNN_GRAPH_H_

#include <memory>
#include <string>
#include <vector>

#include "bench/peers/cudnn_api.h"
#include "bench/peers/nvidia_libraries.h"

namespace tessera {

// How a convolution is put to cuDNN.
struct ConvForm {
  int64_t channels = 0;         // of input and weights; those behind ConvSize's are 0
  bool channels_last = true;    // [n, y, x, c], else [n, c, y, x]
  DType out = DType::kFloat32;  // of the results: int8 is what does not fit cut at its bounds
  bool operator==(const ConvForm&) const = default;
};

// Those that may be fastest: input channels as they are and rounded up to 4 and to 16 bytes, which
// tensor cores ask for; int8 with results of int32, of which cuDNN has few, and of int8; float32 in
// both orders of dimensions, the others with channels last.
std::vector<ConvForm> FormsOf(const ConvSize& size, DType dtype);

// A descriptor and those that it was made from.
using DnnOwned = std::shared_ptr<void>;

struct DnnPlan {
  DnnOwned plan;
  int64_t workspace = 0;  // bytes
  int64_t engine = 0;     // its number in cuDNN
  std::vector<int> notes;

  bool Has(int note) const;
  // By transforms whose numbers are rounded: the sums of whole numbers are not.
  bool exact() const { return !Has(kDnnWinograd) && !Has(kDnnFft); }
  std::string Text() const;  // "engine 12, Winograd"
};

// The GPU that plans are for: that of a handle, or one described by cuDNN's own JSON.
struct DnnTarget {
  DnnHandle handle = nullptr;
  std::string device_json;
};

// At most |most|, cuDNN's best guess first; none where it has none. Float32 takes no engines that
// shorten its factors.
//   errors  kUnavailable  it refuses a call
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
