// SPDX-License-Identifier: Apache-2.0
#include "tools/output_files.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "tools/inputs.h"

namespace tessera::tools {
namespace {

std::string SafeName(const std::string& name) {
  std::string safe;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || (c == '.' && !safe.empty());
    safe += plain ? c : '_';
  }
  constexpr size_t kLongest = 200;  // file systems take 255
  return safe.empty() ? "_" : safe.substr(0, kLongest);
}

Result<std::vector<std::string>> FilesIn(const std::string& folder,
                                         const std::vector<artifact::TensorInfo>& outputs) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Fail(Code::kUnavailable, "{}: cannot be made: {}", folder, error.message());
  std::vector<std::string> files;
  for (const artifact::TensorInfo& output : outputs) {
    const std::string stem = (std::filesystem::path(folder) / SafeName(output.name)).string();
    std::string file = stem + ".npy";
    for (int n = 2; std::ranges::count(files, file) > 0; ++n)
      file = fmt::format("{}_{}.npy", stem, n);
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace

Result<std::vector<std::string>> OutputFiles(const std::vector<std::string>& given,
                                             const std::vector<artifact::TensorInfo>& outputs) {
  std::error_code error;
  const bool folder = given.size() == 1 &&
                      (given[0].ends_with('/') || std::filesystem::is_directory(given[0], error));
  TESSERA_ASSIGN(
      std::vector<std::string> files,
      folder ? FilesIn(given[0], outputs) : FilesByName(given, outputs, "--output", "outputs"));
  for (size_t o = 0; o < files.size(); ++o) {
    if (files[o].empty()) continue;
    const auto same = std::ranges::find(files, files[o]);
    if (same != files.begin() + static_cast<int64_t>(o)) {
      return Fail(Code::kInvalidArgument, "--output: {} is for '{}' and for '{}'", files[o],
                  outputs[static_cast<size_t>(same - files.begin())].name, outputs[o].name);
    }
    TESSERA_TRY(CheckWritable(files[o]));
  }
  return files;
}

}  // namespace tessera::tools
