// SPDX-License-Identifier: Apache-2.0
//
// The search over machines (explore/). Prints for some networks on a part, over the space of
// `tessera explore` without --sweep:
//   --table rates    machines a minute by stage, on one core and in this process
//   --table errors   how far predictions are off on machines that ran: those that a search by
//                    prediction alone picks, and random ones
//   --table curves   the hypervolume over the time of one core, of each strategy, with some seeds,
//                    and when it was within 2 % of the largest that any of them found
//
//   ninja -C build explore_bench && build/bin/explore_bench --table rates MODEL...
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <map>
#include <string>

#include "base/file.h"
#include "base/hash.h"
#include "compiler/import/import.h"
#include "explore/search.h"

namespace tessera {
namespace {

// Of this process, so that other work on the computer counts nothing.
double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Flags {
  std::vector<std::string> models;
  std::string part = "xc7z020", table = "rates";
  int64_t machines = 24, seeds = 3, seconds = 60;
};

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
  const double begin = CpuSeconds();
  TESSERA_ASSIGN(const explore::Explored explored, Space(flags));
  const double seconds = (CpuSeconds() - begin);
  const auto legal = static_cast<double>(explored.space().legal().size());
  fmt::print("area: {} machines, {:.0f} a minute\n", legal, 60 * legal / seconds);
  for (const explore::Stage stage : {explore::Stage::kPredict, explore::Stage::kRun}) {
    Rng rng(1);
    const std::vector<int64_t> drawn = explore::DrawMachines(
        explored, explored.fitting(), stage, static_cast<size_t>(flags.machines), &rng);
    std::vector<double> by_network(networks.size());
    int failed = 0;
    const double start = CpuSeconds();
    for (const int64_t machine : drawn) {
      for (size_t n = 0; n < networks.size(); ++n) {
        const double one = CpuSeconds();
        const auto cost = explore::CostOf({networks[n]}, explored.Of(machine).config, stage);
        by_network[n] += (CpuSeconds() - one);
        failed += cost.cause.empty() ? 0 : 1;
      }
    }
    const double all = (CpuSeconds() - start);
    fmt::print("{}: {:.0f} machines a minute, {} of {} failed\n", explore::StageText(stage),
               60 * static_cast<double>(drawn.size()) / all, failed,
               drawn.size() * networks.size());
    for (size_t n = 0; n < networks.size(); ++n)
      fmt::print("  {}: {:.1f} ms\n", networks[n].name,
                 1e3 * by_network[n] / static_cast<double>(drawn.size()));
  }
  return {};
}

// How far the cycles of a network on a machine are predicted off, as a share.
struct PredictionError {
  double share = 0;
  std::string of;
};

// By network and machine of |machines|; runs each of them.
std::vector<PredictionError> ErrorsOf(const explore::Explored& explored,
                                      const std::vector<explore::ExploredNetwork>& networks,
                                      const std::vector<int64_t>& machines) {
  std::vector<PredictionError> errors;
  for (const int64_t machine : machines) {
    const isa::Config& config = explored.Of(machine).config;
    const explore::MachineCost cost = explore::CostOf(networks, config, explore::Stage::kRun);
    for (size_t n = 0; n < cost.networks.size(); ++n) {
      errors.push_back({cost.networks[n].predicted / cost.networks[n].cycles - 1,
                        fmt::format("{} on {}", networks[n].name, config.name)});
    }
  }
  return errors;
}

void PrintErrors(const char* what, size_t machines, std::vector<PredictionError> errors) {
  const auto size = [](const PredictionError& error) { return std::abs(error.share); };
  double sum = 0;
  for (const PredictionError& error : errors) sum += error.share;
  std::ranges::sort(errors, {}, size);
  if (errors.empty()) return;
  fmt::print("{} ({} machines): median {:.1f} %, signed mean {:+.1f} %, worst {:+.1f} %, {}\n",
             what, machines, 100 * size(errors[errors.size() / 2]),
             100 * sum / static_cast<double>(errors.size()), 100 * errors.back().share,
             errors.back().of);
}

Status Errors(const Flags& flags, const std::vector<explore::ExploredNetwork>& networks) {
  TESSERA_ASSIGN(explore::Explored explored, Space(flags));
  Rng rng(1);
  const auto count = static_cast<size_t>(flags.machines);
  const std::vector<int64_t> drawn = explore::DrawMachines(
      explored, explored.fitting(), explore::Stage::kPredict, 10 * count, &rng);
  std::vector<explore::Values> values;
  for (const int64_t machine : drawn) {
    const auto cost =
        explore::CostOf(networks, explored.Of(machine).config, explore::Stage::kPredict);
    if (!cost.cause.empty()) return Fail(Code::kUnsupported, "{}", cost.cause);
    values.push_back(explore::ValuesOf(explored.goals(), explored.Of(machine).area, cost));
  }
  std::vector<int64_t> picked;
  for (const size_t f : explore::FrontOf(values)) picked.push_back(drawn[f]);
  PrintErrors("picked by prediction alone", picked.size(), ErrorsOf(explored, networks, picked));
  const std::vector<int64_t> some(
      drawn.begin(), drawn.begin() + std::min<int64_t>(flags.machines, std::ssize(drawn)));
  PrintErrors("random", some.size(), ErrorsOf(explored, networks, some));
  return {};
}

// The volume of one search after so many seconds of work on one core, after each machine that ran.
using VolumeCurve = std::vector<std::pair<double, double>>;

double VolumeAt(const VolumeCurve& curve, double seconds) {
  double volume = 0;
  for (const auto& [at, then] : curve) volume = at <= seconds ? then : volume;
  return volume;
}

// Answers that |known| has count with the seconds that they took.
Result<VolumeCurve> CurveOf(const Flags& flags,
                            const std::vector<explore::ExploredNetwork>& networks,
                            const std::string& name, uint64_t seed, explore::KnownAnswers* known,
                            int64_t* ran) {
  TESSERA_ASSIGN(explore::Explored explored, Space(flags));
  TESSERA_ASSIGN(const auto strategy, explore::MakeMachineStrategy(name, seed));
  double spent = 0;
  VolumeCurve curve;
  const auto look = [&](int64_t machine, explore::Stage stage) {
    const auto [at, fresh] = known->try_emplace({machine, stage});
    if (fresh) at->second = explore::CostOf(networks, explored.Of(machine).config, stage);
    explored.Tell(machine, stage, at->second);
    spent += at->second.seconds;
    const auto budget = static_cast<double>(flags.seconds);
    if (stage == explore::Stage::kRun) {
      ++*ran;
      curve.emplace_back(std::min(spent, budget), explored.Volume());
    }
    explored.spent = spent / budget;
  };
  look(explored.others()[0], explore::Stage::kRun);
  while (explored.spent < 1) {
    const explore::WantedMachines wanted = strategy->Next(explored);
    if (wanted.machines.empty()) break;
    for (const int64_t machine : wanted.machines) {
      if (explored.spent < 1) look(machine, wanted.stage);
    }
  }
  return curve;
}

// When each of |curves| was within 2 % of |best|: the median; "-": most of them never.
std::string WithinTwoPercent(const std::vector<VolumeCurve>& curves, double best) {
  std::vector<double> seconds;
  for (const VolumeCurve& curve : curves) {
    const auto first =
        std::ranges::find_if(curve, [&](const auto& at) { return at.second >= 0.98 * best; });
    seconds.push_back(first == curve.end() ? std::numeric_limits<double>::infinity()
                                           : first->first);
  }
  std::ranges::sort(seconds);
  const double median = seconds[seconds.size() / 2];
  return std::isinf(median) ? "-" : fmt::format("{:.0f} s", median);
}

Status Curves(const Flags& flags, const std::vector<explore::ExploredNetwork>& networks) {
  explore::KnownAnswers known;
  fmt::print(
      "hypervolume after a quarter, half, three quarters and all of {} s of one core; mean "
      "of {} seeds\n",
      flags.seconds, flags.seeds);
  std::map<std::string, std::vector<VolumeCurve>> curves;
  double best = 0;
  for (const char* name : {"halving", "bayesian", "nsga2", "random"}) {
    std::vector<double> mean(4);
    double least = 1;
    int64_t ran = 0;
    for (int64_t seed = 1; seed <= flags.seeds; ++seed) {
      TESSERA_ASSIGN(VolumeCurve curve,
                     CurveOf(flags, networks, name, static_cast<uint64_t>(seed), &known, &ran));
      const auto at = [&](size_t quarter) {
        return VolumeAt(curve,
                        static_cast<double>(flags.seconds) * static_cast<double>(quarter) / 4);
      };
      for (size_t k = 0; k < 4; ++k) mean[k] += at(k + 1) / static_cast<double>(flags.seeds);
      least = std::min(least, at(4));
      best = std::max(best, at(4));
      curves[name].push_back(std::move(curve));
    }
    fmt::print("{:9} {:.4f} {:.4f} {:.4f} {:.4f}, the worst seed {:.4f}, {} machines ran a seed\n",
               name, mean[0], mean[1], mean[2], mean[3], least, ran / flags.seeds);
  }
  fmt::print("within 2 % of {:.4f}, the largest of all, by the median seed:\n", best);
  for (const auto& [name, all] : curves) fmt::print("{:9} {}\n", name, WithinTwoPercent(all, best));
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
  app.add_option("--seconds", flags.seconds);
  CLI11_PARSE(app, argc, argv);
  const auto networks = Load(flags.models);
  Status done = networks ? Status() : std::unexpected(networks.error());
  if (done && flags.table == "rates") done = Rates(flags, *networks);
  if (done && flags.table == "errors") done = Errors(flags, *networks);
  if (done && flags.table == "curves") done = Curves(flags, *networks);
  if (done) return 0;
  fmt::print(stderr, "explore_bench: {}\n", done.error().message);
  return 2;
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) { return tessera::Main(argc, argv); }
