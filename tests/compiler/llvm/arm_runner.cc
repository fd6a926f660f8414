// SPDX-License-Identifier: Apache-2.0
//
// arm_runner FILE: does the call of the file (call_file.h) and writes the buffers back into it.
// Cross-built for the processors of boards, with the loader of host code and nothing else.
#include <cstdio>

#include "tests/compiler/llvm/call_file.h"

int main(int argc, char** argv) {
  using namespace tessera;  // NOLINT: a program of one function
  if (argc != 2) return 2;
  auto parts = test::ReadParts(argv[1]);
  if (!parts || parts->size() < 2) return 2;
  const std::string symbol((*parts)[1].begin(), (*parts)[1].end());
  const std::span buffers = std::span(*parts).subspan(2);
  Status status = test::CallHere((*parts)[0], symbol, buffers);
  if (status) status = test::WriteParts(argv[1], buffers);
  if (status) return 0;
  std::fprintf(stderr, "arm_runner: %s\n", status.error().message.c_str());
  return 1;
}
