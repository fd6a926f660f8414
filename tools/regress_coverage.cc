// SPDX-License-Identifier: Apache-2.0
#include "tools/regress_coverage.h"

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

namespace tessera::tools {
namespace {

namespace fs = std::filesystem;

const std::string kScript = TESSERA_SOURCE_DIR "/hw/scripts/coverage.sh";
constexpr const char* kVariable = "TESSERA_COVERAGE";
const std::string kFolder = TESSERA_BUILD_DIR "/coverage";

struct ScriptEnd {
  int status = -1;  // its exit status; -1: it did not exit
  std::string output;
};

// Runs the script with |verb|; returns its standard output and error together.
ScriptEnd RunScript(const std::string& verb, const std::string& argument) {
  ScriptEnd end;
  const std::string command = fmt::format("'{}' {} '{}' 2>&1", kScript, verb, argument);
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return end;
  char chunk[4096];
  while (const size_t n = fread(chunk, 1, sizeof chunk, pipe)) end.output.append(chunk, n);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) end.status = WEXITSTATUS(status);
  while (end.output.ends_with('\n')) end.output.pop_back();
  return end;
}

std::string LastLine(const std::string& text) { return text.substr(text.rfind('\n') + 1); }

}  // namespace

Status CountCoverage(RegressSetup& setup) {
  if (setup.configs.size() != 1 || setup.configs[0].name != "tiny") {
    return Fail(Code::kInvalidArgument,
                "--coverage: hw/coverage.txt has the reasons for tiny; give --config tiny");
  }
  const auto rtl = std::ranges::find(setup.machines, "rtl", &DeviceSpec::name);
  if (rtl == setup.machines.end() || rtl->values.contains("machine")) {
    return Fail(Code::kInvalidArgument,
                "--coverage: it is the RTL's; give --devices with rtl, without a machine of its "
                "own");
  }
  std::error_code ec;
  if (!fs::exists(kScript, ec) || !fs::is_directory(TESSERA_BUILD_DIR, ec)) {
    return Fail(Code::kUnsupported,
                "--coverage: needs the sources and the build folder of this command, {} and {}",
                TESSERA_SOURCE_DIR, TESSERA_BUILD_DIR);
  }
  std::fprintf(stderr, "tessera: the machine that counts is made if it is not there (minutes)\n");
  const ScriptEnd made = RunScript("build", TESSERA_BUILD_DIR);
  if (made.status != 0) {
    return Fail(Code::kUnsupported, "--coverage: {} build: {}", kScript, LastLine(made.output));
  }
  rtl->values["machine"] = LastLine(made.output);
  fs::remove_all(kFolder + "/data", ec);
  fs::create_directories(kFolder + "/data", ec);
  unsetenv(kVariable);
  return {};
}

void WriteCoverage(const RegressSetup& setup) {
  using std::chrono::steady_clock;
  static std::optional<steady_clock::time_point> last;
  const steady_clock::time_point now = steady_clock::now();
  if (last && now - *last < std::chrono::seconds(10)) return;
  last = now;
  const auto rtl = std::ranges::find(setup.machines, "rtl", &DeviceSpec::name);
  // A machine writes the counts of its whole process when it closes, if there is a folder then.
  setenv(kVariable, (kFolder + "/data").c_str(), /*overwrite=*/1);
  static_cast<void>(
      OpenDevice(rtl->name, setup.configs[0], {.memory_bytes = 1 << 20, .values = rtl->values}));
  unsetenv(kVariable);
}

Result<RtlCoverage> SumRtlCoverage() {
  const ScriptEnd end = RunScript("report", kFolder + "/data");
  if (end.status != 0 && end.status != 1) {
    return Fail(Code::kUnsupported, "--coverage: {} report: {}", kScript, LastLine(end.output));
  }
  RtlCoverage coverage{.ok = end.status == 0, .lines = {}};
  std::istringstream text(end.output);
  for (std::string line; std::getline(text, line);) coverage.lines.push_back(line);
  return coverage;
}

}  // namespace tessera::tools
