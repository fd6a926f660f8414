// SPDX-License-Identifier: Apache-2.0
//
// What is tested: `tessera flash` on a simulated board: files, order and results of a flash; every
// step failing once or for good, after which the board is in the state that the message gives;
// refusals before the board is touched. Space: each step, the two kinds of failure. Not tested
// here: bad builds (flash_files_test), ssh (flash_ssh_test), a kernel, a board.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>

#include "base/file.h"
#include "isa/config.h"
#include "tests/tools/command.h"
#include "tests/tools/flash_build.h"
#include "tests/tools/simulated_fpga.h"

namespace tessera::test::flash_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

const char* const kInUse = "sys/kernel/config/device-tree/overlays/tessera/in_use";
const char* const kFirmware = "sys/class/fpga_manager/fpga0/firmware";

// Names and contents of /lib/firmware.
std::map<std::string, std::string> Firmware(const SimulatedFpga& fpga) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(fpga.Path("lib/firmware"))) {
    if (entry.is_directory()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files[entry.path().filename()] = {std::istreambuf_iterator<char>(in), {}};
  }
  return files;
}

// A simulated Pynq-Z1, and two builds for it.
class Flash : public ::testing::Test {
 protected:
  Flash()
      : fpga_(TempPath("board"), "Xilinx Zynq FPGA Manager"),
        old_(FakeBuild::Make(TempPath("built/old"), "pynq-z1", 1)),
        new_(FakeBuild::Make(TempPath("built/new"), "pynq-z1", 2)) {
    fpga_.Knows(old_.bit.Bin(), old_.board.image->config_hash);
    fpga_.Knows(new_.bit.Bin(), new_.board.image->config_hash);
  }

  CommandResult Run(const std::string& folder, const std::string& more = "", int seconds = 20) {
    return Tessera(
        fmt::format("flash {} --timeout {} --root {}{}", folder, seconds, fpga_.root(), more));
  }
  void Fails(const CommandResult& r, const std::string& why, const std::string& state) {
    EXPECT_EQ(r.code, 1) << r.output;
    const size_t last = r.output.rfind("\n", r.output.size() - 2) + 1;
    const std::string line = r.output.substr(last);
    EXPECT_THAT(line, HasSubstr("tessera: pynq-z1 on "));
    EXPECT_THAT(line, HasSubstr(why)) << r.output;
    EXPECT_THAT(line, HasSubstr(state)) << r.output;
  }

  SimulatedFpga fpga_;
  FakeBuild old_, new_;
};

TEST_F(Flash, ProgramsAndSaysSo) {
  const CommandResult r = Run(old_.folder);
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_EQ(fpga_.Running(), old_.bit.Bin());
  EXPECT_TRUE(fpga_.Attached());
  const char* const steps[] = {
      "verified for xc7z020clg400-1, configuration pynq",
      "1/9 look at this machine",
      "2/9 upload tessera-pynq-z1.bin, 80,096 bytes",
      "3/9 upload tessera-pynq-z1.dtbo, 256 bytes",
      "4/9 take the overlay off",
      "5/9 put the files in place",
      "6/9 program tessera-pynq-z1.bin",
      "7/9 apply the overlay",
      "8/9 read the identity registers",
      "9/9 write down what is loaded",
      "pynq-z1: runs on this machine: configuration pynq, 142.857 MHz, identity read back"};
  size_t at = 0;
  for (const char* step : steps) {
    at = r.output.find(step, at);
    ASSERT_NE(at, std::string::npos) << step << "\n" << r.output;
  }
  const auto files = Firmware(fpga_);
  std::vector<std::string> names;
  for (const auto& [name, text] : files) names.push_back(name);
  EXPECT_THAT(names, ::testing::ElementsAre("tessera-board.json", "tessera-pynq-z1.bin",
                                            "tessera-pynq-z1.dtbo", "tessera.loaded"));
  // The description that drivers read has the clock of the build.
  const auto board = ReadBoard(fpga_.Path("lib/firmware/tessera-board.json"));
  ASSERT_TRUE(board) << board.error().message;
  EXPECT_EQ(board->FabricHz(), 142857132u);
  EXPECT_EQ(Run(new_.folder).code, 0);
  EXPECT_EQ(fpga_.Running(), new_.bit.Bin());
  EXPECT_EQ(Firmware(fpga_).size(), 4u);
}

TEST_F(Flash, NamesFilesAndFoldersAlike) {
  ASSERT_EQ(Run(old_.folder + "/tessera.bit").code, 0);
  ASSERT_EQ(Run(old_.folder + "/board.json").code, 0);
  fs::remove_all(TempPath("built/pynq-z1"));
  fs::copy(new_.folder, TempPath("built/pynq-z1"));
  const CommandResult r = Run("pynq-z1", " --built " + TempPath("built"));
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_EQ(fpga_.Running(), new_.bit.Bin());
}

