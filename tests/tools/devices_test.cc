// SPDX-License-Identifier: Apache-2.0
//
// What is tested: devices on the command line: options after a colon, flags of the same names, each
// mistake with its line; --help lists every driver with its options; the list of devices shows
// which are here and what is missing. Space: refusals, which come before a file is read. Not tested
// here: what the options do (tests/sim).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/tools/command.h"

namespace tessera::test::devices_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

void ExpectRefused(const std::string& arguments, const std::string& message) {
  const CommandResult r = Tessera(arguments + " --input none.npy");
  EXPECT_EQ(r.code, 2) << arguments;
  EXPECT_EQ(r.output, "tessera: " + message + "\n") << arguments;
}

TEST(Devices, ThatDoNotExist) {
  ExpectRefused(
      "run net.tsr --device warp",
      "device warp: no such driver; there are func, cycle, hls, rtl, xrt, null, zynq, serial, "
      "remote, and cpu, the host itself, opencl and cuda");
  ExpectRefused(
      "compare net.tsr --devices cpu,warp",
      "device warp: no such driver; there are func, cycle, hls, rtl, xrt, null, zynq, serial, "
      "remote, and cpu, the host itself, opencl and cuda");
  ExpectRefused("compare net.tsr --devices cpu,,rtl",
                "device list 'cpu,,rtl': a name is empty or there twice; write e.g. cpu,func,rtl");
  ExpectRefused(
      "compare net.tsr --devices rtl,cpu,rtl:stall-seed=3",
      "device list 'rtl,cpu,rtl:stall-seed=3': a name is empty or there twice; write e.g. "
      "cpu,func,rtl");
  ExpectRefused("run net.tsr --device ''",
                "device '': no name; write NAME or NAME:option=value,...");
}

// The line of |device|, without runs of spaces.
std::string LineOf(const std::string& output, const std::string& device) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(device + " ")) continue;
    std::string text;
    std::istringstream words(line);
    for (std::string word; words >> word;) text += (text.empty() ? "" : " ") + word;
    return text;
  }
  return "";
}

TEST(DeviceList, SaysOfEachWhetherItCanBeUsed) {
  const std::string stand_in = "TESSERA_CUDA_DRIVER=" TESSERA_STAND_IN " ";
  const CommandResult all =
      Tessera("devices", stand_in + "TESSERA_STAND_IN_CUDA=bytes=3221225472 ");
  ASSERT_EQ(all.code, 0) << all.output;
  EXPECT_EQ(std::count(all.output.begin(), all.output.end(), '\n'), 14) << all.output;
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  EXPECT_THAT(LineOf(all.output, "cpu"),
              MatchesRegex(fmt::format("cpu yes host code made through LLVM: .+, {} threads?",
                                       CPU_COUNT(&allowed))));
  EXPECT_EQ(LineOf(all.output, "cuda"),
            "cuda yes kernels through PTX, on the first NVIDIA GPU: stand-in, sm_80, 3.0 GiB");
  EXPECT_EQ(LineOf(all.output, "null"), "null yes memory without a machine: executes nothing");
  EXPECT_THAT(LineOf(all.output, "rtl"), HasSubstr("machines of default"));
  EXPECT_THAT(LineOf(all.output, "hls"),
              HasSubstr("compiled here, exact results, no clock: twins of default"));
  // The machine that runs the tests has no card and no board.
  EXPECT_THAT(LineOf(all.output, "zynq"),
              HasSubstr("zynq no /sys/class/uio: no UIO device is called 'tessera'"));
  EXPECT_THAT(LineOf(all.output, "serial"), HasSubstr("serial no no port of a ULX3S"));
  EXPECT_THAT(LineOf(all.output, "xrt"), AllOf(HasSubstr("xrt no "), HasSubstr("XRT")));
}

TEST(DeviceList, OneOfThemAnswersByItsExitCode) {
  const CommandResult none = Tessera("devices cuda", "TESSERA_CUDA_DRIVER=libnone.so.7 ");
  EXPECT_EQ(none.code, 1);
  EXPECT_EQ(LineOf(none.output, "cuda"),
            "cuda no libnone.so.7: cannot open shared object file: No such file or directory; "
            "install NVIDIA's driver (Debian: libcuda1), or choose opencl");
  const std::string file = TempPath("devices.json");
  const CommandResult func = Tessera("devices func --json " + file);
  EXPECT_EQ(func.code, 0);
  EXPECT_EQ(std::count(func.output.begin(), func.output.end(), '\n'), 3) << func.output;
  std::ifstream in(file);
  const auto json = nlohmann::json::parse(in);
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0]["name"], "func");
  EXPECT_EQ(json[0]["usable"], true);
  const CommandResult warp = Tessera("devices warp");
  EXPECT_EQ(warp.code, 2);
  EXPECT_THAT(warp.output, HasSubstr("device warp: no such driver; there are func, cycle, hls"));
  EXPECT_THAT(Tessera("devices --help").output, HasSubstr("Example: tessera devices cuda &&"));
}

