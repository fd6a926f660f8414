// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/record.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "compiler/schedule/trace_file.h"

namespace tessera::tune {
namespace {

using Json = nlohmann::ordered_json;

std::string Hex(uint64_t value) { return fmt::format("{:016x}", value); }

// Reads the members of one record; keeps the first problem.
class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {}

  std::string Text(const char* name) {
    const auto member = json_.find(name);
    if (member != json_.end() && member->is_string()) return member->get<std::string>();
    Problem(name, "a text");
    return "";
  }
  uint64_t Hash(const char* name) {
    const std::string text = Text(name);
    const auto value = NumberIn<uint64_t>(text, 16);
    if (!value || text.size() != 16) Problem(name, "16 hexadecimal digits");
    return value.value_or(0);
  }
  uint64_t Number(const char* name) {
    const auto member = json_.find(name);
    if (member != json_.end() && member->is_number_unsigned()) return member->get<uint64_t>();
    Problem(name, "a whole number from 0 on");
    return 0;
  }
  std::map<std::string, schedule::Choice> Picks() {
    std::map<std::string, schedule::Choice> picks;
    const auto member = json_.find("picks");
    if (member == json_.end() || !member->is_object()) {
      Problem("picks", "an object");
      return picks;
    }
    for (const auto& [name, value] : member->items()) {
      schedule::Choice& pick = picks[name];
      bool good = value.is_number_integer() || value.is_array();
      if (value.is_number_integer()) pick.number = value.get<int64_t>();
      for (size_t k = 0; value.is_array() && good && k < value.size(); ++k) {
        good = value[k].is_string();
        if (good) pick.words.push_back(value[k].get<std::string>());
      }
      if (!good) Problem("picks", "numbers and lists of words");
    }
    return picks;
  }
  bool Has(const char* name) const { return json_.contains(name); }
  const std::string& problem() const { return problem_; }

 private:
  void Problem(const char* name, const char* wanted) {
    if (problem_.empty()) problem_ = fmt::format("\"{}\" has to be {}", name, wanted);
  }
  const Json& json_;
  std::string problem_;
};

// Text that is equal for records about the same point, or the same choice.
std::string Identity(const Record& record) {
  const TaskKey& k = record.key;
  std::string id = fmt::format("{:x} {:x} {} {:x} {:x} {:x} {}", k.layer, k.space, k.target,
                               k.config_hash, k.isa, k.steps, k.processor);
  if (record.network) return id + fmt::format(" network {:x}", *record.network);
  for (const auto& [name, pick] : record.picks) id += " " + name + "=" + schedule::Print(pick);
  return id;
}

// Whether records of |target| are times of a processor, not cycles of the accelerator.
bool IsTimed(const std::string& target) {
  return target != schedule::kAcceleratorTrace && target != schedule::kNetworkTrace;
}

}  // namespace

const char* UnitOf(const std::string& target) { return IsTimed(target) ? "ns" : "cycles"; }

Record RecordOf(const Task& task, const Trial& trial) {
  Record record{.key = task.key,
                .name = task.name,
                .cycles = trial.cycles,
                .cause = trial.cause,
                .message = trial.message};
  const std::vector<Knob>& knobs = task.space->knobs();
  for (size_t k = 0; k < knobs.size(); ++k) record.picks[knobs[k].name] = trial.point.picks[k];
  return record;
}

