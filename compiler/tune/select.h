// SPDX-License-Identifier: Apache-2.0
//
// Selects, from the best points of each layer, those that are best for the network, by the exact
// cycles of all its programs. Depends on: search.h. Used by: the command.
#ifndef TESSERA_COMPILER_TUNE_SELECT_H_
#define TESSERA_COMPILER_TUNE_SELECT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/tune/record.h"
#include "compiler/tune/search.h"

namespace tessera::tune {

// The point of |space| with the picks of |record|; nothing: the space has no such point.
std::optional<Point> PointOf(Space& space, const Record& record);

// The schedules of some layers of a network's programs: by program and region.
using Schedules = std::map<std::pair<size_t, size_t>, schedule::Trace>;

// The cycles of |programs|, one after the other, with |schedules|; the other layers have the
// schedules that the programs have.
//   errors  those of compiler::Evaluate
Result<uint64_t> NetworkCycles(const std::vector<compiler::PlannedProgram>& programs,
                               const isa::Config& config, const Schedules& schedules);

struct Selection {
  uint64_t given = 0, cycles = 0;  // of the network: without records, with the chosen points
  std::vector<Point> chosen;       // by task; the given point if none is better
  int64_t tried = 0;               // networks whose cycles were counted
};

// Tries the best |most| points of each task on the whole network, the task with the largest gain
// first, and keeps those that make the network faster. When |stop| returns true, returns the best
// selection so far.
//   errors  those of NetworkCycles for the network as it is
Result<Selection> SelectForNetwork(const std::vector<compiler::PlannedProgram>& programs,
                                   const isa::Config& config, std::vector<Task>& tasks,
                                   const Search& search, size_t most,
                                   const std::function<bool()>& stop);

// Gives |programs| the network traces that |records| have for them, and plans them again; by
// program whether there was a record. |network|: the checksum of the model's file.
std::vector<bool> ApplyNetworkRecords(std::vector<compiler::PlannedProgram>* programs,
                                      const isa::Config& config, const RecordSet& records,
                                      uint64_t network);

// For each layer of |programs| what |records| say of it.
struct LayerRecord {
  size_t program = 0, region = 0;
  std::string name;
  const Record* record = nullptr;   // null: none
  const Record* another = nullptr;  // without |record|: one for another machine or version
  bool generated = false;           // the record's schedule is the generator's
  schedule::Trace trace;            // otherwise: the record's schedule
};
// A record whose picks the layer's space does not have
// counts as none. |records| outlive what is returned.
std::vector<LayerRecord> ApplyRecords(const std::vector<compiler::PlannedProgram>& programs,
                                      const isa::Config& config, const RecordSet& records,
                                      uint64_t network);
// The same for those of |layers|, of the host or a GPU, that have a choice; region k is layer k.
std::vector<LayerRecord> ApplyRecords(const std::vector<compiler::PlannedHostLayer>& layers,
                                      const RecordSet& records, uint64_t network);
std::vector<LayerRecord> ApplyRecords(const std::vector<compiler::PlannedGpuLayer>& layers,
                                      const RecordSet& records, uint64_t network);

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_SELECT_H_
