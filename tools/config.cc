// SPDX-License-Identifier: Apache-2.0
//
// tessera config: lists the named configurations, or prints one in full.
#include "isa/config.h"

#include <cstdio>
#include <memory>

#include "tools/output.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

struct ConfigFlags {
  std::string name, json;
};

std::string KiB(int64_t bytes) { return fmt::format("{}", bytes / 1024); }
const char* DramText(isa::DramModel dram) {
  return dram == isa::DramModel::kTsim ? "tsim" : "zynq";
}

Result<int> Run(const ConfigFlags& options) {
  if (options.name.empty()) {
    std::vector<std::vector<std::string>> rows;
    for (const isa::Config& c : isa::NamedConfigs()) {
      rows.push_back({c.name, fmt::format("{}x{}x{}", c.batch, c.block_out, c.block_in),
                      KiB(c.inp_bytes), KiB(c.wgt_bytes), KiB(c.acc_bytes), KiB(c.out_bytes),
                      KiB(c.uop_bytes), fmt::format("{}", c.bus_bits), DramText(c.dram),
                      fmt::format("{}", c.clock_mhz), isa::ValidateVtaProfile(c) ? "yes" : "no",
                      fmt::format("{:016x}", c.Hash())});
    }
    std::fputs(Table({"name", "array", "INP KiB", "WGT KiB", "ACC KiB", "OUT KiB", "UOP KiB",
                      "bus bits", "memory", "MHz", "vta profile", "hash"},
                     "lrrrrrrrlrll", rows)
                   .c_str(),
               stdout);
    return kExitOk;
  }
  TESSERA_ASSIGN(const isa::Config config, isa::LoadConfig(options.name));
  const nlohmann::ordered_json json = nlohmann::ordered_json::parse(isa::ConfigToJson(config));
  if (!options.json.empty()) {
    TESSERA_TRY(WriteJson(options.json, json));
  } else {
    std::printf("%s\n", json.dump(2).c_str());
  }
  return kExitOk;
}

}  // namespace

Action AddConfig(CLI::App& app) {
  auto options = std::make_shared<ConfigFlags>();
  CLI::App* verb =
      app.add_subcommand("config", "list the named configurations, or print one in full");
  verb->add_option("name", options->name,
                   "a named configuration or a JSON file (VTA's keys or ours)");
  verb->add_option("--json", options->json, "write the configuration to this file");
  verb->footer("Example: tessera config default");
  return [options] { return Run(*options); };
}

}  // namespace tessera::tools
