// SPDX-License-Identifier: Apache-2.0
#include "provider/onnxruntime/calls.h"

#include <cstring>
#include <string_view>

#include "base/check.h"
#include "base/number.h"
#include "base/text.h"

namespace tessera::ort {

uint32_t ApiVersionOf(const OrtApiBase& base) {
  std::string_view text = base.GetVersionString();
  if (!text.starts_with("1.")) return 0;
  text.remove_prefix(2);
  return TakeNumber<uint32_t>(text).value_or(0);
}

Result<Calls> LoadCalls(const OrtApiBase& base) {
  const uint32_t version = ApiVersionOf(base);
  const void* table = version < kOldestApi ? nullptr : base.GetApi(kOldestApi);
  if (table == nullptr) {
    return Fail(Code::kUnsupported,
                "this is ONNX Runtime {}; Tessera's execution provider needs 1.{} or later",
                Legible(base.GetVersionString()), kOldestApi);
  }
  Calls calls;
#define TESSERA_ORT_ENTRY(position, name, result, arguments) \
  std::memcpy(&calls.name, static_cast<void* const*>(table) + position, sizeof calls.name);
  TESSERA_ORT_API(TESSERA_ORT_ENTRY)
  table = calls.GetEpApi();
  TESSERA_ORT_EP_API(TESSERA_ORT_ENTRY)
  if (version >= kProfilingApi) {
    TESSERA_ORT_EP_API_25(TESSERA_ORT_ENTRY)
  }
  table = calls.GetModelEditorApi();
  if (table == nullptr) {
    return Fail(
        Code::kUnsupported,
        "this build of ONNX Runtime has no model editor; Tessera's execution provider needs "
        "a full build");
  }
  TESSERA_ORT_MODEL_EDITOR_API(TESSERA_ORT_ENTRY)
#undef TESSERA_ORT_ENTRY
  return calls;
}

Status Check(const Calls& calls, OrtStatus* status) {
  if (status == nullptr) return {};
  const std::string message = calls.GetErrorMessage(status);
  calls.ReleaseStatus(status);
  return Fail(Code::kUnavailable, "ONNX Runtime: {}", message);
}

OrtStatus* ToOrt(const Calls& calls, const Status& status) {
  if (status) return nullptr;
  const Code code = status.error().code;
  const OrtErrorCode as = code == Code::kInvalidArgument || code == Code::kNotFound
                              ? kOrtInvalidArgument
                          : code == Code::kUnsupported ? kOrtNotImplemented
                                                       : kOrtEpFail;
  return calls.CreateStatus(as, ("tessera: " + status.error().message).c_str());
}

Result<DType> TypeOf(OrtElementType type) {
  for (const DType dtype : kDTypes) {
    if (NumberOf(dtype) == type) return dtype;
  }
  return Fail(Code::kUnsupported, "element type {} of ONNX is not supported",
              static_cast<int>(type));
}

OrtElementType NumberOf(DType type) {
  switch (type) {
    case DType::kBool:
      return kOrtBool;
    case DType::kInt8:
      return kOrtInt8;
    case DType::kUint8:
      return kOrtUint8;
    case DType::kInt16:
      return kOrtInt16;
    case DType::kInt32:
      return kOrtInt32;
    case DType::kInt64:
      return kOrtInt64;
    case DType::kFloat32:
      return kOrtFloat;
    case DType::kFloat16:
      return kOrtFloat16;
  }
  TESSERA_CHECK(false);
}

Result<std::string> NameOf(const Calls& calls, const OrtValueInfo* value) {
  if (value == nullptr) return std::string();
  const char* name = nullptr;
  TESSERA_TRY(Check(calls, calls.GetValueInfoName(value, &name)));
  return std::string(name);
}

namespace {

Result<std::vector<std::string>> NamesOf(const Calls& calls,
                                         const std::vector<const OrtValueInfo*>& values) {
  std::vector<std::string> names;
  for (const OrtValueInfo* value : values) {
    TESSERA_ASSIGN(std::string name, NameOf(calls, value));
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

Result<std::vector<std::string>> InputsOf(const Calls& calls, const OrtNode* node) {
  TESSERA_ASSIGN(const auto values,
                 ListOf<OrtValueInfo>(calls, node, calls.Node_GetNumInputs, calls.Node_GetInputs));
  return NamesOf(calls, values);
}

Result<std::vector<std::string>> OutputsOf(const Calls& calls, const OrtNode* node) {
  TESSERA_ASSIGN(const auto values, ListOf<OrtValueInfo>(calls, node, calls.Node_GetNumOutputs,
                                                         calls.Node_GetOutputs));
  return NamesOf(calls, values);
}

Result<HostTensor> TensorOf(const Calls& calls, const OrtValue* value) {
  OrtTensorTypeAndShapeInfo* info = nullptr;
  TESSERA_TRY(Check(calls, calls.GetTensorTypeAndShape(value, &info)));
  OrtElementType type = kOrtFloat;
  size_t rank = 0;
  HostTensor tensor;
  const auto read = [&]() -> Status {
    TESSERA_TRY(Check(calls, calls.GetTensorElementType(info, &type)));
    TESSERA_TRY(Check(calls, calls.GetDimensionsCount(info, &rank)));
    tensor.shape.resize(rank);
    return Check(calls, calls.GetDimensions(info, tensor.shape.data(), rank));
  };
  const Status ok = read();
  calls.ReleaseTensorTypeAndShapeInfo(info);
  TESSERA_TRY(ok);
  TESSERA_ASSIGN(tensor.dtype, TypeOf(type));
  const void* data = nullptr;
  size_t bytes = 0;
  TESSERA_TRY(Check(calls, calls.GetTensorSizeInBytes(value, &bytes)));
  TESSERA_TRY(Check(calls, calls.GetTensorData(value, &data)));
  const auto* begin = static_cast<const uint8_t*>(data);
  if (bytes > 0) tensor.bytes.assign(begin, begin + bytes);
  return tensor;
}

}  // namespace tessera::ort
