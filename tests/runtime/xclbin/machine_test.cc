// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the file of a machine has the facts that a driver needs; XRT's own reader
// (libxrt_coreutil; only with XRT) finds the same kernel, instance, memory and wire in it; a file
// that lacks one is refused with its text. Space: all named configurations; each section absent or
// wrong in each way. Not tested here: loading (tests/runtime/drivers).
#include "runtime/xclbin/machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "runtime/xclbin/sections.h"
#ifdef TESSERA_TEST_XRT
#include <experimental/xrt_xclbin.h>
#endif

namespace tessera::xclbin::machine_test {
namespace {

using enum SectionKind;

const isa::Config& Default() { return isa::NamedConfigs()[0]; }

ContainerSection& SectionOf(ContainerFile& file, SectionKind kind) {
  return *std::ranges::find(file.sections, kind, &ContainerSection::kind);
}

TEST(Machine, SaysWhatADriverNeeds) {
  for (const isa::Config& config : isa::NamedConfigs()) {
    SCOPED_TRACE(config.name);
    const ContainerFile file = MachineContainer(config);
    const auto place = FindKernel(file, "tessera", "f");
    ASSERT_TRUE(place) << place.error().message;
    EXPECT_EQ(place->kernel, "tessera");
    EXPECT_EQ(place->instance, "tessera_1");
    EXPECT_EQ(place->register_range, 4096u);
    EXPECT_EQ(place->memory, 0);
    EXPECT_EQ(place->memory_bytes, uint64_t{4} << 30);
    EXPECT_EQ(place->configuration, config.name);
    EXPECT_EQ(place->config_hash, config.Hash());
    // The emulated card reads the configuration back.
    const auto& bits = file.Find(kBitstream)->bytes;
    const auto again = isa::ParseConfig(std::string(bits.begin(), bits.end()), "x");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->Hash(), config.Hash());
    EXPECT_EQ(again->dram, config.dram);
  }
}

TEST(Machine, ItsUuidFollowsFromItsContents) {
  const ContainerFile a = MachineContainer(Default()), b = MachineContainer(Default());
  EXPECT_EQ(a, b);
  EXPECT_NE(a.uuid, MachineContainer(isa::NamedConfigs()[1]).uuid);
  const ContainerFile card = MachineContainer(Default(), std::vector<uint8_t>{1, 2, 3});
  EXPECT_NE(card.uuid, a.uuid);
  EXPECT_EQ(card.mode, LoadMode::kFlat);
  EXPECT_EQ(card.Find(kBitstream)->bytes, (std::vector<uint8_t>{1, 2, 3}));
}

#ifdef TESSERA_TEST_XRT
TEST(Machine, XrtReadsTheSame) {
  const ContainerFile file = MachineContainer(Default());
  const std::vector<uint8_t> bytes = WriteContainer(file);
  const xrt::xclbin read(std::vector<char>(bytes.begin(), bytes.end()));
  EXPECT_EQ(std::memcmp(read.get_uuid().get(), file.uuid.data(), 16), 0);
  EXPECT_EQ(read.get_xsa_name(), file.platform);
  const auto kernels = read.get_kernels();
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].get_name(), "tessera");
  EXPECT_EQ(kernels[0].get_num_args(), 1u);
  EXPECT_EQ(kernels[0].get_arg(0).get_size(), 8u);
  const auto units = kernels[0].get_cus();
  ASSERT_EQ(units.size(), 1u);
  EXPECT_EQ(units[0].get_name(), "tessera:tessera_1");
  EXPECT_EQ(units[0].get_base_address(), 0x10000u);
  EXPECT_EQ(units[0].get_size(), 4096u);
  EXPECT_EQ(units[0].get_control_type(), xrt::xclbin::ip::control_type::none);
  const auto memories = read.get_mems();
  ASSERT_EQ(memories.size(), 1u);
  EXPECT_TRUE(memories[0].get_used());
  EXPECT_EQ(memories[0].get_tag(), "bank0");
  EXPECT_EQ(memories[0].get_base_address(), 0u);
  EXPECT_EQ(memories[0].get_size_kb(), uint64_t{4} << 20);
  ASSERT_EQ(units[0].get_arg(0).get_mems().size(), 1u);
  EXPECT_EQ(units[0].get_arg(0).get_mems()[0].get_index(), 0);
}
#endif

