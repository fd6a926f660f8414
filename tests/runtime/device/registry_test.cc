// SPDX-License-Identifier: Apache-2.0
//
// What is tested: finding and opening drivers by name, options as a driver declares them and as a
// person writes them, each error with its text. Space: two drivers that open nothing. Not tested
// here: the drivers of the build (tests/cts), flags (tests/tools).
#include "runtime/device/registry.h"

#include <gtest/gtest.h>

#include "runtime/drivers/null/null_device.h"
#include "tests/runtime/device/fake_machine.h"

namespace tessera {
namespace {

// The options that the last opened driver received.
struct Told {
  uint64_t memory = 0, seed = 0;
  bool fast = false;
  std::string file;
} told;

Result<std::unique_ptr<Device>> OpenKnob(const isa::Config&, uint64_t memory_bytes,
                                         const OptionValues& options) {
  told = {memory_bytes, options.Number("seed"), options.Switch("fast"), options.Text("file")};
  return Fail(Code::kUnsupported, "opened");
}

std::vector<Driver> Two() {
  return {{.name = "knob",
           .what = "has options",
           .options = {{.name = "file", .value = "FILE", .help = "where to"},
                       {.name = "seed",
                        .kind = OptionKind::kNumber,
                        .value = "SEED",
                        .fallback = "7",
                        .help = "of the dice",
                        .plain = true},
                       {.name = "fast",
                        .kind = OptionKind::kSwitch,
                        .value = "on|off",
                        .fallback = "on",
                        .help = "hurry"}},
           .open = OpenKnob},
          NullDriver()};
}

TEST(Registry, OpensByName) {
  const std::vector<Driver> drivers = Two();
  auto device = OpenDevice(drivers, "null", Tiny());
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_EQ((*device)->name(), "null");
  ExpectFails(OpenDevice(drivers, "mill", Tiny()), Code::kNotFound,
              "device mill: no such driver; there are knob, null");
  isa::Config bad = Tiny();
  bad.block_in = 3;
  EXPECT_FALSE(OpenDevice(drivers, "null", bad));
}

TEST(Registry, ANumberAloneIsThePlainOption) {
  const std::vector<Driver> drivers = Two();
  const auto spec = ParseDeviceSpec("knob:3,file=f");
  ASSERT_TRUE(spec) << spec.error().message;
  ExpectFails(OpenDevice(drivers, spec->name, Tiny(), {.values = spec->values}), Code::kUnsupported,
              "opened");
  EXPECT_EQ(told.seed, 3u);
  EXPECT_EQ(told.file, "f");
  ExpectFails(OpenDevice(drivers, "knob", Tiny(), {.values = {{"", "3"}, {"seed", "4"}}}),
              Code::kInvalidArgument, "device knob: '3' is option seed, which is there twice");
  ExpectFails(OpenDevice(drivers, "null", Tiny(), {.values = {{"", "3"}}}), Code::kInvalidArgument,
              "device null: '3' is not option=value; it takes no options");
  // Later in the text a number is not an option.
  ExpectFails(ParseDeviceSpec("knob:file=f,3"), Code::kInvalidArgument,
              "device 'knob:file=f,3': '3' is not option=value");
}

TEST(Registry, AProgramHasOneListOfItsOwn) {
  EXPECT_TRUE(OpenDevice("null", Tiny()));
  ExpectFails(OpenDevice("mill", Tiny()), Code::kNotFound,
              "device mill: no such driver; there are null");
}

TEST(Registry, GivesEveryDeclaredOptionAValue) {
  const std::vector<Driver> drivers = Two();
  ExpectFails(OpenDevice(drivers, "knob", Tiny()), Code::kUnsupported, "opened");
  EXPECT_EQ(told.memory, uint64_t{256} << 20);
  EXPECT_EQ(told.seed, 7u);
  EXPECT_TRUE(told.fast);
  EXPECT_EQ(told.file, "");
  ExpectFails(
      OpenDevice(drivers, "knob", Tiny(),
                 {.memory_bytes = 64,
                  .values = {{"seed", "18446744073709551615"}, {"fast", "off"}, {"file", "a=b"}}}),
      Code::kUnsupported, "opened");
  EXPECT_EQ(told.memory, 64u);
  EXPECT_EQ(told.seed, ~uint64_t{0});
  EXPECT_FALSE(told.fast);
  EXPECT_EQ(told.file, "a=b");
}

TEST(Registry, RefusesOptionsThatTheDriverLacks) {
  const std::vector<Driver> drivers = Two();
  ExpectFails(OpenDevice(drivers, "knob", Tiny(), {.values = {{"wave", "x"}}}),
              Code::kInvalidArgument,
              "device knob: no option 'wave'; it takes file=FILE, seed=SEED, fast=on|off");
  ExpectFails(OpenDevice(drivers, "null", Tiny(), {.values = {{"seed", "1"}}}),
              Code::kInvalidArgument, "device null: no option 'seed'; it takes no options");
}

TEST(Registry, RefusesValuesOfAnotherKind) {
  const std::vector<Driver> drivers = Two();
  for (const char* number : {"", "-1", "1x", "0x10", "18446744073709551616", " 1", "1.5"}) {
    ExpectFails(OpenDevice(drivers, "knob", Tiny(), {.values = {{"seed", number}}}),
                Code::kInvalidArgument,
                fmt::format("device knob: option seed is '{}', wanted is a whole number from 0 to "
                            "2^64-1: of the dice",
                            number));
  }
  ExpectFails(OpenDevice(drivers, "knob", Tiny(), {.values = {{"fast", "yes"}}}),
              Code::kInvalidArgument,
              "device knob: option fast is 'yes', wanted is on or off: hurry");
}

TEST(DeviceSpecs, AreANameAndOptions) {
  using Values = std::map<std::string, std::string>;
  auto spec = ParseDeviceSpec("rtl");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->name, "rtl");
  EXPECT_TRUE(spec->values.empty());
  spec = ParseDeviceSpec("rtl:wave=a:b=c.fst,seed=,wave-end=9");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->name, "rtl");
  EXPECT_EQ(spec->values, (Values{{"wave", "a:b=c.fst"}, {"seed", ""}, {"wave-end", "9"}}));
}

TEST(DeviceSpecs, ThatAreNone) {
  ExpectFails(ParseDeviceSpec(""), Code::kInvalidArgument,
              "device '': no name; write NAME or NAME:option=value,...");
  ExpectFails(ParseDeviceSpec(":a=1"), Code::kInvalidArgument,
              "device ':a=1': no name; write NAME or NAME:option=value,...");
  ExpectFails(ParseDeviceSpec("rtl:"), Code::kInvalidArgument,
              "device 'rtl:': '' is not option=value");
  ExpectFails(ParseDeviceSpec("rtl:wave"), Code::kInvalidArgument,
              "device 'rtl:wave': 'wave' is not option=value");
  ExpectFails(ParseDeviceSpec("rtl:=3"), Code::kInvalidArgument,
              "device 'rtl:=3': '=3' is not option=value");
  ExpectFails(ParseDeviceSpec("rtl:a=1,"), Code::kInvalidArgument,
              "device 'rtl:a=1,': '' is not option=value");
  ExpectFails(ParseDeviceSpec("rtl:a=1,a=2"), Code::kInvalidArgument,
              "device 'rtl:a=1,a=2': option a is there twice");
}

}  // namespace

// The drivers of this program.
std::span<const Driver> Drivers() {
  static const Driver drivers[] = {NullDriver()};
  return drivers;
}

}  // namespace tessera
