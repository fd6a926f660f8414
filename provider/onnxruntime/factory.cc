// SPDX-License-Identifier: Apache-2.0
//
// The entries of libonnxruntime_ep_tessera.so: CreateEpFactories and ReleaseEpFactory. ONNX Runtime
// calls them when a program registers the library. The factory offers the provider on the CPU
// device, the one that ONNX Runtime lists everywhere. Depends on: provider.h.
#include <memory>
#include <string>
#include <utility>

#include "provider/onnxruntime/calls.h"
#include "provider/onnxruntime/options.h"
#include "provider/onnxruntime/provider.h"

namespace tessera::ort {
namespace {

struct Factory : OrtEpFactory {
  Factory(const Calls& the_calls, uint32_t the_version)
      : OrtEpFactory{}, calls(the_calls), version(the_version) {
    ort_version_supported = TableVersion(version);
    OrtEpFactory::GetName = [](const OrtEpFactory*) { return kProviderName; };
    OrtEpFactory::GetVendor = [](const OrtEpFactory*) { return "Tessera"; };
    OrtEpFactory::GetVendorId = [](const OrtEpFactory*) { return uint32_t{0}; };
    OrtEpFactory::GetVersion = [](const OrtEpFactory*) { return TESSERA_VERSION; };
    OrtEpFactory::IsStreamAware = [](const OrtEpFactory*) { return false; };
    // Values stay in the memory of the host.
    OrtEpFactory::CreateDataTransfer = [](OrtEpFactory*, OrtDataTransferImpl** transfer) {
      *transfer = nullptr;
      return static_cast<OrtStatus*>(nullptr);
    };
    OrtEpFactory::GetSupportedDevices = [](OrtEpFactory* self,
                                           const OrtHardwareDevice* const* devices, size_t count,
                                           OrtEpDevice** ep_devices, size_t most, size_t* made) {
      auto* factory = static_cast<Factory*>(self);
      return ToOrt(factory->calls, factory->Devices({devices, count}, {ep_devices, most}, made));
    };
    OrtEpFactory::CreateEp =
        [](OrtEpFactory* self, const OrtHardwareDevice* const*, const OrtKeyValuePairs* const*,
           size_t, const OrtSessionOptions* options, const OrtLogger* logger, OrtEp** ep) {
          auto* factory = static_cast<Factory*>(self);
          return ToOrt(factory->calls, factory->Make(options, logger, ep));
        };
    OrtEpFactory::ReleaseEp = [](OrtEpFactory*, OrtEp* ep) { DeleteProvider(ep); };
  }

  Status Devices(std::span<const OrtHardwareDevice* const> devices,
                 std::span<OrtEpDevice*> ep_devices, size_t* made) {
    *made = 0;
    for (const OrtHardwareDevice* device : devices) {
      if (*made == ep_devices.size() || calls.HardwareDevice_Type(device) != kOrtCpu) continue;
      TESSERA_TRY(
          Check(calls, calls.CreateEpDevice(this, device, nullptr, nullptr, &ep_devices[*made])));
      ++*made;
      return {};  // one is enough: the option `device` chooses among Tessera's
    }
    return {};
  }

  Status Make(const OrtSessionOptions* session, const OrtLogger* logger, OrtEp** ep) const {
    TESSERA_ASSIGN(const auto entries, EntriesOf(calls, session));
    TESSERA_ASSIGN(ProviderOptions options, ReadOptions(entries));
    *ep = MakeProvider(calls, version, std::move(options), logger);
    return {};
  }

  const Calls calls;
  const uint32_t version;
};

// The status that an ONNX Runtime can take which lacks what Calls needs. The function that makes it
// is the first of every version's table.
OrtStatus* Refuse(const OrtApiBase& base, const std::string& message) {
  const void* const table = base.GetApi(1);
  using CreateStatus = OrtStatus* (*)(OrtErrorCode code, const char* message);
  return (*static_cast<const CreateStatus*>(table))(kOrtFail, message.c_str());
}

}  // namespace
}  // namespace tessera::ort

extern "C" {

__attribute__((visibility("default"))) tessera::ort::OrtStatus* CreateEpFactories(
    const char* /*name*/, const tessera::ort::OrtApiBase* base,
    const tessera::ort::OrtLogger* /*logger*/, tessera::ort::OrtEpFactory** factories, size_t most,
    size_t* made) {
  using namespace tessera::ort;  // NOLINT: the entry is outside the namespace
  tessera::Result<Calls> calls = LoadCalls(*base);
  if (!calls) return Refuse(*base, "tessera: " + calls.error().message);
  if (most < 1) return Refuse(*base, "tessera: there is no room for a factory");
  factories[0] = new Factory(*calls, ApiVersionOf(*base));
  *made = 1;
  return nullptr;
}

__attribute__((visibility("default"))) tessera::ort::OrtStatus* ReleaseEpFactory(
    tessera::ort::OrtEpFactory* factory) {
  delete static_cast<tessera::ort::Factory*>(factory);
  return nullptr;
}

}  // extern "C"
