// SPDX-License-Identifier: Apache-2.0
//
// What is tested: this project's copies of numbers and functions of the CUDA driver, cuBLAS and
// cuDNN against NVIDIA's headers, where those are installed; how bench/peers describes a
// convolution to cuDNN, and, where its library is installed, that cuDNN has plans for three of
// ResNet-18 in each type on a described H100; how far results may differ. Not here: running them,
// which needs a GPU.
#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>

#include "bench/peers/cublas_api.h"
#include "bench/peers/cudnn_conv.h"
#include "runtime/gpu/cuda_api.h"
#if __has_include(<cuda.h>) && __has_include(<cublas_v2.h>) && __has_include(<cudnn_graph.h>)
#define TESSERA_NVIDIA_HEADERS 1
#include <cublas_v2.h>
#include <cuda.h>
#include <cudnn.h>
#endif

namespace tessera::nvidia_test {
namespace {

#ifdef TESSERA_NVIDIA_HEADERS

// Whether an argument declared as A may be passed where B is wanted: both are pointers, or numbers
// of one kind and size; an address in the GPU's memory is a pointer or a number of 64 bits.
template <typename A, typename B>
constexpr bool kSameValue = (std::is_pointer_v<A> && std::is_pointer_v<B>) ||
                            (sizeof(A) == 8 && sizeof(B) == 8 && std::is_pointer_v<B> &&
                             std::is_same_v<A, CudaAddress>) ||
                            (!std::is_pointer_v<A> && !std::is_pointer_v<B> &&
                             sizeof(A) == sizeof(B) &&
                             std::is_floating_point_v<A> == std::is_floating_point_v<B>);

template <typename Ours, typename Theirs>
struct SameCall : std::false_type {};
template <typename R, typename... A, typename S, typename... B>
struct SameCall<R (*)(A...), S (*)(B...)> {
  static constexpr bool Value() {
    if constexpr (sizeof...(A) == sizeof...(B))
      return kSameValue<R, S> && (kSameValue<A, B> && ...);
    return false;
  }
  static constexpr bool value = Value();
};
static_assert(SameCall<int (*)(int, void*), CUresult (*)(CUdevice, char*)>::value);
static_assert(SameCall<int (*)(CudaAddress), CUresult (*)(void*)>::value);
static_assert(!SameCall<int (*)(int), CUresult (*)(size_t)>::value);
static_assert(!SameCall<int (*)(int), CUresult (*)(float)>::value);
static_assert(!SameCall<int (*)(int, int), CUresult (*)(int)>::value);
static_assert(!SameCall<int (*)(int), CUresult (*)(int*)>::value);

#define SAME(api, member, function) \
  static_assert(SameCall<decltype(api::member), decltype(&function)>::value, #function)

SAME(CudaApi, Init, cuInit);
SAME(CudaApi, DriverGetVersion, cuDriverGetVersion);
SAME(CudaApi, GetErrorName, cuGetErrorName);
SAME(CudaApi, DeviceGet, cuDeviceGet);
SAME(CudaApi, DeviceGetName, cuDeviceGetName);
SAME(CudaApi, DeviceGetAttribute, cuDeviceGetAttribute);
SAME(CudaApi, DeviceTotalMem, cuDeviceTotalMem);
SAME(CudaApi, PrimaryCtxRetain, cuDevicePrimaryCtxRetain);
SAME(CudaApi, PrimaryCtxRelease, cuDevicePrimaryCtxRelease);
SAME(CudaApi, CtxSetCurrent, cuCtxSetCurrent);
SAME(CudaApi, CtxSynchronize, cuCtxSynchronize);
SAME(CudaApi, ModuleLoadDataEx, cuModuleLoadDataEx);
SAME(CudaApi, ModuleUnload, cuModuleUnload);
SAME(CudaApi, ModuleGetFunction, cuModuleGetFunction);
SAME(CudaApi, MemAlloc, cuMemAlloc);
SAME(CudaApi, MemFree, cuMemFree);
SAME(CudaApi, MemcpyHtoD, cuMemcpyHtoD);
SAME(CudaApi, MemcpyDtoH, cuMemcpyDtoH);
SAME(CudaApi, LaunchKernel, cuLaunchKernel);
SAME(CudaApi, EventCreate, cuEventCreate);
SAME(CudaApi, EventDestroy, cuEventDestroy);
SAME(CudaApi, EventRecord, cuEventRecord);
SAME(CudaApi, EventQuery, cuEventQuery);
SAME(CudaApi, EventSynchronize, cuEventSynchronize);
SAME(CudaApi, EventElapsedTime, cuEventElapsedTime);
static_assert(kCudaOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(kCudaNoDevice == CUDA_ERROR_NO_DEVICE);
static_assert(kCudaInvalidDevice == CUDA_ERROR_INVALID_DEVICE);
static_assert(kCudaNoBinaryForGpu == CUDA_ERROR_NO_BINARY_FOR_GPU);
static_assert(kCudaUnsupportedPtx == CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
static_assert(kCudaNotReady == CUDA_ERROR_NOT_READY);
static_assert(kCudaCapabilityMajor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(kCudaCapabilityMinor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(kCudaClockKhz == CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
static_assert(kCudaProcessors == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(kCudaMemoryClockKhz == CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
static_assert(kCudaErrorLog == CU_JIT_ERROR_LOG_BUFFER);
static_assert(kCudaErrorLogBytes == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);

SAME(CublasApi, Create, cublasCreate_v2);
SAME(CublasApi, Destroy, cublasDestroy_v2);
SAME(CublasApi, GetVersion, cublasGetVersion_v2);
// cublasGemmEx has an overload for C++; the library's function is the one with a separate type for
// the sums.
using GemmExOfC = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                     int, const void*, const void*, cudaDataType, int, const void*,
                                     cudaDataType, int, const void*, void*, cudaDataType, int,
                                     cublasComputeType_t, cublasGemmAlgo_t);
static_assert(std::is_same_v<decltype(static_cast<GemmExOfC>(&cublasGemmEx)), GemmExOfC>);
static_assert(SameCall<decltype(CublasApi::GemmEx), GemmExOfC>::value);
static_assert(kCudaR32F == CUDA_R_32F && kCudaR16F == CUDA_R_16F);
static_assert(kCudaR8I == CUDA_R_8I && kCudaR32I == CUDA_R_32I);
static_assert(kCublas32F == CUBLAS_COMPUTE_32F && kCublas32I == CUBLAS_COMPUTE_32I);
static_assert(kCublasAsItIs == CUBLAS_OP_N && kCublasTransposed == CUBLAS_OP_T);
static_assert(kCublasChooses == CUBLAS_GEMM_DEFAULT);

SAME(CudnnApi, GetVersion, cudnnGetVersion);
SAME(CudnnApi, GetErrorString, cudnnGetErrorString);
SAME(CudnnApi, Create, cudnnCreate);
SAME(CudnnApi, Destroy, cudnnDestroy);
SAME(CudnnApi, CreateDescriptor, cudnnBackendCreateDescriptor);
SAME(CudnnApi, DestroyDescriptor, cudnnBackendDestroyDescriptor);
SAME(CudnnApi, SetAttribute, cudnnBackendSetAttribute);
SAME(CudnnApi, GetAttribute, cudnnBackendGetAttribute);
SAME(CudnnApi, Finalize, cudnnBackendFinalize);
SAME(CudnnApi, Execute, cudnnBackendExecute);
static_assert(kDnnFloat == CUDNN_DATA_FLOAT && kDnnHalf == CUDNN_DATA_HALF);
static_assert(kDnnInt8 == CUDNN_DATA_INT8 && kDnnInt32 == CUDNN_DATA_INT32);
static_assert(kDnnCrossCorrelation == CUDNN_CROSS_CORRELATION);
static_assert(kDnnFallback == CUDNN_HEUR_MODE_FALLBACK && kDnnBestGuesses == CUDNN_HEUR_MODE_A);
static_assert(kDnnTensorCores == CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
static_assert(kDnnDownConverts == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS);
static_assert(kDnnFft == CUDNN_NUMERICAL_NOTE_FFT && kDnnWinograd == CUDNN_NUMERICAL_NOTE_WINOGRAD);
static_assert(kDnnNotes >= CUDNN_NUMERICAL_NOTE_TYPE_COUNT);

#define KIND(ours, theirs) static_assert(static_cast<int>(DnnKind::ours) == CUDNN_BACKEND_##theirs)
KIND(kConvolution, CONVOLUTION_DESCRIPTOR);
KIND(kEngine, ENGINE_DESCRIPTOR);
KIND(kEngineConfig, ENGINECFG_DESCRIPTOR);
KIND(kHeuristic, ENGINEHEUR_DESCRIPTOR);
KIND(kPlan, EXECUTION_PLAN_DESCRIPTOR);
KIND(kConvolutionForward, OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
KIND(kGraph, OPERATIONGRAPH_DESCRIPTOR);
KIND(kVariantPack, VARIANT_PACK_DESCRIPTOR);
KIND(kTensor, TENSOR_DESCRIPTOR);

#define ATTRIBUTE(ours, theirs) \
  static_assert(static_cast<int>(DnnAttribute::ours) == CUDNN_ATTR_##theirs)
ATTRIBUTE(kConvolutionCompute, CONVOLUTION_COMP_TYPE);
ATTRIBUTE(kConvolutionMode, CONVOLUTION_CONV_MODE);
ATTRIBUTE(kConvolutionDilations, CONVOLUTION_DILATIONS);
ATTRIBUTE(kConvolutionStrides, CONVOLUTION_FILTER_STRIDES);
ATTRIBUTE(kConvolutionPostPads, CONVOLUTION_POST_PADDINGS);
ATTRIBUTE(kConvolutionPrePads, CONVOLUTION_PRE_PADDINGS);
ATTRIBUTE(kConvolutionDimensions, CONVOLUTION_SPATIAL_DIMS);
ATTRIBUTE(kHeuristicMode, ENGINEHEUR_MODE);
ATTRIBUTE(kHeuristicGraph, ENGINEHEUR_OPERATION_GRAPH);
ATTRIBUTE(kHeuristicResults, ENGINEHEUR_RESULTS);
ATTRIBUTE(kConfigEngine, ENGINECFG_ENGINE);
ATTRIBUTE(kPlanHandle, EXECUTION_PLAN_HANDLE);
ATTRIBUTE(kPlanConfig, EXECUTION_PLAN_ENGINE_CONFIG);
ATTRIBUTE(kPlanWorkspace, EXECUTION_PLAN_WORKSPACE_SIZE);
ATTRIBUTE(kForwardAlpha, OPERATION_CONVOLUTION_FORWARD_ALPHA);
ATTRIBUTE(kForwardBeta, OPERATION_CONVOLUTION_FORWARD_BETA);
ATTRIBUTE(kForwardConvolution, OPERATION_CONVOLUTION_FORWARD_CONV_DESC);
ATTRIBUTE(kForwardW, OPERATION_CONVOLUTION_FORWARD_W);
ATTRIBUTE(kForwardX, OPERATION_CONVOLUTION_FORWARD_X);
ATTRIBUTE(kForwardY, OPERATION_CONVOLUTION_FORWARD_Y);
ATTRIBUTE(kGraphHandle, OPERATIONGRAPH_HANDLE);
ATTRIBUTE(kGraphOperations, OPERATIONGRAPH_OPS);
ATTRIBUTE(kTensorAlignment, TENSOR_BYTE_ALIGNMENT);
ATTRIBUTE(kTensorType, TENSOR_DATA_TYPE);
ATTRIBUTE(kTensorDimensions, TENSOR_DIMENSIONS);
ATTRIBUTE(kTensorStrides, TENSOR_STRIDES);
ATTRIBUTE(kTensorId, TENSOR_UNIQUE_ID);
ATTRIBUTE(kPackIds, VARIANT_PACK_UNIQUE_IDS);
ATTRIBUTE(kPackPointers, VARIANT_PACK_DATA_POINTERS);
ATTRIBUTE(kPackWorkspace, VARIANT_PACK_WORKSPACE);
ATTRIBUTE(kEngineIndex, ENGINE_GLOBAL_INDEX);
ATTRIBUTE(kEngineNotes, ENGINE_NUMERICAL_NOTE);
#if CUDNN_VERSION >= 91900  // plans for a GPU that is only described
KIND(kDeviceProperties, DEVICEPROP_DESCRIPTOR);
ATTRIBUTE(kHeuristicDevice, ENGINEHEUR_DEVICEPROP);
ATTRIBUTE(kPlanDevice, EXECUTION_PLAN_DEVICEPROP);
ATTRIBUTE(kDeviceJson, DEVICEPROP_JSON_REPRESENTATION);
#endif

#define TYPE(ours, theirs) static_assert(static_cast<int>(DnnType::ours) == CUDNN_TYPE_##theirs)
TYPE(kHandle, HANDLE);
TYPE(kDataType, DATA_TYPE);
TYPE(kInt64, INT64);
TYPE(kFloat, FLOAT);
TYPE(kPointer, VOID_PTR);
TYPE(kConvolutionMode, CONVOLUTION_MODE);
TYPE(kHeuristicMode, HEUR_MODE);
TYPE(kNote, NUMERICAL_NOTE);
TYPE(kDescriptor, BACKEND_DESCRIPTOR);
TYPE(kChar, CHAR);

#endif  // TESSERA_NVIDIA_HEADERS

TEST(NvidiaHeaders, AreComparedWhereTheyAre) {
#ifndef TESSERA_NVIDIA_HEADERS
  GTEST_SKIP() << "cuda.h, cublas_v2.h or cudnn_graph.h is not installed: numbers are not compared";
#endif
}

TEST(CudnnForms, PadChannelsAndTurnImages) {
  const ConvSize c1{3, 64, 224, 7, 2};
  const std::vector<ConvForm> int8{{3, true, DType::kInt8},  {3, true, DType::kInt32},
                                   {4, true, DType::kInt8},  {4, true, DType::kInt32},
                                   {16, true, DType::kInt8}, {16, true, DType::kInt32}};
  EXPECT_EQ(FormsOf(c1, DType::kInt8), int8);
  const std::vector<ConvForm> halves{
      {3, true, DType::kFloat16}, {4, true, DType::kFloat16}, {8, true, DType::kFloat16}};
  EXPECT_EQ(FormsOf(c1, DType::kFloat16), halves);
  const std::vector<ConvForm> floats{{64, true, DType::kFloat32}, {64, false, DType::kFloat32}};
  EXPECT_EQ(FormsOf({64, 64, 56, 3, 1}, DType::kFloat32), floats);

  // Two images of two channels and three points, elements of two bytes.
  const std::vector<uint8_t> data = {1, 0, 2, 0, 3, 0, 4,  0, 5,  0, 6,  0,
                                     7, 0, 8, 0, 9, 0, 10, 0, 11, 0, 12, 0};
  const std::vector<uint8_t> turned = {1, 0, 4,  0, 0, 0, 2, 0, 5,  0, 0, 0, 3, 0, 6,  0, 0, 0,
                                       7, 0, 10, 0, 0, 0, 8, 0, 11, 0, 0, 0, 9, 0, 12, 0, 0, 0};
  EXPECT_EQ(InForm(data, 2, 2, 3, 2, {3, true, DType::kFloat16}), turned);
  EXPECT_EQ(InForm(data, 2, 2, 3, 2, {2, false, DType::kFloat16}), data);
}

// An H100 in the form of cuDNN's own descriptions.
constexpr const char* kH100 =
    R"({"maxGridSize": [2147483647, 65535, 65535], "maxBlockSize": [1024, 1024, 64], )"
    R"("regsPerBlock": 65536, "multiProcessorCount": 132, "warpSize": 32, )"
    R"("maxSharedMemoryPerBlock": 49152, "maxSharedMemoryPerBlockOptin": 232448, )"
    R"("reservedSharedMemoryPerBlock": 1024, "maxRegistersPerSM": 65536, "maxCtasPerSM": 32, )"
    R"("maxThreadsPerBlock": 1024, "maxThreadsPerSM": 2048, "pciDeviceId": 0, "isTccDriver": 0, )"
    R"("supportCoopLaunch": 1, "totalGlobalMem": 85000000000, "smClockRateKHz": 1980000, )"
    R"("memClockRateKHz": 2619000, "l2CacheSize": 52428800, "cudaDeviceId": 0, "deviceVer": 900, )"
    R"("driverVer": 13000, "deviceName": "H100"})";

TEST(CudnnPlans, AreThereForEveryType) {
  const Result<CudnnApi> api = LoadCudnn();
  if (!api) GTEST_SKIP() << api.error().message;
  if (api->GetVersion() < 91900)
    GTEST_SKIP() << "cuDNN " << api->GetVersion() << " makes no plans without a GPU; 9.19 does";
  const ConvSize layers[] = {{3, 64, 224, 7, 2}, {64, 64, 56, 3, 1}, {256, 512, 14, 1, 2}};
  for (const ConvSize& size : layers) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kInt8}) {
      size_t exact = 0;
      for (const ConvForm& form : FormsOf(size, dtype)) {
        const auto plans = PlansOf(*api, {nullptr, kH100}, size, dtype, form, 4);
        ASSERT_TRUE(plans.has_value()) << plans.error().message;
        EXPECT_LE(plans->size(), 4u);
        for (const DnnPlan& plan : *plans) {
          EXPECT_GE(plan.workspace, 0);
          exact += plan.exact();
          EXPECT_FALSE(dtype == DType::kFloat32 && plan.Has(kDnnTensorCores)) << plan.Text();
        }
      }
      EXPECT_GT(exact, 0u) << size.channels << " " << Text(dtype);
    }
  }
  EXPECT_TRUE(Bind(*api, {256, 512, 768, 1024}).has_value());
  // The error names the refused description.
  const auto none =
      PlansOf(*api, {nullptr, "{}"}, layers[1], DType::kInt8, {64, true, DType::kInt8}, 4);
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().message.find("the GPU's description: cudnnBackendFinalize gives CUDNN_"),
            0u)
      << none.error().message;
}

TEST(PeerDifference, AllowsWhatTheCaseSays) {
  const std::vector<float> ours = {-200, 3, 0, 100};
  EXPECT_EQ(Difference(ours, ours, {}), "");
  const std::vector<float> apart = {-200, 3, 0.5, 100};
  EXPECT_EQ(Difference(ours, apart, {}), "off by up to 0.5 of 200");
  PeerCase rounded;
  rounded.off = 1e-3;  // of 200
  EXPECT_EQ(Difference(ours, apart, rounded), "off by up to 0.5 of 200");
  rounded.off = 1e-2;
  EXPECT_EQ(Difference(ours, apart, rounded), "");
  PeerCase cut;
  cut.least = -128;
  cut.most = 127;
  const std::vector<float> as_int8 = {-128, 3, 0, 100};
  EXPECT_EQ(Difference(ours, as_int8, cut), "");
  EXPECT_EQ(Difference(ours, as_int8, {}), "off by up to 72 of 200");
  const std::vector<float> no_number = {-200, std::nanf(""), 0, 100}, few = {-200};
  EXPECT_EQ(Difference(ours, no_number, rounded), "off by up to inf of 200");
  EXPECT_EQ(Difference(ours, few, rounded), "4 results against 1");
}

}  // namespace
}  // namespace tessera::nvidia_test
