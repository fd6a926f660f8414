// SPDX-License-Identifier: Apache-2.0
//
// Runs a fuzz target over files: each argument is a file or a folder of files. Every build, with
// every compiler, runs the inputs that a fuzzer found. Exit status: 0, or 2 when there is no file.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argc, char** argv) {
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      files.emplace_back(argv[i]);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) {
    const auto bytes = tessera::ReadFile(file);
    if (!bytes) {
      std::fprintf(stderr, "%s\n", bytes.error().message.c_str());
      return 2;
    }
    std::fprintf(stderr, "%s\n",
                 file.c_str());  // printed before the run: the last name is the culprit's
    LLVMFuzzerTestOneInput(bytes->data(), bytes->size());
  }
  std::fprintf(stderr, "%zu inputs\n", files.size());
  return files.empty() ? 2 : 0;
}