// Expects that a file with |change| is refused with |code| and |message|.
template <typename Change>
void ExpectRefused(Code code, const std::string& message, Change change,
                   const char* kernel = "tessera") {
  ContainerFile file = MachineContainer(Default());
  change(file);
  const auto place = FindKernel(file, kernel, "f");
  ASSERT_FALSE(place) << message;
  EXPECT_EQ(place.error().code, code) << place.error().message;
  EXPECT_EQ(place.error().message, "f: " + message);
}

std::vector<uint8_t> Text(std::string_view text) { return {text.begin(), text.end()}; }

TEST(MachineBad, LacksASection) {
  const std::string way =
      "; XRT cannot load it: link the kernel again, or write it with 'tessera xclbin'";
  const std::pair<SectionKind, const char*> cases[] = {
      {kEmbeddedMetadata, "EMBEDDED_METADATA"},
      {kIpLayout, "IP_LAYOUT"},
      {kMemTopology, "GROUP_TOPOLOGY or MEM_TOPOLOGY"},
      {kConnectivity, "GROUP_CONNECTIVITY or CONNECTIVITY"}};
  for (const auto& [kind, name] : cases) {
    ExpectRefused(Code::kInvalidArgument, fmt::format("no section {}{}", name, way),
                  [kind = kind](ContainerFile& file) {
                    std::erase_if(file.sections, [=](const auto& s) { return s.kind == kind; });
                  });
  }
}

TEST(MachineBad, AGroupSectionGoesFirst) {
  ContainerFile file = MachineContainer(Default());
  const MemoryEntry memories[] = {{.used = false, .kib = 1, .tag = "x"}, {.kib = 64, .tag = "y"}};
  const WireEntry wires[] = {{.argument = 0, .ip = 0, .memory = 1}};
  file.sections.push_back({kGroupTopology, "", WriteMemories(memories)});
  file.sections.push_back({kGroupConnectivity, "", WriteWires(wires)});
  const auto place = FindKernel(file, "tessera", "f");
  ASSERT_TRUE(place) << place.error().message;
  EXPECT_EQ(place->memory, 1);
  EXPECT_EQ(place->memory_bytes, 65536u);
}

TEST(MachineBad, Metadata) {
  const auto put = [](std::string_view text) {
    return [text](ContainerFile& file) { SectionOf(file, kEmbeddedMetadata).bytes = Text(text); };
  };
  const std::string where = "section EMBEDDED_METADATA: ";
  ExpectRefused(
      Code::kInvalidArgument,
      where + "no kernel 'other'; there is tessera: say which with the option kernel=NAME",
      [](ContainerFile&) {}, "other");
  ExpectRefused(Code::kInvalidArgument, where + "it has no XML element", put("no"));
  ExpectRefused(Code::kInvalidArgument,
                where + "no kernel 'tessera'; there is none: say which with the option kernel=NAME",
                put("<project><kernel name='tessera'/></project>"));
  ExpectRefused(Code::kInvalidArgument,
                where + "no kernel 'tessera'; there is none: say which with the option kernel=NAME",
                put("<project><platform><device><core/></device></platform></project>"));
  const auto with_range = [](std::string_view range) {
    return fmt::format(
        "<project><platform><device><core><kernel name='tessera'><port name='s' "
        "mode='slave' range='{}'/></kernel></core></device></platform></project>",
        range);
  };
  const std::string few = with_range("0x800"), none = with_range("much");
  ExpectRefused(
      Code::kInvalidArgument,
      where + "kernel tessera has 2048 bytes of registers, a machine of this project 4096",
      put(few));
  ExpectRefused(Code::kInvalidArgument, where + "port s: range 'much' is no number", put(none));
}

