// SPDX-License-Identifier: Apache-2.0
//
// Turns the words of a user (import_words.h) into options of the importers and of placement.
// Depends on: compiler/import, compiler/driver, compiler/network/pins.h, runtime/tensor.
#ifndef TESSERA_TOOLS_IMPORT_OPTIONS_H_
#define TESSERA_TOOLS_IMPORT_OPTIONS_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "compiler/driver/compile.h"
#include "compiler/import/options.h"
#include "compiler/network/pins.h"
#include "runtime/tensor/npy.h"
#include "tools/import_words.h"

namespace tessera::tools {

// The name and the extents of |word|, "x=1,3,224,224".
//   errors  kInvalidArgument  no name, or extents that are not numbers above 0
inline Result<std::pair<std::string, std::vector<int64_t>>> ParseShapeWord(
    const std::string& word) {
  const size_t at = word.rfind('=');
  std::vector<int64_t> shape;
  bool good = at != std::string::npos && at > 0;
  std::string_view rest = word;
  if (good) rest.remove_prefix(at + 1);
  while (good) {
    shape.push_back(TakeNumber<int64_t>(rest).value_or(0));
    good = shape.back() > 0 && (rest.empty() || rest.starts_with(','));
    if (!good || rest.empty()) break;
    rest.remove_prefix(1);
  }
  if (good) return std::pair(word.substr(0, at), shape);
  return Fail(Code::kInvalidArgument,
              "--shape {}: the name of an input and its extents are needed, say x=1,3,224,224",
              word);
}

// The name and the value of |word|, "x=value.npy".
//   errors  kInvalidArgument  no name or no file; those of ReadTensorFile
inline Result<std::pair<std::string, HostTensor>> ReadKnownWord(const std::string& word) {
  const size_t at = word.find('=');
  if (at == std::string::npos || at == 0 || at + 1 == word.size()) {
    return Fail(Code::kInvalidArgument,
                "--known {}: the name of an input and a file are needed, say x=value.npy", word);
  }
  TESSERA_ASSIGN(HostTensor value, ReadTensorFile(word.substr(at + 1)));
  return std::pair(word.substr(0, at), std::move(value));
}

inline Result<ImportOptions> ImportOptionsOf(const ImportWords& words) {
  ImportOptions options;
  if (!words.tflite.empty()) {
    TESSERA_ASSIGN(options.tflite, ParseTfliteKernels(words.tflite));
  }
  for (const std::string& word : words.shapes) {
    TESSERA_ASSIGN(auto named, ParseShapeWord(word));
    if (!options.shapes.insert(std::move(named)).second)
      return Fail(Code::kInvalidArgument, "--shape {}: the input has another shape already", word);
  }
  for (const std::string& word : words.known) {
    TESSERA_ASSIGN(auto named, ReadKnownWord(word));
    if (!options.known.insert(std::move(named)).second)
      return Fail(Code::kInvalidArgument, "--known {}: the input has another value already", word);
  }
  return options;
}

// What --place asks for.
struct WantedPlaces {
  network::Pins pins;
  std::optional<network::Objective> goal;  // nothing: the compiler's own rule (network/place.h)
};

// "1.5,0.8" of "energy:1.5,0.8", or "1.5,0.8,60" with a GPU.
//   errors  kInvalidArgument  not two or three numbers of watts, from 0 on
inline Result<network::Objective> ParseEnergy(std::string_view word) {
  network::Objective energy{.kind = network::Objective::Kind::kEnergy};
  const std::array watts{&energy.host_watts, &energy.accelerator_watts, &energy.gpu_watts};
  size_t numbers = 0;
  const auto read = [](std::string_view text, double* number) {
    *number = NumberIn<double>(text).value_or(-1);
    return *number >= 0 && std::isfinite(*number);
  };
  bool good = true;
  for (const auto part : std::views::split(word, ',')) {
    good = good && numbers < watts.size() && read({part.begin(), part.end()}, watts[numbers]);
    ++numbers;
  }
  if (!good || numbers < 2) {
    return Fail(Code::kInvalidArgument,
                "--place energy: '{}' is not two numbers: give the watts of the host and of the "
                "accelerator while they work, as in energy:1.5,0.8, and then those of a GPU",
                word);
  }
  return energy;
}

// Reads the word of --place, or its file.
//   errors  those of ParseEnergy, ReadFile, ParsePins
inline Result<WantedPlaces> PlacesOf(const ImportWords& words) {
  constexpr std::string_view kEnergy = "energy";
  using Kind = network::Objective::Kind;
  if (words.place.empty() || words.place == "auto") return WantedPlaces();
  if (words.place == "latency") return WantedPlaces{{}, network::Objective{Kind::kLatency}};
  if (words.place == "throughput") return WantedPlaces{{}, network::Objective{Kind::kThroughput}};
  if (words.place == kEnergy || words.place.starts_with("energy:")) {
    const size_t skip = std::min(kEnergy.size() + 1, words.place.size());
    TESSERA_ASSIGN(const network::Objective energy,
                   ParseEnergy(std::string_view(words.place).substr(skip)));
    return WantedPlaces{{}, energy};
  }
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(words.place));
  TESSERA_ASSIGN(
      network::Pins pins,
      network::ParsePins({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, words.place));
  return WantedPlaces{std::move(pins), {}};
}

// Sets what |words| say of placement.
//   errors  those of PlacesOf
inline Status SetPlaces(const ImportWords& words, compiler::CompileOptions* options) {
  TESSERA_ASSIGN(WantedPlaces places, PlacesOf(words));
  options->pins = std::move(places.pins);
  options->goal = places.goal;
  return {};
}

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_IMPORT_OPTIONS_H_
