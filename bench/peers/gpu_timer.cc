// SPDX-License-Identifier: Apache-2.0
#include "bench/peers/gpu_timer.h"

#include <algorithm>
#include <cstdint>

namespace tessera {
namespace {

// hold waits for the nanoseconds of its argument, but at most for 2^22 looks at the clock.
constexpr const char* kKernels = R"(.version 7.0
.target sm_80
.address_size 64

.visible .entry hold(
	.param .u64 hold_param_0
)
.reqntid 1, 1, 1
{
	.reg .pred 	%p<3>;
	.reg .b32 	%r<3>;
	.reg .b64 	%rd<5>;
	ld.param.u64 	%rd1, [hold_param_0];
	mov.u64 	%rd2, %globaltimer;
	mov.u32 	%r1, 0;
$L_look:
	mov.u64 	%rd3, %globaltimer;
	sub.s64 	%rd4, %rd3, %rd2;
	setp.ge.u64 	%p1, %rd4, %rd1;
	@%p1 bra 	$L_end;
	add.s32 	%r1, %r1, 1;
	setp.lt.u32 	%p2, %r1, 4194304;
	@%p2 bra 	$L_look;
$L_end:
	ret;
}

.visible .entry nothing(
)
.reqntid 1, 1, 1
{
	ret;
}
)";

constexpr uint64_t kFirstHold = 200'000, kLongestHold = 25'600'000;  // nanoseconds

}  // namespace

Status GpuTimer::Check(const char* call, int code) const {
  if (code == 0) return {};
  const char* text = nullptr;
  const bool named = api_.GetErrorName(code, &text) == 0 && text != nullptr;
  return Fail(Code::kUnavailable, "{}: {}", call,
              named ? std::string(text) : fmt::format("code {}", code));
}

Result<std::unique_ptr<GpuTimer>> GpuTimer::Open() {
  TESSERA_ASSIGN(const CudaApi api, LoadCuda());
  std::unique_ptr<GpuTimer> timer(new GpuTimer(api));
  TESSERA_TRY(timer->Prepare());
  return timer;
}

Status GpuTimer::Prepare() {
  TESSERA_TRY(Check("cuInit", api_.Init(0)));
  TESSERA_TRY(Check("cuDeviceGet", api_.DeviceGet(&device_, 0)));
  TESSERA_TRY(Check("cuDevicePrimaryCtxRetain", api_.PrimaryCtxRetain(&context_, device_)));
  TESSERA_TRY(Check("cuCtxSetCurrent", api_.CtxSetCurrent(context_)));
  TESSERA_TRY(
      Check("cuModuleLoadDataEx", api_.ModuleLoadDataEx(&module_, kKernels, 0, nullptr, nullptr)));
  TESSERA_TRY(Check("cuModuleGetFunction", api_.ModuleGetFunction(&hold_, module_, "hold")));
  TESSERA_TRY(Check("cuModuleGetFunction", api_.ModuleGetFunction(&nothing_, module_, "nothing")));
  TESSERA_TRY(Check("cuEventCreate", api_.EventCreate(&begin_, 0)));
  return Check("cuEventCreate", api_.EventCreate(&end_, 0));
}

GpuTimer::~GpuTimer() {
  if (context_ == nullptr) return;
  api_.CtxSetCurrent(context_);
  for (const CudaHandle event : {begin_, end_}) {
    if (event != nullptr) api_.EventDestroy(event);
  }
  if (module_ != nullptr) api_.ModuleUnload(module_);
  api_.CtxSetCurrent(nullptr);
  api_.PrimaryCtxRelease(device_);
}

Status GpuTimer::Launch(CudaHandle kernel, void** arguments) const {
  return Check("cuLaunchKernel",
               api_.LaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
}

Result<GpuTime> GpuTimer::Time(int launches, const std::function<Status()>& launch) {
  GpuTime time;
  for (uint64_t hold = kFirstHold; hold <= kLongestHold; hold *= 2) {
    TESSERA_TRY(Check("cuCtxSetCurrent", api_.CtxSetCurrent(context_)));
    void* arguments[] = {&hold};
    TESSERA_TRY(Launch(hold_, arguments));
    TESSERA_TRY(Check("cuEventRecord", api_.EventRecord(begin_, nullptr)));
    for (int i = 0; i < launches; ++i) TESSERA_TRY(launch());
    TESSERA_TRY(Check("cuEventRecord", api_.EventRecord(end_, nullptr)));
    const int queued = api_.EventQuery(begin_);
    TESSERA_TRY(Check("cuEventSynchronize", api_.EventSynchronize(end_)));
    float milliseconds = 0;
    TESSERA_TRY(Check("cuEventElapsedTime", api_.EventElapsedTime(&milliseconds, begin_, end_)));
    time = {milliseconds * 1e3 / launches, queued != kCudaNotReady};
    if (!time.gaps) break;
  }
  return time;
}

Result<GpuTime> GpuTimer::TimeOfNothing(int launches) {
  return Time(launches, [&] { return Launch(nothing_, nullptr); });
}

const char* GpuTimer::Ptx() { return kKernels; }

std::string GpuTimer::Describe() const {
  int version = 0, processors = 0, clock = 0, memory = 0;
  api_.DriverGetVersion(&version);
  api_.DeviceGetAttribute(&processors, kCudaProcessors, device_);
  api_.DeviceGetAttribute(&clock, kCudaClockKhz, device_);
  api_.DeviceGetAttribute(&memory, kCudaMemoryClockKhz, device_);
  return fmt::format("driver of CUDA {}.{}, {} processors of at most {} MHz, memory of {} MHz",
                     version / 1000, version % 1000 / 10, processors, clock / 1000, memory / 1000);
}

}  // namespace tessera
