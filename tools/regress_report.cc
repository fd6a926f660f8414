// SPDX-License-Identifier: Apache-2.0
#include "tools/regress_report.h"

#include <fmt/ranges.h>

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
  return text;
}

// The first missing cells of each instruction; the JSON has all.
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

}  // namespace

void RegressReport::Add(const RegressItem& item, const RegressEnd& end) {
  SuiteTally& tally = suites[static_cast<size_t>(item.suite)];
  if (end.left_out) {
    ++tally.left_out;
    return;
  }
  ++tally.items;
  tally.instructions += end.instructions;
  for (const auto& [machine, cycles] : end.cycles) tally.cycles[machine] += cycles;
  for (const auto& [cell, count] : end.cells) cells[cell] += count;
  tally.differences += !end.difference.empty();
  tally.refused += !end.refused.empty();
  if (!end.difference.empty() || !end.refused.empty()) findings.push_back({item, end});
}

bool RegressReport::Ok() const { return findings.empty(); }

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
    for (const auto& [machine, count] : t.cycles)
      cycles += fmt::format("{}{} {}", cycles.empty() ? "" : ", ", machine,
                            Grouped(static_cast<int64_t>(count)));
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
    for (const auto& [machine, cycles] : t.cycles) all.cycles[machine] += cycles;
  }
  row("all", all);
  text += "\n" +
          Table({"suite", "programs", "instructions", "cycles", "differ", "unreadable", "left out"},
                "lrrlrrr", rows);
  if (!r.ended.empty()) text += r.ended + "\n";
  if (!r.findings.empty()) text += "\nWhat differed:\n";
  for (size_t f = 0; f < std::min(r.findings.size(), kShownFindings); ++f)
    text += FindingText(r.findings[f]);
  if (r.findings.size() > kShownFindings)
    text += fmt::format("... and {} more\n", r.findings.size() - kShownFindings);
  text += CoverageText(r);
  if (r.Ok()) {
    text += fmt::format("\nok: {} programs of {} instructions give the same on {}\n",
                        Grouped(all.items), Grouped(all.instructions), fmt::join(names, ", "));
  } else {
    text += fmt::format("\nNOT OK: {} of {} programs differ, {} files could not be read\n",
                        Grouped(all.differences), Grouped(all.items), Grouped(all.refused));
  }
  return text;
}

nlohmann::ordered_json ReportJson(const RegressReport& r) {
  Json suites = Json::object();
  for (size_t s = 0; s < r.suites.size(); ++s) {
    const SuiteTally& t = r.suites[s];
    if (t.items + t.left_out == 0) continue;
    suites[std::string(Text(static_cast<RegressSuite>(s)))] = {
        {"programs", t.items},          {"instructions", t.instructions}, {"cycles", t.cycles},
        {"differences", t.differences}, {"unreadable", t.refused},        {"left_out", t.left_out}};
  }
  Json findings = Json::array();
  for (const RegressFinding& f : r.findings) {
    findings.push_back({{"name", f.item.name},
                        {"difference", f.end.difference},
                        {"machine", f.end.machine},
                        {"memory", f.end.memory},
                        {"kept", f.end.kept},
                        {"instructions", f.end.instructions},
                        {"small_instructions", f.end.small_instructions},
                        {"unreadable", f.end.refused}});
  }
  Json coverage = Json::array();
  for (const rig::InsnCoverage& c : rig::SumCoverage(r.cells, r.setup.configs[0], r.profiles)) {
    coverage.push_back({{"instruction", c.insn},
                        {"run", c.run},
                        {"reached", c.reached},
                        {"cells", c.cells},
                        {"missing", c.missing}});
  }
  return {{"ok", r.Ok()},        {"devices", Names(r)}, {"configs", ConfigNames(r)},
          {"seed", r.seed},      {"jobs", r.jobs},      {"seconds", r.seconds},
          {"ended", r.ended},    {"suites", suites},    {"findings", findings},
          {"coverage", coverage}};
}

}  // namespace tessera::tools
