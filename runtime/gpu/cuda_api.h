// SPDX-License-Identifier: Apache-2.0
//
// The functions of the CUDA driver that the device and bench/peers call, looked up by name in its
// library. Types and numbers follow NVIDIA's reference of the driver API.
#ifndef TESSERA_RUNTIME_GPU_CUDA_API_H_
#define TESSERA_RUNTIME_GPU_CUDA_API_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"

namespace tessera {

using CudaHandle = struct CudaObject*;  // a context, a module, a function, a stream or an event
using CudaAddress = unsigned long long;

// Results, attributes of devices, options of the assembler.
inline constexpr int kCudaOutOfMemory = 2, kCudaNoDevice = 100, kCudaInvalidDevice = 101,
                     kCudaNoBinaryForGpu = 209, kCudaUnsupportedPtx = 222, kCudaNotReady = 600;
inline constexpr int kCudaCapabilityMajor = 75, kCudaCapabilityMinor = 76;
inline constexpr int kCudaClockKhz = 13, kCudaProcessors = 16, kCudaMemoryClockKhz = 36;
inline constexpr int kCudaErrorLog = 5, kCudaErrorLogBytes = 6;

struct CudaApi {
  int (*Init)(unsigned);
  int (*DriverGetVersion)(int*);
  int (*GetErrorName)(int, const char**);
  int (*DeviceGet)(int*, int);
  int (*DeviceGetName)(char*, int, int);
  int (*DeviceGetAttribute)(int*, int, int);
  int (*DeviceTotalMem)(size_t*, int);
  int (*PrimaryCtxRetain)(CudaHandle*, int);
  int (*PrimaryCtxRelease)(int);
  int (*CtxSetCurrent)(CudaHandle);
  int (*CtxSynchronize)();
  int (*ModuleLoadDataEx)(CudaHandle*, const void*, unsigned, int*, void**);
  int (*ModuleUnload)(CudaHandle);
  int (*ModuleGetFunction)(CudaHandle*, CudaHandle, const char*);
  int (*MemAlloc)(CudaAddress*, size_t);
  int (*MemFree)(CudaAddress);
  int (*MemcpyHtoD)(CudaAddress, const void*, size_t);
  int (*MemcpyDtoH)(void*, CudaAddress, size_t);
  int (*LaunchKernel)(CudaHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                      unsigned, CudaHandle, void**, void**);
  int (*EventCreate)(CudaHandle*, unsigned);
  int (*EventDestroy)(CudaHandle);
  int (*EventRecord)(CudaHandle, CudaHandle);
  int (*EventQuery)(CudaHandle);
  int (*EventSynchronize)(CudaHandle);
  int (*EventElapsedTime)(float*, CudaHandle, CudaHandle);  // milliseconds
};

inline constexpr const char* kCudaLibrary = "libcuda.so.1";  // for the loader's search

// The path of the driver's library: TESSERA_CUDA_DRIVER of the environment, else kCudaLibrary.
std::string CudaLibrary();

// The functions of |library|, which stays open. errors: kUnsupported it or a function is missing
Result<CudaApi> LoadCuda(const std::string& library = CudaLibrary());

}  // namespace tessera

#endif  // TESSERA_RUNTIME_GPU_CUDA_API_H_
