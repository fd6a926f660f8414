// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: the reader accepts a text as a hand-off file or refuses it; an accepted file
// survives writing.
#include "base/check.h"
#include "runtime/bitstream/hwh.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto design = tessera::ParseHwh({reinterpret_cast<const char*>(data), size});
  if (!design) return 0;
  const auto again = tessera::ParseHwh(tessera::HwhText(*design));
  TESSERA_CHECK(again && tessera::HwhText(*again) == tessera::HwhText(*design),
                "writing changed the design");
  return 0;
}
