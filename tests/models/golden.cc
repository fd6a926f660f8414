// SPDX-License-Identifier: Apache-2.0
#include "tests/models/golden.h"

#include <cstdlib>
#include <filesystem>

#include "base/number.h"
#include "base/rng.h"
#include "tests/models/packed_json.h"

namespace tessera::test {
namespace {

uint64_t Hash(const nlohmann::json& text) {
  return std::stoull(text.get<std::string>(), nullptr, 16);
}

Golden::Run ReadRun(const nlohmann::json& json) {
  Golden::Run run{json.at("input"), Hash(json.at("input_crc")), {}, {}};
  for (const auto& crc : json.at("crc")) run.crc.push_back(Hash(crc));
  for (const auto& bytes : json.at("bytes")) run.bytes.push_back(FromHex(bytes).value());
  return run;
}

Golden FromJson(const nlohmann::json& json) {
  Golden golden;
  golden.network = json.at("network");
  golden.file = json.at("file");
  golden.file_crc = Hash(json.at("file_crc"));
  golden.interpreter_version = json.at("oracle").at("version");
  golden.kernels = json.at("oracle").at("kernels");
  golden.rounding = json.at("oracle").at("rounding");
  golden.input_shape = json.at("input_shape").get<std::vector<int64_t>>();
  golden.input_zero = json.at("input_zero");
  for (const auto& op : json.at("operators"))
    golden.operators.push_back({op.at("name"), op.at("shape").get<std::vector<int64_t>>()});
  golden.first_with_bytes = json.at("first_with_bytes");
  for (const auto& run : json.at("runs")) golden.runs.push_back(ReadRun(run));
  return golden;
}

// The sum of the coordinates of element |at| of a row-major tensor.
int64_t SumOfCoordinates(const std::vector<int64_t>& shape, int64_t at) {
  int64_t sum = 0;
  for (size_t d = shape.size(); d-- > 0; at /= shape[d]) sum += at % shape[d];
  return sum;
}

}  // namespace

const std::vector<uint8_t>* Golden::BytesOf(const Run& run, size_t op) const {
  return op < first_with_bytes ? nullptr : &run.bytes.at(op - first_with_bytes);
}

Result<Golden> ReadGolden(const std::string& network) {
  const std::string path = "models/mlperf_tiny/goldens/" + network + ".json.gz";
  TESSERA_ASSIGN(const nlohmann::json json, ReadPackedJson(path));
  try {
    return FromJson(json);
  } catch (const std::exception& error) {
    return Fail(Code::kDataLoss, "{}: {}; write it again with models/mlperf_tiny/goldens.py", path,
                error.what());
  }
}

std::optional<std::vector<uint8_t>> MakeInput(const Golden& golden, const std::string& input) {
  int64_t count = 1;
  for (int64_t extent : golden.input_shape) count *= extent;
  std::vector<uint8_t> values(static_cast<size_t>(count));
  const auto fill = [&](auto value_at) {
    for (int64_t i = 0; i < count; ++i)
      values[static_cast<size_t>(i)] = static_cast<uint8_t>(value_at(i));
    return values;
  };
  if (input == "least") return fill([](int64_t) { return -128; });
  if (input == "greatest") return fill([](int64_t) { return 127; });
  if (input == "zero point") return fill([&](int64_t) { return golden.input_zero; });
  if (input == "ramp") return fill([](int64_t i) { return i % 256 - 128; });
  if (input == "checkerboard")
    return fill(
        [&](int64_t i) { return SumOfCoordinates(golden.input_shape, i) % 2 == 0 ? -128 : 127; });
  const std::string_view text = input;
  if (!text.starts_with("random ")) return std::nullopt;
  const auto seed = NumberIn<uint64_t>(text.substr(7));
  if (!seed) return std::nullopt;
  Rng rng(*seed);
  uint64_t word = 0;
  return fill([&](int64_t i) {
    word = i % 8 == 0 ? rng.Next() : word >> 8;
    return word & 0xff;
  });
}

std::string ModelPath(const std::string& file) {
  const char* folder = std::getenv("TESSERA_MODELS");
  return (folder != nullptr && *folder != '\0' ? std::string(folder) : "../shared/models") + "/" +
         file;
}

std::string MissingModels() {
  int missing = 0;
  for (const std::string& network : kNetworks) {
    const Result<Golden> golden = ReadGolden(network);
    missing += golden && !std::filesystem::exists(ModelPath(golden->file));
  }
  return missing == 0
             ? ""
             : fmt::format("{} models not found (see models/mlperf_tiny/README.md)", missing);
}

}  // namespace tessera::test
