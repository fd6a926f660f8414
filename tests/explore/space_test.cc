// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the words of --sweep, and each message about them; a space has every combination
// of values once, and the legal ones are those that ValidateConfig accepts; illegal ones are
// counted by cause with the nearest legal value, which is legal; a space without a legal machine is
// refused. Space: all keys, ranges and lists. Not tested here: what machines cost.
#include "explore/space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace tessera::explore::space_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<SweptKey> Sweep(const std::string& words) {
  auto keys = ParseSweep({words});
  EXPECT_TRUE(keys.has_value()) << keys.error().message;
  return keys ? *keys : std::vector<SweptKey>();
}

TEST(Sweep, ListsAndRanges) {
  const std::vector<SweptKey> keys = Sweep("block=16,4,inp_kib=9..64,bus_bits=64,128..256");
  ASSERT_EQ(keys.size(), 3u);
  EXPECT_STREQ(keys[0].key.key, "block");
  EXPECT_THAT(keys[0].values, ElementsAre(4, 16));
  EXPECT_THAT(keys[1].values, ElementsAre(16, 32, 64));
  EXPECT_THAT(keys[2].values, ElementsAre(64, 128, 256));
  EXPECT_EQ(SweepText(keys), "block=4,16 inp_kib=16,32,64 bus_bits=64,128,256");
}

TEST(Sweep, EachMistakeIsNamed) {
  const struct {
    const char *words, *said;
  } cases[] = {
      {"blok=4", "the one most like it is block"},
      {"4,8", "a key and its values are needed"},
      {"block=", "'' is no whole number"},
      {"block=4,x", "'x' is no whole number"},
      {"block=-4", "'-4' is no whole number"},
      {"block=4,4", "value 4 is there twice"},
      {"block=4..8,8", "value 8 is there twice"},
      {"block=4,bus_bits=64,block=8", "--sweep has key block twice"},
      {"inp_kib=17..31", "the powers of two from its first number to its second"},
      {"inp_kib=64..16", "the powers of two from its first number to its second"},
      {"inp_kib=..16", "the powers of two"},
  };
  for (const auto& [words, said] : cases) {
    const auto keys = ParseSweep({words});
    ASSERT_FALSE(keys.has_value()) << words;
    EXPECT_EQ(keys.error().code, Code::kInvalidArgument);
    EXPECT_THAT(keys.error().message, HasSubstr(said));
  }
}

TEST(Space, HasEachCombinationOnce) {
  const auto space =
      MachineSpace::Make(isa::Config(), Sweep("block=4..64,wgt_kib=16..64,batch=1,3"));
  ASSERT_TRUE(space.has_value()) << space.error().message;
  EXPECT_EQ(space->CountAll(), 5 * 3 * 2);
  std::set<std::tuple<int64_t, int64_t, int64_t>> seen;
  size_t legal = 0;
  for (int64_t machine = 0; machine < space->CountAll(); ++machine) {
    const isa::Config config = space->ConfigOf(machine);
    EXPECT_EQ(config.block_in, config.block_out);
    EXPECT_TRUE(seen.emplace(config.block_out, config.wgt_bytes, config.batch).second);
    EXPECT_EQ(space->MachineAt(space->PlacesOf(machine)), machine);
    const bool is_legal = isa::ValidateConfig(config).has_value();
    EXPECT_EQ(is_legal, std::ranges::count(space->legal(), machine) == 1) << config.name;
    legal += is_legal ? 1 : 0;
  }
  EXPECT_EQ(space->legal().size(), legal);
  EXPECT_GT(legal, 0u);
}

TEST(Space, IllegalMachinesAreCountedByCause) {
  const auto space =
      MachineSpace::Make(isa::Config(), Sweep("block=4..64,wgt_kib=16..64,batch=1,3"));
  ASSERT_TRUE(space.has_value());
  int64_t illegal = 0;
  for (const IllegalMachines& one : space->illegal()) illegal += one.count;
  EXPECT_EQ(illegal + std::ssize(space->legal()), space->CountAll());
  ASSERT_EQ(space->illegal().size(), 2u);  // no power of two; too few tiles
  std::vector<std::string> examples;
  for (const IllegalMachines& one : space->illegal()) examples.push_back(one.example);
  EXPECT_THAT(examples, ::testing::Contains(HasSubstr("batch is 3, it must be a power of two")));
  EXPECT_THAT(examples,
              ::testing::Contains(HasSubstr("wgt_kib (in bytes) is 16384, which holds 4")));
  EXPECT_EQ(space->illegal()[0].count, 15);
  EXPECT_THAT(space->illegal()[0].nearest, ::testing::AnyOf("batch 2", "batch 4"));
}

TEST(Space, OutFollowsAccUnlessItIsSwept) {
  const auto follows = MachineSpace::Make(isa::Config(), Sweep("acc_kib=64"));
  EXPECT_EQ(follows->ConfigOf(0).out_bytes, 16 << 10);
  const auto swept = MachineSpace::Make(isa::Config(), Sweep("acc_kib=64,out_kib=8"));
  EXPECT_EQ(swept->ConfigOf(0).out_bytes, 8 << 10);
}

TEST(Space, NamesDiffer) {
  const auto space = MachineSpace::Make(
      isa::Config(), Sweep("clock_mhz=100,150,queue_depth=8,32,token_depth=15,255,bus_bits=64,128,"
                           "vector_passes=1,2,array_passes=1,2,tab_bytes=0,256,depthwise=0,1"));
  std::set<std::string> names;
  for (const int64_t machine : space->legal()) names.insert(space->ConfigOf(machine).name);
  EXPECT_EQ(std::ssize(names), 256);
}

TEST(Space, WithoutALegalMachineIsRefused) {
  const auto space = MachineSpace::Make(isa::Config(), Sweep("block=12,20"));
  ASSERT_FALSE(space.has_value());
  EXPECT_EQ(space.error().code, Code::kOutOfRange);
  EXPECT_THAT(space.error().message, HasSubstr("none of 2 machines is legal"));
  EXPECT_THAT(space.error().message, HasSubstr("block is 12, it must be a power of two"));
  EXPECT_THAT(space.error().message, HasSubstr("the nearest legal value is block 16"));
}

TEST(Space, TooManyMachinesAreRefused) {
  const auto space = MachineSpace::Make(
      isa::Config(),
      Sweep("batch=1..1024,block=1..1024,uop_kib=1..1024,wgt_kib=1..1024,inp_kib=1..1024,"
            "acc_kib=1..1024,out_kib=1..1024"));
  ASSERT_FALSE(space.has_value());
  EXPECT_THAT(space.error().message, HasSubstr("more than 4000000 machines"));
}

TEST(Space, TheWholeSweepHasTheNamedMachines) {
  const auto space = MachineSpace::Make(isa::Config(), WholeSweep());
  ASSERT_TRUE(space.has_value());
  for (const char* name : {"default", "pynq", "ultra96"}) {
    const isa::Config named = *isa::LoadConfig(name);
    EXPECT_TRUE(std::ranges::any_of(space->legal(), [&](int64_t machine) {
      return space->ConfigOf(machine).Hash() == named.Hash();
    })) << name;
  }
}

}  // namespace
}  // namespace tessera::explore::space_test
