// SPDX-License-Identifier: Apache-2.0
//
// rtl_sources DEPENDENCIES LIST: writes ListSources(DEPENDENCIES) to the file LIST. The build runs
// it.
#include <cstdio>

#include "base/file.h"
#include "sim/rtl/sources.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: rtl_sources DEPENDENCIES LIST\n");
    return 2;
  }
  const tessera::Result<std::string> list = tessera::sim::ListSources(argv[1]);
  const tessera::Status written =
      list ? tessera::WriteFile(argv[2], std::string_view(*list)) : std::unexpected(list.error());
  if (!written) std::fprintf(stderr, "rtl_sources: %s\n", written.error().message.c_str());
  return written ? 0 : 1;
}
