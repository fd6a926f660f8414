// SPDX-License-Identifier: Apache-2.0
//
// The part of ONNX Runtime's binary interface that the provider uses. ONNX Runtime publishes tables
// of functions; a table only grows, so a function keeps its position. OrtApi, OrtEpApi and
// OrtModelEditorApi are read by position (Calls); the tables that a provider fills in are structs.
// check_abi.py compares every position with ONNX Runtime's own headers. Depends on: nothing. Used
// by: provider/onnxruntime, tests/provider.
#ifndef TESSERA_PROVIDER_ONNXRUNTIME_ORT_ABI_H_
#define TESSERA_PROVIDER_ONNXRUNTIME_ORT_ABI_H_

#include <cstddef>
#include <cstdint>

namespace tessera::ort {

// The oldest version of the interface that has all that the provider needs, 23 of ONNX Runtime
// 1.23; the version that has profiling; and the newest whose tables the structs below cover.
inline constexpr uint32_t kOldestApi = 23, kProfilingApi = 25, kNewestApi = 30;

// Objects of ONNX Runtime, known by their addresses only.
struct OrtStatus;
struct OrtEnv;
struct OrtSession;
struct OrtSessionOptions;
struct OrtRunOptions;
struct OrtValue;
struct OrtMemoryInfo;
struct OrtMemoryDevice;
struct OrtAllocator;
struct OrtTypeInfo;
struct OrtTensorTypeAndShapeInfo;
struct OrtKernelContext;
struct OrtOpAttr;
struct OrtLogger;
struct OrtValueInfo;
struct OrtNode;
struct OrtGraph;
struct OrtKeyValuePairs;
struct OrtHardwareDevice;
struct OrtEpDevice;
struct OrtEpGraphSupportInfo;
struct OrtNodeComputeContext;
struct OrtProfilingEvent;
struct OrtProfilingEventsContainer;
struct OrtDataTransferImpl;

// Enumerations, with the values that are used.
enum OrtErrorCode : int {
  kOrtFail = 1,
  kOrtInvalidArgument = 2,
  kOrtNotImplemented = 9,
  kOrtEpFail = 11
};
enum OrtLoggingLevel : int { kOrtLogInfo = 1, kOrtLogWarning = 2, kOrtLogFatal = 4 };
enum OrtElementType : int {
  kOrtFloat = 1,
  kOrtUint8 = 2,
  kOrtInt8 = 3,
  kOrtInt16 = 5,
  kOrtInt32 = 6,
  kOrtInt64 = 7,
  kOrtBool = 9,
  kOrtFloat16 = 10
};
enum OrtAttributeType : int {
  kOrtAttributeInt = 1,
  kOrtAttributeInts = 2,
  kOrtAttributeFloat = 3,
  kOrtAttributeFloats = 4,
  kOrtAttributeString = 5,
  kOrtAttributeStrings = 6,
  kOrtAttributeGraph = 7,
  kOrtAttributeTensor = 8
};
enum OrtHardwareDeviceType : int { kOrtCpu = 0 };
enum OrtProfilingCategory : int { kOrtKernelEvent = 2 };
enum OrtAllocatorType : int { kOrtArenaAllocator = 1 };
enum OrtMemoryType : int { kOrtDefaultMemory = 0 };

struct OrtNodeFusionOptions {
  uint32_t ort_version_supported;
  bool drop_constant_initializers;
};

// The tables that a provider fills in. An entry that is null is not there for ONNX Runtime; void*
// stands for a function that this provider leaves out.
struct OrtNodeComputeInfo {
  uint32_t ort_version_supported;
  OrtStatus* (*CreateState)(OrtNodeComputeInfo* self, OrtNodeComputeContext* context, void** state);
  OrtStatus* (*Compute)(OrtNodeComputeInfo* self, void* state, OrtKernelContext* context);
  void (*ReleaseState)(OrtNodeComputeInfo* self, void* state);
};

struct OrtEpProfilerImpl {
  uint32_t ort_version_supported;
  void (*Release)(OrtEpProfilerImpl* self);
  OrtStatus* (*StartProfiling)(OrtEpProfilerImpl* self, int64_t offset_ns);
  OrtStatus* (*StartEvent)(OrtEpProfilerImpl* self, uint64_t event);
  OrtStatus* (*StopEvent)(OrtEpProfilerImpl* self, uint64_t event, const OrtProfilingEvent* what);
  OrtStatus* (*EndProfiling)(OrtEpProfilerImpl* self, OrtProfilingEventsContainer* events);
};

struct OrtEp {
  uint32_t ort_version_supported;
  const char* (*GetName)(const OrtEp* self);
  OrtStatus* (*GetCapability)(OrtEp* self, const OrtGraph* graph, OrtEpGraphSupportInfo* support);
  OrtStatus* (*Compile)(OrtEp* self, const OrtGraph** graphs, const OrtNode** fused_nodes,
                        size_t count, OrtNodeComputeInfo** infos, OrtNode** context_nodes);
  void (*ReleaseNodeComputeInfos)(OrtEp* self, OrtNodeComputeInfo** infos, size_t count);
  void* GetPreferredDataLayout;
  void* ShouldConvertDataLayoutForOp;
  void* SetDynamicOptions;
  void* OnRunStart;
  void* OnRunEnd;
  void* CreateAllocator;
  void* CreateSyncStreamForDevice;
  void* GetCompiledModelCompatibilityInfo;
  // From version 24 on.
  void* GetKernelRegistry;
  OrtStatus* (*IsConcurrentRunSupported)(OrtEp* self, bool* supported);
  // From version 25 on.
  void* Sync;
  OrtStatus* (*CreateProfiler)(OrtEp* self, OrtEpProfilerImpl** profiler);
  // From later versions on.
  void* IsGraphCaptureEnabled;
  void* IsGraphCaptured;
  void* ReplayGraph;
  void* GetGraphCaptureNodeAssignmentPolicy;
  void* GetAvailableResource;
  void* OnSessionInitializationEnd;
  void* GetDefaultMemoryDevice;
  void* ReleaseCapturedGraph;
  void* GetWeightlessSupport;
};

struct OrtEpFactory {
  uint32_t ort_version_supported;
  const char* (*GetName)(const OrtEpFactory* self);
  const char* (*GetVendor)(const OrtEpFactory* self);
  OrtStatus* (*GetSupportedDevices)(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                                    size_t count, OrtEpDevice** ep_devices, size_t most,
                                    size_t* made);
  OrtStatus* (*CreateEp)(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                         const OrtKeyValuePairs* const* metadata, size_t count,
                         const OrtSessionOptions* options, const OrtLogger* logger, OrtEp** ep);
  void (*ReleaseEp)(OrtEpFactory* self, OrtEp* ep);
  uint32_t (*GetVendorId)(const OrtEpFactory* self);
  const char* (*GetVersion)(const OrtEpFactory* self);
  void* ValidateCompiledModelCompatibilityInfo;
  void* CreateAllocator;
  void* ReleaseAllocator;
  OrtStatus* (*CreateDataTransfer)(OrtEpFactory* self, OrtDataTransferImpl** transfer);
  bool (*IsStreamAware)(const OrtEpFactory* self);
  void* CreateSyncStreamForDevice;
  // From version 24 on.
  void* GetHardwareDeviceIncompatibilityDetails;
  void* CreateExternalResourceImporterForDevice;
  void* GetNumCustomOpDomains;
  void* GetCustomOpDomains;
  // From later versions on.
  void* InitGraphicsInterop;
  void* DeinitGraphicsInterop;
  void* SelectBestModelCandidate;
};

// What a program or a provider gets from ONNX Runtime first.
struct OrtApiBase {
  const void* (*GetApi)(uint32_t version);  // an OrtApi; null: this ONNX Runtime is older
  const char* (*GetVersionString)();
};

// ENTRY(position, name, result, arguments): functions of OrtApi.
#define TESSERA_ORT_API(ENTRY)                                                                     \
  ENTRY(0, CreateStatus, OrtStatus*, (OrtErrorCode code, const char* message))                     \
  ENTRY(2, GetErrorMessage, const char*, (const OrtStatus* status))                                \
  ENTRY(3, CreateEnv, OrtStatus*, (OrtLoggingLevel level, const char* id, OrtEnv** env))           \
  ENTRY(7, CreateSession, OrtStatus*,                                                              \
        (const OrtEnv* env, const char* path, const OrtSessionOptions* options,                    \
         OrtSession** session))                                                                    \
  ENTRY(9, Run, OrtStatus*,                                                                        \
        (OrtSession * session, const OrtRunOptions* options, const char* const* input_names,       \
         const OrtValue* const* inputs, size_t input_count, const char* const* output_names,       \
         size_t output_count, OrtValue** outputs))                                                 \
  ENTRY(10, CreateSessionOptions, OrtStatus*, (OrtSessionOptions * *options))                      \
  ENTRY(30, SessionGetInputCount, OrtStatus*, (const OrtSession* session, size_t* count))          \
  ENTRY(31, SessionGetOutputCount, OrtStatus*, (const OrtSession* session, size_t* count))         \
  ENTRY(36, SessionGetInputName, OrtStatus*,                                                       \
        (const OrtSession* session, size_t index, OrtAllocator* allocator, char** name))           \
  ENTRY(37, SessionGetOutputName, OrtStatus*,                                                      \
        (const OrtSession* session, size_t index, OrtAllocator* allocator, char** name))           \
  ENTRY(49, CreateTensorWithDataAsOrtValue, OrtStatus*,                                            \
        (const OrtMemoryInfo* memory, void* data, size_t bytes, const int64_t* shape, size_t rank, \
         OrtElementType type, OrtValue** value))                                                   \
  ENTRY(51, GetTensorMutableData, OrtStatus*, (OrtValue * value, void** data))                     \
  ENTRY(55, CastTypeInfoToTensorInfo, OrtStatus*,                                                  \
        (const OrtTypeInfo* type, const OrtTensorTypeAndShapeInfo** info))                         \
  ENTRY(60, GetTensorElementType, OrtStatus*,                                                      \
        (const OrtTensorTypeAndShapeInfo* info, OrtElementType* type))                             \
  ENTRY(61, GetDimensionsCount, OrtStatus*,                                                        \
        (const OrtTensorTypeAndShapeInfo* info, size_t* count))                                    \
  ENTRY(62, GetDimensions, OrtStatus*,                                                             \
        (const OrtTensorTypeAndShapeInfo* info, int64_t* extents, size_t count))                   \
  ENTRY(65, GetTensorTypeAndShape, OrtStatus*,                                                     \
        (const OrtValue* value, OrtTensorTypeAndShapeInfo** info))                                 \
  ENTRY(69, CreateCpuMemoryInfo, OrtStatus*,                                                       \
        (OrtAllocatorType allocator, OrtMemoryType type, OrtMemoryInfo * *memory))                 \
  ENTRY(76, AllocatorFree, OrtStatus*, (OrtAllocator * allocator, void* memory))                   \
  ENTRY(78, GetAllocatorWithDefaultOptions, OrtStatus*, (OrtAllocator * *allocator))               \
  ENTRY(88, KernelContext_GetInputCount, OrtStatus*,                                               \
        (const OrtKernelContext* context, size_t* count))                                          \
  ENTRY(89, KernelContext_GetOutputCount, OrtStatus*,                                              \
        (const OrtKernelContext* context, size_t* count))                                          \
  ENTRY(90, KernelContext_GetInput, OrtStatus*,                                                    \
        (const OrtKernelContext* context, size_t index, const OrtValue** value))                   \
  ENTRY(91, KernelContext_GetOutput, OrtStatus*,                                                   \
        (OrtKernelContext * context, size_t index, const int64_t* shape, size_t rank,              \
         OrtValue** value))                                                                        \
  ENTRY(92, ReleaseEnv, void, (OrtEnv * env))                                                      \
  ENTRY(93, ReleaseStatus, void, (OrtStatus * status))                                             \
  ENTRY(94, ReleaseMemoryInfo, void, (OrtMemoryInfo * memory))                                     \
  ENTRY(95, ReleaseSession, void, (OrtSession * session))                                          \
  ENTRY(96, ReleaseValue, void, (OrtValue * value))                                                \
  ENTRY(99, ReleaseTensorTypeAndShapeInfo, void, (OrtTensorTypeAndShapeInfo * info))               \
  ENTRY(100, ReleaseSessionOptions, void, (OrtSessionOptions * options))                           \
  ENTRY(130, AddSessionConfigEntry, OrtStatus*,                                                    \
        (OrtSessionOptions * options, const char* key, const char* value))                         \
  ENTRY(211, CreateOpAttr, OrtStatus*,                                                             \
        (const char* name, const void* data, int count, OrtAttributeType type,                     \
         OrtOpAttr** attribute))                                                                   \
  ENTRY(212, ReleaseOpAttr, void, (OrtOpAttr * attribute))                                         \
  ENTRY(247, Logger_LogMessage, OrtStatus*,                                                        \
        (const OrtLogger* logger, OrtLoggingLevel level, const char* message, const char* file,    \
         int line, const char* function))                                                          \
  ENTRY(272, ReadOpAttr, OrtStatus*,                                                               \
        (const OrtOpAttr* attribute, OrtAttributeType type, void* data, size_t bytes,              \
         size_t* needed))                                                                          \
  ENTRY(289, GetValueInfoName, OrtStatus*, (const OrtValueInfo* value, const char** name))         \
  ENTRY(290, GetValueInfoTypeInfo, OrtStatus*,                                                     \
        (const OrtValueInfo* value, const OrtTypeInfo** type))                                     \
  ENTRY(291, GetModelEditorApi, const void*, ())                                                   \
  ENTRY(298, GetKeyValuePairs, void,                                                               \
        (const OrtKeyValuePairs* pairs, const char* const** keys, const char* const** values,      \
         size_t* count))                                                                           \
  ENTRY(300, ReleaseKeyValuePairs, void, (OrtKeyValuePairs * pairs))                               \
  ENTRY(301, RegisterExecutionProviderLibrary, OrtStatus*,                                         \
        (OrtEnv * env, const char* name, const char* path))                                        \
  ENTRY(302, UnregisterExecutionProviderLibrary, OrtStatus*, (OrtEnv * env, const char* name))     \
  ENTRY(303, GetEpDevices, OrtStatus*,                                                             \
        (const OrtEnv* env, const OrtEpDevice* const** devices, size_t* count))                    \
  ENTRY(304, SessionOptionsAppendExecutionProvider_V2, OrtStatus*,                                 \
        (OrtSessionOptions * options, OrtEnv * env, const OrtEpDevice* const* devices,             \
         size_t device_count, const char* const* keys, const char* const* values,                  \
         size_t option_count))                                                                     \
  ENTRY(307, HardwareDevice_Type, OrtHardwareDeviceType, (const OrtHardwareDevice* device))        \
  ENTRY(312, EpDevice_EpName, const char*, (const OrtEpDevice* device))                            \
  ENTRY(317, GetEpApi, const void*, ())                                                            \
  ENTRY(318, GetTensorSizeInBytes, OrtStatus*, (const OrtValue* value, size_t* bytes))             \
  ENTRY(326, ValueInfo_GetInitializerValue, OrtStatus*,                                            \
        (const OrtValueInfo* value, const OrtValue** initializer))                                 \
  ENTRY(331, ValueInfo_IsConstantInitializer, OrtStatus*,                                          \
        (const OrtValueInfo* value, bool* is_constant))                                            \
  ENTRY(333, Graph_GetName, OrtStatus*, (const OrtGraph* graph, const char** name))                \
  ENTRY(334, Graph_GetModelPath, OrtStatus*, (const OrtGraph* graph, const char** path))           \
  ENTRY(336, Graph_GetNumOperatorSets, OrtStatus*, (const OrtGraph* graph, size_t* count))         \
  ENTRY(337, Graph_GetOperatorSets, OrtStatus*,                                                    \
        (const OrtGraph* graph, const char** domains, int64_t* versions, size_t count))            \
  ENTRY(338, Graph_GetNumInputs, OrtStatus*, (const OrtGraph* graph, size_t* count))               \
  ENTRY(339, Graph_GetInputs, OrtStatus*,                                                          \
        (const OrtGraph* graph, const OrtValueInfo** inputs, size_t count))                        \
  ENTRY(340, Graph_GetNumOutputs, OrtStatus*, (const OrtGraph* graph, size_t* count))              \
  ENTRY(341, Graph_GetOutputs, OrtStatus*,                                                         \
        (const OrtGraph* graph, const OrtValueInfo** outputs, size_t count))                       \
  ENTRY(342, Graph_GetNumInitializers, OrtStatus*, (const OrtGraph* graph, size_t* count))         \
  ENTRY(343, Graph_GetInitializers, OrtStatus*,                                                    \
        (const OrtGraph* graph, const OrtValueInfo** initializers, size_t count))                  \
  ENTRY(344, Graph_GetNumNodes, OrtStatus*, (const OrtGraph* graph, size_t* count))                \
  ENTRY(345, Graph_GetNodes, OrtStatus*,                                                           \
        (const OrtGraph* graph, const OrtNode** nodes, size_t count))                              \
  ENTRY(346, Graph_GetParentNode, OrtStatus*, (const OrtGraph* graph, const OrtNode** node))       \
  ENTRY(349, Node_GetName, OrtStatus*, (const OrtNode* node, const char** name))                   \
  ENTRY(350, Node_GetOperatorType, OrtStatus*, (const OrtNode* node, const char** type))           \
  ENTRY(351, Node_GetDomain, OrtStatus*, (const OrtNode* node, const char** domain))               \
  ENTRY(353, Node_GetNumInputs, OrtStatus*, (const OrtNode* node, size_t* count))                  \
  ENTRY(354, Node_GetInputs, OrtStatus*,                                                           \
        (const OrtNode* node, const OrtValueInfo** inputs, size_t count))                          \
  ENTRY(355, Node_GetNumOutputs, OrtStatus*, (const OrtNode* node, size_t* count))                 \
  ENTRY(356, Node_GetOutputs, OrtStatus*,                                                          \
        (const OrtNode* node, const OrtValueInfo** outputs, size_t count))                         \
  ENTRY(357, Node_GetNumImplicitInputs, OrtStatus*, (const OrtNode* node, size_t* count))          \
  ENTRY(358, Node_GetImplicitInputs, OrtStatus*,                                                   \
        (const OrtNode* node, const OrtValueInfo** inputs, size_t count))                          \
  ENTRY(359, Node_GetNumAttributes, OrtStatus*, (const OrtNode* node, size_t* count))              \
  ENTRY(360, Node_GetAttributes, OrtStatus*,                                                       \
        (const OrtNode* node, const OrtOpAttr** attributes, size_t count))                         \
  ENTRY(362, OpAttr_GetTensorAttributeAsOrtValue, OrtStatus*,                                      \
        (const OrtOpAttr* attribute, OrtValue** value))                                            \
  ENTRY(363, OpAttr_GetType, OrtStatus*, (const OrtOpAttr* attribute, OrtAttributeType* type))     \
  ENTRY(364, OpAttr_GetName, OrtStatus*, (const OrtOpAttr* attribute, const char** name))          \
  ENTRY(365, Node_GetNumSubgraphs, OrtStatus*, (const OrtNode* node, size_t* count))               \
  ENTRY(378, GetTensorData, OrtStatus*, (const OrtValue* value, const void** data))                \
  ENTRY(379, GetSessionOptionsConfigEntries, OrtStatus*,                                           \
        (const OrtSessionOptions* options, OrtKeyValuePairs** entries))

// Functions of OrtEpApi.
#define TESSERA_ORT_EP_API(ENTRY)                                                                \
  ENTRY(0, CreateEpDevice, OrtStatus*,                                                           \
        (OrtEpFactory * factory, const OrtHardwareDevice* device,                                \
         const OrtKeyValuePairs* metadata, const OrtKeyValuePairs* options, OrtEpDevice** made)) \
  ENTRY(2, EpGraphSupportInfo_AddNodesToFuse, OrtStatus*,                                        \
        (OrtEpGraphSupportInfo * support, const OrtNode* const* nodes, size_t count,             \
         const OrtNodeFusionOptions* options))

// The same from version 25 on.
#define TESSERA_ORT_EP_API_25(ENTRY)                                                       \
  ENTRY(65, CreateProfilingEvent, OrtStatus*,                                              \
        (OrtProfilingCategory category, int32_t process, int32_t thread, const char* name, \
         int64_t begin_us, int64_t duration_us, const char* const* keys,                   \
         const char* const* values, size_t count, OrtProfilingEvent** event))              \
  ENTRY(66, ReleaseProfilingEvent, void, (OrtProfilingEvent * event))                      \
  ENTRY(72, ProfilingEventsContainer_AddEvents, OrtStatus*,                                \
        (OrtProfilingEventsContainer * container, const OrtProfilingEvent* const* events,  \
         size_t count))

// Functions of OrtModelEditorApi.
#define TESSERA_ORT_MODEL_EDITOR_API(ENTRY)                                                 \
  ENTRY(6, CreateNode, OrtStatus*,                                                          \
        (const char* type, const char* domain, const char* name, const char* const* inputs, \
         size_t input_count, const char* const* outputs, size_t output_count,               \
         OrtOpAttr** attributes, size_t attribute_count, OrtNode** node))

// The functions above by their names.
struct Calls {
#define TESSERA_ORT_ENTRY(position, name, result, arguments) result(*name) arguments = nullptr;
  TESSERA_ORT_API(TESSERA_ORT_ENTRY)
  TESSERA_ORT_EP_API(TESSERA_ORT_ENTRY)
  TESSERA_ORT_EP_API_25(TESSERA_ORT_ENTRY)  // null before version 25
  TESSERA_ORT_MODEL_EDITOR_API(TESSERA_ORT_ENTRY)
#undef TESSERA_ORT_ENTRY
};

}  // namespace tessera::ort

#endif  // TESSERA_PROVIDER_ONNXRUNTIME_ORT_ABI_H_
