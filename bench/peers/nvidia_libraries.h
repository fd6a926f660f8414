// SPDX-License-Identifier: Apache-2.0
//
// cuBLAS and cuDNN, opened at run time: nothing needs them to be built. One case of each is set up,
// launched any number of times and read back as row-major floats. Depends on: runtime/gpu. Used by:
// gpu_peers.
#ifndef TESSERA_BENCH_PEERS_NVIDIA_LIBRARIES_H_
#define TESSERA_BENCH_PEERS_NVIDIA_LIBRARIES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"

namespace tessera {

// y[i, j] = sum over k of x[i, k] * w[j, k]
struct ProductSize {
  int64_t rows = 0, columns = 0, depth = 0;
};

// y[o, v, h]: a square image of |size| with |channels|, |outs| windows of |taps| x |taps|, pads of
// taps / 2 on every side.
struct ConvSize {
  int64_t channels = 0, outs = 0, size = 0, taps = 1, stride = 1;
  int64_t out_size() const { return (size + taps / 2 * 2 - taps) / stride + 1; }
};

// A case on the GPU. launch() returns before it has run; wait() when all have.
struct PeerCase {
  std::function<Status()> launch, wait;
  std::function<Result<std::vector<float>>()> read;
};

// |dtype|: int8 with sums of int32 (cuDNN gives them as float32, exact below 2^24), float16 with
// float32 (cuDNN: rounded to float16), float32. |x| and |w| are row-major elements of it.
//   errors  kUnsupported  a library is missing, or refuses to start: the message says which
//           kUnavailable  it refuses a call
Result<PeerCase> CublasProduct(const ProductSize& size, DType dtype, std::span<const uint8_t> x,
                               std::span<const uint8_t> w);
Result<PeerCase> CudnnConv(const ConvSize& size, DType dtype, std::span<const uint8_t> x,
                           std::span<const uint8_t> w);

}  // namespace tessera

#endif  // TESSERA_BENCH_PEERS_NVIDIA_LIBRARIES_H_
