// SPDX-License-Identifier: Apache-2.0
#include "tools/explore_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/file.h"
#include "base/text.h"
#include "isa/config_keys.h"
#include "tools/front_picture.h"
#include "tools/output.h"

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
  if (const MachineCost* tuned = machine.Answer(Stage::kTune)) {
    json["tuned_ms"] = 1e3 * tuned->total();
    for (size_t n = 0; n < networks.size(); ++n)
      json["networks"][n]["tuned_cycles"] = tuned->networks[n].cycles;
  }
  return json;
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

std::string SensitivitiesCsv(const explore::Explored& explored,
                             const std::vector<explore::Sensitivity>& sensitivities) {
  std::string text =
      "machine,key,from,to,predicted_ms_change,predicted_lut_change,cycles_a_lut_saves,"
      "predicted_lut,dsp,bram18,fits,cause\n";
  for (const explore::Sensitivity& one : sensitivities) {
    text += fmt::format("{},{},{},{},{:.5f},{:.5f},{:.3f},{:.0f},{},{},{},{}\n",
                        explored.Of(one.machine).config.name, one.key.key, one.from, one.to, one.ms,
                        one.lut, one.saved, one.area.lut, one.area.dsp, one.area.bram18,
                        one.fits ? "yes" : "no", CsvCell(Legible(one.cause)));
  }
  return text;
}

FrontPicture PictureOf(const explore::Explored& explored,
                       const std::vector<explore::ExploredNetwork>& networks) {
  FrontPicture picture;
  for (const explore::ExploredNetwork& network : networks)
    picture.title += (picture.title.empty() ? "" : ", ") + Legible(network.name);
  picture.title += " on " + Legible(explored.part().name);
  picture.x = std::string(GoalText(explored.goals()[0])) + ", by a run";
  picture.y = std::string(GoalText(explored.goals()[1])) + ", predicted";
  const auto drawn = [&](int64_t number, Stage stage, const std::string& name) {
    const explore::Values values = explored.ValuesAt(number, stage);
    return DrawnMachine{values[0], values[1], name};
  };
  for (const int64_t number : explored.With(Stage::kPredict))
    picture.predicted.push_back(drawn(number, Stage::kPredict, ""));
  for (const int64_t number : explored.With(Stage::kRun)) {
    const bool beside = number >= explored.space().CountAll();
    (beside ? picture.beside : picture.ran)
        .push_back(drawn(number, Stage::kRun, beside ? explored.Of(number).config.name : ""));
  }
  for (const int64_t number : explored.Front())
    picture.front.push_back(drawn(number, Stage::kRun, ""));
  return picture;
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
  text += ",predicted_lut,predicted_ff,predicted_dsp,predicted_bram18,predicted_ns,ms,tuned_ms";
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
    const MachineCost* tuned = machine.Answer(Stage::kTune);
    text += tuned != nullptr ? fmt::format(",{:.6f}", 1e3 * tuned->total()) : ",";
    for (size_t n = 0; n < networks.size(); ++n)
      text += cost != nullptr ? fmt::format(",{:.6f}", 1e3 * cost->networks[n].total()) : ",";
    for (size_t n = 0; n < networks.size(); ++n)
      text += cost != nullptr ? fmt::format(",{:.0f}", cost->networks[n].cycles) : ",";
    text += "," + CsvCell(Legible(CauseOf(machine))) + "\n";
  }
  return text;
}

Status WriteExplored(const explore::Explored& explored,
                     const std::vector<explore::ExploredNetwork>& networks,
                     const std::vector<explore::Sensitivity>& sensitivities,
                     const std::string& words, const std::string& folder) {
  TESSERA_TRY(WriteFile(folder + "points.csv", MachinesCsv(explored, networks)));
  Json json = MachinesJson(explored, networks);
  json["limits"] = words;
  TESSERA_TRY(WriteJson(folder + "points.json", json));
  TESSERA_TRY(WriteFile(folder + "sensitivities.csv", SensitivitiesCsv(explored, sensitivities)));
  if (explored.goals().size() < 2) return {};
  const FrontPicture picture = PictureOf(explored, networks);
  TESSERA_TRY(WriteFront(folder + "front.svg", picture));
  return WriteFront(folder + "front.png", picture);
}

Status WriteConfigs(const explore::Explored& explored, const std::vector<int64_t>& machines,
                    const std::string& folder) {
  for (const int64_t number : machines) {
    const isa::Config& config = explored.Of(number).config;
    TESSERA_TRY(WriteFile(folder + config.name + ".json", isa::ConfigToJson(config)));
  }
  return {};
}

}  // namespace tessera::tools
