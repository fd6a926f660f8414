// SPDX-License-Identifier: Apache-2.0
//
// Schedules of a network's layers as a file: what --dump schedule prints and --schedule reads.
// Depends on: step.h. Used by: compiler/driver, tools.
//
// A line "host LAYER:", with any of kTraceTargets in front, then the steps of that layer, a line
// each; # begins a comment.
#ifndef TESSERA_COMPILER_SCHEDULE_TRACE_FILE_H_
#define TESSERA_COMPILER_SCHEDULE_TRACE_FILE_H_

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "compiler/schedule/step.h"

namespace tessera::schedule {

// For what a layer is compiled: the first word of a trace.
inline constexpr const char* kHostTrace = "host";
inline constexpr const char* kAcceleratorTrace = "accelerator";
// The copy to device memory of a result that stays on the accelerator, behind its layer.
inline constexpr const char* kStoreTrace = "accelerator.store";
inline constexpr const char* kOpenClTrace = "opencl";
inline constexpr const char* kCudaTrace = "cuda";
inline constexpr std::array kTraceTargets{kHostTrace, kAcceleratorTrace, kStoreTrace, kOpenClTrace,
                                          kCudaTrace};

// It in a message: "the host", "the accelerator's store", "device cuda".
std::string TraceTargetText(std::string_view target);

struct LayerTrace {
  std::string target;  // one of kTraceTargets
  std::string layer;   // its name, as a terminal shows it
  Trace trace;
  std::string from = "";  // where its first line is, "mine.txt:3"; "": in no file
};

// With |notes|, lines of text for the reader, as comments in front of the steps.
std::string Print(const LayerTrace& layer, std::string_view notes = "");

// |file|: its name, for messages.
//   errors  kInvalidArgument  naming file, line and what belongs there; a layer that has two traces
//                             for one target; no trace at all
Result<std::vector<LayerTrace>> ParseTraceFile(const std::string& text, const std::string& file);

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_TRACE_FILE_H_
