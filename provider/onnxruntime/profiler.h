// SPDX-License-Identifier: Apache-2.0
//
// The provider's events in a profile of ONNX Runtime: one for each run of a network, with its
// cycles. Depends on: calls.h. Used by: provider.cc.
#ifndef TESSERA_PROVIDER_ONNXRUNTIME_PROFILER_H_
#define TESSERA_PROVIDER_ONNXRUNTIME_PROFILER_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "provider/onnxruntime/calls.h"
#include "provider/onnxruntime/network.h"

namespace tessera::ort {

// The runs of one session since its profile began. Any thread may call it.
class RunLog {
 public:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    std::string network, device;
    Clock::time_point begin, end;
    int64_t thread = 0;
    RunTimes times;
  };

  void Start();
  bool on() const;
  void Add(Entry entry);      // dropped while the log is off
  std::vector<Entry> Stop();  // what came since Start

 private:
  mutable std::mutex mutex_;
  bool on_ = false;
  std::vector<Entry> entries_;
};

// A profiler that gives the runs of |log| to ONNX Runtime, which releases it.
OrtEpProfilerImpl* MakeProfiler(const Calls& calls, std::shared_ptr<RunLog> log);

}  // namespace tessera::ort

#endif  // TESSERA_PROVIDER_ONNXRUNTIME_PROFILER_H_
