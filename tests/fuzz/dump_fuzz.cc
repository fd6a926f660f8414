// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: any bytes are a dump of a failed run or are refused; what is accepted is read back
// the same. The last eight bytes are replaced by the right checksum, which mutations would hardly
// find.
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
