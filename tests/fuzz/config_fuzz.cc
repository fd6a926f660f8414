// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: the reader accepts a text as a configuration or refuses it in one line; an accepted
// configuration survives JSON.
#include <string>

#include "base/check.h"
#include "isa/config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tessera;  // NOLINT: one function
  const auto config =
      isa::ParseConfig(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
  if (!config) {
    TESSERA_CHECK(config.error().message.find('\n') == std::string::npos, "a message has one line");
    return 0;
  }
  const auto again = isa::ParseConfig(isa::ConfigToJson(*config), "unused");
  TESSERA_CHECK(again && *again == *config, "JSON changed the configuration");
  return 0;
}
