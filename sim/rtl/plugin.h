// SPDX-License-Identifier: Apache-2.0
//
// Finds the verilated machine of a configuration: prebuilt with this program, kept from an earlier
// use, or verilated now. Depends on: isa, machine.h. Used by: rtl_device, sim/board, sim/xrt.
#ifndef TESSERA_SIM_RTL_PLUGIN_H_
#define TESSERA_SIM_RTL_PLUGIN_H_

#include <memory>
#include <string>

#include "base/error.h"
#include "isa/config.h"
#include "sim/rtl/machine.h"

namespace tessera::sim {

// The kind of waveform that a machine can write. Machines with tracing are slower and never
// prebuilt.
enum class WaveKind : uint8_t { kNone, kVcd, kFst };

// A loaded plugin. Destroy all its machines before it.
class RtlPlugin {
 public:
  ~RtlPlugin();
  RtlPlugin(const RtlPlugin&) = delete;
  RtlPlugin& operator=(const RtlPlugin&) = delete;

  std::unique_ptr<RtlMachine> NewMachine(const RtlMachineOptions& options) const;

  // Opens the shared object at |path|, which must be made for |config|.
  //   errors  kUnsupported  it cannot be loaded, or was made for another configuration or version
  static Result<std::shared_ptr<RtlPlugin>> Open(const std::string& path,
                                                 const isa::Config& config);

 private:
  RtlPlugin(void* handle, RtlMachine* (*make)(const RtlMachineOptions*))
      : handle_(handle), make_(make) {}
  void* handle_;
  RtlMachine* (*make_)(const RtlMachineOptions*);
};

// Finds or makes the machine of |config|. Configurations that differ only in name, clock or memory
// model share one. Verilating takes minutes and prints a line on stderr. If two processes want the
// same machine, one of them builds it.
//
//   cache_dir  the folder for verilated machines; "": $XDG_CACHE_HOME/tessera or ~/.cache/tessera
//   errors     kUnsupported  not prebuilt, and Verilator, a compiler or the sources are missing, or
//                            they fail: the message has the path of the log
//              kUnavailable  the cache folder cannot be written
Result<std::shared_ptr<RtlPlugin>> FindRtlPlugin(const isa::Config& config, WaveKind wave,
                                                 const std::string& cache_dir);

// The prebuilt machines, and the tool that makes others: "machines of default, tiny; others by
// Verilator 5.006 on first use".
//   errors  kUnsupported  there is no prebuilt machine, and no Verilator or no sources
Result<std::string> RtlMachinesHere();

}  // namespace tessera::sim

#endif  // TESSERA_SIM_RTL_PLUGIN_H_
