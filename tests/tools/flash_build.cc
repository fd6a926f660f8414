// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/flash_build.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "base/hash.h"
#include "isa/config.h"

namespace tessera::test {

FakeBuild FakeBuild::Make(const std::string& folder, const std::string& name, uint64_t seed) {
  std::filesystem::create_directories(folder);
  FakeBuild build;
  build.folder = folder;
  const auto board = ReadBoard("boards/" + name);
  EXPECT_TRUE(board);
  build.board = *board;
  const auto config = isa::LoadConfig(board->config);
  EXPECT_TRUE(config);
  build.bit = {"tessera_wrapper",
               static_cast<uint32_t>(config->Hash()),
               "2022.1",
               board->family == BoardFamily::kZynq ? "7z020clg400" : "xczu3eg-sbva484-1-e",
               "2026/11/22",
               "12:00:00",
               SyntheticStream(board->idcode, 20000, seed),
               {}};
  // A compiled device tree begins so: magic and size.
  std::vector<uint8_t> tree = {0xd0, 0x0d, 0xfe, 0xed, 0, 0, 1, 0};
  tree.resize(256, static_cast<uint8_t>(seed));
  EXPECT_TRUE(WriteFile(folder + "/tessera.dtbo", tree));
  build.board.image = BoardImage{{},
                                 BoardFile{"tessera.dtbo", 256, Crc64(tree)},
                                 config->Hash(),
                                 board->clock_hz - 11,
                                 0.125,
                                 "Vivado 2022.1"};
  build.Rewrite([](BitFile&) {});
  return build;
}

void FakeBuild::Rewrite(const std::function<void(BitFile&)>& change) {
  change(bit);
  const std::vector<uint8_t> bytes = bit.Bytes();
  EXPECT_TRUE(WriteFile(folder + "/tessera.bit", bytes));
  Describe([&](BoardDescription& b) {
    b.image->bitstream = {"tessera.bit", bytes.size(), Crc64(bytes)};
  });
}

void FakeBuild::Describe(const std::function<void(BoardDescription&)>& change) {
  change(board);
  EXPECT_TRUE(WriteFile(folder + "/board.json", BoardToJson(board)));
}

}  // namespace tessera::test
