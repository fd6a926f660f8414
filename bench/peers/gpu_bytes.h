// SPDX-License-Identifier: Apache-2.0
//
// GpuBytes: memory of the GPU for the libraries' cases, in the current context of this thread. Used
// by nvidia_libraries.cc, cudnn_conv.cc.
#ifndef TESSERA_BENCH_PEERS_GPU_BYTES_H_
#define TESSERA_BENCH_PEERS_GPU_BYTES_H_

#include <memory>
#include <span>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"
#include "runtime/gpu/cuda_api.h"

namespace tessera {

class GpuBytes {
 public:
  //   errors  kUnavailable  the driver has no memory left, or refuses a copy
  static Result<std::shared_ptr<GpuBytes>> Make(const CudaApi& api, size_t bytes);
  static Result<std::shared_ptr<GpuBytes>> Of(const CudaApi& api, std::span<const uint8_t> data);
  explicit GpuBytes(const CudaApi& api) : api_(api) {}
  ~GpuBytes();
  GpuBytes(const GpuBytes&) = delete;
  GpuBytes& operator=(const GpuBytes&) = delete;

  CudaAddress at() const { return at_; }
  // All of the memory as elements of |dtype|, after every earlier launch has run.
  Result<std::vector<float>> Floats(DType dtype) const;

 private:
  const CudaApi api_;
  CudaAddress at_ = 0;
  size_t size_ = 0;
};

}  // namespace tessera

#endif  // TESSERA_BENCH_PEERS_GPU_BYTES_H_
