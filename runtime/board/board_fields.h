// SPDX-License-Identifier: Apache-2.0
//
// Takes each field of a JSON object once; a key that is left is unknown. Depends on:
// isa/json_object.h. Used by: board.cc.
#ifndef TESSERA_RUNTIME_BOARD_BOARD_FIELDS_H_
#define TESSERA_RUNTIME_BOARD_BOARD_FIELDS_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"

namespace tessera {

class BoardFields {
 public:
  //   errors  as isa::ParseJsonObject
  static Result<BoardFields> Parse(const std::string& text);

  bool Has(const std::string& key) const { return json_.contains(key); }

  // errors of all: kInvalidArgument  the key is missing or its value has another type
  //                kOutOfRange       the number is negative or has more than 63 bits
  Status Take(const std::string& key, std::string& value);
  Status Take(const std::string& key, uint64_t& value);
  Status Take(const std::string& key, int64_t& value);
  Status Take(const std::string& key, double& value);
  Status TakeHex(const std::string& key, uint64_t& value);        // "0x43c00000"
  Status TakeOrNull(const std::string& key, std::string& value);  // null: ""
  Result<BoardFields> TakeObject(const std::string& key);

  //   errors  kInvalidArgument  a key was not taken
  Status NothingLeft() const;

 private:
  explicit BoardFields(nlohmann::json json) : json_(std::move(json)) {}
  Result<nlohmann::json> Remove(const std::string& key);
  nlohmann::json json_;
};

}  // namespace tessera

#endif  // TESSERA_RUNTIME_BOARD_BOARD_FIELDS_H_
