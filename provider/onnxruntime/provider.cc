// SPDX-License-Identifier: Apache-2.0
#include "provider/onnxruntime/provider.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "provider/onnxruntime/claim.h"
#include "provider/onnxruntime/context.h"
#include "provider/onnxruntime/graph_reader.h"
#include "provider/onnxruntime/network.h"
#include "provider/onnxruntime/profiler.h"

namespace tessera::ort {
namespace {

// A node of ONNX Runtime that runs a network.
struct FusedNode : OrtNodeComputeInfo {
  FusedNode(const Calls& the_calls, uint32_t version, std::unique_ptr<Network> the_network,
            std::string the_device, std::shared_ptr<RunLog> the_log)
      : OrtNodeComputeInfo{},
        calls(the_calls),
        network(std::move(the_network)),
        device(std::move(the_device)),
        log(std::move(the_log)) {
    ort_version_supported = version;
    CreateState = [](OrtNodeComputeInfo* self, OrtNodeComputeContext*, void** state) -> OrtStatus* {
      *state = self;
      return nullptr;
    };
    Compute = [](OrtNodeComputeInfo* self, void*, OrtKernelContext* context) {
      auto* node = static_cast<FusedNode*>(self);
      return ToOrt(node->calls, node->Run(context));
    };
    ReleaseState = [](OrtNodeComputeInfo*, void*) {};
  }

  Status Run(OrtKernelContext* context) const {
    RunLog::Entry entry{.network = network->name(), .device = device};
    entry.begin = RunLog::Clock::now();
    TESSERA_TRY(network->Run(calls, context, &entry.times));
    entry.end = RunLog::Clock::now();
    entry.thread = gettid();
    log->Add(std::move(entry));
    return {};
  }

  const Calls& calls;
  const std::unique_ptr<Network> network;
  const std::string device;
  const std::shared_ptr<RunLog> log;
};

// Whether the first extent of |value| is open.
bool IsOpen(const ReadModel& read, const std::string& value) {
  const auto it = read.values.find(value);
  return it != read.values.end() && it->second.shape && !it->second.shape->empty() &&
         it->second.shape->front() == -1;
}

struct Provider : OrtEp {
  Provider(const Calls& the_calls, uint32_t version, ProviderOptions the_options,
           const OrtLogger* the_logger)
      : OrtEp{}, calls(the_calls), options(std::move(the_options)), logger(the_logger) {
    ort_version_supported = version;
    OrtEp::GetName = [](const OrtEp*) { return kProviderName; };
    OrtEp::GetCapability = [](OrtEp* self, const OrtGraph* graph, OrtEpGraphSupportInfo* support) {
      auto* provider = static_cast<Provider*>(self);
      return ToOrt(provider->calls, provider->Capability(graph, support));
    };
    OrtEp::Compile = [](OrtEp* self, const OrtGraph** graphs, const OrtNode** fused, size_t count,
                        OrtNodeComputeInfo** infos, OrtNode** contexts) -> OrtStatus* {
      auto* provider = static_cast<Provider*>(self);
      for (size_t i = 0; i < count; ++i) {
        if (const Status made = provider->One(graphs[i], fused[i], infos[i], contexts[i]); !made)
          return ToOrt(provider->calls, made);
      }
      return nullptr;
    };
    OrtEp::ReleaseNodeComputeInfos = [](OrtEp*, OrtNodeComputeInfo** infos, size_t count) {
      for (size_t i = 0; i < count; ++i) delete static_cast<FusedNode*>(infos[i]);
    };
    // One call at a time uses the session's device; the others wait in Network::Run.
    OrtEp::IsConcurrentRunSupported = [](OrtEp*, bool* supported) -> OrtStatus* {
      *supported = true;
      return nullptr;
    };
    OrtEp::CreateProfiler = [](OrtEp* self, OrtEpProfilerImpl** profiler) -> OrtStatus* {
      auto* provider = static_cast<Provider*>(self);
      const bool can = provider->calls.CreateProfilingEvent != nullptr;
      *profiler = can ? MakeProfiler(provider->calls, provider->log) : nullptr;
      return nullptr;
    };
  }

  void Tell(OrtLoggingLevel level, const std::string& message) const {
    OrtStatus* status =
        calls.Logger_LogMessage(logger, level, ("tessera: " + message).c_str(),
                                "provider/onnxruntime/provider.cc", __LINE__, __func__);
    if (status != nullptr) calls.ReleaseStatus(status);
  }

