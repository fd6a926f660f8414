// SPDX-License-Identifier: Apache-2.0
//
// What is tested: devices on the command line: options after a colon, flags of the same names, each
// mistake with its line, and that --help lists every driver with its options. Space: refusals,
// which come before a file is read. Not tested here: what the options do (tests/sim).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/command.h"

namespace tessera::test {
namespace {

using ::testing::HasSubstr;

void ExpectRefused(const std::string& arguments, const std::string& message) {
  const CommandResult r = Tessera(arguments + " --input none.npy");
  EXPECT_EQ(r.code, 2) << arguments;
  EXPECT_EQ(r.output, "tessera: " + message + "\n") << arguments;
}

TEST(Devices, ThatDoNotExist) {
  ExpectRefused(
      "run net.tsr --device warp",
      "device warp: no such driver; there are func, cycle, hls, rtl, xrt, null, zynq, and cpu, the "
      "host itself, opencl and cuda");
  ExpectRefused(
      "compare net.tsr --devices cpu,warp",
      "device warp: no such driver; there are func, cycle, hls, rtl, xrt, null, zynq, and cpu, the "
      "host itself, opencl and cuda");
  ExpectRefused("compare net.tsr --devices cpu,,rtl",
                "device list 'cpu,,rtl': a name is empty or there twice; write e.g. cpu,func,rtl");
  ExpectRefused(
      "compare net.tsr --devices rtl,cpu,rtl:stall-seed=3",
      "device list 'rtl,cpu,rtl:stall-seed=3': a name is empty or there twice; write e.g. "
      "cpu,func,rtl");
  ExpectRefused("run net.tsr --device ''",
                "device '': no name; write NAME or NAME:option=value,...");
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
}  // namespace tessera::test
