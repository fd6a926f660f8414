// SPDX-License-Identifier: Apache-2.0
//
// Reads configurations from JSON with VTA's keys or ours, and writes them with ours.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "isa/config.h"
#include "isa/config_keys.h"
#include "isa/json_object.h"

namespace tessera::isa {
namespace {

constexpr int64_t kKiB = 1024;

constexpr ConfigKey kOurKeys[] = {
    {"batch", &Config::batch, 1},
    {"block", &Config::block_out, 1},
#define MEMORY(id, value, text, meaning, number, initial, key, unit, ...) \
  {key, &Config::number, unit},
#include "isa/memories.def"
    {"bus_bits", &Config::bus_bits, 1},
    {"clock_mhz", &Config::clock_mhz, 1},
    {"queue_depth", &Config::queue_depth, 1},
    {"token_depth", &Config::token_depth, 1},
    {"vector_passes", &Config::vector_passes, 1},
    {"array_passes", &Config::array_passes, 1},
    {"depthwise", &Config::depthwise, 1},
};
// VTA's keys, which hold logarithms.
constexpr ConfigKey kLogKeys[] = {
    {"LOG_BATCH", &Config::batch, 1},
    {"LOG_BLOCK", &Config::block_out, 1},
    {"LOG_UOP_BUFF_SIZE", &Config::uop_bytes, 1},
    {"LOG_INP_BUFF_SIZE", &Config::inp_bytes, 1},
    {"LOG_WGT_BUFF_SIZE", &Config::wgt_bytes, 1},
    {"LOG_ACC_BUFF_SIZE", &Config::acc_bytes, 1},
    {"LOG_OUT_BUFF_SIZE", &Config::out_bytes, 1},
    {"LOG_BUS_WIDTH", &Config::bus_bits, 1},
};

// A key of "cpu" or "gpu" whose value is a whole number.
template <typename Part>
struct PartKey {
  const char* key;
  int64_t Part::*field;
};
constexpr PartKey<Cpu> kCpuKeys[] = {
    {"clock_mhz", &Cpu::clock_mhz}, {"cores", &Cpu::cores},
    {"l2_kib", &Cpu::l2_kib},       {"memory_mb_s", &Cpu::memory_mb_s},
    {"start_us", &Cpu::start_us},   {"pack_mb_s", &Cpu::pack_mb_s}};
constexpr PartKey<Gpu> kGpuKeys[] = {
    {"processors", &Gpu::processors},  {"lanes", &Gpu::lanes},
    {"clock_mhz", &Gpu::clock_mhz},    {"memory_mb_s", &Gpu::memory_mb_s},
    {"link_mb_s", &Gpu::link_mb_s},    {"launch_us", &Gpu::launch_us},
    {"transfer_us", &Gpu::transfer_us}};

// VTA's keys for values that are fixed in this machine.
struct FixedKey {
  const char* key;
  int64_t value;
};
constexpr FixedKey kFixedKeys[] = {
    {"LOG_INP_WIDTH", 3}, {"LOG_WGT_WIDTH", 3}, {"LOG_OUT_WIDTH", 3}, {"LOG_ACC_WIDTH", 5}};

constexpr int64_t kMostLog = 40;
constexpr int64_t kMostNumber = int64_t{1} << 40;

Result<int64_t> Number(const std::string& key, const nlohmann::json& value, int64_t most) {
  if (!value.is_number_integer()) {
    return Fail(Code::kInvalidArgument, "\"{}\" is {}, it must be a whole number", key,
                ShownJson(value));
  }
  const int64_t number =
      value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(kMostNumber)
          ? kMostNumber + 1
          : value.get<int64_t>();
  if (number < 0 || number > most) {
    return Fail(Code::kOutOfRange, "\"{}\" is {}, it can be 0 to {}", key, ShownJson(value), most);
  }
  return number;
}

Result<std::string> String(const std::string& key, const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  return Fail(Code::kInvalidArgument, "\"{}\" is {}, it must be a string", key, ShownJson(value));
}

Result<Cpu> CpuNamed(const std::string& key, const nlohmann::json& value) {
  TESSERA_ASSIGN(const std::string name, String(key, value));
  if (const Cpu* cpu = FindCpu(name)) return *cpu;
  std::string names;
  for (const Cpu& cpu : NamedCpus()) names += (names.empty() ? "\"" : ", \"") + cpu.name + "\"";
  return Fail(Code::kInvalidArgument,
              "\"{}\" is {}, it can be {}; take the nearest one and give the figures that differ, "
              "as {{\"name\": ..., \"clock_mhz\": ...}}",
              key, ShownJson(value), names);
}

// Sets the figures of |value|, an object of the file's key |name|; |text_key|: its key that is no
// figure.
template <typename Part>
Status SetFigures(const std::string& name, const std::string& text_key, const nlohmann::json& value,
                  std::span<const PartKey<Part>> keys, Part* part) {
  for (const auto& [key, number] : value.items()) {
    if (key == text_key) continue;
    const auto known =
        std::ranges::find_if(keys, [&](const PartKey<Part>& k) { return key == k.key; });
    if (known == keys.end()) {
      std::string all = text_key;
      for (const PartKey<Part>& k : keys) all += std::string(", ") + k.key;
      return Fail(Code::kInvalidArgument, "\"{}\" has an unknown key {}; known keys: {}", name,
                  ShownJson(key), all);
    }
    TESSERA_ASSIGN(part->*(known->field), Number(name + "." + key, number, kMostNumber / kKiB));
  }
  return {};
}

Result<Gpu> GpuOf(const nlohmann::json& value) {
  if (!value.is_object() || !value.contains("driver")) {
    return Fail(
        Code::kInvalidArgument,
        "\"gpu\" is {}, it must be an object with \"driver\" and figures that differ from an "
        "A100's",
        ShownJson(value));
  }
  Gpu gpu;
  TESSERA_ASSIGN(gpu.driver, String("gpu.driver", value["driver"]));
  if (gpu.driver != "opencl" && gpu.driver != "cuda") {
    return Fail(Code::kInvalidArgument, "\"gpu.driver\" is {}, it can be \"opencl\" or \"cuda\"",
                ShownJson(value["driver"]));
  }
  TESSERA_TRY(SetFigures<Gpu>("gpu", "driver", value, kGpuKeys, &gpu));
  return gpu;
}

// |value|: the name of a CPU, or an object with the name and the figures that a board decides.
Result<Cpu> CpuOf(const nlohmann::json& value) {
  if (value.is_string()) return CpuNamed("cpu", value);
  if (!value.is_object()) {
    return Fail(Code::kInvalidArgument, "\"cpu\" is {}, it must be a name or an object",
                ShownJson(value));
  }
  Cpu cpu;
  if (value.contains("name")) {
    TESSERA_ASSIGN(cpu, CpuNamed("cpu.name", value["name"]));
  }
  TESSERA_TRY(SetFigures<Cpu>("cpu", "name", value, kCpuKeys, &cpu));
  return cpu;
}

// The values set so far, and the key that set each.
class JsonKeys {
 public:
  explicit JsonKeys(const std::string& name) { config_.name = name; }

