// SPDX-License-Identifier: Apache-2.0
//
// Turns the words of a user (import_words.h) into options of the importers and of placement.
// Depends on: compiler/import, compiler/network/pins.h, runtime/tensor.
#ifndef TESSERA_TOOLS_IMPORT_OPTIONS_H_
#define TESSERA_TOOLS_IMPORT_OPTIONS_H_

#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
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
  const char* next = word.data() + (good ? at + 1 : 0);
  const char* const end = word.data() + word.size();
  while (good) {
    int64_t extent = 0;
    const auto [behind, error] = std::from_chars(next, end, extent);
    good = error == std::errc() && extent > 0 && (behind == end || *behind == ',');
    shape.push_back(extent);
    if (!good || behind == end) break;
    next = behind + 1;
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

// The placement that the file of --place has.
//   errors  those of ReadFile, ParsePins
inline Result<network::Pins> PinsOf(const ImportWords& words) {
  if (words.place.empty()) return network::Pins();
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(words.place));
  return network::ParsePins({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                            words.place);
}

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_IMPORT_OPTIONS_H_
