// SPDX-License-Identifier: Apache-2.0
#include "tests/models/packed_json.h"

#include <zlib.h>

#include <array>
#include <memory>

namespace tessera::test {

Result<nlohmann::json> ReadPackedJson(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) return Fail(Code::kNotFound, "{}: cannot be opened", path);
  std::string text;
  std::array<char, 1 << 16> chunk;
  int got = 0;
  while ((got = gzread(file.get(), chunk.data(), chunk.size())) > 0)
    text.append(chunk.data(), static_cast<size_t>(got));
  if (got < 0) return Fail(Code::kDataLoss, "{}: not gzip data, or cut short", path);
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) return Fail(Code::kDataLoss, "{}: not JSON", path);
  return json;
}

std::optional<std::vector<uint8_t>> FromHex(const std::string& text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  std::vector<uint8_t> bytes;
  for (size_t at = 0; at + 1 < text.size(); at += 2) {
    const int high = digit(text[at]), low = digit(text[at + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<uint8_t>(high * 16 + low));
  }
  if (text.size() % 2 != 0) return std::nullopt;
  return bytes;
}

}  // namespace tessera::test
