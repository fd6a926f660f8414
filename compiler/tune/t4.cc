// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/t4.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/error.h"
#include "compiler/schedule/step.h"
#include "compiler/tune/time_measure.h"

namespace tessera::tune {
namespace {

using nlohmann::ordered_json;

constexpr const char* kT4Version = "1.0.0";

// The members |names| of |line| that it has.
ordered_json MembersOf(const ordered_json& line, std::initializer_list<const char*> names) {
  ordered_json made = ordered_json::object();
  for (const char* name : names) {
    if (line.contains(name)) made[name] = line[name];
  }
  return made;
}

// |record| as a result; |line| is the same as JSON.
ordered_json ResultOf(const Record& record, const ordered_json& line) {
  ordered_json result{{"configuration", ordered_json::object()},
                      {"times", ordered_json::object()},
                      {"invalidity", record.cycles ? "correct" : InvalidityOf(record.cause)},
                      {"correctness", record.cycles ? 1 : 0}};
  for (const auto& [name, pick] : record.picks) {
    // Words as one text: readers of the format compare values, and lists are none to many of them.
    if (pick.words.empty()) {
      result["configuration"][name] = pick.number;
    } else {
      result["configuration"][name] = schedule::Print(pick);
    }
  }
  const std::string unit = UnitOf(record.key.target);
  const std::string measured = unit == "ns" ? "time" : unit;
  result["objectives"] = ordered_json::array({measured});
  if (record.cycles) {
    const ordered_json measurement{{"name", measured}, {"value", *record.cycles}, {"unit", unit}};
    result["measurements"] = ordered_json::array({measurement});
  }
  result["task"] = MembersOf(line, {"name", "layer", "space", "target", "config", "config_hash",
                                    "isa", "processor", "steps"});
  result.update(MembersOf(line, {"failed", "message"}));
  return result;
}

}  // namespace

const char* InvalidityOf(const std::string& cause) {
  static const std::array<std::pair<std::string, const char*>, 7> kWords{{
      {kTooLong, "timeout"},
      {kWrongResult, "correctness"},
      {CodeName(Code::kDataLoss), "correctness"},
      {CodeName(Code::kInvalidArgument), "constraints"},
      {CodeName(Code::kOutOfRange), "constraints"},
      {CodeName(Code::kUnsupported), "compile"},
      {CodeName(Code::kNotFound), "compile"},
  }};
  const auto* found = std::ranges::find(kWords, cause, [](const auto& row) { return row.first; });
  return found != kWords.end() ? found->second : "runtime";
}

std::string T4Of(const RecordSet& records) {
  ordered_json machines = ordered_json::array(), results = ordered_json::array();
  for (const Record& record : records.all()) {
    if (record.network) continue;
    const ordered_json line = ordered_json::parse(Print(record));
    results.push_back(ResultOf(record, line));
    ordered_json machine = MembersOf(line, {"config", "config_hash", "isa", "processor"});
    if (std::ranges::find(machines, machine) == machines.end())
      machines.push_back(std::move(machine));
  }
  const ordered_json document{{"schema_version", kT4Version},
                              {"metadata", {{"hardware", {{"hardware_description", machines}}}}},
                              {"results", results}};
  return document.dump(2, ' ', true) + "\n";
}

}  // namespace tessera::tune
