// SPDX-License-Identifier: Apache-2.0
//
// Gzip-compressed JSON and bytes in hexadecimal, as models/*/ write them. Tests only.
#ifndef TESSERA_TESTS_MODELS_PACKED_JSON_H_
#define TESSERA_TESTS_MODELS_PACKED_JSON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "nlohmann/json.hpp"

namespace tessera::test {

//   errors  kNotFound  no such file
//           kDataLoss  not gzip, or not JSON
Result<nlohmann::json> ReadPackedJson(const std::string& path);

// "00ff" as {0, 255}; nothing for a text that is not hexadecimal.
std::optional<std::vector<uint8_t>> FromHex(const std::string& text);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_MODELS_PACKED_JSON_H_
