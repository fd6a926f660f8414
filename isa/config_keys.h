// SPDX-License-Identifier: Apache-2.0
//
// The keys of a configuration file whose values are whole numbers, ours alone. Depends on:
// config.h. Used by: config_json.cc, explore (the parameters of a space of machines).
#ifndef TESSERA_ISA_CONFIG_KEYS_H_
#define TESSERA_ISA_CONFIG_KEYS_H_

#include <cstdint>
#include <span>

#include "isa/config.h"

namespace tessera::isa {

// A value in a file times |unit| is the number that |field| gets. Key block stands for block_in
// too.
struct ConfigKey {
  const char* key;
  int64_t Config::*field;
  int64_t unit;
};

// In the order of ConfigToJson.
std::span<const ConfigKey> ConfigKeys();

}  // namespace tessera::isa

#endif  // TESSERA_ISA_CONFIG_KEYS_H_