std::string Print(const Record& record) {
  const TaskKey& key = record.key;
  Json json{{"layer", Hex(key.layer)},
            {"space", Hex(key.space)},
            {"target", key.target},
            {"config", key.config},
            {"config_hash", Hex(key.config_hash)}};
  if (IsTimed(key.target)) {
    json["processor"] = key.processor;
  } else {
    json["isa"] = Hex(key.isa);
  }
  json["steps"] = Hex(key.steps);
  json["name"] = record.name;
  if (record.network) json["network"] = Hex(*record.network);
  json["picks"] = Json::object();
  for (const auto& [name, pick] : record.picks) {
    if (pick.words.empty()) {
      json["picks"][name] = pick.number;
    } else {
      json["picks"][name] = pick.words;
    }
  }
  if (record.cycles) {
    json[UnitOf(key.target)] = *record.cycles;
  } else {
    json["failed"] = record.cause;
    json["message"] = record.message;
  }
  return json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

Result<Record> ParseRecord(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  if (json.is_discarded() || !json.is_object())
    return Fail(Code::kInvalidArgument, "not a JSON object; delete the line");
  Reader reader(json);
  Record record;
  record.key = {.layer = reader.Hash("layer"),
                .space = reader.Hash("space"),
                .target = reader.Text("target"),
                .config = reader.Text("config"),
                .config_hash = reader.Hash("config_hash"),
                .steps = reader.Hash("steps")};
  if (IsTimed(record.key.target)) {
    record.key.processor = reader.Text("processor");
  } else {
    record.key.isa = reader.Hash("isa");
  }
  record.name = reader.Text("name");
  record.picks = reader.Picks();
  if (reader.Has("network")) record.network = reader.Hash("network");
  const char* unit = UnitOf(record.key.target);
  if (reader.Has(unit)) {
    record.cycles = reader.Number(unit);
  } else {
    record.cause = reader.Text("failed");
    record.message = reader.Text("message");
  }
  if (reader.problem().empty()) return record;
  return Fail(Code::kInvalidArgument, "{}; delete the line", reader.problem());
}

void RecordSet::Add(Record record) {
  const auto [known, added] = index_.emplace(Identity(record), records_.size());
  if (added) {
    records_.push_back(std::move(record));
  } else if (record.network) {
    // A choice goes behind those that were made before it.
    const size_t old = known->second;
    records_.erase(records_.begin() + static_cast<ptrdiff_t>(old));
    for (auto& [identity, at] : index_) at -= at > old ? 1 : 0;
    known->second = records_.size();
    records_.push_back(std::move(record));
  } else if (record.cycles || !records_[known->second].cycles) {
    records_[known->second] = std::move(record);
  }
}

std::vector<const Record*> RecordSet::TrialsOf(const TaskKey& key) const {
  std::vector<const Record*> trials;
  for (const Record& record : records_) {
    if (!record.network && record.key == key) trials.push_back(&record);
  }
  return trials;
}

const Record* RecordSet::BestOf(const TaskKey& key, uint64_t network) const {
  const Record *chosen = nullptr, *best = nullptr;
  for (const Record& record : records_) {
    if (record.key != key || !record.cycles) continue;
    if (record.network == network) return &record;
    if (record.network) chosen = &record;
    if (!record.network && (best == nullptr || *record.cycles < *best->cycles)) best = &record;
  }
  return chosen != nullptr ? chosen : best;
}

const Record* RecordSet::ForAnother(const TaskKey& key) const {
  for (const Record& record : records_) {
    if (record.key.layer == key.layer && record.key.target == key.target && record.key != key)
      return &record;
  }
  return nullptr;
}

RecordFile ParseRecords(const std::string& text, const std::string& file) {
  RecordFile made;
  size_t number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    ++number;
    if (end == std::string::npos) {
      made.problems.push_back(fmt::format(
          "{}:{}: the last line has no end, as a search that was killed leaves it; it is left out",
          file, number));
      break;
    }
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.empty()) continue;
    auto record = ParseRecord(line);
    if (record) {
      made.records.Add(std::move(*record));
    } else {
      made.problems.push_back(
          fmt::format("{}:{}: {}; the other lines are used", file, number, record.error().message));
    }
  }
  return made;
}

Result<RecordFile> ReadRecords(const std::string& path) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
  return ParseRecords({bytes.begin(), bytes.end()}, path);
}

}  // namespace tessera::tune
