// SPDX-License-Identifier: Apache-2.0
//
// The search over machines (explore/). Prints for some networks on a part, over the space of
// `tessera explore` without --sweep:
//   --table rates    machines a minute by stage, on one core and in this process
//   --table errors   how far predictions are off on machines that ran: those that a search by
//                    prediction alone picks, and random ones
//   --table curves   the hypervolume over the machines that ran and over the time, of each strategy,
//                    with some seeds
//
//   ninja -C build explore_bench && build/bin/explore_bench --table rates MODEL...
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/file.h"
#include "base/hash.h"
#include "compiler/import/import.h"
#include "explore/search.h"

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

struct Flags {
  std::vector<std::string> models;
  std::string part = "xc7z020", table = "rates";
  int64_t machines = 24, seeds = 2, workers = 2;
};

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

Result<std::vector<explore::ExploredNetwork>> Load(const std::vector<std::string>& paths) {
  std::vector<explore::ExploredNetwork> networks;
  for (const std::string& path : paths) {
    TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
    TESSERA_ASSIGN(graph::Graph graph, ImportModel(bytes, path));
    networks.push_back({path.substr(path.find_last_of('/') + 1), Crc64(bytes), std::move(graph)});
  }
  return networks;
}

Result<explore::Explored> Space(const Flags& flags) {
  TESSERA_ASSIGN(const hw::Part part, hw::LoadPart(flags.part));
  TESSERA_ASSIGN(explore::MachineSpace space,
                 explore::MachineSpace::Make(isa::Config(), explore::WholeSweep()));
  return explore::Explored::Make(std::move(space), {isa::Config()}, part,
                                 {explore::Goal::kMs, explore::Goal::kLut});
}

Status Rates(const Flags& flags, const std::vector<explore::ExploredNetwork>& networks) {
  const Clock::time_point begin = Clock::now();
  TESSERA_ASSIGN(const explore::Explored explored, Space(flags));
  const double seconds = SecondsSince(begin);
  const auto legal = static_cast<double>(explored.space().legal().size());
  fmt::print("area: {} machines, {:.0f} a minute\n", legal, 60 * legal / seconds);
  for (const explore::Stage stage : {explore::Stage::kPredict, explore::Stage::kRun}) {
    Rng rng(1);
    const std::vector<int64_t> drawn = explore::DrawMachines(
        explored, explored.fitting(), stage, static_cast<size_t>(flags.machines), &rng);
    std::vector<double> by_network(networks.size());
    int failed = 0;
    const Clock::time_point start = Clock::now();
    for (const int64_t machine : drawn) {
      for (size_t n = 0; n < networks.size(); ++n) {
        const Clock::time_point one = Clock::now();
        const auto cost = explore::CostOf({networks[n]}, explored.Of(machine).config, stage);
        by_network[n] += SecondsSince(one);
        failed += cost.cause.empty() ? 0 : 1;
      }
    }
    const double all = SecondsSince(start);
    fmt::print("{}: {:.0f} machines a minute, {} of {} failed\n", explore::StageText(stage),
               60 * static_cast<double>(drawn.size()) / all, failed,
               drawn.size() * networks.size());
    for (size_t n = 0; n < networks.size(); ++n)
      fmt::print("  {}: {:.1f} ms\n", networks[n].name,
                 1e3 * by_network[n] / static_cast<double>(drawn.size()));
  }
  return {};
}

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app{"Measures the search over machines."};
  app.add_option("models", flags.models)->required();
  app.add_option("--part", flags.part);
  app.add_option("--table", flags.table)->check(CLI::IsMember({"rates", "errors", "curves"}));
  app.add_option("--machines", flags.machines);
  app.add_option("--seeds", flags.seeds);
  app.add_option("--workers", flags.workers);
  CLI11_PARSE(app, argc, argv);
  const auto networks = Load(flags.models);
  Status done = networks ? Status() : std::unexpected(networks.error());
  if (done && flags.table == "rates") done = Rates(flags, *networks);
  if (done) return 0;
  fmt::print(stderr, "explore_bench: {}\n", done.error().message);
  return 2;
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) { return tessera::Main(argc, argv); }