  Status Apply(const std::string& key, const nlohmann::json& value) {
    for (const ConfigKey& k : kOurKeys) {
      if (key != k.key) continue;
      TESSERA_ASSIGN(const int64_t number, Number(key, value, kMostNumber / kKiB));
      return Set(k, number * k.unit);
    }
    for (const ConfigKey& k : kLogKeys) {
      if (key != k.key) continue;
      TESSERA_ASSIGN(const int64_t number, Number(key, value, kMostLog));
      return Set(k, int64_t{1} << number);
    }
    for (const FixedKey& k : kFixedKeys) {
      if (key != k.key) continue;
      TESSERA_ASSIGN(const int64_t number, Number(key, value, kMostLog));
      if (number == k.value) return {};
      return Fail(Code::kOutOfRange, "\"{}\" is {}, this machine has {} ({} bits)", key, number,
                  k.value, 1 << k.value);
    }
    if (key == "name" || key == "TARGET") {
      TESSERA_ASSIGN(const std::string text, String(key, value));
      if (key == "name" || !named_) config_.name = text;
      named_ = named_ || key == "name";
      return {};
    }
    if (key == "HW_VER") {
      TESSERA_ASSIGN(const std::string unused, String(key, value));
      return {};
    }
    if (key == "memory") {
      TESSERA_ASSIGN(const std::string text, String(key, value));
      if (text != "tsim" && text != "zynq") {
        return Fail(Code::kInvalidArgument, "\"memory\" is {}, it can be \"tsim\" or \"zynq\"",
                    ShownJson(value));
      }
      config_.dram = text == "tsim" ? DramModel::kTsim : DramModel::kZynq;
      return {};
    }
    if (key == "cpu") {
      TESSERA_ASSIGN(config_.cpu, CpuOf(value));
      return {};
    }
    if (key == "gpu") {
      TESSERA_ASSIGN(config_.gpu, GpuOf(value));
      return {};
    }
    return Fail(Code::kInvalidArgument, "unknown key {}; known keys: {}", ShownJson(key),
                KnownKeys());
  }

