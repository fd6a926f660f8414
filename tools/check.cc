// SPDX-License-Identifier: Apache-2.0
//
// tessera check: finds errors in a program before it runs.
#include "isa/check/check.h"

#include <cstdio>
#include <memory>

#include "tools/output.h"
#include "tools/program_file.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

struct CheckFlags {
  std::string input, config, json;
};

// Prints the diagnostics of |image| and adds them to |json|; true if there are none.
Result<bool> CheckOne(const isa::ProgramImage& image, const CheckFlags& options,
                      nlohmann::ordered_json& json) {
  TESSERA_ASSIGN(const isa::Config config,
                 isa::LoadConfig(!options.config.empty()     ? options.config
                                 : image.config_name.empty() ? "default"
                                                             : image.config_name));
  if (const Status match = isa::CheckImageMatches(image, config); !match)
    return Within(options.input, match.error());
  const isa::CheckReport report = isa::CheckProgram(image, config);
  if (options.json != "-") std::fputs(report.ToString().c_str(), stdout);
  json["instructions"] = json["instructions"].get<int64_t>() + image.insn_count();
  for (const isa::Diagnostic& d : report.diagnostics) {
    json["diagnostics"].push_back({{"finding", std::string(Text(d.finding))},
                                   {"warning", d.warning},
                                   {"instructions", d.insns},
                                   {"text", d.text}});
    if (!d.diagnosis) continue;
    nlohmann::ordered_json& entry = json["diagnostics"].back();
    entry["class"] = std::string(isa::Text(d.diagnosis->kind));
    entry["usual_cause"] = std::string(isa::UsualCause(d.diagnosis->kind));
    for (const isa::DiagnosisWait& w : d.diagnosis->waits) {
      nlohmann::ordered_json wait{{"unit", isa::UnitName(w.unit)},
                                  {"instruction", w.insn},
                                  {"partner", isa::UnitName(w.partner)}};
      if (w.giver) wait["giver"] = *w.giver;
      wait["text"] = w.text;
      entry["waits"].push_back(std::move(wait));
    }
  }
  if (options.json != "-") {
    std::printf("%s: %s instructions, configuration %s: %s\n", options.input.c_str(),
                Grouped(image.insn_count()).c_str(), config.name.c_str(),
                report.ok() ? "no errors" : "errors found");
  }
  return report.ok();
}

Result<int> Run(const CheckFlags& options) {
  TESSERA_ASSIGN(const std::vector<isa::ProgramImage> images, ReadPrograms(options.input));
  nlohmann::ordered_json json{
      {"ok", true}, {"instructions", 0}, {"diagnostics", nlohmann::json::array()}};
  bool ok = true;
  for (const isa::ProgramImage& image : images) {
    TESSERA_ASSIGN(const bool fine, CheckOne(image, options, json));
    ok = ok && fine;
  }
  json["ok"] = ok;
  TESSERA_TRY(WriteJson(options.json, json));
  return ok ? kExitOk : kExitNo;
}

}  // namespace

Action AddCheck(CLI::App& app) {
  auto options = std::make_shared<CheckFlags>();
  CLI::App* verb = app.add_subcommand(
      "check", "check a program without running it: tokens, deadlock, races, bounds");
  verb->add_option("input", options->input, "a program image or an artifact (net.tsr)")->required();
  verb->add_option("--config", options->config,
                   "the configuration; default: the one the program names");
  verb->add_option(
      "--json", options->json,
      "write {ok, instructions, diagnostics[]} to this file; a deadlock, a race or what is out "
      "of bounds has its class, usual cause and waits");
  verb->footer("Example: tessera check net.tsr\nExits with 1 when there are errors.");
  return [options] { return Run(*options); };
}

}  // namespace tessera::tools