TEST(Devices, OptionsThatTheyLack) {
  const std::string func = "it takes schedule=SEED, kernels=on|off";
  ExpectRefused("run net.tsr --device func --wave a.fst", "device func: no option 'wave'; " + func);
  ExpectRefused("run net.tsr --device func:wave=a.fst", "device func: no option 'wave'; " + func);
  ExpectRefused("run net.tsr --device cpu --wave-end 3",
                "device cpu: no option 'wave-end'; it takes no options");
  ExpectRefused("run net.tsr --device opencl:wave=a.fst",
                "device opencl: no option 'wave'; it takes no options");
  ExpectRefused("run net.tsr --device cuda:wave=a.fst",
                "device cuda: no option 'wave'; it takes no options");
  ExpectRefused("compare net.tsr --devices cpu,func:kernels=off,cache=/tmp,rtl",
                "device func: no option 'cache'; " + func);
}

TEST(Devices, OptionsWithValuesOfAnotherKind) {
  ExpectRefused(
      "run net.tsr --device rtl --wave-begin soon",
      "device rtl: option wave-begin is 'soon', wanted is a whole number from 0 to 2^64-1: "
      "first cycle of a run in the waveform");
  ExpectRefused(
      "compare net.tsr --devices cpu,rtl:wave=a.fst,stall-seed=x,func",
      "device rtl: option stall-seed is 'x', wanted is a whole number from 0 to 2^64-1: not "
      "0: memory stalls at random, drawn from this seed");
  ExpectRefused(
      "run net.tsr --device func:kernels=fast",
      "device func: option kernels is 'fast', wanted is on or off: off: every instruction "
      "by its semantics, no vector kernels");
}

TEST(Devices, OptionsGivenTwice) {
  ExpectRefused("run net.tsr --device rtl:wave=a.fst --wave b.fst",
                "device rtl:wave=a.fst: option wave is there twice, as --wave too");
  ExpectRefused("run net.tsr --device rtl:wave=a.fst,wave=b.fst",
                "device 'rtl:wave=a.fst,wave=b.fst': option wave is there twice");
}

// A machine's file without a folder is in the current folder, like any other file.
TEST(Devices, AMachineIsAFileOfTheCurrentFolder) {
  const std::string folder = TempPath("machine"), here = "cd " + folder + " && ";
  std::filesystem::create_directory(folder);
  ASSERT_EQ(Tessera("asm tests/diagnosis/programs/lost_token.s -o " + folder + "/lost.img").code,
            0);
  std::filesystem::copy_file(TESSERA_MACHINES "/libtessera_rtl_tiny.so", folder + "/mut.so");
  const CommandResult found = Tessera("run lost.img --device rtl:machine=mut.so", here);
  EXPECT_THAT(found.output, HasSubstr("deadlock: lost token"));
  const CommandResult none = Tessera("run lost.img --device rtl:machine=none.so", here);
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.output, HasSubstr("tessera: none.so: cannot be loaded: ./none.so: cannot open "
                                     "shared object file: No such file or directory"));
}

TEST(Devices, AreListedInHelp) {
  for (const char* verb : {"run", "compare"}) {
    const CommandResult r = Tessera(std::string(verb) + " --help");
    EXPECT_EQ(r.code, 0);
    for (const char* line :
         {"  cpu   host code made through LLVM", "  opencl kernels through OpenCL C",
          "  cuda  kernels through PTX",
          "  func  functional simulator of the accelerator, exact results, no clock; no cycles",
          "  rtl   the accelerator's SystemVerilog, compiled by Verilator, cycle by cycle; cycles",
          "  null  memory without a machine: executes nothing; no cycles",
          "          stall-seed=SEED: not 0: memory stalls at random",
          "          kernels=on|off: off: every instruction by its semantics"}) {
      EXPECT_THAT(r.output, HasSubstr(line)) << verb;
    }
  }
}

}  // namespace
}  // namespace tessera::test::devices_test
