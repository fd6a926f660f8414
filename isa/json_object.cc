// SPDX-License-Identifier: Apache-2.0
#include "isa/json_object.h"

#include <set>
#include <vector>

namespace tessera::isa {

std::string ShownJson(const nlohmann::json& value) {
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).substr(0, 60);
}

Result<nlohmann::json> ParseJsonObject(const std::string& text) {
  std::vector<std::set<std::string>> open;  // keys of the objects that are not closed yet
  std::string twice;
  using Event = nlohmann::json::parse_event_t;
  const auto callback = [&](int, Event event, nlohmann::json& value) {
    if (event == Event::object_start) open.emplace_back();
    if (event == Event::object_end && !open.empty()) open.pop_back();
    if (event == Event::key && !open.empty() &&
        !open.back().insert(value.get<std::string>()).second) {
      twice = value.get<std::string>();
    }
    return true;
  };
  try {
    nlohmann::json json = nlohmann::json::parse(text, callback);
    if (!json.is_object()) return Fail(Code::kInvalidArgument, "it is not a JSON object");
    if (!twice.empty())
      return Fail(Code::kInvalidArgument, "key {} stands there twice", ShownJson(twice));
    return json;
  } catch (const nlohmann::json::exception& e) {
    const std::string what =
        e.what();  // "[json.exception...] parse error at line 1, column 2: ..."
    const size_t bracket = what.find("] ");
    return Fail(Code::kInvalidArgument, "it is not JSON: {}",
                (bracket == std::string::npos ? what : what.substr(bracket + 2)).substr(0, 200));
  }
}

}  // namespace tessera::isa
