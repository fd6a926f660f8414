// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: the reader accepts bytes as an xclbin or refuses them; an accepted file is written
// and read back the same, and the search for a kernel in it ends.
#include "base/check.h"
#include "runtime/xclbin/machine.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tessera::xclbin;  // NOLINT: one function
  const auto file = ReadContainer({data, size}, "input");
  if (!file) return 0;
  const auto again = ReadContainer(WriteContainer(*file), "again");
  TESSERA_CHECK(again && *again == *file, "writing what was read gives another file");
  (void)FindKernel(*file, kKernelName, "input");
  return 0;
}
