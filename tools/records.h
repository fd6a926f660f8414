// SPDX-License-Identifier: Apache-2.0
//
// Records of searches for `tessera compile --records`: which layers have one, and the schedules
// that they say. Depends on: compiler/tune. Used by: compile.
#ifndef TESSERA_TOOLS_RECORDS_H_
#define TESSERA_TOOLS_RECORDS_H_

#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/driver/compile.h"

namespace tessera::tools {

// Of the layers of a target: how many there are, how many have a record.
struct RecordCount {
  int64_t found = 0, layers = 0;
};

// What records did for a network.
struct UsedRecords {
  std::vector<std::string> lines;     // for readers: a line a layer
  std::vector<std::string> warnings;  // damaged lines; records of another machine or version
  // By what runs the layers, "the host": those that were looked at.
  std::vector<std::pair<std::string, RecordCount>> counts;
};

// Adds to |options->schedules| what the records in |file| say of the layers of |graph| on the
// targets; a layer that has a schedule there already keeps it. Of several targets only those are
// looked at of which the file has records; if it has of none, all.
//   errors  those of ReadRecords and Compile
Result<UsedRecords> UseRecords(const std::string& file, const graph::Graph& graph,
                               const std::string& model, uint64_t model_crc,
                               compiler::CompileOptions* options);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_RECORDS_H_
