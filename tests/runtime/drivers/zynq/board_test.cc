// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the zynq driver on files that look like those of a board (/sys/class/uio,
// /sys/class/u-dma-buf, /dev): the devices that it finds, the registers that it writes, the cache
// maintenance that it requests; and every way in which a board can be wrong, with the message.
// Space: a folder made for each test; registers are a file, so a program "ends" at once. Not tested
// here: interrupts (uio_port_test), a machine that runs (tests/cts on a simulated board).
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/device/registry.h"
#include "runtime/drivers/zynq/mapped_file.h"
#include "runtime/drivers/zynq/zynq_device.h"
#include "tests/runtime/drivers/zynq/simulated_root.h"

namespace tessera::zynq::board_test {
namespace {

using ::testing::HasSubstr;
namespace reg = isa::reg;

class ZynqBoard : public ::testing::Test {
 protected:
  using Options = std::map<std::string, std::string>;

  Result<std::unique_ptr<Device>> Open(Options options = {}, const isa::Config& config = Tiny()) {
    const Driver drivers[] = {ZynqDriver()};
    options.emplace("root", root_.path());
    options.emplace("interrupt", "off");  // the device file is a plain file
    return OpenDevice(drivers, "zynq", config, {.memory_bytes = 1 << 19, .values = options});
  }

  // Opening fails with |code| and one line that has |words|.
  void ExpectRefused(const Options& options, Code code, const std::vector<std::string>& words,
                     const isa::Config& config = Tiny()) {
    const auto device = Open(options, config);
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().code, code) << device.error().message;
    EXPECT_EQ(device.error().message.find('\n'), std::string::npos);
    for (const std::string& word : words) EXPECT_THAT(device.error().message, HasSubstr(word));
  }

  void AddAll() {
    root_.AddUio("uio0", "something", Tiny());
    root_.AddUio("uio1", "tessera", Tiny());
    root_.AddUdmabuf("udmabuf-tessera");
  }

  std::string Sys(const std::string& file) {
    return root_.Get("sys/class/u-dma-buf/udmabuf-tessera/" + file);
  }

  SimulatedRoot root_;
};

TEST_F(ZynqBoard, RunsAProgramAtTheBuffersAddress) {
  AddAll();
  auto device = Open();
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_EQ((*device)->name(), "zynq");
  Launch launch;
  launch.insn_addr = 0x1000;
  launch.insn_count = 7;
  launch.segments[2] = {0x2000, 0x300};
  const auto report = (*device)->Run(launch);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->cycles, 1234u);
  EXPECT_EQ(report->instructions, 7u);
  EXPECT_EQ(root_.Word("dev/uio1", reg::kInsnAddrLo), kBusAddress + 0x1000);
  EXPECT_EQ(root_.Word("dev/uio1", reg::kInsnCount), 7u);
  EXPECT_EQ(root_.Word("dev/uio1", reg::kSegmentBaseLo[2]), kBusAddress + 0x2000);
  EXPECT_EQ(root_.Word("dev/uio1", reg::kSegmentSizeLo[2]), 0x300u);
  EXPECT_EQ(root_.Word("dev/uio1", reg::kControl),
            reg::kControlStart.Put(1) |
                reg::kControlProfile.Put(static_cast<uint32_t>(isa::Profile::kTessera)));
  EXPECT_EQ(root_.Word("dev/uio0", reg::kControl), 0u);  // the other device stays untouched
}

// The description that a flash leaves: that of boards/pynq-z1, then with an image of another clock.
TEST_F(ZynqBoard, TakesTheClockOfWhatWasFlashed) {
  AddAll();
  auto device = Open();
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_EQ((*device)->clock_mhz(), 100.0);  // the configuration's clock, the only one known
  device->reset();
  std::ifstream file("boards/pynq-z1/board.json");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  root_.Put("lib/firmware/tessera-board.json", text);
  device = Open();
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_NEAR((*device)->clock_mhz(), 142.857143,
              1e-9);  // the description's clock_hz, without an image
  device->reset();
  const size_t at = text.rfind('}');
  ASSERT_NE(at, std::string::npos);
  text.insert(at, R"(, "image": {"bitstream": {"name": "a.bit", "bytes": 1, "crc64": "0x1"},
      "config_hash": "0x2", "clock_hz": 123456789, "slack_ns": 0.5, "tool": "Vivado 2022.1"})");
  root_.Put("lib/firmware/tessera-board.json", text);
  device = Open();
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_NEAR((*device)->clock_mhz(), 123.456789, 1e-9);
  device->reset();
  root_.Put("lib/firmware/tessera-board.json", "{");
  const auto refused = Open();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("lib/firmware/tessera-board.json"));
}

