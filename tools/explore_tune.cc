// SPDX-License-Identifier: Apache-2.0
#include "tools/explore_tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/process.h"
#include "tools/duration.h"
#include "tools/output.h"

namespace tessera::tools {
namespace {

// What tune does outside of its budget: it compiles, and measures the network that it chose.
constexpr std::chrono::seconds kBeside{600};

// The cycles of |model| with the records that a search writes to |records|.
Result<double> CyclesWithRecords(const std::string& program, const std::string& model,
                                 const std::string& config, const std::string& records,
                                 const ImportWords& import, const std::string& budget) {
  std::vector<std::string> words{program, "tune", model,   "--config", config, "--budget",
                                 budget,  "-o",   records, "--json",   "-"};
  if (std::filesystem::exists(records)) words.push_back("--resume");
  const auto add = [&](const char* option, const std::string& value) {
    if (value.empty()) return;
    words.emplace_back(option);
    words.push_back(value);
  };
  add("--tflite", import.tflite);
  for (const std::string& shape : import.shapes) add("--shape", shape);
  for (const std::string& known : import.known) add("--known", known);
  TESSERA_ASSIGN(const std::chrono::seconds time, ParseBudget(budget));
  TESSERA_ASSIGN(const ProcessEnd end, RunProcess(words, {}, time + kBeside));
  const Json json = Json::parse(end.output, nullptr, false);
  if (end.code != 0 || !json.is_object() || !json.contains("cycles")) {
    return Fail(Code::kUnavailable, "tune {}: {}", model,
                end.timed_out ? "took too long" : LastLine(end.errors));
  }
  return json["cycles"].get<double>();
}

}  // namespace

Result<explore::MachineCost> TuneMachine(const std::string& config_path,
                                         const std::vector<std::string>& models,
                                         const ImportWords& import, const std::string& budget,
                                         const explore::MachineCost& ran, int64_t clock_mhz) {
  std::error_code error;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  if (error) return Fail(Code::kUnavailable, "/proc/self/exe: {}", error.message());
  explore::MachineCost tuned = ran;
  const std::string stem = config_path.substr(0, config_path.rfind('.'));
  for (size_t n = 0; n < models.size(); ++n) {
    const std::string records =
        fmt::format("{}.{}.jsonl", stem, std::filesystem::path(models[n]).stem().string());
    explore::NetworkCost& network = tuned.networks[n];
    TESSERA_ASSIGN(network.cycles,
                   CyclesWithRecords(program, models[n], config_path, records, import, budget));
    network.accelerator = network.cycles / (static_cast<double>(clock_mhz) * 1e6);
  }
  return tuned;
}

}  // namespace tessera::tools
