// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/sources.h"

#include <sstream>

#include "base/file.h"
#include "base/hash.h"

namespace tessera::sim {

Result<std::string> ListSources(const std::string& dependencies) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(dependencies));
  const std::string text(bytes.begin(), bytes.end());
  std::istringstream files(text.substr(text.find(':') + 1));
  std::string list;
  for (std::string file; files >> file;) {
    TESSERA_ASSIGN(const std::vector<uint8_t> source, ReadFile(file));
    list += fmt::format("{:016x} {}\n", Crc64(source), file);
  }
  return list;
}

std::string ChangedSource(const std::string& list) {
  const Result<std::vector<uint8_t>> bytes = ReadFile(list);
  if (!bytes) return "";
  std::istringstream lines(std::string(bytes->begin(), bytes->end()));
  for (std::string sum, file; lines >> sum >> file;) {
    const Result<std::vector<uint8_t>> source = ReadFile(file);
    if (!source || fmt::format("{:016x}", Crc64(*source)) != sum) return file;
  }
  return "";
}

}  // namespace tessera::sim
