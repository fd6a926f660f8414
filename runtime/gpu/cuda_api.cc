// SPDX-License-Identifier: Apache-2.0
#include "runtime/gpu/cuda_api.h"

#include <cstdlib>

#include "runtime/gpu/shared_library.h"

namespace tessera {

std::string CudaLibrary() {
  const char* given = std::getenv("TESSERA_CUDA_DRIVER");
  return given != nullptr && *given != '\0' ? given : "libcuda.so.1";
}

Result<CudaApi> LoadCuda(const std::string& library) {
  TESSERA_ASSIGN(SharedLibrary driver,
                 SharedLibrary::Open("device cuda", library,
                                     "install NVIDIA's driver (Debian: libcuda1), or choose "
                                     "opencl"));
  CudaApi api{};
  driver.Find(api.Init, "cuInit");
  driver.Find(api.DriverGetVersion, "cuDriverGetVersion");
  driver.Find(api.GetErrorName, "cuGetErrorName");
  driver.Find(api.DeviceGet, "cuDeviceGet");
  driver.Find(api.DeviceGetName, "cuDeviceGetName");
  driver.Find(api.DeviceGetAttribute, "cuDeviceGetAttribute");
  driver.Find(api.DeviceTotalMem, "cuDeviceTotalMem_v2");
  driver.Find(api.PrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  driver.Find(api.PrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2");
  driver.Find(api.CtxSetCurrent, "cuCtxSetCurrent");
  driver.Find(api.CtxSynchronize, "cuCtxSynchronize");
  driver.Find(api.ModuleLoadDataEx, "cuModuleLoadDataEx");
  driver.Find(api.ModuleUnload, "cuModuleUnload");
  driver.Find(api.ModuleGetFunction, "cuModuleGetFunction");
  driver.Find(api.MemAlloc, "cuMemAlloc_v2");
  driver.Find(api.MemFree, "cuMemFree_v2");
  driver.Find(api.MemcpyHtoD, "cuMemcpyHtoD_v2");
  driver.Find(api.MemcpyDtoH, "cuMemcpyDtoH_v2");
  driver.Find(api.LaunchKernel, "cuLaunchKernel");
  TESSERA_TRY(driver.HasAll("install a driver of CUDA 11 or later"));
  return api;
}

}  // namespace tessera
