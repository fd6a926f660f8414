// SPDX-License-Identifier: Apache-2.0
#include "provider/onnxruntime/profiler.h"

#include <unistd.h>

#include <array>
#include <utility>

#include "provider/onnxruntime/options.h"

namespace tessera::ort {
namespace {

struct Profiler : OrtEpProfilerImpl {
  Profiler(const Calls& the_calls, std::shared_ptr<RunLog> the_log)
      : OrtEpProfilerImpl{}, calls(the_calls), log(std::move(the_log)) {
    ort_version_supported = kProfilingApi;
    Release = [](OrtEpProfilerImpl* self) { delete static_cast<Profiler*>(self); };
    StartProfiling = [](OrtEpProfilerImpl* self, int64_t offset_ns) -> OrtStatus* {
      static_cast<Profiler*>(self)->Begin(offset_ns);
      return nullptr;
    };
    // ONNX Runtime's own events are not needed: a run has its times.
    StartEvent = [](OrtEpProfilerImpl*, uint64_t) -> OrtStatus* { return nullptr; };
    StopEvent = [](OrtEpProfilerImpl*, uint64_t, const OrtProfilingEvent*) -> OrtStatus* {
      return nullptr;
    };
    EndProfiling = [](OrtEpProfilerImpl* self, OrtProfilingEventsContainer* events) {
      auto* profiler = static_cast<Profiler*>(self);
      return ToOrt(profiler->calls, profiler->End(events));
    };
  }

  // |offset_ns|: from the begin of ONNX Runtime's profile to this call.
  void Begin(int64_t offset_ns) {
    zero = RunLog::Clock::now() - std::chrono::nanoseconds(offset_ns);
    log->Start();
  }

  int64_t Microseconds(RunLog::Clock::time_point time) const {
    return std::chrono::duration_cast<std::chrono::microseconds>(time - zero).count();
  }

  Status End(OrtProfilingEventsContainer* events) const {
    for (const RunLog::Entry& entry : log->Stop()) {
      const std::string cycles = fmt::format("{}", entry.times.cycles),
                        host = fmt::format("{:.0f}", 1e6 * entry.times.host_seconds);
      const std::array<const char*, 4> keys{"provider", "device", "cycles", "host_us"};
      const std::array<const char*, 4> values{kProviderName, entry.device.c_str(), cycles.c_str(),
                                              host.c_str()};
      const int64_t begin = Microseconds(entry.begin);
      OrtProfilingEvent* event = nullptr;
      TESSERA_TRY(Check(calls, calls.CreateProfilingEvent(
                                   kOrtKernelEvent, getpid(), static_cast<int32_t>(entry.thread),
                                   entry.network.c_str(), begin, Microseconds(entry.end) - begin,
                                   keys.data(), values.data(), keys.size(), &event)));
      const Status added =
          Check(calls, calls.ProfilingEventsContainer_AddEvents(events, &event, 1));
      calls.ReleaseProfilingEvent(event);
      TESSERA_TRY(added);
    }
    return {};
  }

  const Calls& calls;
  const std::shared_ptr<RunLog> log;
  RunLog::Clock::time_point zero;
};

}  // namespace

void RunLog::Start() {
  const std::scoped_lock lock(mutex_);
  on_ = true;
  entries_.clear();
}

bool RunLog::on() const {
  const std::scoped_lock lock(mutex_);
  return on_;
}

void RunLog::Add(Entry entry) {
  const std::scoped_lock lock(mutex_);
  if (on_) entries_.push_back(std::move(entry));
}

std::vector<RunLog::Entry> RunLog::Stop() {
  const std::scoped_lock lock(mutex_);
  on_ = false;
  return std::exchange(entries_, {});
}

OrtEpProfilerImpl* MakeProfiler(const Calls& calls, std::shared_ptr<RunLog> log) {
  return new Profiler(calls, std::move(log));
}

}  // namespace tessera::ort
