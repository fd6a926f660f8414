// SPDX-License-Identifier: Apache-2.0
#include "tools/run_program.h"

#include <cstdio>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/file.h"
#include "runtime/device/registry.h"
#include "sim/rig/run_image.h"
#include "sim/trace/race_watch.h"
#include "tools/failed_run.h"
#include "tools/output.h"
#include "tools/verb.h"

namespace tessera::tools {

bool IsProgram(const std::string& path) {
  const Result<std::vector<uint8_t>> bytes = ReadFile(path);
  return bytes && isa::LooksLikeImage(*bytes);
}

Result<int> RunProgram(const ProgramFlags& flags, const ChosenDevice& device) {
  if (!device.machine()) {
    return Fail(Code::kInvalidArgument,
                "{}: is a program of the accelerator; --device {} runs networks, give another",
                flags.path, device.name);
  }
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(flags.path));
  const Result<isa::ProgramImage> image = isa::ParseImage(bytes);
  if (!image) return Within(flags.path, image.error());
  TESSERA_ASSIGN(const isa::Config config,
                 isa::LoadConfig(!flags.config.empty()        ? flags.config
                                 : image->config_name.empty() ? "default"
                                                              : image->config_name));
  if (const Status match = isa::CheckImageMatches(*image, config); !match)
    return Within(flags.path, match.error());
  TESSERA_ASSIGN(const std::unique_ptr<Device> opened,
                 OpenDevice(device.name, config, device.options));
  std::optional<sim::RaceWatch> races;
  if (flags.check_races) TESSERA_TRY(opened->SetObserver(&races.emplace(*image, config)));
  const Result<rig::ImageOutcome> ran =
      rig::RunImage(*opened, *image, /*trace=*/false, flags.budget);
  if (!ran) {
    const FailedRun failed{*image, flags.budget, std::filesystem::path(flags.path).filename(), {}};
    return std::unexpected(WithDump(ran.error(), "run", flags.dump_dir, device, config, failed));
  }
  const rig::ImageOutcome& outcome = *ran;
  const std::vector<std::string> lines = races ? races->Lines() : std::vector<std::string>{};
  std::string text = fmt::format("{} on {}: {} instructions", flags.path, device.name,
                                 Grouped(static_cast<int64_t>(outcome.report.instructions)));
  nlohmann::ordered_json json{{"ok", lines.empty()},
                              {"program", flags.path},
                              {"device", device.name},
                              {"config", config.name},
                              {"instructions", outcome.report.instructions}};
  if (opened->has_clock()) {
    text += fmt::format(", {} cycles", Grouped(static_cast<int64_t>(outcome.report.cycles)));
    json["cycles"] = outcome.report.cycles;
  }
  if (outcome.report.leftover_tokens) text += "; tokens are left over (tessera check says which)";
  if (races) json["races"] = lines;
  text += '\n';
  for (const std::string& line : lines) text += line + '\n';
  if (flags.json != "-") std::fputs(text.c_str(), stdout);
  TESSERA_TRY(WriteJson(flags.json, json));
  return lines.empty() ? kExitOk : kExitNo;
}

}  // namespace tessera::tools
