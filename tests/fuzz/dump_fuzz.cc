// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: any bytes are a dump of a failed run or are refused; what is accepted is read back
// the same. The last eight bytes are replaced by the right checksum, which mutations would hardly
// find.
#include <cstring>
#include <vector>

#include "base/check.h"
#include "base/hash.h"
#include "sim/debug/dump.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tessera;  // NOLINT: one function
  std::vector<uint8_t> bytes(data, data + size);
  if (size >= 8) {
    const uint64_t crc = Crc64(std::span(bytes).first(size - 8));
    std::memcpy(bytes.data() + size - 8, &crc, 8);
  }
  const auto dump = sim::ParseDump(bytes);
  if (!dump) return 0;
  const auto again = sim::ParseDump(sim::SerializeDump(*dump));
  TESSERA_CHECK(again && *again == *dump, "writing what was read gives another dump");
  return 0;
}
