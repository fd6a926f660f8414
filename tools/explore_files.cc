// SPDX-License-Identifier: Apache-2.0
#include "tools/explore_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/file.h"
#include "base/text.h"
#include "isa/config_keys.h"

namespace tessera::tools {
namespace {

using explore::KnownMachine;
using explore::MachineCost;
using explore::Stage;

// |text| as a cell of a CSV file (RFC 4180).
std::string CsvCell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// Why |machine| has no figures of a run; "": it has, or nobody asked.
std::string CauseOf(const KnownMachine& machine) {
  if (!machine.misfit.resource.empty()) return MisfitText(machine.misfit);
  for (const auto& cost : {machine.ran, machine.predicted}) {
    if (cost && !cost->cause.empty()) return cost->cause;
  }
  return "";
}

// The answer of the last stage that looked at |machine|; null: none has.
const MachineCost* LastAnswer(const KnownMachine& machine) {
  if (const MachineCost* ran = machine.Answer(Stage::kRun)) return ran;
  return machine.Answer(Stage::kPredict);
}

Json NetworkJson(const explore::NetworkCost& network, const std::string& name) {
  return {{"name", name},
          {"ms", 1e3 * network.total()},
          {"cycles", network.cycles},
          {"predicted_cycles", network.predicted},
          {"accelerator_ms", 1e3 * network.accelerator},
          {"host_ms", 1e3 * network.host},
          {"start_ms", 1e3 * network.start},
          {"carry_ms", 1e3 * network.carry}};
}

Json MachineJson(const KnownMachine& machine,
                 const std::vector<explore::ExploredNetwork>& networks) {
  Json json{{"name", machine.config.name}, {"stage", StageOf(machine)}};
  for (const isa::ConfigKey& key : isa::ConfigKeys())
    json["config"][key.key] = machine.config.*(key.field) / key.unit;
  json["area"] = {
      {"stage", "predict"},      {"lut", machine.area.lut},       {"ff", machine.area.ff},
      {"dsp", machine.area.dsp}, {"bram18", machine.area.bram18}, {"ns", machine.area.ns}};
  if (const std::string cause = CauseOf(machine); !cause.empty()) json["cause"] = cause;
  if (const MachineCost* cost = LastAnswer(machine)) {
    json["ms"] = 1e3 * cost->total();
    for (size_t n = 0; n < networks.size(); ++n)
      json["networks"].push_back(NetworkJson(cost->networks[n], networks[n].name));
  }
  return json;
}

}  // namespace

Result<std::string> FolderFor(const std::string& path) {
  const std::string folder = path.ends_with('/') ? path : path + "/";
  if (mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST)
    return Fail(Code::kUnavailable, "{}: the folder cannot be made: {}; give another one with -o",
                path, std::strerror(errno));
  TESSERA_TRY(CheckWritable(folder + "points.csv"));
  return folder;
}

std::string_view StageOf(const KnownMachine& machine) {
  for (const Stage stage : {Stage::kProve, Stage::kRun, Stage::kPredict}) {
    if (machine.Answer(stage) != nullptr) return explore::StageText(stage);
  }
  return "area";
}

std::string MachinesCsv(const explore::Explored& explored,
                        const std::vector<explore::ExploredNetwork>& networks) {
  std::string text = "name,stage";
  for (const isa::ConfigKey& key : isa::ConfigKeys()) text += fmt::format(",{}", key.key);
  text += ",predicted_lut,predicted_ff,predicted_dsp,predicted_bram18,predicted_ns,ms";
  for (const explore::ExploredNetwork& network : networks)
    text += "," + CsvCell("ms " + network.name);
  for (const explore::ExploredNetwork& network : networks)
    text += "," + CsvCell("cycles " + network.name);
  text += ",cause\n";
  for (const auto& [number, machine] : explored.machines()) {
    text += fmt::format("{},{}", machine.config.name, StageOf(machine));
    for (const isa::ConfigKey& key : isa::ConfigKeys())
      text += fmt::format(",{}", machine.config.*(key.field) / key.unit);
    const hw::Silicon& a = machine.area;
    text += fmt::format(",{:.0f},{:.0f},{},{},{:.3f}", a.lut, a.ff, a.dsp, a.bram18, a.ns);
    const MachineCost* cost = LastAnswer(machine);
    text += cost != nullptr ? fmt::format(",{:.6f}", 1e3 * cost->total()) : ",";
    for (size_t n = 0; n < networks.size(); ++n)
      text += cost != nullptr ? fmt::format(",{:.6f}", 1e3 * cost->networks[n].total()) : ",";
    for (size_t n = 0; n < networks.size(); ++n)
      text += cost != nullptr ? fmt::format(",{:.0f}", cost->networks[n].cycles) : ",";
    text += "," + CsvCell(Legible(CauseOf(machine))) + "\n";
  }
  return text;
}

Json MachinesJson(const explore::Explored& explored,
                  const std::vector<explore::ExploredNetwork>& networks) {
  Json json{{"part", explored.part().name}, {"sweep", SweepText(explored.space().keys())}};
  for (const explore::Goal goal : explored.goals())
    json["objectives"].push_back(explore::GoalText(goal));
  json["machines"] = {{"all", explored.space().CountAll()},
                      {"legal", explored.space().legal().size()},
                      {"fit", explored.fitting().size()}};
  for (const explore::IllegalMachines& illegal : explored.space().illegal()) {
    json["illegal"].push_back(
        {{"count", illegal.count}, {"example", illegal.example}, {"nearest", illegal.nearest}});
  }
  for (const explore::MisfitCount& misfit : explored.misfits())
    json["misfits"].push_back({{"resource", misfit.resource},
                               {"count", misfit.count},
                               {"least", MisfitText(misfit.least)}});
  json["hypervolume"] = {{"value", explored.Volume()}, {"reference", explored.Reference()}};
  json["front"] = Json::array();
  for (const int64_t number : explored.Front())
    json["front"].push_back(MachineJson(explored.Of(number), networks));
  json["points"] = Json::array();
  for (const auto& [number, machine] : explored.machines()) {
    if (machine.predicted || machine.ran || number >= explored.space().CountAll())
      json["points"].push_back(MachineJson(machine, networks));
  }
  return json;
}

Result<std::vector<std::string>> WriteFrontConfigs(const explore::Explored& explored,
                                                   const std::string& folder) {
  std::vector<std::string> paths;
  for (const int64_t number : explored.Front()) {
    const isa::Config& config = explored.Of(number).config;
    paths.push_back(folder + config.name + ".json");
    TESSERA_TRY(WriteFile(paths.back(), isa::ConfigToJson(config)));
  }
  return paths;
}

}  // namespace tessera::tools
