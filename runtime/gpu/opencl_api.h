// SPDX-License-Identifier: Apache-2.0
//
// The functions of OpenCL 1.2 that the device calls, looked up by name in the loader. Types and
// numbers follow the Khronos specification. Internal to runtime/gpu.
#ifndef TESSERA_RUNTIME_GPU_OPENCL_API_H_
#define TESSERA_RUNTIME_GPU_OPENCL_API_H_

#include <cstddef>
#include <cstdint>

#include "base/error.h"

namespace tessera {

using ClHandle = struct ClObject*;  // of any kind
using ClFlags = uint64_t;

inline constexpr int32_t kClBuildFailure = -11;
inline constexpr ClFlags kClGpu = 1 << 2, kClAnyDevice = 0xffffffff, kClReadWrite = 1 << 0;
inline constexpr uint32_t kClDeviceFpConfig = 0x101b, kClDeviceName = 0x102b,
                          kClDeviceMemory = 0x101f, kClPlatformName = 0x0902, kClBuildLog = 0x1183;
inline constexpr uint64_t kClRoundedDivide = 1 << 7;
inline constexpr ClFlags kClProfiling = 1 << 1;                              // of a queue
inline constexpr uint32_t kClCommandStart = 0x1282, kClCommandEnd = 0x1283;  // nanoseconds

struct OpenClApi {
  int32_t (*GetPlatformIDs)(uint32_t, ClHandle*, uint32_t*);
  int32_t (*GetPlatformInfo)(ClHandle, uint32_t, size_t, void*, size_t*);
  int32_t (*GetDeviceIDs)(ClHandle, ClFlags, uint32_t, ClHandle*, uint32_t*);
  int32_t (*GetDeviceInfo)(ClHandle, uint32_t, size_t, void*, size_t*);
  ClHandle (*CreateContext)(const intptr_t*, uint32_t, const ClHandle*, void*, void*, int32_t*);
  int32_t (*ReleaseContext)(ClHandle);
  ClHandle (*CreateCommandQueue)(ClHandle, ClHandle, ClFlags, int32_t*);
  int32_t (*ReleaseCommandQueue)(ClHandle);
  ClHandle (*CreateBuffer)(ClHandle, ClFlags, size_t, void*, int32_t*);
  int32_t (*ReleaseMemObject)(ClHandle);
  ClHandle (*CreateProgramWithSource)(ClHandle, uint32_t, const char**, const size_t*, int32_t*);
  int32_t (*BuildProgram)(ClHandle, uint32_t, const ClHandle*, const char*, void*, void*);
  int32_t (*GetProgramBuildInfo)(ClHandle, ClHandle, uint32_t, size_t, void*, size_t*);
  int32_t (*ReleaseProgram)(ClHandle);
  ClHandle (*CreateKernel)(ClHandle, const char*, int32_t*);
  int32_t (*ReleaseKernel)(ClHandle);
  int32_t (*SetKernelArg)(ClHandle, uint32_t, size_t, const void*);
  int32_t (*EnqueueNDRangeKernel)(ClHandle, ClHandle, uint32_t, const size_t*, const size_t*,
                                  const size_t*, uint32_t, const ClHandle*, ClHandle*);
  int32_t (*EnqueueReadBuffer)(ClHandle, ClHandle, uint32_t, size_t, size_t, void*, uint32_t,
                               const ClHandle*, ClHandle*);
  int32_t (*EnqueueWriteBuffer)(ClHandle, ClHandle, uint32_t, size_t, size_t, const void*, uint32_t,
                                const ClHandle*, ClHandle*);
  int32_t (*Finish)(ClHandle);
  int32_t (*GetEventProfilingInfo)(ClHandle, uint32_t, size_t, void*, size_t*);
  int32_t (*ReleaseEvent)(ClHandle);
};

// The functions of |library|, which stays open. errors: kUnsupported it or a function is missing
Result<OpenClApi> LoadOpenCl(const char* library = "libOpenCL.so.1");

}  // namespace tessera

#endif  // TESSERA_RUNTIME_GPU_OPENCL_API_H_
