// SPDX-License-Identifier: Apache-2.0
//
// What is tested: LeaveChip: which tensors leave the chip when emission refuses a layer, which
// layers' results these are, and the line that says so. Space: a layer in the middle of a chain;
// one whose tensors are in device memory already; several attempts. Not tested here: that emission
// refuses a chain, which no network known does; that the golden networks keep their chains
// (tests/models/cycles_test, tests/tools/records_test).
#include "compiler/driver/off_chip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::compiler::off_chip_test {
namespace {

using network::Activation;
using ::testing::HasSubstr;

// Layers 1 to 4 in a row: layer k reads activation k - 1 and makes activation k. The first
// activation is the program's input and the last its output; the others are its own.
struct Row {
  std::vector<Activation> activations;
  std::vector<lower::accel::AccelRegion> regions;
};

Row MakeRow() {
  Row row;
  for (int k = 0; k <= 4; ++k) {
    const Activation::Kind kind = k == 0   ? Activation::Kind::kInput
                                  : k == 4 ? Activation::Kind::kOutput
                                           : Activation::Kind::kInternal;
    row.activations.push_back({.name = fmt::format("t{}", k), .shape = {1, 16}, .kind = kind});
    if (k == 0) continue;
    lower::accel::AccelRegion& region = row.regions.emplace_back();
    region.op = fmt::format("layer{}", k);
    region.result = k;
    region.output = te::Placeholder("x", DType::kInt8, {1, 16});  // stands for what it reads too
    region.activations[region.output.get()] = k - 1;
  }
  return row;
}

TEST(OffChip, ARefusedLayerTakesItsTensorsOffTheChip) {
  const Row row = MakeRow();
  std::set<int> in_memory;
  const auto off = LeaveChip(row.activations, row.regions, 2, "layer3: rings wait", &in_memory);
  ASSERT_TRUE(off);
  EXPECT_EQ(*off, (OffChip{"layer3", {"layer2", "layer3"}, "rings wait"}));
  EXPECT_EQ(in_memory, (std::set<int>{2, 3}));
  EXPECT_EQ(Text(*off),
            "layer3: no program keeps its tensors on chip (rings wait); the results of layer2, "
            "layer3 go through device memory, which takes more cycles; please report this model, "
            "or give these layers other steps of the network (docs/steps.md)");
}

TEST(OffChip, TheNextAttemptNamesTheRest) {
  const Row row = MakeRow();
  std::set<int> in_memory{2, 3};
  const auto off = LeaveChip(row.activations, row.regions, 1, "no room", &in_memory);
  ASSERT_TRUE(off);
  EXPECT_EQ(*off, (OffChip{"layer2", {"layer1"}, "no room"}));
  EXPECT_EQ(in_memory, (std::set<int>{1, 2, 3}));
}

// The last layer's result is the program's, so it leaves the chip in any case.
TEST(OffChip, WithoutATensorOnChipNothingChanges) {
  const Row row = MakeRow();
  std::set<int> in_memory{3};
  EXPECT_EQ(LeaveChip(row.activations, row.regions, 3, "no room", &in_memory), std::nullopt);
  EXPECT_EQ(in_memory, std::set<int>{3});
}

TEST(OffChip, ALineStaysOneLine_bad) {
  Row row = MakeRow();
  row.regions[0].op = "two\nlines";
  std::set<int> in_memory;
  const auto off = LeaveChip(row.activations, row.regions, 0, "no room", &in_memory);
  ASSERT_TRUE(off);
  EXPECT_THAT(Text(*off), HasSubstr("two"));
  EXPECT_EQ(Text(*off).find('\n'), std::string::npos);
}

}  // namespace
}  // namespace tessera::compiler::off_chip_test
