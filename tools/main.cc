// SPDX-License-Identifier: Apache-2.0
//
// The `tessera` command: picks the verb, prints errors, sets the exit code.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>

#include "tools/verb.h"

namespace {

// A failed TESSERA_CHECK has printed its place; the exit code says "internal".
extern "C" void OnAbort(int) { _exit(tessera::tools::kExitInternal); }

}  // namespace

int main(int argc, char** argv) {
  using namespace tessera::tools;  // NOLINT: this file is nothing but these names
  std::signal(SIGABRT, OnAbort);

  CLI::App app{
      "Tessera: compile networks for a tensor accelerator, run them on its models, compare, "
      "inspect.",
      "tessera"};
  app.set_version_flag("--version", "tessera " TESSERA_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 ok, 1 the answer is no, 2 bad use or bad input, 3 internal error.\n"
      "Example: tessera compare models/fashion/fashion_int8.onnx --devices cpu,func,rtl --input "
      "IMAGES.idx.gz --first 4");

  std::map<std::string, Action> verbs;
  verbs["compile"] = AddCompile(app);
  verbs["run"] = AddRun(app);
  verbs["compare"] = AddCompare(app);
  verbs["asm"] = AddAsm(app);
  verbs["disasm"] = AddDisasm(app);
  verbs["check"] = AddCheck(app);
  verbs["config"] = AddConfig(app);
  verbs["info"] = AddInfo(app);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitBad;
  }
  try {
    const tessera::Result<int> code = verbs.at(app.get_subcommands()[0]->get_name())();
    if (!code) {
      std::fprintf(stderr, "tessera: %s\n", code.error().message.c_str());
      return kExitBad;
    }
    return *code;
  } catch (const std::exception&
               error) {  // only the standard library throws: out of memory and the like
    std::fprintf(stderr, "tessera: internal error: %s\n", error.what());
    return kExitInternal;
  }
}