  Status Capability(const OrtGraph* graph, OrtEpGraphSupportInfo* support) const {
    const OrtNode* parent = nullptr;
    TESSERA_TRY(Check(calls, calls.Graph_GetParentNode(graph, &parent)));
    if (parent != nullptr) return {};  // a sub-graph of a node stays with its node
    TESSERA_ASSIGN(const ReadModel read, ReadGraph(calls, graph));
    std::vector<NodeGroup> groups;
    for (size_t i = 0; i < read.nodes.size(); ++i) {
      if (IsContext(read.model.nodes[i])) groups.push_back({i});
    }
    if (groups.empty()) {
      Claimed claimed = Claim(read, options.config, options.claim);
      groups = std::move(claimed.groups);
      if (!claimed.why.empty())
        Tell(kOrtLogWarning, "some nodes stay with ONNX Runtime: " + claimed.why);
    }
    size_t taken = 0;
    for (const NodeGroup& group : groups) taken += group.size();
    Tell(kOrtLogInfo, fmt::format("{} of {} nodes run on {}, in {} groups", taken,
                                  read.nodes.size(), options.device, groups.size()));
    for (const NodeGroup& group : groups) {
      std::vector<const OrtNode*> nodes;
      for (const size_t i : group) nodes.push_back(read.nodes[i]);
      const OrtNodeFusionOptions fusion{.ort_version_supported = kOldestApi,
                                        .drop_constant_initializers = true};
      TESSERA_TRY(Check(calls, calls.EpGraphSupportInfo_AddNodesToFuse(support, nodes.data(),
                                                                       nodes.size(), &fusion)));
    }
    return {};
  }

  Status One(const OrtGraph* graph, const OrtNode* fused, OrtNodeComputeInfo*& info,
             OrtNode*& context) {
    const char *name = nullptr, *path = nullptr;
    TESSERA_TRY(Check(calls, calls.Node_GetName(fused, &name)));
    TESSERA_TRY(Check(calls, calls.Graph_GetModelPath(graph, &path)));
    const std::string model_path = path == nullptr ? "" : path;
    TESSERA_ASSIGN(const ReadModel read, ReadGraph(calls, graph));
    TESSERA_ASSIGN(const std::vector<std::string> inputs, InputsOf(calls, fused));
    TESSERA_ASSIGN(const std::vector<std::string> outputs, OutputsOf(calls, fused));
    OpenExtents open;
    for (const std::string& input : inputs) open.inputs.push_back(IsOpen(read, input));
    for (const std::string& output : outputs) open.outputs.push_back(IsOpen(read, output));
    TESSERA_ASSIGN(artifact::Artifact net, NetOf(read, inputs, outputs, name, model_path));
    const bool held = read.nodes.size() == 1 && IsContext(read.model.nodes[0]);
    if (options.context_enable && !held) {
      TESSERA_ASSIGN(context, MakeContext(calls, fused, net, options, model_path));
    }
    if (device == nullptr) {
      TESSERA_ASSIGN(device, SessionDevice::Open(options));
    }
    TESSERA_ASSIGN(std::unique_ptr<Network> network,
                   Network::Open(name, std::move(net), std::move(open), device, options));
    info = new FusedNode(calls, ort_version_supported, std::move(network), options.device, log);
    return {};
  }

  Result<artifact::Artifact> NetOf(const ReadModel& read, const std::vector<std::string>& inputs,
                                   const std::vector<std::string>& outputs, const std::string& name,
                                   const std::string& model_path) const {
    if (read.nodes.size() == 1 && IsContext(read.model.nodes[0])) {
      const onnx_model::OnnxNode& node = read.model.nodes[0];
      TESSERA_ASSIGN(artifact::Artifact net, ReadContext(node, options, model_path));
      if (net.inputs.size() == inputs.size() && net.outputs.size() == outputs.size() &&
          net.PlanNamed("device") != nullptr)
        return net;
      return Fail(Code::kInvalidArgument,
                  "{}: the node has {} inputs and {} outputs, its network {} and {}; make it again "
                  "from the model",
                  node.Place(), inputs.size(), outputs.size(), net.inputs.size(),
                  net.outputs.size());
    }
    NodeGroup all;
    for (size_t i = 0; i < read.nodes.size(); ++i) {
      if (!read.unreadable[i].empty()) return Fail(Code::kUnsupported, "{}", read.unreadable[i]);
      all.push_back(i);
    }
    return CompileGroup(PartOf(read, all, inputs, outputs), name, options);
  }

  const Calls& calls;
  const ProviderOptions options;
  const OrtLogger* const logger;
  std::shared_ptr<SessionDevice> device;  // opened for the first network
  const std::shared_ptr<RunLog> log = std::make_shared<RunLog>();
};

}  // namespace

uint32_t TableVersion(uint32_t version) { return std::min(version, kNewestApi); }

OrtEp* MakeProvider(const Calls& calls, uint32_t version, ProviderOptions options,
                    const OrtLogger* logger) {
  return new Provider(calls, TableVersion(version), std::move(options), logger);
}

void DeleteProvider(OrtEp* provider) { delete static_cast<Provider*>(provider); }

}  // namespace tessera::ort