TEST_F(Flash, CheckTouchesNothing) {
  ASSERT_EQ(Run(old_.folder).code, 0);
  const auto before = Firmware(fpga_);
  const CommandResult r = Run(new_.folder, " --check");
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output,
              HasSubstr("can be flashed on this machine; there: Xilinx Zynq FPGA Manager, "
                        "tessera-pynq-z1, overlays by configfs: yes"));
  EXPECT_EQ(Firmware(fpga_), before);
  EXPECT_EQ(fpga_.Running(), old_.bit.Bin());
}

TEST_F(Flash, WithoutConfigfsReadsThroughTheDeviceThatIsThere) {
  fs::remove_all(fpga_.Path("sys/kernel/config"));
  fs::create_directories(fpga_.Path("sys/class/uio/uio3"));
  std::ofstream(fpga_.Path("sys/class/uio/uio3/name")) << "tessera\n";
  const CommandResult r = Run(old_.folder);
  Fails(r, "the identity registers cannot be read", "what the fabric ran before is not known");
  EXPECT_THAT(r.output, HasSubstr("dev/uio3 cannot be opened"));
}

struct Fault {
  const char* name;
  std::function<void(SimulatedFpga&)> inject;
  const char* why;
  const char* state;
  bool keeps;  // whether the old image runs afterwards
  int seconds = 20;
};
const char* const kRestored = "; restored: tessera-pynq-z1 runs as before";
const char* const kNothing = "; nothing was changed";
const char* const kUnknown = "restoring failed too (";

void LinkTo(const std::string& target, const std::string& file) {
  fs::remove(file);
  fs::create_symlink(target, file);
}
std::function<void(SimulatedFpga&)> Set(int FpgaFaults::*which, int count) {
  return [=](SimulatedFpga& fpga) {
    FpgaFaults faults;
    faults.*which = count;
    fpga.SetFaults(faults);
  };
}

// After each fault the next flash works.
class FlashFault : public Flash, public ::testing::WithParamInterface<Fault> {};
TEST_P(FlashFault, LeavesAStatedState) {
  ASSERT_EQ(Run(old_.folder).code, 0);
  const auto before = Firmware(fpga_);
  GetParam().inject(fpga_);
  Fails(Run(new_.folder, "", GetParam().seconds), GetParam().why, GetParam().state);
  if (GetParam().keeps) {
    EXPECT_EQ(fpga_.Running(), old_.bit.Bin());
    EXPECT_TRUE(fpga_.Attached());
    EXPECT_EQ(Firmware(fpga_), before);
  }
  fpga_.SetFaults({});
  fs::remove_all(fpga_.Path("lib/firmware/tessera.loaded.new"));
  fs::remove(fpga_.Path(kInUse));
  for (const char* name : {"flags", "firmware"}) {
    const std::string file = fpga_.Path("sys/class/fpga_manager/fpga0/") + name;
    fs::remove(file);
    std::ofstream{file};
  }
  const CommandResult again = Run(new_.folder);
  EXPECT_EQ(again.code, 0) << again.output;
  EXPECT_EQ(fpga_.Running(), new_.bit.Bin());
  EXPECT_EQ(Firmware(fpga_).size(), 4u);
}

const Fault kFaults[] = {
    {"UploadHasNoSpace",
     [](SimulatedFpga& f) { LinkTo("/dev/full", f.Path("lib/firmware/tessera-pynq-z1.bin.new")); },
     "/lib/firmware/tessera-pynq-z1.bin.new cannot be written", kNothing, true},
    {"UploadArrivesShort",
     [](SimulatedFpga& f) { LinkTo("/dev/null", f.Path("lib/firmware/tessera-pynq-z1.dtbo.new")); },
     "upload tessera-pynq-z1.dtbo: checksum and size arrived as '4294967295 0'", kNothing, true},
    {"OverlayStaysOn", [](SimulatedFpga& f) { std::ofstream(f.Path(kInUse)) << "x"; },
     "the overlay of before cannot be taken off", kNothing, true},
    {"FlagsAreRefused",
     [](SimulatedFpga& f) { LinkTo("/dev/full", f.Path("sys/class/fpga_manager/fpga0/flags")); },
     "the FPGA manager takes no flags", kUnknown, false},
    {"FirmwareIsRefused", [](SimulatedFpga& f) { LinkTo("/dev/full", f.Path(kFirmware)); },
     "the FPGA manager refuses tessera-pynq-z1.bin; dmesg says why", kUnknown, false},
    {"ProgrammingFailsOnce", Set(&FpgaFaults::state_errors, 1),
     "the FPGA manager says 'write error', not operating", kRestored, true},
    {"ProgrammingFails", Set(&FpgaFaults::state_errors, 9), "says 'write error'", kUnknown, false},
    {"ManagerIsSilentOnce", Set(&FpgaFaults::silences, 1),
     "this machine did not answer within 10 seconds", kRestored, true, 10},
    {"ManagerIsSilent", Set(&FpgaFaults::silences, 9), "did not answer within 6 seconds", kUnknown,
     false, 6},
    {"NoDeviceOnce", Set(&FpgaFaults::no_devices, 1),
     "no UIO device is named tessera: is uio_pdrv_genirq.of_id=generic-uio", kRestored, true},
    {"NoNodeOnce", Set(&FpgaFaults::no_nodes, 1), "the identity registers cannot be read",
     kRestored, true},
    {"OtherHashOnce", Set(&FpgaFaults::wrong_hashes, 1), "the machine has configuration hash ",
     kRestored, true},
    {"DeadMachineOnce", Set(&FpgaFaults::dead_machines, 1),
     "register ID is 00000000, of this machine 31525354", kRestored, true},
    {"NoRecord",
     [](SimulatedFpga& f) { fs::create_directories(f.Path("lib/firmware/tessera.loaded.new")); },
     "/lib/firmware/tessera.loaded cannot be written", kRestored, true},
};
INSTANTIATE_TEST_SUITE_P(Each, FlashFault, ::testing::ValuesIn(kFaults),
                         [](const auto& test) { return test.param.name; });

