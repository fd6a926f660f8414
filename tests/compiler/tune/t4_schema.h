// SPDX-License-Identifier: Apache-2.0
//
// What the schemas of T4 documents ask for, version 1.0.0: results-schema.json and
// metadata-schema.json of github.com/odgaard/TuningSchema, branch T4, written out as checks.
#ifndef TESSERA_TESTS_COMPILER_TUNE_T4_SCHEMA_H_
#define TESSERA_TESTS_COMPILER_TUNE_T4_SCHEMA_H_

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

namespace tessera::test {

// What is wrong with one of the results; "": nothing.
inline std::string T4ResultProblem(const nlohmann::json& result) {
  if (!result.is_object()) return "a result is no object";
  for (const char* name : {"configuration", "times", "invalidity", "correctness"}) {
    if (!result.contains(name)) return std::string("no \"") + name + "\"";
  }
  const auto wrong = [&](const char* name, bool (nlohmann::json::*is)() const) {
    return result.contains(name) && !(result.at(name).*is)();
  };
  using Json = nlohmann::json;
  if (wrong("timestamp", &Json::is_string)) return "\"timestamp\" is no text";
  if (wrong("configuration", &Json::is_object)) return "\"configuration\" is no object";
  if (wrong("objectives", &Json::is_array)) return "\"objectives\" is no list";
  if (wrong("times", &Json::is_object)) return "\"times\" is no object";
  if (wrong("correctness", &Json::is_number)) return "\"correctness\" is no number";
  if (wrong("measurements", &Json::is_array)) return "\"measurements\" is no list";
  for (const auto& [name, time] : result.at("times").items()) {
    if (name == "runtimes" ? !time.is_array() : !time.is_number()) return "times: " + name;
  }
  const Json words{"timeout", "compile", "runtime", "correctness", "constraints", "correct"};
  if (std::ranges::find(words, result.at("invalidity")) == words.end())
    return "\"invalidity\" is " + result.at("invalidity").dump();
  for (const Json& measurement : result.value("measurements", Json::array())) {
    if (!measurement.is_object() || !measurement.at("name").is_string() ||
        !measurement.at("value").is_number() || !measurement.at("unit").is_string())
      return "a measurement is " + measurement.dump();
  }
  return "";
}

// What is wrong with |document|; "": nothing.
inline std::string T4Problem(const nlohmann::json& document) {
  if (!document.is_object()) return "no object";
  static const std::regex version("[0-9]+.[0-9]+.[0-9]+");
  if (!std::regex_match(document.value("schema_version", ""), version)) return "schema_version";
  const nlohmann::json& hardware = document.at("metadata").at("hardware");
  if (!hardware.is_object() || !hardware.at("hardware_description").is_array()) return "metadata";
  if (!document.at("results").is_array()) return "\"results\" is no list";
  for (const nlohmann::json& result : document.at("results")) {
    const std::string problem = T4ResultProblem(result);
    if (!problem.empty()) return problem + ": " + result.dump();
  }
  return "";
}

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_TUNE_T4_SCHEMA_H_
