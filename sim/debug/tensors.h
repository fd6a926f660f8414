// SPDX-License-Identifier: Apache-2.0
//
// Tensors in device memory during a run: the STOREs that write them, whether they are complete,
// their values, differences from the host. Depends on: target.h, progress.h. Used by:
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

// The STOREs that touch the bytes of |tensor|, which must be in device memory. |own|: those of its
// layer, or all if its layer has none. |others|: those of other layers, which use the same bytes
// before or after.
struct TensorStores {
  std::vector<InsnPlace> own, others;
};
TensorStores StoresOf(const DebugTarget& target, const DebugTensor& tensor);

// The names of tensors are the names of their layers.
std::vector<std::string> TensorNames(const DebugTarget& target);

// Finds a tensor in device memory by name.
//   errors  those of FindNamed; kNotFound: it is not in device memory; the message says why
Result<const DebugTensor*> FindTensor(const DebugTarget& target, const std::string& name);

// "complete: its 14 STOREs have retired", "3 of 14 STOREs that write it have retired".
struct TensorState {
  bool complete = false;
  std::string text;
};
TensorState StateOf(const DebugTarget& target, const DebugTensor& tensor, uint32_t program,
                    const RunProgress& progress);

// The elements of the tensor, read from device memory.
HostTensor ValueOf(const DebugTensor& tensor, const RunProgress& progress);

// The elements of |tensor| within |ranges|, one line a row of the last dimension. |ranges| has one
// range for each dimension; a missing range means the whole dimension.
//   errors  kInvalidArgument  too many ranges, or those of RangeOf
//           kOutOfRange       more elements than the debugger prints at once
Result<std::string> TensorText(const std::string& name, const HostTensor& tensor,
                               const std::vector<std::string>& ranges);

// How |ours|, computed by |device|, differs from the host's tensor. |equal|: no element differs.
struct TensorDiff {
  bool equal = false;
  std::string text;
};
TensorDiff DiffTensors(const HostTensor& ours, const HostTensor& host, const std::string& device);

}  // namespace tessera::sim

#endif  // TESSERA_SIM_DEBUG_TENSORS_H_
