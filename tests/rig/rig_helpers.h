// SPDX-License-Identifier: Apache-2.0
//
// Helpers of the rig's tests.
#ifndef TESSERA_TESTS_RIG_RIG_HELPERS_H_
#define TESSERA_TESTS_RIG_RIG_HELPERS_H_

#include <gtest/gtest.h>

#include <memory>
#include <string_view>

#include "sim/func/func_device.h"
#include "sim/rig/rig.h"
#include "sim/rig/run_image.h"

namespace tessera::rig {

inline isa::Config Named(std::string_view name) {
  for (const isa::Config& config : isa::NamedConfigs()) {
    if (config.name == name) return config;
  }
  return {};
}

inline std::unique_ptr<Device> Func(const isa::Config& config, uint64_t schedule_seed) {
  return std::move(
      *sim::MakeFuncDevice(config, {.memory_bytes = 1 << 20, .schedule_seed = schedule_seed}));
}

}  // namespace tessera::rig

#endif  // TESSERA_TESTS_RIG_RIG_HELPERS_H_
