// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: the reader accepts bytes as a .bit file or refuses them; an accepted file can be
// written and converted.
#include "base/check.h"
#include "runtime/bitstream/bit_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = tessera::ParseBit({data, size});
  if (!file) return 0;
  TESSERA_CHECK(file->Bin().size() == file->stream.size(), "the conversion keeps the size");
  const auto again = tessera::ParseBit(file->Bytes());
  TESSERA_CHECK(again && again->stream == file->stream, "writing changed the stream");
  return 0;
}
