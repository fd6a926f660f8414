// SPDX-License-Identifier: Apache-2.0
#include "runtime/board/board_fields.h"

#include <cmath>

#include "base/number.h"
#include "isa/json_object.h"

namespace tessera {

Result<BoardFields> BoardFields::Parse(const std::string& text) {
  TESSERA_ASSIGN(nlohmann::json json, isa::ParseJsonObject(text));
  return BoardFields(std::move(json));
}

Result<nlohmann::json> BoardFields::Remove(const std::string& key) {
  const auto at = json_.find(key);
  if (at == json_.end()) return Fail(Code::kInvalidArgument, "key \"{}\" is missing", key);
  nlohmann::json value = std::move(*at);
  json_.erase(at);
  return value;
}

Status BoardFields::Take(const std::string& key, std::string& value) {
  TESSERA_ASSIGN(const nlohmann::json json, Remove(key));
  if (!json.is_string())
    return Fail(Code::kInvalidArgument, "\"{}\" is {}, it must be a string", key,
                isa::ShownJson(json));
  value = json.get<std::string>();
  return {};
}

Status BoardFields::Take(const std::string& key, uint64_t& value) {
  TESSERA_ASSIGN(const nlohmann::json json, Remove(key));
  if (!json.is_number_integer())
    return Fail(Code::kInvalidArgument, "\"{}\" is {}, it must be a whole number", key,
                isa::ShownJson(json));
  const bool fits =
      json.is_number_unsigned() ? json.get<uint64_t>() <= INT64_MAX : json.get<int64_t>() >= 0;
  if (!fits)
    return Fail(Code::kOutOfRange, "\"{}\" is {}, it can be 0 to 2^63 - 1", key,
                isa::ShownJson(json));
  value = json.get<uint64_t>();
  return {};
}

Status BoardFields::Take(const std::string& key, int64_t& value) {
  uint64_t number = 0;
  TESSERA_TRY(Take(key, number));
  value = static_cast<int64_t>(number);
  return {};
}

Status BoardFields::Take(const std::string& key, double& value) {
  TESSERA_ASSIGN(const nlohmann::json json, Remove(key));
  if (!json.is_number())
    return Fail(Code::kInvalidArgument, "\"{}\" is {}, it must be a number", key,
                isa::ShownJson(json));
  value = json.get<double>();
  if (!std::isfinite(value)) return Fail(Code::kOutOfRange, "\"{}\" is too large", key);
  return {};
}

Status BoardFields::TakeHex(const std::string& key, uint64_t& value) {
  std::string text;
  TESSERA_TRY(Take(key, text));
  const auto number = NumberOrHexIn<uint64_t>(text);
  if (text.starts_with("0x") && number) {
    value = *number;
    return {};
  }
  return Fail(Code::kInvalidArgument, "\"{}\" is \"{}\", it must be like \"0x43c00000\"", key,
              text);
}

Status BoardFields::TakeOrNull(const std::string& key, std::string& value) {
  value.clear();
  if (json_.contains(key) && json_[key].is_null()) {
    json_.erase(key);
    return {};
  }
  TESSERA_TRY(Take(key, value));
  if (value.empty())
    return Fail(Code::kInvalidArgument, "\"{}\" is \"\"; say what proves it, or null", key);
  return {};
}

Result<BoardFields> BoardFields::TakeObject(const std::string& key) {
  TESSERA_ASSIGN(nlohmann::json json, Remove(key));
  if (!json.is_object())
    return Fail(Code::kInvalidArgument, "\"{}\" is {}, it must be an object", key,
                isa::ShownJson(json));
  return BoardFields(std::move(json));
}

Status BoardFields::NothingLeft() const {
  if (json_.empty()) return {};
  return Fail(Code::kInvalidArgument, "unknown key \"{}\"", json_.begin().key());
}

}  // namespace tessera
