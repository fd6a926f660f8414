// SPDX-License-Identifier: Apache-2.0
//
// Records of searches: text, one JSON object a line, a line a trial or a choice. Depends on:
// task.h, history.h. Used by: record_log.h, searches, the command.
//
//   {"layer":"9c..","space":"01..","target":"accelerator","config":"default","config_hash":"..",
//    "isa":"..","steps":"..","name":"conv_2d_0","picks":{"channels":4,"rows":13},"cycles":2909}
//
// Hashes are 16 hexadecimal digits. A trial that failed has "failed" (the name of an error code,
// base/error.h) and "message" instead of "cycles". A choice has "network" besides: it is what was
// best for the whole network, and "cycles" are the network's.
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
  std::string name;  // of a layer with that key, for readers
  std::map<std::string, schedule::Choice> picks;
  std::optional<uint64_t> cycles;
  std::string cause, message;       // without cycles
  std::optional<uint64_t> network;  // a choice: the checksum of the model's file
};

Record RecordOf(const Task& task, const Trial& trial);

// With a line feed at its end.
std::string Print(const Record& record);
//   errors  kInvalidArgument  not JSON, or not the keys above: says what is missing
Result<Record> ParseRecord(const std::string& line);

// Records without duplicates.
class RecordSet {
 public:
  // Adds |record|. Of two about the same point the one with cycles stays; of two choices for the
  // same layer and network, and of two trials that both have cycles, the later one.
  void Add(Record record);
  const std::vector<Record>& all() const { return records_; }
  // The trials of |key|.
  std::vector<const Record*> TrialsOf(const TaskKey& key) const;
  // What to use for |key|: the choice for |network|, else the last choice for any, else the trial
  // with the fewest cycles; null: no record has |key|.
  const Record* BestOf(const TaskKey& key, uint64_t network) const;
  // Records of the same layer for another machine or version: the first one, to be named.
  const Record* ForAnother(const TaskKey& key) const;

 private:
  std::vector<Record> records_;
  std::map<std::string, size_t> index_;
};

// What a file of records has.
struct RecordFile {
  RecordSet records;
  std::vector<std::string> problems;  // "records.jsonl:7: ...", a damaged line each: left out
};

// Reads the records of |text|, which is the file |file|. A damaged line is left out and reported by
// its number: each line stands for itself, and the trials behind it took time to measure. A last
// line without a line feed is what a killed search leaves; it is left out, too.
RecordFile ParseRecords(const std::string& text, const std::string& file);
//   errors  those of ReadFile
Result<RecordFile> ReadRecords(const std::string& path);

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_RECORD_H_
