// SPDX-License-Identifier: Apache-2.0
//
// GpuTimer: the GPU's own time of launches, by events around them. A kernel holds the GPU back
// until all launches are queued, so the host's time between two of them does not count. Depends on:
// runtime/gpu. Used by gpu_peers.
#ifndef TESSERA_BENCH_PEERS_GPU_TIMER_H_
#define TESSERA_BENCH_PEERS_GPU_TIMER_H_

#include <functional>
#include <memory>
#include <string>

#include "base/error.h"
#include "runtime/gpu/cuda_api.h"

namespace tessera {

struct GpuTime {
  double microseconds = 0;  // of one launch
  bool gaps = false;        // the GPU waited for the host between launches
};

class GpuTimer {
 public:
  // Opens the first GPU, in its primary context.
  //   errors  kUnsupported, kUnavailable  as OpenCudaDevice
  static Result<std::unique_ptr<GpuTimer>> Open();
  ~GpuTimer();
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;

  // Times |launches| calls of |launch|, in the context's default stream. At most kMostLaunches,
  // because the driver queues about a thousand kernels, and a launch is a few kernels.
  static constexpr int kMostLaunches = 200;
  Result<GpuTime> Time(int launches, const std::function<Status()>& launch);

  // Times a kernel of one thread that does nothing.
  Result<GpuTime> TimeOfNothing(int launches);

  static const char* Ptx();  // of the timer's own kernels

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
