// SPDX-License-Identifier: Apache-2.0
//
// Tensors in device memory while a run goes on: who stores them, whether they are complete, what
// they hold, how they differ from the host's. Depends on: target.h, progress.h. Used by:
// breakpoints.h, commands.
#ifndef TESSERA_SIM_DEBUG_TENSORS_H_
#define TESSERA_SIM_DEBUG_TENSORS_H_

#include <string>
#include <utility>
#include <vector>

#include "runtime/tensor/tensor.h"
#include "sim/debug/progress.h"
#include "sim/debug/target.h"

namespace tessera::sim {

// An instruction of a program.
struct InsnPlace {
  uint32_t program = 0, insn = 0;
  bool operator==(const InsnPlace&) const = default;
};

// STOREs that touch the bytes of |tensor|, which is in device memory: those of its layer (all, if
// it has none), and those of others, which use the same bytes before or after.
struct TensorStores {
  std::vector<InsnPlace> own, others;
};
TensorStores StoresOf(const DebugTarget& target, const DebugTensor& tensor);

// The names of tensors: their layers'.
std::vector<std::string> TensorNames(const DebugTarget& target);

// A tensor by name that is in device memory.
//   errors  FindNamed's; kNotFound: it is not in device memory, and why
Result<const DebugTensor*> FindTensor(const DebugTarget& target, const std::string& name);

// "complete: its 14 STOREs have retired", "3 of 14 STOREs that write it have retired".
struct TensorState {
  bool complete = false;
  std::string text;
};
TensorState StateOf(const DebugTarget& target, const DebugTensor& tensor, uint32_t program,
                    const RunProgress& progress);

// Its elements as device memory has them.
HostTensor ValueOf(const DebugTensor& tensor, const RunProgress& progress);

// "name: int8 [1, 16, 28, 28], complete: ...", then its elements within |ranges|, one line a row:
// an element of |ranges| a dimension, missing ones: all of it.
//   errors  kInvalidArgument  too many ranges, or RangeOf's
//           kOutOfRange       more elements than are printed at once
Result<std::string> TensorText(const std::string& name, const HostTensor& tensor,
                               const std::vector<std::string>& ranges);

// How |ours|, of |device|, differs from the host's. |equal|: not at all.
struct TensorDiff {
  bool equal = false;
  std::string text;
};
TensorDiff DiffTensors(const HostTensor& ours, const HostTensor& host, const std::string& device);

}  // namespace tessera::sim

#endif  // TESSERA_SIM_DEBUG_TENSORS_H_
