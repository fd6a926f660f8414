// SPDX-License-Identifier: Apache-2.0
//
// isa_gen sv [--config NAME|FILE]    prints the SystemVerilog package of a configuration
// isa_gen hls [--config NAME|FILE]   prints the HLS twin's header of a configuration
// isa_gen doc                        prints docs/isa.md
// Exit status: 0, or 2 for wrong use or a rejected configuration.
#include <cstdio>
#include <string>
#include <vector>

#include "isa/config.h"
#include "isa/gen/hls_header.h"
#include "isa/gen/isa_doc.h"
#include "isa/gen/sv_package.h"

namespace {

constexpr const char* kUsage =
    "usage: isa_gen sv|hls [--config NAME|FILE.json]\n       isa_gen doc\n";

int BadUse(const std::string& message) {
  std::fprintf(stderr, "isa_gen: %s\n%s", message.c_str(), kUsage);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args == std::vector<std::string>{"doc"}) {
    std::fputs(tessera::isa::PrintIsaDoc().c_str(), stdout);
    return 0;
  }
  if (args.empty() || (args[0] != "sv" && args[0] != "hls")) return BadUse("say what to print");
  std::string config_name = "default";
  if (args.size() == 3 && args[1] == "--config") {
    config_name = args[2];
  } else if (args.size() != 1) {
    return BadUse(args[0] + " takes --config and a configuration");
  }
  const auto config = tessera::isa::LoadConfig(config_name);
  if (!config) return BadUse(config.error().message);
  const std::string text = args[0] == "sv" ? tessera::isa::PrintSvPackage(*config)
                                           : tessera::isa::PrintHlsHeader(*config);
  std::fputs(text.c_str(), stdout);
  return 0;
}
