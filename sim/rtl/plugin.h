// SPDX-License-Identifier: Apache-2.0
//
// Finds the verilated machine of a configuration: prebuilt beside this program, kept from an
// earlier use, or verilated now. Depends on: isa, machine.h. Used by: rtl_device.
#ifndef TESSERA_SIM_RTL_PLUGIN_H_
#define TESSERA_SIM_RTL_PLUGIN_H_

#include <memory>
#include <string>

#include "base/error.h"
#include "isa/config.h"
#include "sim/rtl/machine.h"

namespace tessera::sim {

// What a machine can write as a waveform. Machines with tracing are slower and never prebuilt.
enum class WaveKind : uint8_t { kNone, kVcd, kFst };

// A loaded plugin. Machines it made must be gone before it is.
class RtlPlugin {
 public:
  ~RtlPlugin();
  RtlPlugin(const RtlPlugin&) = delete;
  RtlPlugin& operator=(const RtlPlugin&) = delete;

  std::unique_ptr<RtlMachine> NewMachine(const RtlMachineOptions& options) const;

  // Opens the shared object at |path|, made for |config|.
  //   errors  kUnsupported  it cannot be loaded, or was made for another configuration or version
  static Result<std::shared_ptr<RtlPlugin>> Open(const std::string& path,
                                                 const isa::Config& config);

 private:
  RtlPlugin(void* handle, RtlMachine* (*make)(const RtlMachineOptions*))
      : handle_(handle), make_(make) {}
  void* handle_;
  RtlMachine* (*make_)(const RtlMachineOptions*);
};

// The machine of |config|. Configurations that differ in name, clock or memory model only share
// one. Verilating takes minutes and prints a line on stderr; two processes that want the same
// machine build it once.
//
//   cache_dir  where verilated machines are kept; "" is $XDG_CACHE_HOME/tessera or ~/.cache/tessera
//   errors     kUnsupported  not prebuilt, and verilator, a compiler or the sources are missing, or
//                            they fail: the message has the log's path
//              kUnavailable  the cache folder cannot be written
Result<std::shared_ptr<RtlPlugin>> FindRtlPlugin(const isa::Config& config, WaveKind wave,
                                                 const std::string& cache_dir);

// The machines that are there already, and by what others are made: "default, tiny; others by
// Verilator 5.006".
//   errors  kUnsupported  there is none, and no Verilator or sources
Result<std::string> RtlMachinesHere();

}  // namespace tessera::sim

#endif  // TESSERA_SIM_RTL_PLUGIN_H_
