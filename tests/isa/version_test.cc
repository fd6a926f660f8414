// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the version of the instruction set (isa/version.h) moves when a row of a table
// that a program depends on changes, and not when words or costs do; a configuration's hash covers
// it; an image made under other tables is refused by name. Space: one change in each table of a
// private copy, rows added. Not tested: that the rows mean what they say (tests/rig walk_test).
#include "isa/version.h"

#include <gtest/gtest.h>

#include <vector>

#include "isa/config.h"
#include "isa/image.h"

namespace tessera::isa::version_test {
namespace {

// A copy of |rows| that can be changed.
template <typename Row>
std::vector<Row> Copy(std::span<const Row> rows) {
  return {rows.begin(), rows.end()};
}

template <typename Row, typename F>
uint64_t Changed(std::span<const Row> IsaTables::*table, F&& change) {
  IsaTables tables;
  std::vector<Row> rows = Copy(tables.*table);
  change(rows);
  tables.*table = rows;
  return HashOf(tables);
}

TEST(Version, MovesWithEveryTable) {
  EXPECT_EQ(HashOf(IsaTables{}), kIsaHash);
  const std::vector<uint64_t> hashes = {
      kIsaHash,
      Changed(&IsaTables::fields, [](auto& rows) { ++rows[5].lsb; }),
      Changed(&IsaTables::fields, [](auto& rows) { ++rows[5].width; }),
      Changed(&IsaTables::fields, [](auto& rows) { rows[2].values.mask ^= 1; }),
      Changed(&IsaTables::fields, [](auto& rows) { std::swap(rows[3], rows[4]); }),
      Changed(&IsaTables::uop_fields, [](auto& rows) { ++rows[0].width; }),
      Changed(&IsaTables::vta_fields, [](auto& rows) { rows[7].width = "17"; }),
      Changed(&IsaTables::insns, [](auto& rows) { rows[0].opcode = 12; }),
      Changed(&IsaTables::insns, [](auto& rows) { rows[0].unit = "kStore"; }),
      Changed(&IsaTables::enums, [](auto& rows) { rows.back().value = 7; }),
      Changed(&IsaTables::loops, [](auto& rows) { std::swap(rows[0], rows[1]); }),
      Changed(&IsaTables::operands, [](auto& rows) { rows[0].strides[1] = "x_step"; }),
      Changed(&IsaTables::operands, [](auto& rows) { rows[0].inside = !rows[0].inside; }),
      Changed(&IsaTables::memories, [](auto& rows) { rows[1].element_bits = 4; }),
      Changed(&IsaTables::records, [](auto& rows) { ++rows[2].bits; }),
      HashOf(IsaTables{.version = reg::kVersionValue + 1}),
  };
  for (size_t i = 0; i < hashes.size(); ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_NE(hashes[i], hashes[j]) << i << " and " << j;
  }
}

TEST(Version, MovesWithAddedRows) {
  const uint64_t operation = Changed(&IsaTables::enums, [](auto& rows) {
    rows.push_back({"AluOp", "kAbsDiff", 6, "absdiff", "absolute difference"});
  });
  const uint64_t field = Changed(&IsaTables::fields, [](auto& rows) {
    rows.push_back({"Alu", "spare", 18, 1, FieldKind::kUnsigned, Any(), "one more"});
  });
  const uint64_t memory = Changed(&IsaTables::memories, [](auto& rows) {
    rows.push_back({.memory = static_cast<Memory>(7), .size = "lut_bytes", .element_bits = 8});
  });
  EXPECT_NE(operation, kIsaHash);
  EXPECT_NE(field, kIsaHash);
  EXPECT_NE(memory, kIsaHash);
}

TEST(Version, DoesNotMoveWithWordsAndTiming) {
  EXPECT_EQ(Changed(&IsaTables::fields, [](auto& rows) { rows[5].meaning = "other words"; }),
            kIsaHash);
  EXPECT_EQ(Changed(&IsaTables::enums, [](auto& rows) { rows[0].meaning = "other words"; }),
            kIsaHash);
  EXPECT_EQ(Changed(&IsaTables::memories, [](auto& rows) { rows[2].banks = 8; }), kIsaHash);
}

TEST(Version, AnImageOfOtherTablesIsRefusedWithWords) {
  const Config config;
  ProgramImage image;
  image.config_name = config.name;
  image.config_hash = config.Hash() + 1;  // as if the tables differed: another hash
  const Status status = CheckImageMatches(image, config);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kInvalidArgument);
  EXPECT_NE(status.error().message.find("another version of the instruction set"),
            std::string::npos)
      << status.error().message;
}

}  // namespace
}  // namespace tessera::isa::version_test
