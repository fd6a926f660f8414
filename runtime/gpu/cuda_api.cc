// SPDX-License-Identifier: Apache-2.0
#include "runtime/gpu/cuda_api.h"

#include <cstdlib>

#include "runtime/gpu/shared_library.h"

namespace tessera {

std::string CudaLibrary() {
  const char* given = std::getenv("TESSERA_CUDA_DRIVER");
  return given != nullptr && *given != '\0' ? given : kCudaLibrary;
}

Result<CudaApi> LoadCuda(const std::string& library) {
  CudaApi api{};
  const NamedFunction functions[] = {
      {api.Init, "cuInit"},
      {api.DriverGetVersion, "cuDriverGetVersion"},
      {api.GetErrorName, "cuGetErrorName"},
      {api.DeviceGet, "cuDeviceGet"},
      {api.DeviceGetName, "cuDeviceGetName"},
      {api.DeviceGetAttribute, "cuDeviceGetAttribute"},
      {api.DeviceTotalMem, "cuDeviceTotalMem_v2"},
      {api.PrimaryCtxRetain, "cuDevicePrimaryCtxRetain"},
      {api.PrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2"},
      {api.CtxSetCurrent, "cuCtxSetCurrent"},
      {api.CtxSynchronize, "cuCtxSynchronize"},
      {api.ModuleLoadDataEx, "cuModuleLoadDataEx"},
      {api.ModuleUnload, "cuModuleUnload"},
      {api.ModuleGetFunction, "cuModuleGetFunction"},
      {api.MemAlloc, "cuMemAlloc_v2"},
      {api.MemFree, "cuMemFree_v2"},
      {api.MemcpyHtoD, "cuMemcpyHtoD_v2"},
      {api.MemcpyDtoH, "cuMemcpyDtoH_v2"},
      {api.LaunchKernel, "cuLaunchKernel"},
      {api.EventCreate, "cuEventCreate"},
      {api.EventDestroy, "cuEventDestroy_v2"},
      {api.EventRecord, "cuEventRecord"},
      {api.EventQuery, "cuEventQuery"},
      {api.EventSynchronize, "cuEventSynchronize"},
      {api.EventElapsedTime, "cuEventElapsedTime_v2", "cuEventElapsedTime"},
  };
  TESSERA_TRY(LoadFunctions({"device cuda",
                             {library},
                             "install NVIDIA's driver (Debian: libcuda1), or choose opencl",
                             "install a driver of CUDA 11 or later"},
                            functions));
  return api;
}

}  // namespace tessera