TEST_F(ZynqBoard, CleansAndInvalidatesWholeCacheLines) {
  AddAll();
  auto device = Open();
  ASSERT_TRUE(device) << device.error().message;
  const std::vector<uint8_t> bytes = {1, 2, 3, 4, 5};
  ASSERT_TRUE((*device)->Write(1000, bytes));
  EXPECT_EQ(root_.Get("dev/udmabuf-tessera").substr(1000, 5), "\1\2\3\4\5");
  EXPECT_EQ(Sys("sync_offset"), "960");
  EXPECT_EQ(Sys("sync_size"), "64");
  EXPECT_EQ(Sys("sync_direction"), "1");
  EXPECT_EQ(Sys("sync_for_device"), "1");
  EXPECT_EQ(Sys("sync_for_cpu"), "");
  std::vector<uint8_t> back(5);
  ASSERT_TRUE((*device)->Read(1022, back));
  EXPECT_EQ(Sys("sync_offset"), "960");
  EXPECT_EQ(Sys("sync_size"), "128");
  EXPECT_EQ(Sys("sync_direction"), "2");
  EXPECT_EQ(Sys("sync_for_cpu"), "1");
}

TEST_F(ZynqBoard, LeavesCachesAloneBehindACoherentPort) {
  AddAll();
  root_.AddUdmabuf("udmabuf-tessera", /*coherent=*/true);
  auto device = Open();
  ASSERT_TRUE(device) << device.error().message;
  const std::vector<uint8_t> bytes(100, 9);
  ASSERT_TRUE((*device)->Write(0, bytes));
  std::vector<uint8_t> back(100);
  ASSERT_TRUE((*device)->Read(0, back));
  EXPECT_EQ(back, bytes);
  for (const char* file : {"sync_offset", "sync_for_device", "sync_for_cpu"})
    EXPECT_EQ(Sys(file), "") << file;
}

TEST_F(ZynqBoard, HasAsMuchMemoryAsTheBufferOrLess) {
  AddAll();
  auto device = Open();
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_TRUE((*device)->Allocate(1 << 19));  // the requested size, of the buffer's 1 MiB
  const auto more = (*device)->Allocate(64);
  ASSERT_FALSE(more);
  EXPECT_THAT(more.error().message, HasSubstr("524288 of 524288 bytes are in use"));
}

TEST_F(ZynqBoard, TakesAnotherUioDeviceByNameOrNode) {
  AddAll();
  root_.AddUio("uio2", "tessera", Tiny());
  ExpectRefused({}, Code::kInvalidArgument, {"2 UIO devices", "[uio1, uio2]", "uio=NAME"});
  EXPECT_TRUE(Open({{"uio", "uio2"}}));
  EXPECT_TRUE(Open({{"uio", "something"}}));
}

TEST_F(ZynqBoard, NoUioDeviceOfThatName) {
  ExpectRefused({}, Code::kNotFound, {"/sys/class/uio", "'tessera'", "[]", "flash"});
  root_.AddUio("uio0", "something", Tiny());
  ExpectRefused({}, Code::kNotFound, {"[something (uio0)]", "uio=NAME"});
}

// Root may open every file: this process is another user while an AsNobody exists.
class AsNobody {
 public:
  AsNobody() : before_(geteuid()) {
    if (before_ == 0) {
      EXPECT_EQ(seteuid(65534), 0);
    }
  }
  ~AsNobody() { EXPECT_EQ(seteuid(before_), 0); }

 private:
  const uid_t before_;
};

TEST_F(ZynqBoard, NoPermission) {
  AddAll();
  ASSERT_EQ(chmod(root_.path().c_str(), 0755), 0);
  const std::string uio = root_.At("dev/uio1"), buffer = root_.At("dev/udmabuf-tessera");
  for (const std::string& path : {uio, buffer}) {
    ASSERT_EQ(chmod(uio.c_str(), path == uio ? 0 : 0666), 0);
    ASSERT_EQ(chmod(buffer.c_str(), path == buffer ? 0 : 0666), 0);
    const AsNobody nobody;
    ExpectRefused({}, Code::kUnavailable, {path, "no permission", "root", "udev"});
  }
}

TEST_F(ZynqBoard, MapThatIsTooSmall) {
  root_.AddUio("uio0", "tessera", Tiny(), 0x100);
  root_.AddUdmabuf("udmabuf-tessera");
  ExpectRefused({}, Code::kOutOfRange, {"map0/size", "256 bytes", "384", "device tree"});
}

