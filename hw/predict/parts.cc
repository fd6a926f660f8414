// SPDX-License-Identifier: Apache-2.0
#include "hw/predict/parts.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/check.h"
#include "base/file.h"
#include "hw/predict/embedded.h"
#include "isa/json_object.h"

namespace tessera::hw {
namespace {

constexpr double kMostResources = 1e9;
constexpr std::string_view kKeys = "name, family, speed, lut, ff, dsp, bram36";

std::vector<Part> ReadParts() {
  std::vector<Part> parts;
  std::istringstream lines{std::string(EmbeddedFile("parts.txt"))};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what;
    Part part;
    if (!(words >> what) || what != "part") continue;
    words >> part.name >> part.family >> part.speed >> part.lut >> part.ff >> part.dsp >>
        part.bram18;
    TESSERA_CHECK(!words.fail(), "hw/parts.txt: {}", line);
    if (part.family != "ecp5") part.bram18 *= 2;  // the column counts BRAM36
    parts.push_back(part);
  }
  TESSERA_CHECK(!parts.empty(), "hw/parts.txt has no part");
  return parts;
}

// |get| of each known part, once each, with commas.
std::string Listed(std::string Part::*get) {
  std::string list;
  std::vector<std::string> seen;
  for (const Part& part : KnownParts()) {
    if (std::ranges::find(seen, part.*get) != seen.end()) continue;
    seen.push_back(part.*get);
    list += (list.empty() ? "" : ", ") + part.*get;
  }
  return list;
}

// A file of limits, key by key.
class LimitsReader {
 public:
  explicit LimitsReader(nlohmann::json json) : json_(std::move(json)) {}

  Result<std::string> Text(const char* key) {
    TESSERA_ASSIGN(const nlohmann::json value, Take(key));
    if (value.is_string()) return value.get<std::string>();
    return Fail(Code::kInvalidArgument, "\"{}\" is {}, it must be a string", key,
                isa::ShownJson(value));
  }
  // A number of units of 1 / |per|.
  Result<int64_t> Count(const char* key, int per) {
    TESSERA_ASSIGN(const nlohmann::json value, Take(key));
    const double number = value.is_number() ? value.get<double>() * per : 0.5;
    if (number != std::floor(number)) {
      return Fail(Code::kInvalidArgument, "\"{}\" is {}, it must be a whole number{}", key,
                  isa::ShownJson(value), per == 2 ? " or end in .5" : "");
    }
    if (number < 0 || number > per * kMostResources) {
      return Fail(Code::kOutOfRange, "\"{}\" is {}, it can be 0 to {:.0f}", key,
                  isa::ShownJson(value), kMostResources);
    }
    return static_cast<int64_t>(number);
  }
  bool Has(const char* key) const { return json_.contains(key); }
  Status End() const {
    if (json_.empty()) return {};
    return Fail(Code::kInvalidArgument, "unknown key {}; known keys: {}",
                isa::ShownJson(json_.begin().key()), kKeys);
  }

 private:
  Result<nlohmann::json> Take(const char* key) {
    if (!json_.contains(key)) {
      return Fail(Code::kInvalidArgument, "there is no \"{}\"; a file of limits has the keys {}",
                  key, kKeys);
    }
    nlohmann::json value = json_[key];
    json_.erase(key);
    return value;
  }

  nlohmann::json json_;
};

Result<Part> ParsePart(const std::string& text) {
  TESSERA_ASSIGN(nlohmann::json json, isa::ParseJsonObject(text));
  LimitsReader reader(std::move(json));
  Part part;
  TESSERA_ASSIGN(part.name, reader.Text("name"));
  TESSERA_ASSIGN(part.family, reader.Text("family"));
  const bool known = std::ranges::any_of(
      KnownParts(), [&](const Part& other) { return other.family == part.family; });
  if (!known) {
    return Fail(Code::kInvalidArgument, "\"family\" is \"{}\", it can be {}", part.family,
                Listed(&Part::family));
  }
  if (reader.Has("speed")) {
    TESSERA_ASSIGN(part.speed, reader.Text("speed"));
  }
  TESSERA_ASSIGN(part.lut, reader.Count("lut", 1));
  TESSERA_ASSIGN(part.ff, reader.Count("ff", 1));
  TESSERA_ASSIGN(part.dsp, reader.Count("dsp", 1));
  TESSERA_ASSIGN(part.bram18, reader.Count("bram36", 2));
  TESSERA_TRY(reader.End());
  return part;
}

}  // namespace

const std::vector<Part>& KnownParts() {
  static const std::vector<Part> parts = ReadParts();
  return parts;
}

Result<Part> LoadPart(const std::string& name_or_path) {
  for (const Part& part : KnownParts()) {
    if (part.name == name_or_path) return part;
  }
  if (name_or_path.find('/') == std::string::npos && !name_or_path.ends_with(".json")) {
    return Fail(Code::kNotFound, "no part is named \"{}\"; there are {}, or give a .json file",
                name_or_path, Listed(&Part::name));
  }
  constexpr uint64_t kMostBytes = 1 << 20;
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(name_or_path, kMostBytes));
  auto part = ParsePart(std::string(bytes.begin(), bytes.end()));
  if (!part) return Within(name_or_path, part.error());
  return part;
}

Status Fits(const Silicon& silicon, const Part& part) {
  std::string short_of;
  const auto compare = [&](const char* resource, double needs, double has) {
    if (needs <= has) return;
    short_of += fmt::format("{}{} {}, it has {} ({} too few)", short_of.empty() ? "" : "; ", needs,
                            resource, has, needs - has);
  };
  compare("LUT", std::ceil(silicon.lut), static_cast<double>(part.lut));
  compare("FF", std::ceil(silicon.ff), static_cast<double>(part.ff));
  compare("DSP", static_cast<double>(silicon.dsp), static_cast<double>(part.dsp));
  compare("BRAM36", static_cast<double>(silicon.bram18) / 2, static_cast<double>(part.bram18) / 2);
  if (short_of.empty()) return {};
  return Fail(Code::kOutOfRange, "part {} is too small: the machine needs {}", part.name, short_of);
}

}  // namespace tessera::hw
