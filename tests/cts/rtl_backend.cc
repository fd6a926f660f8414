// SPDX-License-Identifier: Apache-2.0
#include "tests/cts/cts.h"

namespace tessera::cts {

std::vector<Backend> Backends() {
  return {{.driver = "rtl", .config = "default", .clock = true},
          {.driver = "rtl", .config = "tiny", .clock = true},
          {.driver = "rtl", .config = "wide", .clock = true},
          {.driver = "rtl", .config = "batch4", .clock = true}};
}

}  // namespace tessera::cts
