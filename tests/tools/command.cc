// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/command.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tessera::test {
namespace {

struct TempFolder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("tessera_tools_" + std::to_string(getpid()));
  TempFolder() { std::filesystem::create_directories(path); }
  ~TempFolder() { std::filesystem::remove_all(path); }
};

}  // namespace

CommandResult Tessera(const std::string& arguments, const std::string& before) {
  setenv("TESSERA_DUMP_DIR", TempPath("").c_str(), /*overwrite=*/0);
  CommandResult result;
  FILE* pipe =
      popen((before + std::string(TESSERA_COMMAND) + " " + arguments + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  char chunk[4096];
  while (const size_t n = fread(chunk, 1, sizeof chunk, pipe)) result.output.append(chunk, n);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
  return result;
}

std::string TempPath(const std::string& name) {
  static const TempFolder folder;
  return (folder.path / name).string();
}

std::string Read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string Write(const std::string& name, const std::string& text) {
  const std::string path = TempPath(name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

}  // namespace tessera::test
