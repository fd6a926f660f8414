// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: the reader accepts a text as a description of a board or refuses it; an accepted
// description survives JSON.
#include "base/check.h"
#include "runtime/board/board.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto board = tessera::ParseBoard(std::string(reinterpret_cast<const char*>(data), size));
  if (!board) return 0;
  const auto again = tessera::ParseBoard(tessera::BoardToJson(*board));
  TESSERA_CHECK(again && tessera::BoardToJson(*again) == tessera::BoardToJson(*board),
                "JSON changed the board");
  return 0;
}
