// SPDX-License-Identifier: Apache-2.0
#include "runtime/gpu/opencl_api.h"

#include "runtime/gpu/shared_library.h"

namespace tessera {

Result<OpenClApi> LoadOpenCl(const char* library) {
  OpenClApi api{};
  const NamedFunction functions[] = {
      {api.GetPlatformIDs, "clGetPlatformIDs"},
      {api.GetPlatformInfo, "clGetPlatformInfo"},
      {api.GetDeviceIDs, "clGetDeviceIDs"},
      {api.GetDeviceInfo, "clGetDeviceInfo"},
      {api.CreateContext, "clCreateContext"},
      {api.ReleaseContext, "clReleaseContext"},
      {api.CreateCommandQueue, "clCreateCommandQueue"},
      {api.ReleaseCommandQueue, "clReleaseCommandQueue"},
      {api.CreateBuffer, "clCreateBuffer"},
      {api.ReleaseMemObject, "clReleaseMemObject"},
      {api.CreateProgramWithSource, "clCreateProgramWithSource"},
      {api.BuildProgram, "clBuildProgram"},
      {api.GetProgramBuildInfo, "clGetProgramBuildInfo"},
      {api.ReleaseProgram, "clReleaseProgram"},
      {api.CreateKernel, "clCreateKernel"},
      {api.ReleaseKernel, "clReleaseKernel"},
      {api.SetKernelArg, "clSetKernelArg"},
      {api.EnqueueNDRangeKernel, "clEnqueueNDRangeKernel"},
      {api.EnqueueReadBuffer, "clEnqueueReadBuffer"},
      {api.EnqueueWriteBuffer, "clEnqueueWriteBuffer"},
      {api.Finish, "clFinish"},
      {api.GetEventProfilingInfo, "clGetEventProfilingInfo"},
      {api.ReleaseEvent, "clReleaseEvent"},
  };
  TESSERA_TRY(LoadFunctions({"device opencl",
                             {library},
                             "install an OpenCL loader and driver (Debian: ocl-icd-libopencl1 and "
                             "pocl-opencl-icd)",
                             "install an OpenCL 1.2 loader"},
                            functions));
  return api;
}

}  // namespace tessera