TEST_F(Flash, AfterARebootNothingOfBeforeIsKnown) {
  ASSERT_EQ(Run(old_.folder).code, 0);
  fpga_.Reboot();
  const auto before = Firmware(fpga_);
  Set(&FpgaFaults::state_errors, 1)(fpga_);
  Fails(Run(new_.folder), "says 'write error'",
        "the files are as before; what the fabric ran before is not known");
  EXPECT_EQ(Firmware(fpga_), before);
  EXPECT_EQ(Run(new_.folder).code, 0);
}

TEST_F(Flash, RefusesBeforeAnythingIsTouched) {
  ASSERT_EQ(Run(old_.folder).code, 0);
  const auto before = Firmware(fpga_);
  const auto refused = [&](const std::string& why, const std::string& setup = "") {
    const CommandResult r = Tessera("flash " + new_.folder + " --root " + fpga_.root() + setup);
    Fails(r, why, kNothing);
    EXPECT_EQ(Firmware(fpga_), before) << why;
    EXPECT_EQ(fpga_.Running(), old_.bit.Bin()) << why;
  };
  std::ofstream(fpga_.Path("sys/class/fpga_manager/fpga0/name")) << "Xilinx ZynqMP FPGA Manager\n";
  refused("its FPGA manager is 'Xilinx ZynqMP FPGA Manager', pynq-z1 is a zynq: another board?");
  std::ofstream(fpga_.Path("sys/class/fpga_manager/fpga0/name")) << "Xilinx Zynq FPGA Manager\n";
  fs::create_directories(fpga_.Path("proc/4711"));
  std::ofstream(fpga_.Path("proc/4711/maps"))
      << "b6f00000-b6f01000 rw-s 00000000 00:06 9 /dev/uio0\n";
  refused("process 4711 uses the machine: end it first");
  fs::remove_all(fpga_.Path("proc/4711"));
  fs::remove(fpga_.Path(kFirmware));
  refused("no permission to write");
  fs::rename(fpga_.Path("sys/class/fpga_manager"), fpga_.Path("sys/class/other"));
  refused("this kernel has no FPGA manager, or this is no board");
  fs::rename(fpga_.Path("sys/class/other"), fpga_.Path("sys/class/fpga_manager"));
  std::ofstream{fpga_.Path(kFirmware)};
  fs::rename(fpga_.Path("lib/firmware"), fpga_.Path("lib/other"));
  const CommandResult r = Run(new_.folder);
  Fails(r, "no permission to write /lib/firmware", kNothing);
  fs::rename(fpga_.Path("lib/other"), fpga_.Path("lib/firmware"));
  EXPECT_EQ(Run(new_.folder).code, 0);
}

// Tools of the board's Linux that fail: a full disk, a system without a reader.
TEST_F(Flash, LooksAtSpaceAndTools) {
  const fs::path tools = TempPath("tools");
  fs::create_directories(tools);
  std::ofstream(tools / "df") << "#!/bin/sh\necho header\necho disk 1000 990 10 99% /\n";
  fs::permissions(tools / "df", fs::perms::owner_all);
  const std::string path = std::getenv("PATH");
  setenv("PATH", (tools.string() + ":" + path).c_str(), 1);
  Fails(Run(new_.folder), "/lib/firmware has 10 KiB free, 142 are needed", kNothing);
  fs::remove(tools / "df");
  for (const char* tool : {"sh", "df", "awk", "cat", "grep", "head"})
    fs::create_symlink(std::string("/usr/bin/") + tool, tools / tool);
  setenv("PATH", tools.c_str(), 1);
  Fails(Run(new_.folder), "neither python3 nor devmem is there", kNothing);
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(Run(new_.folder).code, 0);
}

}  // namespace
}  // namespace tessera::test::flash_test
