// SPDX-License-Identifier: Apache-2.0
//
// `tessera run --accelerators N` and `compare --accelerators N`: N devices of one kind, each with a
// share of the items. Depends on: network.h. Used by: run.cc, compare.cc, compare_sides.h.
#ifndef TESSERA_TOOLS_RUN_SHARES_H_
#define TESSERA_TOOLS_RUN_SHARES_H_

#include <span>
#include <vector>

#include "base/error.h"
#include "runtime/executor/executor.h"
#include "tools/network.h"

namespace tessera::tools {

// Adds option --accelerators to a verb that runs items. |count| stays 1 without it.
void AddAcceleratorsOption(CLI::App* verb, int& count);

// Whether the driver of |device| has as many devices as are asked for: a simulator.
bool CanBeMany(const ChosenDevice& device);

// Opens |network| on |count| devices |chosen|, for |items| items; no more devices than items.
//   errors  kUnsupported      |count| is more than 1, and the driver has one device
//           kInvalidArgument  the same with a waveform, or with states that pass between items
//           others            those of OpenRunner
Result<std::vector<Runner>> OpenRunners(const LoadedNetwork& network, const ChosenDevice& chosen,
                                        const ExecutorOptions& options, int count, int64_t items);

// Runs |inputs| on |runners| at the same time; each runner takes consecutive items. The results and
// the runs in |report| are in the order of the items. report->done counts the items of all
// runners; if it ends the call, the results end in front of the first item that is missing.
// |first|: the number of the first item, for messages.
//   errors  those of Executor::Run for the first item that fails, with the accelerator and the item
//           if there are several; the others end behind an item. |failed|: the runner that failed
Result<std::vector<HostTensor>> RunShares(std::span<Runner> runners,
                                          std::span<const HostTensor> inputs, int64_t first,
                                          ExecutionReport* report, Runner** failed);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_RUN_SHARES_H_
