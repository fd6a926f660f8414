// SPDX-License-Identifier: Apache-2.0
//
// The GPU's own time of launches: events around them, and the GPU held back by a kernel that waits
// until all of them are queued, so that what the host does between two of them is not counted.
// Depends on: runtime/gpu. Used by gpu_peers.
#ifndef TESSERA_BENCH_PEERS_GPU_TIMER_H_
#define TESSERA_BENCH_PEERS_GPU_TIMER_H_

#include <functional>
#include <memory>
#include <string>

#include "base/error.h"
#include "runtime/gpu/cuda_api.h"

namespace tessera {

struct GpuTime {
  double microseconds = 0;  // of a launch
  bool gaps = false;        // the GPU waited for the host between launches
};

class GpuTimer {
 public:
  // Of the first GPU, in its primary context.
  //   errors  kUnsupported, kUnavailable  as OpenCudaDevice
  static Result<std::unique_ptr<GpuTimer>> Open();
  ~GpuTimer();
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;

  // |launches| calls of |launch|, in the context's default stream. At most kMostLaunches: the
  // driver queues about a thousand kernels, and a launch is a few.
  static constexpr int kMostLaunches = 200;
  Result<GpuTime> Time(int launches, const std::function<Status()>& launch);

  // Of a kernel of one thread that does nothing.
  Result<GpuTime> TimeOfNothing(int launches);

  static const char* Ptx();  // of its own kernels

  // "driver of CUDA 13.0, 132 processors of at most 1980 MHz, memory of 2619 MHz"
  std::string Describe() const;

 private:
  explicit GpuTimer(const CudaApi& api) : api_(api) {}
  Status Prepare();
  Status Launch(CudaHandle kernel, void** arguments) const;
  Status Check(const char* call, int code) const;

  const CudaApi api_;
  int device_ = 0;
  CudaHandle context_ = nullptr, module_ = nullptr, hold_ = nullptr, nothing_ = nullptr;
  CudaHandle begin_ = nullptr, end_ = nullptr;
};

}  // namespace tessera

#endif  // TESSERA_BENCH_PEERS_GPU_TIMER_H_
