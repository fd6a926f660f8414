// SPDX-License-Identifier: Apache-2.0
//
// cuBLAS and cuDNN, opened at run time, so that no build needs them. Sets up one case of each,
// launches it any number of times and reads it back as row-major floats. Depends on: runtime/gpu.
// Used by: gpu_peers.
#ifndef TESSERA_BENCH_PEERS_NVIDIA_LIBRARIES_H_
#define TESSERA_BENCH_PEERS_NVIDIA_LIBRARIES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"

namespace tessera {

// y[i, j] = sum over k of x[i, k] * w[j, k]
struct ProductSize {
  int64_t rows = 0, columns = 0, depth = 0;
};

// y[o, v, h]: a square image of side |size| with |channels| channels; |outs| output channels;
// windows of |taps| x |taps|; pads of taps / 2 on every side.
struct ConvSize {
  int64_t channels = 0, outs = 0, size = 0, taps = 1, stride = 1;
  int64_t out_size() const { return (size + taps / 2 * 2 - taps) / stride + 1; }
};

// A case on the GPU.
struct PeerCase {
  std::function<Status()> launch;                    // returns before the launch has run
  std::function<Result<std::vector<float>>()> read;  // after all launches have run
  std::string how;                                   // "cuDNN engine 12, Winograd, of 14"
  // How far results of whole numbers may be off, relative to the largest, and the limits to which
  // the peer clamps them.
  double off = 0, least = -1e30, most = 1e30;
};

// "" if |ours| equals the peer's results |theirs|, as far as |peer| allows.
std::string Difference(std::span<const float> ours, std::span<const float> theirs,
                       const PeerCase& peer);

// Owns the libraries' handles; the caller must hold the GPU's primary context as long.
class NvidiaLibraries {
 public:
  // Microseconds of a launch.
  using Timer = std::function<Result<double>(const std::function<Status()>& launch)>;

  // Whether a case gave the right result; called after it has run.
  using Right = std::function<Result<bool>(const PeerCase& peer)>;

  // |timer| chooses among cuDNN's plans.
  explicit NvidiaLibraries(Timer timer);
  ~NvidiaLibraries();
  NvidiaLibraries(const NvidiaLibraries&) = delete;
  NvidiaLibraries& operator=(const NvidiaLibraries&) = delete;

  // |dtype|: int8 with sums of int32, float16 with sums of float32 (cuDNN: rounded to float16),
  // float32 without tensor cores. |x| and |w|: row-major elements of that type.
  //   errors  kUnsupported  a library is missing, does not start, or has nothing for the case; the
  //                         driver is not the system's, which the libraries use
  //           kUnavailable  a library refuses a call
  Result<PeerCase> Product(const ProductSize& size, DType dtype, std::span<const uint8_t> x,
                           std::span<const uint8_t> w);
  Result<PeerCase> Conv(const ConvSize& size, DType dtype, std::span<const uint8_t> x,
                        std::span<const uint8_t> w, const Right& right);

  std::string Versions();  // "cuBLAS 13.1.0, cuDNN 9.19.0", or "none" for one that is missing

 private:
  struct Opened;
  std::unique_ptr<Opened> opened_;
};

}  // namespace tessera

#endif  // TESSERA_BENCH_PEERS_NVIDIA_LIBRARIES_H_