TEST(MachineBad, Tables) {
  const auto count = [](SectionKind kind, uint8_t high) {
    return [=](ContainerFile& file) { SectionOf(file, kind).bytes[3] = high; };
  };
  const auto cut = [](SectionKind kind, size_t bytes) {
    return [=](ContainerFile& file) { SectionOf(file, kind).bytes.resize(bytes); };
  };
  ExpectRefused(Code::kDataLoss, "section IP_LAYOUT: says 16777217 entries, its 88 bytes hold 1",
                count(kIpLayout, 1));
  ExpectRefused(Code::kDataLoss, "section IP_LAYOUT: says -2147483647 entries, its 88 bytes hold 1",
                count(kIpLayout, 0x80));
  ExpectRefused(Code::kDataLoss, "section IP_LAYOUT: says 1 entries, its 87 bytes hold 0",
                cut(kIpLayout, 87));
  ExpectRefused(Code::kDataLoss, "section IP_LAYOUT: 7 bytes, the count alone has 8",
                cut(kIpLayout, 7));
  ExpectRefused(Code::kDataLoss, "section MEM_TOPOLOGY: says 1 entries, its 47 bytes hold 0",
                cut(kMemTopology, 47));
  ExpectRefused(Code::kDataLoss, "section CONNECTIVITY: says 1 entries, its 15 bytes hold 0",
                cut(kConnectivity, 15));
}

TEST(MachineBad, Wiring) {
  ExpectRefused(
      Code::kInvalidArgument,
      "section IP_LAYOUT: 0 instances of kernel 'tessera' among 1 entries, a driver takes "
      "one",
      [](ContainerFile& file) {
        const IpEntry ips[] = {{.name = "tesseract:a"}};
        SectionOf(file, kIpLayout).bytes = WriteIpLayout(ips);
      });
  ExpectRefused(
      Code::kInvalidArgument,
      "section IP_LAYOUT: 2 instances of kernel 'tessera' among 2 entries, a driver takes "
      "one",
      [](ContainerFile& file) {
        const IpEntry ips[] = {{.name = "tessera:a"}, {.name = "tessera:b"}};
        SectionOf(file, kIpLayout).bytes = WriteIpLayout(ips);
      });
  ExpectRefused(Code::kInvalidArgument,
                "section CONNECTIVITY: no argument of tessera:tessera_1 reaches a memory",
                [](ContainerFile& file) {
                  const WireEntry wires[] = {{.ip = 1}};
                  SectionOf(file, kConnectivity).bytes = WriteWires(wires);
                });
  for (const int32_t memory : {-1, 1, 7}) {
    ExpectRefused(Code::kInvalidArgument,
                  fmt::format("section CONNECTIVITY: tessera:tessera_1 reaches memory {}, which is "
                              "not one of the 1 of section MEM_TOPOLOGY that are used",
                              memory),
                  [memory](ContainerFile& file) {
                    const WireEntry wires[] = {{.memory = memory}};
                    SectionOf(file, kConnectivity).bytes = WriteWires(wires);
                  });
  }
}

TEST(Machine, BuildMetadataOfOthersIsNoMistake) {
  for (const char* text : {"", "[]", "{\"build_metadata\": {}}", "{\"tessera\": 3}",
                           "{\"tessera\": {\"hash\": \"zz\"}}"}) {
    ContainerFile file = MachineContainer(Default());
    SectionOf(file, kBuildMetadata).bytes = Text(text);
    const auto place = FindKernel(file, "tessera", "f");
    ASSERT_TRUE(place) << place.error().message;
    EXPECT_FALSE(place->config_hash) << text;
  }
}

}  // namespace
}  // namespace tessera::xclbin::machine_test
