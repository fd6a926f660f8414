// SPDX-License-Identifier: Apache-2.0
#include "provider/onnxruntime/context.h"

#include <cctype>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "compiler/import/onnx.h"
#include "compiler/import/onnx_external.h"

namespace tessera::ort {
namespace {

constexpr std::string_view kDomain = "com.microsoft", kType = "EPContext";
constexpr std::string_view kSdkVersion = "1";  // of what ep_cache_context holds
constexpr size_t kMostEmbeddedBytes = size_t{1} << 30;

std::string TextOf(const onnx_model::OnnxNode& node, const std::string& attribute) {
  const auto it = node.attributes.find(attribute);
  return it == node.attributes.end() ? "" : it->second.s.value_or("");
}

// Attributes that are released when they leave their scope.
class AttributeList {
 public:
  explicit AttributeList(const Calls& calls) : calls_(calls) {}
  ~AttributeList() {
    for (OrtOpAttr* attribute : list_) calls_.ReleaseOpAttr(attribute);
  }
  AttributeList(const AttributeList&) = delete;
  AttributeList& operator=(const AttributeList&) = delete;

  Status Add(const char* name, std::string_view text) {
    return Add(name, text.data(), static_cast<int>(text.size()), kOrtAttributeString);
  }
  Status Add(const char* name, int64_t number) { return Add(name, &number, 1, kOrtAttributeInt); }
  std::vector<OrtOpAttr*>& list() { return list_; }

 private:
  Status Add(const char* name, const void* data, int count, OrtAttributeType type) {
    OrtOpAttr* made = nullptr;
    TESSERA_TRY(Check(calls_, calls_.CreateOpAttr(name, data, count, type, &made)));
    list_.push_back(made);
    return {};
  }

  const Calls& calls_;
  std::vector<OrtOpAttr*> list_;
};

// The path of the model with contexts that a session makes, by ONNX Runtime's rule.
std::filesystem::path ContextModelOf(const ProviderOptions& options,
                                     const std::string& model_path) {
  if (!options.context_path.empty()) return options.context_path;
  const std::filesystem::path path(model_path);
  return path.parent_path() / (path.stem().string() + "_ctx.onnx");
}

// The name of the file for node |node| of the model |model|; models of one folder may have nodes of
// the same name.
std::string FileNameOf(const std::filesystem::path& model, const std::string& node) {
  std::string name = model.stem().string() + "_" + node;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_') c = '_';
  }
  return name + ".tsr";
}

std::vector<const char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

}  // namespace

bool IsContext(const onnx_model::OnnxNode& node) {
  return node.op_type == fmt::format("{}.{}", kDomain, kType) &&
         TextOf(node, "source") == kProviderName;
}

Result<OrtNode*> MakeContext(const Calls& calls, const OrtNode* fused,
                             const artifact::Artifact& net, const ProviderOptions& options,
                             const std::string& model_path) {
  const char* name = nullptr;
  TESSERA_TRY(Check(calls, calls.Node_GetName(fused, &name)));
  TESSERA_ASSIGN(const std::vector<std::string> inputs, InputsOf(calls, fused));
  TESSERA_ASSIGN(const std::vector<std::string> outputs, OutputsOf(calls, fused));
  const std::vector<uint8_t> bytes = artifact::Serialize(net);
  std::string held(bytes.begin(), bytes.end());
  if (options.context_embed && bytes.size() > kMostEmbeddedBytes) {
    return Fail(Code::kOutOfRange,
                "{}: its network takes {} bytes, a model file at most {}; set "
                "ep.context_embed_mode to 0",
                name, bytes.size(), kMostEmbeddedBytes);
  }
  if (!options.context_embed) {
    const std::filesystem::path model = ContextModelOf(options, model_path);
    held = FileNameOf(model, name);
    TESSERA_TRY(WriteFile((model.parent_path() / held).string(), bytes));
  }
  AttributeList attributes(calls);
  TESSERA_TRY(attributes.Add("main_context", 1));
  TESSERA_TRY(attributes.Add("embed_mode", options.context_embed ? 1 : 0));
  TESSERA_TRY(attributes.Add("ep_cache_context", held));
  TESSERA_TRY(attributes.Add("ep_sdk_version", kSdkVersion));
  TESSERA_TRY(attributes.Add("partition_name", name));
  TESSERA_TRY(attributes.Add("source", kProviderName));
  const std::vector<const char*> in = Pointers(inputs), out = Pointers(outputs);
  OrtNode* node = nullptr;
  TESSERA_TRY(
      Check(calls, calls.CreateNode(std::string(kType).c_str(), std::string(kDomain).c_str(), name,
                                    in.data(), in.size(), out.data(), out.size(),
                                    attributes.list().data(), attributes.list().size(), &node)));
  return node;
}

Result<artifact::Artifact> ReadContext(const onnx_model::OnnxNode& node,
                                       const ProviderOptions& options,
                                       const std::string& model_path) {
  const std::string held = TextOf(node, "ep_cache_context");
  const std::string version = TextOf(node, "ep_sdk_version");
  if (held.empty())
    return Fail(Code::kInvalidArgument, "{}: has no ep_cache_context", node.Place());
  if (version != kSdkVersion) {
    return Fail(
        Code::kInvalidArgument,
        "{}: was made by another version (ep_sdk_version '{}', this is '{}'); make it again "
        "from the model",
        node.Place(), Legible(version), kSdkVersion);
  }
  const std::string& beside = model_path.empty() ? options.context_path : model_path;
  onnx_model::ExternalFiles files(beside.empty() ? "" : FolderOf(beside));
  std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(held.data()), held.size());
  if (node.IntOr("embed_mode", 1) == 0) {
    const Result<std::span<const uint8_t>> file = files.Whole(held);
    if (!file) return Within(node.Place(), file.error());
    bytes = *file;
  }
  Result<artifact::Artifact> net = artifact::Parse(bytes);
  if (!net) return Within(node.Place(), net.error());
  return net;
}

}  // namespace tessera::ort
