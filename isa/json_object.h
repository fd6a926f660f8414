// SPDX-License-Identifier: Apache-2.0
//
// JSON objects from files that people write: configurations (isa/config.h) and boards
// (runtime/board). Depends on: base, nlohmann. Used by: the readers of these files.
#ifndef TESSERA_ISA_JSON_OBJECT_H_
#define TESSERA_ISA_JSON_OBJECT_H_

#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"

namespace tessera::isa {

// Reads |text| as an object. A key that one object repeats is an error: JSON's rule that the last
// one wins would hide a mistake.
//   errors  kInvalidArgument  not JSON, not an object, a repeated key
Result<nlohmann::json> ParseJsonObject(const std::string& text);

// |value| as one short line for a message. Prints no nested values: the nesting may be very deep.
std::string ShownJson(const nlohmann::json& value);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_JSON_OBJECT_H_
