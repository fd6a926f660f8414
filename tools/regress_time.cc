// SPDX-License-Identifier: Apache-2.0
#include "tools/regress_time.h"

#include <algorithm>
#include <cstdlib>

#include "base/file.h"
#include "tools/output.h"
#include "tools/unit_parts.h"

namespace tessera::tools {
namespace {

// Indices into kUnitParts.
constexpr std::array<size_t, 3> kCauses = {0, 2, 3};
constexpr std::array<size_t, 2> kEffects = {1, 4};
constexpr size_t kShown = 4;

// The networks of tests/models/cycles.json and their files.
constexpr std::pair<std::string_view, std::string_view> kGolden[] = {
    {"fashion", "fashion_int8.onnx"},
    {"image_classification", "pretrainedResnet_quant.tflite"},
    {"keyword_spotting", "kws_ref_model.tflite"},
    {"visual_wake_words", "vww_96_int8.tflite"},
    {"anomaly_detection", "ad01_int8.tflite"},
    {"resnet18", "resnet18_int8.onnx"},
    {"mobilenetv2", "mobilenetv2_int8.onnx"},
};

using Moves = std::vector<std::pair<int64_t, std::string>>;

void Note(Moves& moves, const std::string& what, uint64_t now, uint64_t before) {
  const int64_t by = static_cast<int64_t>(now - before);
  if (by != 0) moves.emplace_back(by, what);
}

void NoteUnits(Moves& moves, std::span<const size_t> parts, const MachineTime& now,
               const MachineTime& before) {
  for (size_t u = 0; u < isa::kUnits; ++u) {
    for (const size_t p : parts) {
      Note(moves, fmt::format("{} {}", Text(static_cast<isa::Unit>(u)), kUnitParts[p]),
           now.units[u][p], before.units[u][p]);
    }
  }
}

}  // namespace

void MachineTime::Add(const RunReport& report) {
  cycles += report.cycles;
  bytes_read += report.bytes_read;
  bytes_written += report.bytes_written;
  for (size_t u = 0; u < isa::kUnits; ++u) {
    const auto parts = PartsOf(report.units[u]);
    for (size_t p = 0; p < parts.size(); ++p) units[u][p] += parts[p];
  }
}

MachineTime& MachineTime::operator+=(const MachineTime& other) {
  cycles += other.cycles;
  bytes_read += other.bytes_read;
  bytes_written += other.bytes_written;
  for (size_t u = 0; u < isa::kUnits; ++u) {
    for (size_t p = 0; p < units[u].size(); ++p) units[u][p] += other.units[u][p];
  }
  return *this;
}

void to_json(nlohmann::ordered_json& json, const MachineTime& time) {
  json = {{"cycles", time.cycles},
          {"bytes_read", time.bytes_read},
          {"bytes_written", time.bytes_written},
          {"units", time.units}};
}

void from_json(const nlohmann::ordered_json& json, MachineTime& time) {
  time = {.cycles = json.at("cycles"),
          .bytes_read = json.at("bytes_read"),
          .bytes_written = json.at("bytes_written"),
          .units = json.at("units")};
}

std::string WhyMoved(const MachineTime& now, const MachineTime& before) {
  if (before.units == MachineTime().units) return "";
  Moves moves;
  NoteUnits(moves, kCauses, now, before);
  Note(moves, "bytes read", now.bytes_read, before.bytes_read);
  Note(moves, "bytes written", now.bytes_written, before.bytes_written);
  if (moves.empty()) NoteUnits(moves, kEffects, now, before);
  std::ranges::stable_sort(
      moves, [](const auto& a, const auto& b) { return std::abs(a.first) > std::abs(b.first); });
  std::string text;
  for (size_t m = 0; m < std::min(moves.size(), kShown); ++m) {
    text += fmt::format("{}{} {}{}", m ? ", " : "", moves[m].second, moves[m].first > 0 ? "+" : "",
                        Grouped(moves[m].first));
  }
  return text;
}

Result<std::vector<TimedItem>> ReadTimes(const std::string& path) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
  const Json json = Json::parse(bytes, nullptr, false);
  std::vector<TimedItem> items;
  try {
    for (const auto& [network, file] : kGolden) {
      if (!json.is_object() || !json.contains(network)) continue;
      for (const char* machine : {"rtl", "cycle"}) {
        items.push_back({fmt::format("networks/default/{}", file),
                         machine,
                         {.cycles = json.at(std::string(network))}});
      }
    }
    if (!items.empty()) return items;
    for (const Json& item : json.at("times"))
      items.push_back({item.at("name"), item.at("machine"), item.at("time")});
  } catch (const Json::exception&) {
    return Fail(Code::kInvalidArgument,
                "--since {}: is not what tessera regress --json wrote: it has no list of times; "
                "golden cycles are in tests/models/cycles.json",
                path);
  }
  return items;
}

}  // namespace tessera::tools
