// SPDX-License-Identifier: Apache-2.0
//
// Runs a fuzz target over files: each argument is one, or a folder of them. The same inputs that a
// fuzzer found run in every build, with every compiler. Exit status: 0, 2 when there is nothing to
// run.
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
                 file.c_str());  // before it runs: the last one printed is the culprit
    LLVMFuzzerTestOneInput(bytes->data(), bytes->size());
  }
  std::fprintf(stderr, "%zu inputs\n", files.size());
  return files.empty() ? 2 : 0;
}
