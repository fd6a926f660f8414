// SPDX-License-Identifier: Apache-2.0
//
// tessera devices: lists what --device and --devices take, whether each device can be used here,
// and what this computer has for it.
#include <cstdio>
#include <memory>

#include "runtime/host/cpu_level.h"
#include "runtime/host/threads.h"
#include "tools/devices.h"
#include "tools/output.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

struct ListFlags {
  std::string name, json;
};

std::string MemoryText(uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30));
}

// A device of the list: what this computer has for it, or why it cannot be used.
struct DeviceLine {
  std::string name;
  Result<std::string> here;
};

std::vector<DeviceLine> Lines() {
  std::vector<DeviceLine> lines;
  const int threads = AllowedProcessors();
  lines.push_back({kCpu, fmt::format("{}, {} thread{}", CpuLevels().front(), threads,
                                     threads == 1 ? "" : "s")});
  for (const GpuDriver& driver : GpuDrivers()) {
    const auto device = driver.open();
    lines.push_back({driver.name, device ? Result<std::string>(
                                               fmt::format("{}, {}", (*device)->name(),
                                                           MemoryText((*device)->memory_bytes())))
                                         : std::unexpected(device.error())});
  }
  for (const Driver& driver : Drivers()) {
    lines.push_back({std::string(driver.name),
                     driver.here != nullptr ? driver.here() : Result<std::string>("")});
  }
  return lines;
}

// Why |line|'s device cannot be used, without the device's name, which the table already shows.
std::string Reason(const DeviceLine& line) {
  std::string text = line.here.error().message;
  for (const std::string& begin : {"device " + line.name + ": ", line.name + ": "}) {
    if (text.starts_with(begin)) text.erase(0, begin.size());
  }
  return text;
}

Result<int> Run(const ListFlags& options) {
  if (!options.name.empty()) TESSERA_TRY(ChooseDevice(options.name));
  std::vector<std::vector<std::string>> rows;
  Json json = Json::array();
  bool all = true;
  for (const DeviceLine& line : Lines()) {
    if (!options.name.empty() && options.name != line.name) continue;
    const bool usable = line.here.has_value();
    const std::string what = DescribeDevice(line.name).substr(line.name.size() + 2);
    const std::string fact = usable ? *line.here : Reason(line);
    all = all && usable;
    rows.push_back({line.name, usable ? "yes" : "no",
                    !usable        ? fact
                    : fact.empty() ? what
                                   : fmt::format("{}: {}", what, fact)});
    json.push_back({{"name", line.name},
                    {"usable", usable},
                    {"what", what},
                    {usable ? "here" : "reason", fact}});
  }
  std::fputs(
      Table({"device", "here", "what it is, or why not and the way out"}, "lll", std::move(rows))
          .c_str(),
      stdout);
  TESSERA_TRY(WriteJson(options.json, json));
  return options.name.empty() || all ? kExitOk : kExitNo;
}

}  // namespace

Action AddDevices(CLI::App& app) {
  auto options = std::make_shared<ListFlags>();
  CLI::App* verb = app.add_subcommand(
      "devices", "list what --device takes and whether it can be used on this machine");
  verb->add_option("name", options->name, "this one alone; exit code 1 if it cannot be used");
  verb->add_option("--json", options->json, "write the facts to this file");
  verb->footer(
      "Example: tessera devices cuda && tessera run net.tsr --device cuda --input X.npy\n"
      "The options of each: tessera run --help.");
  return [options] { return Run(*options); };
}

}  // namespace tessera::tools
