// SPDX-License-Identifier: Apache-2.0
//
// The `tessera` command: picks the verb, prints errors in one line, sets the exit code.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "base/text.h"
#include "tools/interrupt.h"
#include "tools/verb.h"

namespace {

// A failed TESSERA_CHECK has printed its place; the exit code says "internal".
extern "C" void OnAbort(int) { _exit(tessera::tools::kExitInternal); }

struct Verb {
  const char* name;
  tessera::tools::Action (*add)(CLI::App&);
};
constexpr Verb kVerbs[] = {
#if !defined(TESSERA_RUNTIME_ONLY)
    {"compile", tessera::tools::AddCompile},   {"regress", tessera::tools::AddRegress},
    {"trace", tessera::tools::AddTrace},       {"debug", tessera::tools::AddDebug},
    {"quantize", tessera::tools::AddQuantize}, {"tune", tessera::tools::AddTune},
    {"place", tessera::tools::AddPlace},       {"explore", tessera::tools::AddExplore},
#endif
    {"run", tessera::tools::AddRun},           {"compare", tessera::tools::AddCompare},
    {"asm", tessera::tools::AddAsm},           {"disasm", tessera::tools::AddDisasm},
    {"check", tessera::tools::AddCheck},       {"config", tessera::tools::AddConfig},
    {"info", tessera::tools::AddInfo},         {"boards", tessera::tools::AddBoards},
    {"flash", tessera::tools::AddFlash},       {"xclbin", tessera::tools::AddXclbin},
    {"devices", tessera::tools::AddDevices},
#if !defined(TESSERA_RUNTIME_ONLY)
    {"serve", tessera::tools::AddServe},
#endif
};

std::string VerbList() {
  std::string list;
  for (const Verb& verb : kVerbs) list += (list.empty() ? "" : ", ") + std::string(verb.name);
  return list;
}

// The error in a command line that does not begin with a verb; "" if it does, or asks for help.
std::string VerbProblem(int argc, char** argv) {
  if (argc < 2) return "no verb; there are " + VerbList() + "; tessera --help describes them";
  const std::string word = argv[1];
  if (word == "-h" || word == "--help" || word == "--version") return "";
  const Verb* nearest = &kVerbs[0];
  for (const Verb& verb : kVerbs) {
    if (word == verb.name) return "";
    if (tessera::EditDistance(word, verb.name) < tessera::EditDistance(word, nearest->name))
      nearest = &verb;
  }
  const bool alike = tessera::EditDistance(word, nearest->name) <= 2;
  return "'" + word + "' is no verb; " +
         (alike ? "did you mean '" + std::string(nearest->name) + "'? " : "") + "there are " +
         VerbList();
}

// "; did you mean --device?" for the first word that |verb| does not know and that resembles an
// option; "" if there is none.
std::string NearestOption(const CLI::App& verb) {
  for (const std::string& word : verb.remaining()) {
    if (!word.starts_with("--")) continue;
    const std::string given = word.substr(0, word.find('='));
    for (const CLI::Option* option : verb.get_options()) {
      for (const std::string& name : option->get_lnames()) {
        if (tessera::EditDistance(given, "--" + name) <= 2) return "; did you mean --" + name + "?";
      }
    }
  }
  return "";
}

// Why not all output arrived; "" if it did.
std::string StandardOutputProblem() {
  const bool lost_before = std::ferror(stdout) != 0;
  errno = 0;
  if (std::fflush(stdout) == 0 && !lost_before) return "";
  return std::string("standard output: cannot write") +
         (errno == 0 ? "" : std::string(": ") + std::strerror(errno));
}

int Refuse(const std::string& message) {
  std::fprintf(stderr, "tessera: %s\n", tessera::Legible(message).c_str());
  return tessera::tools::kExitBad;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tessera::tools;  // NOLINT: this file uses nothing else
  std::signal(SIGABRT, OnAbort);

  CLI::App app{
      "Tessera: compile networks for a tensor accelerator, run them on its models, compare, "
      "inspect.",
      "tessera"};
  app.set_version_flag("--version", "tessera " TESSERA_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 ok, 1 the answer is no, 2 bad use or bad input, 3 internal error, 130 "
      "interrupted.\n"
      "Example: tessera compare models/fashion/fashion_int8.onnx --devices cpu,func,rtl --input "
      "IMAGES.idx.gz --first 4");

  std::vector<Action> actions;
  for (const Verb& verb : kVerbs) actions.push_back(verb.add(app));

  if (const std::string problem = VerbProblem(argc, argv); !problem.empty()) return Refuse(problem);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      app.exit(error);
      std::cout.flush();
      const std::string problem =
          std::cout ? StandardOutputProblem() : "standard output: cannot write";
      return problem.empty() ? kExitOk : Refuse(problem);
    }
    const auto parsed = app.get_subcommands();
    const std::string verb = parsed.empty() ? "" : " " + parsed[0]->get_name();
    return Refuse(std::string(error.what()) + (parsed.empty() ? "" : NearestOption(*parsed[0])) +
                  "; tessera" + verb + " --help lists what it takes");
  }
  const std::string name = app.get_subcommands()[0]->get_name();
  const auto verb = std::ranges::find(kVerbs, name, &Verb::name);
  try {
    const tessera::Result<int> code = actions[static_cast<size_t>(verb - kVerbs)]();
    if (!code) {
      const int refused = Refuse(code.error().message);
      return Interrupted() ? kExitInterrupted : refused;
    }
    const std::string problem = StandardOutputProblem();
    return problem.empty() ? *code : Refuse(problem);
  } catch (const std::exception&
               error) {  // only the standard library throws: out of memory and the like
    Refuse(std::string("internal error: ") + error.what());
    return kExitInternal;
  }
}
