// SPDX-License-Identifier: Apache-2.0
//
// isa_gen sv [--config NAME|FILE]    prints the SystemVerilog package of a configuration
// Exit status: 0, or 2 for bad use and configurations that are refused.
#include <cstdio>
#include <string>
#include <vector>

#include "isa/config.h"
#include "isa/gen/sv_package.h"

namespace {

constexpr const char* kUsage = "usage: isa_gen sv [--config NAME|FILE.json]\n";

int BadUse(const std::string& message) {
  std::fprintf(stderr, "isa_gen: %s\n%s", message.c_str(), kUsage);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.empty()) return BadUse("say what to print");
  std::string config_name = "default";
  for (size_t i = 1; i < args.size(); ++i) {
    if (args[i] != "--config" || i + 1 == args.size()) return BadUse("unknown argument " + args[i]);
    config_name = args[++i];
  }
  const auto config = tessera::isa::LoadConfig(config_name);
  if (!config) return BadUse(config.error().message);
  if (args[0] != "sv") return BadUse("cannot print " + args[0]);
  std::fputs(tessera::isa::PrintSvPackage(*config).c_str(), stdout);
  return 0;
}
