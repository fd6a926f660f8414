// SPDX-License-Identifier: Apache-2.0
#include "tests/vta/fixture.h"

namespace tessera::vta_test {
const char* DeviceName() { return "hls"; }
}  // namespace tessera::vta_test
