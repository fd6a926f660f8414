// SPDX-License-Identifier: Apache-2.0
#include "runtime/gpu/cuda_api.h"

#include <dlfcn.h>

#include <cstdlib>

namespace tessera {

std::string CudaLibrary() {
  const char* given = std::getenv("TESSERA_CUDA_DRIVER");
  return given != nullptr && *given != '\0' ? given : "libcuda.so.1";
}

Result<CudaApi> LoadCuda(const std::string& library) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return Fail(Code::kUnsupported,
                "device cuda: {} is not on this machine; install NVIDIA's driver (Debian: "
                "libcuda1), or choose opencl",
                library);
  }
  CudaApi api{};
  std::string missing;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, name));
    if (function == nullptr && missing.empty()) missing = name;
  };
  find(api.Init, "cuInit");
  find(api.DriverGetVersion, "cuDriverGetVersion");
  find(api.GetErrorName, "cuGetErrorName");
  find(api.DeviceGet, "cuDeviceGet");
  find(api.DeviceGetName, "cuDeviceGetName");
  find(api.DeviceGetAttribute, "cuDeviceGetAttribute");
  find(api.PrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  find(api.PrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2");
  find(api.CtxSetCurrent, "cuCtxSetCurrent");
  find(api.CtxSynchronize, "cuCtxSynchronize");
  find(api.ModuleLoadDataEx, "cuModuleLoadDataEx");
  find(api.ModuleUnload, "cuModuleUnload");
  find(api.ModuleGetFunction, "cuModuleGetFunction");
  find(api.MemAlloc, "cuMemAlloc_v2");
  find(api.MemFree, "cuMemFree_v2");
  find(api.MemcpyHtoD, "cuMemcpyHtoD_v2");
  find(api.MemcpyDtoH, "cuMemcpyDtoH_v2");
  find(api.LaunchKernel, "cuLaunchKernel");
  if (!missing.empty()) {
    return Fail(Code::kUnsupported,
                "device cuda: {} has no {}; install a driver of CUDA 11 or later", library,
                missing);
  }
  return api;
}

}  // namespace tessera
