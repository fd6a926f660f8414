// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/png.h"

#include <zlib.h>

#include <cstdlib>

#include "base/file.h"

namespace tessera::test {
namespace {

// PNG's predictor of left, above and above left.
int Paeth(int a, int b, int c) {
  const int p = a + b - c, pa = std::abs(p - a), pb = std::abs(p - b), pc = std::abs(p - c);
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

// Undoes the filter of row |now|; |above|: the row before it, already undone.
bool Undo(int filter, size_t channels, std::vector<uint8_t>& now,
          const std::vector<uint8_t>& above) {
  for (size_t i = 0; i < now.size(); ++i) {
    const int left = i < channels ? 0 : now[i - channels];
    const int corner = i < channels ? 0 : above[i - channels];
    const int guess[] = {0, left, above[i], (left + above[i]) / 2, Paeth(left, above[i], corner)};
    if (filter < 0 || filter > 4) return false;
    now[i] = static_cast<uint8_t>(now[i] + guess[filter]);
  }
  return true;
}

}  // namespace

Result<Picture> ReadPng(const std::string& path) {
  TESSERA_ASSIGN(const std::vector<uint8_t> file, ReadFile(path));
  const auto bad = [&] {
    return Fail(Code::kInvalidArgument, "{}: not a PNG of 8-bit RGB or RGBA", path);
  };
  const auto number = [&](size_t at) {
    return uint32_t{file[at]} << 24 | file[at + 1] << 16 | file[at + 2] << 8 | file[at + 3];
  };
  Picture picture;
  size_t channels = 0;
  std::vector<uint8_t> packed;
  for (size_t at = 8; at + 12 <= file.size();) {
    const size_t length = number(at), data = at + 8;
    const std::string kind(file.begin() + static_cast<int64_t>(at) + 4,
                           file.begin() + static_cast<int64_t>(at) + 8);
    if (data + length + 4 > file.size()) return bad();
    if (kind == "IHDR") {
      picture.width = static_cast<int>(number(data));
      picture.height = static_cast<int>(number(data + 4));
      channels = file[data + 9] == 2 ? 3 : file[data + 9] == 6 ? 4 : 0;
      if (file[data + 8] != 8 || file[data + 12] != 0) return bad();
    }
    if (kind == "IDAT") packed.insert(packed.end(), &file[data], &file[data] + length);
    at = data + length + 4;
  }
  if (channels == 0) return bad();
  const size_t row = static_cast<size_t>(picture.width) * channels;
  std::vector<uint8_t> raw((row + 1) * static_cast<size_t>(picture.height));
  uLongf size = raw.size();
  if (uncompress(raw.data(), &size, packed.data(), packed.size()) != Z_OK || size != raw.size())
    return bad();
  std::vector<uint8_t> above(row);
  for (size_t y = 0; y < static_cast<size_t>(picture.height); ++y) {
    const uint8_t* line = &raw[y * (row + 1)];
    std::vector<uint8_t> now(line + 1, line + 1 + row);
    if (!Undo(line[0], channels, now, above)) return bad();
    for (size_t x = 0; x < row; x += channels)
      picture.pixels.push_back(uint32_t{now[x]} << 16 | now[x + 1] << 8 | now[x + 2]);
    above = std::move(now);
  }
  return picture;
}

}  // namespace tessera::test
