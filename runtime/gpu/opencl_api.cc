// SPDX-License-Identifier: Apache-2.0
#include "runtime/gpu/opencl_api.h"

#include "runtime/gpu/shared_library.h"

namespace tessera {

Result<const OpenClApi*> LoadOpenCl(const char* library) {
  TESSERA_ASSIGN(SharedLibrary loader,
                 SharedLibrary::Open("device opencl", library,
                                     "install an OpenCL loader and driver (Debian: "
                                     "ocl-icd-libopencl1 and pocl-opencl-icd)"));
  static OpenClApi api;
  loader.Find(api.GetPlatformIDs, "clGetPlatformIDs");
  loader.Find(api.GetPlatformInfo, "clGetPlatformInfo");
  loader.Find(api.GetDeviceIDs, "clGetDeviceIDs");
  loader.Find(api.GetDeviceInfo, "clGetDeviceInfo");
  loader.Find(api.CreateContext, "clCreateContext");
  loader.Find(api.ReleaseContext, "clReleaseContext");
  loader.Find(api.CreateCommandQueue, "clCreateCommandQueue");
  loader.Find(api.ReleaseCommandQueue, "clReleaseCommandQueue");
  loader.Find(api.CreateBuffer, "clCreateBuffer");
  loader.Find(api.ReleaseMemObject, "clReleaseMemObject");
  loader.Find(api.CreateProgramWithSource, "clCreateProgramWithSource");
  loader.Find(api.BuildProgram, "clBuildProgram");
  loader.Find(api.GetProgramBuildInfo, "clGetProgramBuildInfo");
  loader.Find(api.ReleaseProgram, "clReleaseProgram");
  loader.Find(api.CreateKernel, "clCreateKernel");
  loader.Find(api.ReleaseKernel, "clReleaseKernel");
  loader.Find(api.SetKernelArg, "clSetKernelArg");
  loader.Find(api.EnqueueNDRangeKernel, "clEnqueueNDRangeKernel");
  loader.Find(api.EnqueueReadBuffer, "clEnqueueReadBuffer");
  loader.Find(api.EnqueueWriteBuffer, "clEnqueueWriteBuffer");
  loader.Find(api.Finish, "clFinish");
  TESSERA_TRY(loader.HasAll("install an OpenCL 1.2 loader"));
  return &api;
}

}  // namespace tessera
