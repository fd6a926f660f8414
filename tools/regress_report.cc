// SPDX-License-Identifier: Apache-2.0
#include "tools/regress_report.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "sim/rig/program.h"
#include "tools/output.h"

namespace tessera::tools {
namespace {

constexpr size_t kShownFindings = 20;

std::vector<std::string> Names(const RegressReport& r) {
  std::vector<std::string> names;
  for (const DeviceSpec& machine : r.setup.machines) names.push_back(machine.name);
  return names;
}
std::vector<std::string> ConfigNames(const RegressReport& r) {
  std::vector<std::string> names;
  for (const isa::Config& config : r.setup.configs) names.push_back(config.name);
  return names;
}

std::string FindingText(const RegressFinding& f) {
  if (!f.end.refused.empty()) return fmt::format("{}: {}\n", f.item.name, f.end.refused);
  std::string text = fmt::format("{} ({}):\n  {}\n", f.item.name, f.end.memory, f.end.difference);
  if (!f.end.kept.empty()) {
    text += fmt::format("  made small and kept as {} ({} instructions of {})\n", f.end.kept,
                        f.end.small_instructions, f.end.instructions);
  }
  if (!f.end.dump.empty())
    text += fmt::format(
        "  dump: {}{}\n", f.end.dump,
        f.end.dump.starts_with(kNoDump) ? "" : "; open it with tessera debug " + f.end.dump);
  return text;
}

// The first missing cells of each instruction; the JSON has all of them.
std::string CoverageText(const RegressReport& r) {
  constexpr size_t kShownMissing = 2;
  if (r.cells.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const rig::InsnCoverage& c : rig::SumCoverage(r.cells, r.setup.configs[0], r.profiles)) {
    std::string missing;
    for (size_t m = 0; m < std::min(c.missing.size(), kShownMissing); ++m)
      missing += (m ? ", " : "") + c.missing[m];
    if (c.missing.size() > kShownMissing)
      missing += fmt::format(" and {} more", c.missing.size() - kShownMissing);
    rows.push_back({c.insn, Grouped(static_cast<int64_t>(c.run)), fmt::format("{}", c.reached),
                    fmt::format("{}", c.cells), missing});
  }
  return "\nExercised: each combination of memories and operations with each class of values (0, "
         "1, "
         "more; sign)\nof every other field, where the tables allow it:\n" +
         Table({"instruction", "run", "cells reached", "of", "never ran"}, "lrrrl", rows);
}

// How full the token counters were; "" if no machine has a clock.
std::string TokensText(const RegressReport& r) {
  std::vector<std::vector<std::string>> rows;
  for (const isa::Config& config : r.setup.configs) {
    for (const isa::Profile profile : r.profiles) {
      const auto most = r.tokens.find(fmt::format("{} {}", config.name, Text(profile)));
      if (most == r.tokens.end() || most->second == rig::TokenCounts{}) continue;
      for (size_t from = 0; from < isa::kUnits; ++from) {
        std::vector<std::string> row{most->first, std::string(Text(static_cast<isa::Unit>(from)))};
        for (size_t to = 0; to < isa::kUnits; ++to) {
          const bool edge = rig::HasEdge(profile, static_cast<int>(from), static_cast<int>(to));
          row.push_back(edge ? fmt::format("{}", most->second[from][to]) : "-");
        }
        row.push_back(fmt::format("{}", config.TokenDepth(profile)));
        rows.push_back(std::move(row));
      }
    }
  }
  if (rows.empty()) return "";
  return "\nTokens that each counter held at most, on a machine with a clock:\n" +
         Table({"configuration", "from", "to load", "to gemm", "to vector", "to store", "of"},
               "llrrrrr", rows);
}

// The time of a run's random programs together, under a name that equals only for equal programs.
TimedItem RandomTime(const RegressReport& r, const std::string& machine, const MachineTime& time) {
  const SuiteTally& t = r.suites[static_cast<size_t>(RegressSuite::kRandom)];
  return {
      fmt::format("random/{} {} programs from {}", fmt::join(ConfigNames(r), "+"), t.items, r.seed),
      machine, time};
}

std::vector<TimedItem> AllTimes(const RegressReport& r) {
  std::vector<TimedItem> all = r.times;
  std::ranges::sort(all, {}, [](const TimedItem& t) { return std::tie(t.name, t.machine); });
  for (const auto& [machine, time] : r.suites[static_cast<size_t>(RegressSuite::kRandom)].time)
    all.push_back(RandomTime(r, machine, time));
  return all;
}

// The cycles of networks and layers; for items whose cycles changed, a line with the causes.
std::string TimesText(const RegressReport& r) {
  std::vector<std::vector<std::string>> rows;
  size_t same = 0;
  for (const TimedItem& now : AllTimes(r)) {
    const auto before = std::ranges::find_if(r.before, [&](const TimedItem& b) {
      return b.name == now.name && b.machine == now.machine;
    });
    std::vector<std::string> row{now.name, now.machine,
                                 Grouped(static_cast<int64_t>(now.time.cycles)), "-", ""};
    if (before != r.before.end()) {
      const int64_t by = static_cast<int64_t>(now.time.cycles - before->time.cycles);
      same += by == 0;
      row[3] = by == 0 ? "0" : fmt::format("{}{}", by > 0 ? "+" : "", Grouped(by));
      if (by != 0) row[4] = WhyMoved(now.time, before->time);
    }
    const bool model = now.name.starts_with("networks/") || now.name.starts_with("layers/");
    if (model || (row[3] != "-" && row[3] != "0")) rows.push_back(std::move(row));
  }
  if (rows.empty() && r.before_name.empty()) return "";
  std::string text = "\nCycles";
  if (!r.before_name.empty())
    text += fmt::format("; since {} {} pieces took the same", r.before_name, same);
  if (rows.empty()) return text + ", none took others\n";
  return text + ":\n" + Table({"piece", "machine", "cycles", "moved", "why"}, "llrrl", rows);
}

}  // namespace

void RegressReport::Add(const RegressItem& item, const RegressEnd& end) {
  SuiteTally& tally = suites[static_cast<size_t>(item.suite)];
  if (end.left_out) {
    ++tally.left_out;
    return;
  }
  ++tally.items;
  tally.instructions += end.instructions;
  for (const auto& [machine, time] : end.time) tally.time[machine] += time;
  for (const auto& [cell, count] : end.cells) cells[cell] += count;
  for (const auto& [where, most] : end.tokens) rig::Raise(tokens[where], most);
  if (item.suite != RegressSuite::kRandom) {
    for (const auto& [machine, time] : end.time) times.push_back({item.name, machine, time});
  }
  tally.differences += !end.difference.empty();
  tally.refused += !end.refused.empty();
  if (!end.difference.empty() || !end.refused.empty()) findings.push_back({item, end});
}

bool RegressReport::Ok() const { return findings.empty() && (!rtl || rtl->ok); }

std::string ReportText(const RegressReport& r) {
  const std::vector<std::string> names = Names(r);
  std::string text =
      fmt::format("{} against {}; configuration {}; seed {}; {} processes, {:.0f} s\n",
                  fmt::join(std::span(names).subspan(1), ", "), names[0],
                  fmt::join(ConfigNames(r), ", "), r.seed, r.jobs, r.seconds);
  std::vector<std::vector<std::string>> rows;
  SuiteTally all;
  const auto row = [&](std::string_view name, const SuiteTally& t) {
    std::string cycles;
    for (const auto& [machine, time] : t.time)
      cycles += fmt::format("{}{} {}", cycles.empty() ? "" : ", ", machine,
                            Grouped(static_cast<int64_t>(time.cycles)));
    rows.push_back({std::string(name), Grouped(t.items), Grouped(t.instructions),
                    cycles.empty() ? "-" : cycles, Grouped(t.differences), Grouped(t.refused),
                    Grouped(t.left_out)});
  };
  for (size_t s = 0; s < r.suites.size(); ++s) {
    const SuiteTally& t = r.suites[s];
    if (t.items + t.left_out == 0) continue;
    row(Text(static_cast<RegressSuite>(s)), t);
    all.items += t.items, all.instructions += t.instructions, all.differences += t.differences;
    all.refused += t.refused, all.left_out += t.left_out;
    for (const auto& [machine, time] : t.time) all.time[machine] += time;
  }
  row("all", all);
  text += "\n" +
          Table({"suite", "programs", "instructions", "cycles", "differ", "unreadable", "left out"},
                "lrrlrrr", rows);
  for (const std::string& line : {r.ended, r.without}) {
    if (!line.empty()) text += line + "\n";
  }
  if (!r.findings.empty()) text += "\nWhat differed:\n";
  for (size_t f = 0; f < std::min(r.findings.size(), kShownFindings); ++f)
    text += FindingText(r.findings[f]);
  if (r.findings.size() > kShownFindings)
    text += fmt::format("... and {} more\n", r.findings.size() - kShownFindings);
  text += TimesText(r);
  text += CoverageText(r);
  text += TokensText(r);
  if (r.rtl) text += fmt::format("\nExecuted of the RTL:\n{}\n", fmt::join(r.rtl->lines, "\n"));
  if (r.Ok()) {
    text += fmt::format("\nok: {} programs of {} instructions give the same on {}\n",
                        Grouped(all.items), Grouped(all.instructions), fmt::join(names, ", "));
  } else {
    text += fmt::format("\nNOT OK: {} of {} programs differ, {} files could not be read\n",
                        Grouped(all.differences), Grouped(all.items), Grouped(all.refused));
    if (r.rtl && !r.rtl->ok) text += "the coverage of the RTL is not as it should be\n";
  }
  return text;
}

nlohmann::ordered_json ReportJson(const RegressReport& r) {
  Json suites = Json::object();
  for (size_t s = 0; s < r.suites.size(); ++s) {
    const SuiteTally& t = r.suites[s];
    if (t.items + t.left_out == 0) continue;
    Json cycles = Json::object();
    for (const auto& [machine, time] : t.time) cycles[machine] = time.cycles;
    suites[std::string(Text(static_cast<RegressSuite>(s)))] = {
        {"programs", t.items},          {"instructions", t.instructions}, {"cycles", cycles},
        {"differences", t.differences}, {"unreadable", t.refused},        {"left_out", t.left_out}};
  }
  Json findings = Json::array();
  for (const RegressFinding& f : r.findings) {
    findings.push_back({{"name", f.item.name},
                        {"difference", f.end.difference},
                        {"machine", f.end.machine},
                        {"memory", f.end.memory},
                        {"kept", f.end.kept},
                        {"dump", f.end.dump},
                        {"instructions", f.end.instructions},
                        {"small_instructions", f.end.small_instructions},
                        {"unreadable", f.end.refused}});
  }
  Json times = Json::array();
  for (const TimedItem& t : AllTimes(r)) {
    times.push_back({{"name", t.name}, {"machine", t.machine}, {"time", t.time}});
  }
  Json coverage = Json::array();
  for (const rig::InsnCoverage& c : rig::SumCoverage(r.cells, r.setup.configs[0], r.profiles)) {
    coverage.push_back({{"instruction", c.insn},
                        {"run", c.run},
                        {"reached", c.reached},
                        {"cells", c.cells},
                        {"missing", c.missing}});
  }
  Json tokens = Json::object();
  for (const auto& [where, most] : r.tokens) tokens[where] = most;
  const Json rtl = r.rtl ? Json(r.rtl->lines) : Json();
  return {{"ok", r.Ok()},         {"devices", Names(r)},  {"configs", ConfigNames(r)},
          {"seed", r.seed},       {"jobs", r.jobs},       {"seconds", r.seconds},
          {"ended", r.ended},     {"without", r.without}, {"suites", suites},
          {"findings", findings}, {"times", times},       {"coverage", coverage},
          {"tokens", tokens},     {"rtl_coverage", rtl}};
}

}  // namespace tessera::tools
