// SPDX-License-Identifier: Apache-2.0
//
// Schedules of a network's layers as a file that --dump schedule prints and --schedule reads.
// Depends on: step.h, network_step.h. Used by: compiler/driver, tools.
//
// The file has a line "host LAYER:", or another of kTraceTargets in front, then a line for each
// step of that layer; # begins a comment.
#ifndef TESSERA_COMPILER_SCHEDULE_TRACE_FILE_H_
#define TESSERA_COMPILER_SCHEDULE_TRACE_FILE_H_

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "compiler/schedule/network_step.h"
#include "compiler/schedule/step.h"

namespace tessera::schedule {

// The first word of a trace: the target of its layer.
inline constexpr const char* kHostTrace = "host";
inline constexpr const char* kAcceleratorTrace = "accelerator";
// The store of a resident result to device memory, after its layer.
inline constexpr const char* kStoreTrace = "accelerator.store";
// What the layer agrees on with the other layers of its program.
inline constexpr const char* kNetworkTrace = "accelerator.network";
// What a result's layout between layers of the host is.
inline constexpr const char* kHostNetworkTrace = "host.network";
inline constexpr const char* kOpenClTrace = "opencl";
inline constexpr const char* kCudaTrace = "cuda";
inline constexpr std::array kTraceTargets{kHostTrace,  kHostNetworkTrace, kAcceleratorTrace,
                                          kStoreTrace, kNetworkTrace,     kOpenClTrace,
                                          kCudaTrace};

// The target in a message: "the host", "the accelerator's store", "device cuda".
std::string TraceTargetText(std::string_view target);

struct LayerTrace {
  std::string target;  // one of kTraceTargets
  std::string layer;   // the layer's name, as a terminal shows it
  Trace trace;
  NetworkTrace network = {};  // of kNetworkTrace and kHostNetworkTrace, instead of |trace|
  std::string from = "";      // the place of its first line, "mine.txt:3"; "": not from a file
};

// Prints |notes| as comments in front of the steps.
std::string Print(const LayerTrace& layer, std::string_view notes = "");

// |file| is the name for messages.
//   errors  kInvalidArgument  naming file, line and what belongs there; a layer that has two traces
//                             for one target; no trace at all
Result<std::vector<LayerTrace>> ParseTraceFile(const std::string& text, const std::string& file);

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_TRACE_FILE_H_
