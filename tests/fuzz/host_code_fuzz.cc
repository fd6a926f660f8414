// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: the loader accepts bytes as host code or refuses them. The target never runs the
// code.
#include "runtime/host/host_code.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto code = tessera::HostCode::Load({data, size});
  if (code) static_cast<void>(code->Find("kernel"));
  return 0;
}
