// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: the reader accepts bytes as a dump of a failed run or refuses them; an accepted dump
// is read back the same. The valid checksum replaces the last eight bytes, because mutations would
// hardly find it.
#include <vector>

#include "base/check.h"
#include "sim/debug/dump.h"
#include "tests/fuzz/sealed.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tessera;  // NOLINT: one function
  const std::vector<uint8_t> bytes = test::Sealed(data, size);
  const auto dump = sim::ParseDump(bytes);
  if (!dump) return 0;
  const auto again = sim::ParseDump(sim::SerializeDump(*dump));
  TESSERA_CHECK(again && *again == *dump, "writing what was read gives another dump");
  return 0;
}
