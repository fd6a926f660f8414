// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the list of drivers itself, and the null driver's answer to a program; the
// drivers and configurations that the conformance tests run on.
#include <algorithm>
#include <sstream>

#include "tests/cts/board/board_process.h"
#include "tests/cts/board/ulx3s_process.h"
#include "tests/cts/cts.h"
#if !defined(TESSERA_RUNTIME_ONLY)
#include "tests/cts/example/polled_device.h"
#endif

namespace tessera::cts {

std::span<const Driver> TestedDrivers() {
  static const std::vector<Driver> drivers = [] {
    std::vector<Driver> all(Drivers().begin(), Drivers().end());
    for (Driver& driver : all) {
      if (driver.name == "zynq") driver = test::OnSimulatedBoard(driver);
      if (driver.name == "serial") driver = test::OnSimulatedUlx3s(driver);
    }
#if !defined(TESSERA_RUNTIME_ONLY)
    all.push_back(PolledDriver());
#endif
    return all;
  }();
  return drivers;
}

std::vector<Backend> All() {
  std::vector<Backend> backends;
  for (const Driver& driver : TestedDrivers()) {
    for (const char* config : {"default", "tiny", "wide", "batch4"}) {
      // The ULX3S is a board of one configuration.
      if (driver.name == "serial" && config != std::string_view(test::kUlx3sConfig)) continue;
      backends.push_back({&driver, config});
    }
  }
  return backends;
}

std::vector<Backend> Executing() {
  std::vector<Backend> backends = All();
  std::erase_if(backends, [](const Backend& backend) { return !backend.driver->executes; });
  return backends;
}

namespace {

TEST(NullDevice, RefusesToExecuteAndToTrace) {
  auto device = OpenDevice("null", ConfigNamed("default"), {.memory_bytes = kMemoryBytes});
  ASSERT_TRUE(device);
  Launch launch;
  launch.insn_count = 1;
  ExpectError((*device)->Submit(launch), Code::kUnsupported, {"func", "rtl"});
  ExpectError((*device)->Run(launch), Code::kUnsupported, {});
  std::vector<TraceEntry> trace;
  ExpectError((*device)->SetTrace(&trace), Code::kUnsupported, {"trace"});
  EXPECT_TRUE((*device)->SetTrace(nullptr));
}

TEST(Drivers, AreListedWhenThereIsNoSuchOne) {
  ExpectError(OpenDevice("fpga9000", ConfigNamed("default")), Code::kNotFound,
              {"fpga9000", "null", "func", "rtl"});
}

TEST(Drivers, SayWhatTheyAreOnce) {
  // The names given to tessera_driver(), each of which makes a test cts_NAME_test.
  std::vector<std::string> named;
  std::stringstream list(CTS_DRIVERS);
  for (std::string name; std::getline(list, name, ',');) named.push_back(name);
  std::vector<std::string_view> names;
  for (const Driver& driver : Drivers()) {
    EXPECT_FALSE(driver.name.empty() || driver.what.empty() || driver.open == nullptr);
    EXPECT_EQ(std::ranges::count(names, driver.name), 0) << driver.name << " is there twice";
    names.push_back(driver.name);
    EXPECT_EQ(std::ranges::count(named, driver.name), 1)
        << driver.name << " has no tessera_driver() of that name, so no conformance test either";
    // The default of each option is a value of its kind.
    EXPECT_TRUE(OptionValues::Make(driver.name, driver.options, {}));
    for (const DriverOption& option : driver.options) {
      EXPECT_FALSE(option.help.empty() || option.value.empty()) << option.name;
    }
  }
  EXPECT_EQ(named.size(), names.size()) << "tools/drivers.cc lacks one of " CTS_DRIVERS;
}

}  // namespace
}  // namespace tessera::cts