  // If no key gave the size of OUT, OUT has as many tiles as ACC.
  Config Finish() {
    config_.block_in = config_.block_out;
    if (!given_.contains(&config_.out_bytes)) config_.out_bytes = OutBytesFor(config_);
    return config_;
  }

 private:
  Status Set(const ConfigKey& k, int64_t number) {
    int64_t& field = config_.*(k.field);
    const auto [other, fresh] = given_.emplace(&field, k.key);
    if (!fresh) {
      return Fail(Code::kInvalidArgument, "\"{}\" and \"{}\" say the same thing; give one",
                  other->second, k.key);
    }
    field = number;
    return {};
  }

  static std::string KnownKeys() {
    std::string all = "name, memory, cpu, gpu";
    for (const ConfigKey& k : kOurKeys) all += std::string(", ") + k.key;
    for (const ConfigKey& k : kLogKeys) all += std::string(", ") + k.key;
    for (const FixedKey& k : kFixedKeys) all += std::string(", ") + k.key;
    return all + ", TARGET, HW_VER";
  }

  Config config_;
  std::map<const int64_t*, std::string> given_;
  bool named_ = false;
};

}  // namespace

Result<Config> ParseConfig(const std::string& text, const std::string& default_name) {
  TESSERA_ASSIGN(const nlohmann::json json, ParseJsonObject(text));
  JsonKeys reader(default_name);
  for (const auto& [key, value] : json.items()) TESSERA_TRY(reader.Apply(key, value));
  Config config = reader.Finish();
  TESSERA_TRY(ValidateConfig(config));
  return config;
}

Result<Config> LoadConfig(const std::string& name_or_path) {
  std::string names;
  for (const Config& config : NamedConfigs()) {
    if (config.name == name_or_path) return config;
    names += (names.empty() ? "" : ", ") + config.name;
  }
  if (name_or_path.find('/') == std::string::npos && !name_or_path.ends_with(".json")) {
    return Fail(Code::kNotFound,
                "no configuration is named \"{}\"; there are {}, or give a .json file",
                name_or_path, names);
  }
  constexpr uint64_t kMostBytes = 1 << 20;
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(name_or_path, kMostBytes));
  auto config = ParseConfig(std::string(bytes.begin(), bytes.end()),
                            std::filesystem::path(name_or_path).stem());
  if (!config) return Within(name_or_path, config.error());
  return config;
}

std::span<const ConfigKey> ConfigKeys() { return kOurKeys; }

std::string ConfigToJson(const Config& c) {
  nlohmann::ordered_json json;
  json["name"] = c.name;
  for (const ConfigKey& k : kOurKeys) json[k.key] = c.*(k.field) / k.unit;
  json["memory"] = c.dram == DramModel::kTsim ? "tsim" : "zynq";
  json["cpu"]["name"] = c.cpu.name;
  for (const PartKey<Cpu>& k : kCpuKeys) json["cpu"][k.key] = c.cpu.*(k.field);
  if (c.gpu.driver.empty()) return json.dump(2) + "\n";
  json["gpu"]["driver"] = c.gpu.driver;
  for (const PartKey<Gpu>& k : kGpuKeys) json["gpu"][k.key] = c.gpu.*(k.field);
  return json.dump(2) + "\n";
}

}  // namespace tessera::isa
