// SPDX-License-Identifier: Apache-2.0
#include "tests/cts/cts.h"

namespace tessera::cts {

std::vector<Backend> Backends() {
  return {{.driver = "func", .config = "default"},
          {.driver = "func", .config = "tiny"},
          {.driver = "func", .config = "wide"},
          {.driver = "func", .config = "batch4"}};
}

}  // namespace tessera::cts
