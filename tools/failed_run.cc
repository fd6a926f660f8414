// SPDX-License-Identifier: Apache-2.0
#include "tools/failed_run.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "sim/debug/dump.h"

namespace tessera::tools {
namespace {

// The device as the command line writes it: "rtl:stall-seed=3".
std::string DeviceText(const ChosenDevice& device) {
  std::string text = device.name;
  for (const auto& [name, value] : device.options.values)
    text += fmt::format("{}{}={}", text == device.name ? ":" : ",", name, value);
  return text;
}

// Whether the run itself failed, and not the system around it.
bool OfTheRun(Code code) {
  return code != Code::kUnavailable && code != Code::kUnsupported && code != Code::kNotFound;
}

}  // namespace

Result<std::string> LeaveDump(const std::string& error, const std::string& verb,
                              const std::string& folder, const ChosenDevice& device,
                              const isa::Config& config, const FailedRun& failed) {
  if (folder.empty()) return "";
  std::signal(SIGXFSZ, SIG_IGN);  // makes a limit on files an error of write(), like a full disk
  const sim::RunDump dump{.tool = "tessera " TESSERA_VERSION,
                          .verb = verb,
                          .model = failed.model,
                          .device = DeviceText(device),
                          .error = error,
                          .budget = failed.budget,
                          .config = config,
                          .layers = failed.layers,
                          .image = failed.image};
  TESSERA_ASSIGN(const std::string path, sim::WriteDump(folder, dump));
  return path.starts_with("./") ? path.substr(2) : path;
}

Error WithDump(const Error& error, const std::string& verb, const std::string& folder,
               const ChosenDevice& device, const isa::Config& config, const FailedRun& failed) {
  if (!OfTheRun(error.code)) return error;
  const Result<std::string> path = LeaveDump(error.message, verb, folder, device, config, failed);
  if (!path)
    return {error.code, fmt::format("{}; no dump: {}", error.message, path.error().message)};
  if (path->empty()) return error;
  return {error.code,
          fmt::format("{}; dump: {}; open it with tessera debug {}", error.message, *path, *path)};
}

Error WithDump(const Error& error, const std::string& verb, Runner& runner) {
  if (!OfTheRun(error.code)) return error;
  const std::optional<FailedRun> failed = runner.executor->Failed();
  return failed ? WithDump(error, verb, runner.dump_dir, runner.chosen, runner.config, *failed)
                : error;
}

Status CheckDumpDir(const std::string& folder) {
  std::error_code unknown;
  if (folder.empty() || std::filesystem::is_directory(folder, unknown)) return {};
  return Fail(Code::kNotFound,
              "--dump-dir {}: is no folder, and dumps go there: make it, or name another (\"\": no "
              "dumps)",
              folder);
}

void AddDumpDirOption(CLI::App& verb, std::string& folder) {
  const char* given = std::getenv("TESSERA_DUMP_DIR");
  folder = given == nullptr ? "." : given;
  verb.add_option("--dump-dir", folder,
                  "where a run that fails leaves a dump for tessera debug (default: "
                  "$TESSERA_DUMP_DIR, else the current folder); \"\": nowhere");
}

}  // namespace tessera::tools