TEST_F(ZynqBoard, SizeThatIsNoNumber) {
  AddAll();
  root_.Put("sys/class/uio/uio1/maps/map0/size", "big\n");
  ExpectRefused({}, Code::kDataLoss, {"map0/size", "'big'", "no number"});
}

TEST_F(ZynqBoard, BusThatNeverAnswers) {
  AddAll();
  // Pages behind the end of a file answer with SIGBUS, like registers without a machine.
  ASSERT_EQ(truncate(root_.At("dev/uio1").c_str(), 0), 0);
  ExpectRefused({}, Code::kDataLoss,
                {"dev/uio1", "the bus does not answer at register 0x0c0", "flash"});
}

TEST_F(ZynqBoard, BusThatStopsAnswering) {
  AddAll();
  auto device = Open();
  ASSERT_TRUE(device) << device.error().message;
  ASSERT_EQ(truncate(root_.At("dev/uio1").c_str(), 0), 0);
  Launch launch;
  launch.insn_count = 1;
  const auto report = (*device)->Run(launch);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Code::kDataLoss);
  EXPECT_THAT(report.error().message, HasSubstr("does not take a write of register"));
}

TEST_F(ZynqBoard, AnotherConfigurationOrNoMachine) {
  AddAll();
  ExpectRefused({}, Code::kInvalidArgument,
                {"the machine was made for the configuration with hash", "default has"},
                isa::LoadConfig("default").value());
  root_.AddUio("uio1", "tessera", Tiny());
  root_.Put("dev/uio1", std::string(65536, -1));
  ExpectRefused({}, Code::kNotFound, {"register ID reads 0xffffffff", "configured"});
}

TEST_F(ZynqBoard, NoBuffer) {
  root_.AddUio("uio0", "tessera", Tiny());
  ExpectRefused({}, Code::kNotFound,
                {"no memory", "'udmabuf-tessera'", "no zocl and no dma-heap", "overlay"});
  root_.AddUdmabuf("udmabuf0");
  ExpectRefused({{"memory", "u-dma-buf"}}, Code::kNotFound,
                {"'udmabuf-tessera'", "[udmabuf0]", "udmabuf=NAME"});
  ExpectRefused({{"memory", "zocl"}}, Code::kNotFound, {"/dev/dri", "zocl", "memory="});
  ExpectRefused({{"memory", "dma-heap"}}, Code::kNotFound, {"/dev/dma_heap", "CONFIG_DMABUF"});
  ExpectRefused({{"memory", "sdram"}}, Code::kInvalidArgument, {"sdram", "auto, u-dma-buf, zocl"});
  ExpectRefused({{"memory", "zocl"}, {"mib", "0"}}, Code::kInvalidArgument,
                {"mib=0: give 1 to 4095"});
  ExpectRefused({{"memory", "zocl"}, {"mib", "4096"}}, Code::kInvalidArgument,
                {"mib=4096: give 1 to 4095"});
  EXPECT_TRUE(Open({{"udmabuf", "udmabuf0"}}));
}

TEST_F(ZynqBoard, BufferThatContradictsItself) {
  AddAll();
  root_.Put("sys/class/u-dma-buf/udmabuf-tessera/size", "0\n");
  ExpectRefused({}, Code::kDataLoss, {"0 bytes at 0x1f000000"});
  root_.AddUdmabuf("udmabuf-tessera");
  root_.Put("sys/class/u-dma-buf/udmabuf-tessera/phys_addr", "0x1f000020\n");
  ExpectRefused({}, Code::kDataLoss, {"0x1f000020", "multiple of 64"});
}

TEST_F(ZynqBoard, CacheMaintenanceThatFails) {
  AddAll();
  auto device = Open();
  ASSERT_TRUE(device) << device.error().message;
  std::filesystem::remove(root_.At("sys/class/u-dma-buf/udmabuf-tessera/sync_for_device"));
  const std::vector<uint8_t> bytes(8);
  const Status status = (*device)->Write(0, bytes);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("sync_for_device: does not exist"));
}

TEST_F(ZynqBoard, OneUserAtATime) {
  AddAll();
  auto first = Open();
  ASSERT_TRUE(first) << first.error().message;
  ExpectRefused({}, Code::kUnavailable, {"dev/uio1", "another process uses this device"});
  first->reset();
  EXPECT_TRUE(Open());
}

TEST_F(ZynqBoard, OptionsThatAreNoOptions) {
  AddAll();
  ExpectRefused({{"interrupt", "maybe"}}, Code::kInvalidArgument, {"maybe", "auto, on or off"});
}

}  // namespace
}  // namespace tessera::zynq::board_test
