// SPDX-License-Identifier: Apache-2.0
//
// Records of searches: text, one JSON object a line, a line a trial or a choice. Depends on:
// task.h, history.h. Used by: record_log.h, searches, the command.
//
//   {"layer":"9c..","space":"01..","target":"accelerator","config":"default","config_hash":"..",
//    "isa":"..","steps":"..","name":"conv_2d_0","picks":{"channels":4,"rows":13},"cycles":2909}
//
// Hashes are 16 hexadecimal digits. A trial that failed has "failed" (FailedTrial::cause) and
// "message" instead of "cycles". A choice also has "network": it was the best for the whole
// network, and "cycles" are the network's. A record of the host has "processor" instead of "isa",
// and "ns" instead of "cycles": nanoseconds of the layer, of a choice too.
#ifndef TESSERA_COMPILER_TUNE_RECORD_H_
#define TESSERA_COMPILER_TUNE_RECORD_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "compiler/tune/history.h"
#include "compiler/tune/task.h"

namespace tessera::tune {

struct Record {
  TaskKey key;
  std::string name;  // of a layer with that key, for people
  std::map<std::string, schedule::Choice> picks;
  std::optional<uint64_t> cycles;   // of the host: nanoseconds
  std::string cause, message;       // of a trial without cycles
  std::optional<uint64_t> network;  // of a choice: the checksum of the model's file
};

// What the costs of records for |target| count: "cycles", "ns".
const char* UnitOf(const std::string& target);

Record RecordOf(const Task& task, const Trial& trial);

// With a line feed at its end.
std::string Print(const Record& record);
//   errors  kInvalidArgument  not JSON, or a key is missing; the message names it
Result<Record> ParseRecord(const std::string& line);

// Records without duplicates.
class RecordSet {
 public:
  // Adds |record|. Of two records about the same point the one with cycles stays, otherwise the
  // later one. Of two choices for the same layer and network the later one stays.
  void Add(Record record);
  const std::vector<Record>& all() const { return records_; }
  // The trials of |key|.
  std::vector<const Record*> TrialsOf(const TaskKey& key) const;
  // The record to use for |key|: the choice for |network|, else the last choice for any network,
  // else the trial with the fewest cycles; null: no record of |key| has cycles.
  const Record* BestOf(const TaskKey& key, uint64_t network) const;
  // The first record of the same layer for another machine or version, for a message; null: none.
  const Record* ForAnother(const TaskKey& key) const;

 private:
  std::vector<Record> records_;
  std::map<std::string, size_t> index_;
};

// The contents of a file of records.
struct RecordFile {
  RecordSet records;
  std::vector<std::string> problems;  // "records.jsonl:7: ...", one for each damaged line
};

// Reads the records of |text|, the contents of |file|. Reports a damaged line by its number and
// leaves it out: the lines do not depend on each other, and the trials after it took time to
// measure. A last line without a line feed is the remains of a killed search and is left out too.
RecordFile ParseRecords(const std::string& text, const std::string& file);
//   errors  those of ReadFile
Result<RecordFile> ReadRecords(const std::string& path);

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_RECORD_H_
