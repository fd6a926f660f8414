// SPDX-License-Identifier: Apache-2.0
//
// A JSON object out of a file that a person wrote: configurations (isa/config.h) and boards
// (runtime/board). Depends on: base, nlohmann. Used by: their readers.
#ifndef TESSERA_ISA_JSON_OBJECT_H_
#define TESSERA_ISA_JSON_OBJECT_H_

#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"

namespace tessera::isa {

// |text| as an object; a key that stands in one object twice is refused, as JSON's own
// last-one-wins would hide a mistake.
//   errors  kInvalidArgument  not JSON, not an object, a repeated key
Result<nlohmann::json> ParseJsonObject(const std::string& text);

// |value| for a message: one short line. What is nested is not printed: it may be nested very
// deeply.
std::string ShownJson(const nlohmann::json& value);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_JSON_OBJECT_H_
