// SPDX-License-Identifier: Apache-2.0
//
// The functions and numbers of cuDNN's graph interface that gpu_peers uses, looked up by name in
// its library. Where NVIDIA's headers are installed, a test compares the numbers. Used by
// cudnn_graph.cc, nvidia_libraries.cc.
#ifndef TESSERA_BENCH_PEERS_CUDNN_API_H_
#define TESSERA_BENCH_PEERS_CUDNN_API_H_

#include <cstddef>
#include <cstdint>

#include "base/error.h"

namespace tessera {

using DnnHandle = struct DnnObject*;
using DnnDescriptor = void*;

// cudnnDataType_t, cudnnConvolutionMode_t.
inline constexpr int kDnnFloat = 0, kDnnHalf = 2, kDnnInt8 = 3, kDnnInt32 = 4;
inline constexpr int kDnnCrossCorrelation = 1;

// cudnnBackendDescriptorType_t.
enum class DnnKind : int {
  kConvolution = 1,
  kEngine = 2,
  kEngineConfig = 3,
  kHeuristic = 4,
  kPlan = 5,
  kConvolutionForward = 10,
  kGraph = 15,
  kVariantPack = 16,
  kTensor = 17,
  kDeviceProperties = 38,
};

// cudnnBackendAttributeName_t.
enum class DnnAttribute : int {
  kConvolutionCompute = 100,
  kConvolutionMode = 101,
  kConvolutionDilations = 102,
  kConvolutionStrides = 103,
  kConvolutionPostPads = 104,
  kConvolutionPrePads = 105,
  kConvolutionDimensions = 106,
  kHeuristicMode = 200,
  kHeuristicGraph = 201,
  kHeuristicResults = 202,
  kHeuristicDevice = 204,
  kConfigEngine = 300,
  kPlanHandle = 400,
  kPlanConfig = 401,
  kPlanWorkspace = 402,
  kPlanDevice = 407,
  kForwardAlpha = 700,
  kForwardBeta = 701,
  kForwardConvolution = 702,
  kForwardW = 703,
  kForwardX = 704,
  kForwardY = 705,
  kGraphHandle = 800,
  kGraphOperations = 801,
  kTensorAlignment = 900,
  kTensorType = 901,
  kTensorDimensions = 902,
  kTensorStrides = 903,
  kTensorId = 906,
  kPackIds = 1000,
  kPackPointers = 1001,
  kPackWorkspace = 1003,
  kEngineIndex = 1301,
  kEngineNotes = 1303,
  kDeviceJson = 2702,
};

// cudnnBackendAttributeType_t.
enum class DnnType : int {
  kHandle = 0,
  kDataType = 1,
  kInt64 = 3,
  kFloat = 4,
  kPointer = 6,
  kConvolutionMode = 7,
  kHeuristicMode = 8,
  kNote = 11,
  kDescriptor = 15,
  kChar = 24,
};

// cudnnBackendHeurMode_t: engines that every library of this version has; the best guesses.
inline constexpr int kDnnFallback = 2, kDnnBestGuesses = 3;

// cudnnBackendNumericalNote_t.
inline constexpr int kDnnTensorCores = 0, kDnnDownConverts = 1, kDnnFft = 3, kDnnWinograd = 5;
inline constexpr int64_t kDnnNotes = 10;  // how many notes there are

struct CudnnApi {
  size_t (*GetVersion)();  // 91900: 9.19.0
  const char* (*GetErrorString)(int);
  int (*Create)(DnnHandle*);
  int (*Destroy)(DnnHandle);
  int (*CreateDescriptor)(DnnKind, DnnDescriptor*);
  int (*DestroyDescriptor)(DnnDescriptor);
  int (*SetAttribute)(DnnDescriptor, DnnAttribute, DnnType, int64_t, const void*);
  int (*GetAttribute)(DnnDescriptor, DnnAttribute, DnnType, int64_t, int64_t*, void*);
  int (*Finalize)(DnnDescriptor);
  int (*Execute)(DnnHandle, DnnDescriptor, DnnDescriptor);
};

// errors: kUnsupported it or a function is missing
Result<CudnnApi> LoadCudnn();

}  // namespace tessera

#endif  // TESSERA_BENCH_PEERS_CUDNN_API_H_
