// SPDX-License-Identifier: Apache-2.0
#include "runtime/gpu/opencl_api.h"

#include <dlfcn.h>

#include <string>

namespace tessera {

Result<const OpenClApi*> LoadOpenCl(const char* library) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return Fail(Code::kUnsupported,
                "device opencl: {} is not on this machine; install an OpenCL loader and driver "
                "(Debian: ocl-icd-libopencl1 and pocl-opencl-icd)",
                library);
  }
  static OpenClApi api;
  std::string missing;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, name));
    if (function == nullptr && missing.empty()) missing = name;
  };
  find(api.GetPlatformIDs, "clGetPlatformIDs");
  find(api.GetPlatformInfo, "clGetPlatformInfo");
  find(api.GetDeviceIDs, "clGetDeviceIDs");
  find(api.GetDeviceInfo, "clGetDeviceInfo");
  find(api.CreateContext, "clCreateContext");
  find(api.ReleaseContext, "clReleaseContext");
  find(api.CreateCommandQueue, "clCreateCommandQueue");
  find(api.ReleaseCommandQueue, "clReleaseCommandQueue");
  find(api.CreateBuffer, "clCreateBuffer");
  find(api.ReleaseMemObject, "clReleaseMemObject");
  find(api.CreateProgramWithSource, "clCreateProgramWithSource");
  find(api.BuildProgram, "clBuildProgram");
  find(api.GetProgramBuildInfo, "clGetProgramBuildInfo");
  find(api.ReleaseProgram, "clReleaseProgram");
  find(api.CreateKernel, "clCreateKernel");
  find(api.ReleaseKernel, "clReleaseKernel");
  find(api.SetKernelArg, "clSetKernelArg");
  find(api.EnqueueNDRangeKernel, "clEnqueueNDRangeKernel");
  find(api.EnqueueReadBuffer, "clEnqueueReadBuffer");
  find(api.EnqueueWriteBuffer, "clEnqueueWriteBuffer");
  find(api.Finish, "clFinish");
  if (!missing.empty()) {
    return Fail(Code::kUnsupported, "device opencl: {} has no {}; install an OpenCL 1.2 loader",
                library, missing);
  }
  return &api;
}

}  // namespace tessera
