// SPDX-License-Identifier: Apache-2.0
#include "tools/regress_items.h"

#include <chrono>
#include <filesystem>
#include <span>
#include <sstream>
#include <utility>

#include "base/file.h"
#include "base/hash.h"
#include "base/rng.h"
#include "base/workers.h"
#include "isa/asm/asm.h"
#include "isa/asm/keep_program.h"
#include "isa/check/check.h"
#include "sim/rig/rig.h"
#include "sim/rig/shrink.h"
#include "tools/failed_run.h"
#include "tools/output.h"
#include "tools/regress_networks.h"

namespace tessera::tools {
namespace {

constexpr std::chrono::seconds kOneRun{60};      // limit for machines in a process of their own
constexpr std::chrono::seconds kShrinkTime{60};  // limit for one program
constexpr int kShrinkTrials = 20'000;

// Three in four are short, to vary windows, data and memories more; the long ones wrap counters.
int Length(uint64_t seed) {
  constexpr int kLengths[] = {40, 40, 40, 150, 40, 40, 40, 600};
  return kLengths[seed % 8];
}

// What another process must compare, as bytes.
struct AsideRequest {
  size_t config = 0;
  rig::MemoryChoice memory;
  isa::ProgramImage image;
};
std::string ToText(const AsideRequest& asked) {
  const std::vector<uint8_t> image = isa::SerializeImage(asked.image);
  return fmt::format("{} {} {}\n", asked.config, static_cast<int>(asked.memory.model),
                     asked.memory.stall_seed) +
         std::string(image.begin(), image.end());
}
AsideRequest AsideRequestOf(const std::string& text) {
  AsideRequest asked;
  const size_t head = text.find('\n') + 1;
  std::istringstream words(text.substr(0, head));
  int model = 0;
  words >> asked.config >> model >> asked.memory.stall_seed;
  asked.memory.model = static_cast<isa::DramModel>(model);
  const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  asked.image = isa::ParseImage(bytes.subspan(head)).value();
  return asked;
}

// Whether the program fills token counters. Rare in profile vta, whose counters hold four times as
// many tokens.
bool Crowded(const RegressItem& item) {
  return Rng(item.seed ^ 0x70c3).OneIn(item.profile == isa::Profile::kVta ? 64 : 16);
}

// The memories with which to run a file. A kept program failed with one of these; each directed
// program gets one by its name and the seed.
std::vector<rig::MemoryChoice> MemoriesOf(const RegressItem& item) {
  using isa::DramModel;
  if (item.suite == RegressSuite::kCorpus) {
    return {{DramModel::kTsim, 0},
            {DramModel::kZynq, 0},
            {DramModel::kTsim, 1},
            {DramModel::kTsim, 2},
            {DramModel::kZynq, 3}};
  }
  const std::span<const uint8_t> name(reinterpret_cast<const uint8_t*>(item.name.data()),
                                      item.name.size());
  return {rig::MemoryFor(item.seed ^ Crc64(name))};
}

}  // namespace

std::string_view Text(RegressSuite suite) {
  constexpr std::string_view kNames[] = {"corpus", "directed", "random", "networks", "layers"};
  return kNames[static_cast<size_t>(suite)];
}

std::string ToText(const RegressEnd& end) {
  const Json json{
      {"difference", end.difference},
      {"machine", end.machine},
      {"memory", end.memory},
      {"kept", end.kept},
      {"dump", end.dump},
      {"refused", end.refused},
      {"left_out", end.left_out},
      {"instructions", end.instructions},
      {"small", end.small_instructions},
      {"time", end.time},
      {"tokens", end.tokens},
      {"cells", std::vector<std::pair<uint32_t, uint64_t>>(end.cells.begin(), end.cells.end())}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

RegressEnd RegressEndOf(const std::string& text) {
  const Json json = Json::parse(text);
  const auto cells = json["cells"].get<std::vector<std::pair<uint32_t, uint64_t>>>();
  return {.difference = json["difference"],
          .machine = json["machine"],
          .memory = json["memory"],
          .kept = json["kept"],
          .dump = json["dump"],
          .refused = json["refused"],
          .left_out = json["left_out"],
          .instructions = json["instructions"],
          .small_instructions = json["small"],
          .time = json["time"],
          .cells = {cells.begin(), cells.end()},
          .tokens = json["tokens"]};
}

RegressItem RandomItem(const RegressSetup& setup, size_t config, isa::Profile profile,
                       uint64_t seed) {
  return {.suite = RegressSuite::kRandom,
          .name = fmt::format("random/{}/{}/{}", setup.configs[config].name, Text(profile), seed),
          .config = config,
          .profile = profile,
          .seed = seed};
}

Result<rig::Lockstep*> RegressRunner::Machines(size_t config) {
  std::unique_ptr<rig::Lockstep>& lockstep = lockstep_[config];
  if (!lockstep) {
    TESSERA_ASSIGN(rig::Lockstep opened,
                   rig::Lockstep::Open(setup_.configs[config], setup_.machines));
    lockstep = std::make_unique<rig::Lockstep>(std::move(opened));
  }
  return lockstep.get();
}

RegressEnd RegressRunner::Compare(size_t config, const isa::ProgramImage& image,
                                  const rig::MemoryChoice& memory) {
  RegressEnd end;
  Result<rig::Lockstep*> machines = Machines(config);
  if (!machines) return {.difference = machines.error().message, .machine = "open"};
  const Result<rig::Verdict> verdict = (*machines)->Run(image, memory, setup_.check_races);
  if (!verdict) return {.difference = verdict.error().message, .machine = "open"};
  end.difference = verdict->difference;
  end.machine = verdict->machine;
  end.tokens[fmt::format("{} {}", setup_.configs[config].name, Text(image.profile))] =
      verdict->tokens;
  for (size_t m = 0; m < verdict->reports.size(); ++m) {
    const RunReport& report = verdict->reports[m];
    if (m == 0) end.instructions = static_cast<int64_t>(report.instructions);
    if (report.cycles > 0) end.time[setup_.machines[m].name].Add(report);
  }
  return end;
}

// The same in a process of its own, which opens its machines once.
RegressEnd RegressRunner::CompareAside(size_t config, const isa::ProgramImage& image,
                                       const rig::MemoryChoice& memory) {
  if (!aside_) {
    aside_ = std::make_unique<IsolatedProcess>(kOneRun, [this](const std::string& request) {
      // Machines of the parent process have threads, which a fork does not copy. So this process
      // can neither use nor close them.
      if (std::exchange(own_machines_, true) == false) {
        for (auto& [unused, machines] : lockstep_) static_cast<void>(machines.release());
      }
      const AsideRequest asked = AsideRequestOf(request);
      return ToText(Compare(asked.config, asked.image, asked.memory));
    });
  }
  const WorkEnd end = aside_->Ask(ToText(AsideRequest{config, memory, image}));
  if (end.crash.empty()) return RegressEndOf(end.bytes);
  return {.difference = "the process that runs it " + end.crash, .machine = "process"};
}

RegressEnd RegressRunner::RunProgram(const RegressItem& item, const isa::ProgramImage& image,
                                     const rig::MemoryChoice& memory, bool careful) {
  RegressEnd end =
      careful ? CompareAside(item.config, image, memory) : Compare(item.config, image, memory);
  if (end.difference.empty()) {
    rig::CountCells(image, setup_.configs[item.config], end.cells);
    return end;
  }
  end.memory = Text(memory);
  isa::ProgramImage failing = image;
  if (setup_.shrink && item.suite == RegressSuite::kRandom) MakeSmall(item, failing, memory, end);
  Dump(item, failing, memory, end);
  return end;
}

// Shrinks |image| to less that fails on the same machine, and keeps it in the corpus.
void RegressRunner::MakeSmall(const RegressItem& item, isa::ProgramImage& image,
                              const rig::MemoryChoice& memory, RegressEnd& end) {
  const auto until = std::chrono::steady_clock::now() + kShrinkTime;
  const isa::Config& config = setup_.configs[item.config];
  const auto fails = [&](const isa::ProgramImage& less) {
    if (std::chrono::steady_clock::now() > until) return false;
    return CompareAside(item.config, less, memory).machine == end.machine;
  };
  isa::ProgramImage small = rig::Shrink(image, config, fails, kShrinkTrials);
  aside_.reset();  // so that the next machines have run nothing else
  const RegressEnd last = CompareAside(item.config, small, memory);
  if (last.difference.empty()) return;  // it is not stable: the seed names the whole program
  const std::string name = fmt::format("rig_{}_{}_{}", config.name, Text(item.profile), item.seed);
  const std::string why =
      fmt::format("{}; found as {}, {}", last.difference, item.name, end.memory);
  const Result<std::string> kept = isa::KeepProgram(setup_.corpus, name, why, small, config);
  end.difference = last.difference;
  end.kept = kept ? *kept : kept.error().message;
  end.instructions = image.insn_count();
  end.small_instructions = small.insn_count();
  image = std::move(small);
}

// Leaves a dump of |image| on the machine that differs; on the last machine if a process ended.
void RegressRunner::Dump(const RegressItem& item, const isa::ProgramImage& image,
                         const rig::MemoryChoice& memory, RegressEnd& end) {
  DeviceSpec spec;
  for (const DeviceSpec& machine : setup_.machines) {
    spec = machine;
    if (machine.name == end.machine) break;
  }
  isa::Config config = setup_.configs[item.config];
  static_cast<void>(rig::PutBefore(memory, spec, config));  // as when the machine was opened
  const FailedRun failed{image, rig::Lockstep::Budget(image), item.name, {}};
  const Result<std::string> path = LeaveDump(end.difference, "regress", setup_.dump_dir,
                                             {spec.name, {.values = spec.values}}, config, failed);
  end.dump = path ? *path : std::string(kNoDump) + path.error().message;
}

RegressEnd RegressRunner::RunFile(const RegressItem& item, bool careful) {
  const auto refuse = [](const std::string& why) {
    RegressEnd end;
    end.refused = why;
    return end;
  };
  const Result<std::vector<uint8_t>> bytes = ReadFile(item.path, isa::kMaxAsmBytes);
  if (!bytes) return refuse(bytes.error().message);
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  const Result<isa::ProgramImage> image = isa::Assemble(text, setup_.configs);
  if (!image) return refuse(item.path + ":" + image.error().message);
  RegressItem here = item;
  for (here.config = 0; here.config < setup_.configs.size(); ++here.config) {
    if (setup_.configs[here.config].Hash() == image->config_hash) break;
  }
  RegressEnd sum;
  sum.left_out = here.config == setup_.configs.size();
  if (sum.left_out) return sum;
  for (const isa::Diagnostic& d :
       isa::CheckProgram(*image, setup_.configs[here.config]).diagnostics) {
    if (d.warning || (setup_.check_races && d.finding == isa::Finding::kRace)) continue;
    return refuse(item.path + ": " + d.text);
  }
  for (const rig::MemoryChoice& memory : MemoriesOf(item)) {
    RegressEnd end = RunProgram(here, *image, memory, careful);
    sum.instructions += end.instructions;
    for (const auto& [machine, time] : end.time) sum.time[machine] += time;
    for (const auto& [cell, count] : end.cells) sum.cells[cell] += count;
    for (const auto& [where, most] : end.tokens) rig::Raise(sum.tokens[where], most);
    if (end.difference.empty()) continue;
    end.instructions = sum.instructions;
    end.time = sum.time;
    return end;
  }
  return sum;
}

RegressEnd RegressRunner::Run(const RegressItem& item, bool careful) {
  if (item.suite == RegressSuite::kCorpus || item.suite == RegressSuite::kDirected)
    return RunFile(item, careful);
  if (item.suite == RegressSuite::kNetworks || item.suite == RegressSuite::kLayers) {
    RegressEnd end = RunRegressNetwork(setup_, item);
    if (!end.difference.empty())
      end.memory = Text(rig::MemoryChoice{setup_.configs[item.config].dram, 0});
    return end;
  }
  const isa::ProgramImage image = rig::MakeProgram({.config = setup_.configs[item.config],
                                                    .profile = item.profile,
                                                    .seed = item.seed,
                                                    .instructions = Length(item.seed),
                                                    .crowded = Crowded(item)});
  return RunProgram(item, image, rig::MemoryFor(item.seed), careful);
}

}  // namespace tessera::tools
