// SPDX-License-Identifier: Apache-2.0
#include "runtime/xclbin/machine.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/number.h"
#include "isa/regs.h"
#include "runtime/bitstream/xml_reader.h"
#include "runtime/xclbin/sections.h"

namespace tessera::xclbin {
namespace {

constexpr std::string_view kInstance = "tessera_1";
constexpr uint64_t kControlBase = 0x10000;          // address of the registers on the emulated bus
constexpr uint64_t kMemoryKib = uint64_t{4} << 20;  // of XRT's emulated card
constexpr uint32_t kUserManaged = 2u << 8;          // XRT must not touch start and done bits

std::vector<uint8_t> Bytes(std::string_view text) { return {text.begin(), text.end()}; }

// The kernel in AMD's metadata. Its one argument is the memory port, at the registers of segment 0:
// this tells XRT that the port exists. Nobody sets the argument.
std::string Metadata(const isa::Config& config, bool emulated) {
  return fmt::format(
      R"(<?xml version="1.0" encoding="UTF-8"?>
<project name="tessera_{}">
  <platform vendor="tessera" boardid="any" name="any" featureRomTime="0">
    <device name="fpga0" fpgaDevice="any" addrWidth="0">
      <core name="OCL_REGION_0" target="{}" type="clc_region" numComputeUnits="1">
        <kernel name="{}" language="ip_c" type="pl">
          <port name="s_axi_control" mode="slave" range="{:#x}" dataWidth="32" portType="addressable" base="0x0"/>
          <port name="m_axi_gmem" mode="master" range="0xFFFFFFFFFFFFFFFF" dataWidth="{}" portType="addressable" base="0x0"/>
          <arg name="memory" addressQualifier="1" id="0" port="m_axi_gmem" size="0x8" offset="{:#x}" hostOffset="0x0" hostSize="0x8" type="void*"/>
          <instance name="{}">
            <addrRemap base="{:#x}" range="{:#x}" port="s_axi_control"/>
          </instance>
        </kernel>
      </core>
    </device>
  </platform>
</project>
)",
      XmlEscaped(config.name), emulated ? "csim" : "bitstream", kKernelName, kRegisterRange,
      config.bus_bits, isa::reg::kSegmentBaseLo[0], kInstance, kControlBase, kRegisterRange);
}

// The section |a|, or |b| for a file without groups.
Result<const ContainerSection*> Need(const ContainerFile& file, SectionKind a, SectionKind b,
                                     const std::string& name) {
  for (const SectionKind kind : {a, b}) {
    if (const ContainerSection* section = file.Find(kind)) return section;
  }
  return Fail(Code::kInvalidArgument,
              "{}: no section {}{}; XRT cannot load it: link the kernel again, or write it with "
              "'tessera xclbin'",
              name, SectionName(a), a == b ? "" : fmt::format(" or {}", SectionName(b)));
}

std::string Where(const ContainerSection& section, const std::string& name) {
  return fmt::format("{}: section {}", name, SectionName(section.kind));
}

// A kernel in the metadata.
struct KernelText {
  std::string name;
  std::optional<std::string> port, range;  // of its first slave port
};

// The kernels in element project/platform/device/core.
Result<std::vector<KernelText>> Kernels(const ContainerSection& section) {
  std::string_view text(reinterpret_cast<const char*>(section.bytes.data()), section.bytes.size());
  text = text.substr(0, text.find('\0'));  // zeros pad a section
  XmlReader reader(text);
  std::vector<std::string> path;
  std::vector<KernelText> kernels;
  const std::vector<std::string> kernel_path = {"project", "platform", "device", "core", "kernel"};
  const auto value = [](const XmlEvent& event, std::string_view key) {
    const std::string* found = event.Find(key);
    return found == nullptr ? std::string() : *found;
  };
  for (;;) {
    TESSERA_ASSIGN(const XmlEvent event, reader.Next());
    if (event.kind == XmlEvent::Kind::kDone) return kernels;
    if (event.kind == XmlEvent::Kind::kEnd) {
      path.pop_back();
      continue;
    }
    if (path == kernel_path && event.name == "port" && value(event, "mode") == "slave" &&
        !kernels.back().range) {
      kernels.back().port = value(event, "name");
      kernels.back().range = value(event, "range");
    }
    path.push_back(event.name);
    if (path == kernel_path) kernels.push_back({.name = value(event, "name")});
  }
}

// How many bytes the control port of |kernel| decodes; without a range XRT takes 64 KiB.
Result<uint64_t> RegisterRange(const KernelText& kernel, const std::string& where) {
  const auto range = NumberOrHexIn<uint64_t>(kernel.range.value_or("0x10000"));
  if (!range) {
    return Fail(Code::kInvalidArgument, "{}: port {}: range '{}' is no number", where, *kernel.port,
                *kernel.range);
  }
  if (*range < kRegisterRange) {
    return Fail(Code::kInvalidArgument,
                "{}: kernel {} has {} bytes of registers, a machine of this project {}", where,
                kernel.name, *range, kRegisterRange);
  }
  return *range;
}

// Reads the text of WriteBuild, if this file has it; other linkers write other JSON there.
void ReadBuild(const ContainerFile& file, KernelPlace* place) {
  const ContainerSection* section = file.Find(SectionKind::kBuildMetadata);
  if (section == nullptr) return;
  const auto json = nlohmann::json::parse(section->bytes.begin(), section->bytes.end(), nullptr,
                                          /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("tessera") || !json["tessera"].is_object()) return;
  const auto text = [&](const char* key) {
    const auto at = json["tessera"].find(key);
    return at != json["tessera"].end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  place->configuration = text("configuration");
  if (const auto hash = NumberIn<uint64_t>(text("hash"), 16)) place->config_hash = *hash;
}

std::string WriteBuild(const isa::Config& config) {
  const nlohmann::ordered_json json = {
      {"tessera",
       {{"configuration", config.name}, {"hash", fmt::format("{:016x}", config.Hash())}}}};
  return json.dump();
}

}  // namespace

ContainerFile MachineContainer(const isa::Config& config,
                               std::optional<std::vector<uint8_t>> bitstream) {
  const bool emulated = !bitstream;
  const IpEntry ips[] = {{.properties = kUserManaged,
                          .base_address = kControlBase,
                          .name = fmt::format("{}:{}", kKernelName, kInstance)}};
  const MemoryEntry memories[] = {{.kib = kMemoryKib, .tag = "bank0"}};
  const WireEntry wires[] = {{}};
  ContainerFile file{.mode = emulated ? LoadMode::kSoftwareEm : LoadMode::kFlat,
                     .platform = "tessera:any:any:1.0",
                     .sections = {
                         {SectionKind::kBitstream, "",
                          emulated ? Bytes(isa::ConfigToJson(config)) : std::move(*bitstream)},
                         {SectionKind::kEmbeddedMetadata, "", Bytes(Metadata(config, emulated))},
                         {SectionKind::kMemTopology, "", WriteMemories(memories)},
                         {SectionKind::kConnectivity, "", WriteWires(wires)},
                         {SectionKind::kIpLayout, "", WriteIpLayout(ips)},
                         {SectionKind::kBuildMetadata, "", Bytes(WriteBuild(config))},
                     }};
  uint64_t crc = 0;
  for (const ContainerSection& section : file.sections) crc = Crc64(section.bytes, crc);
  file.unique_id = crc;
  for (size_t i = 0; i < file.uuid.size(); ++i) {
    const uint64_t half = i < 8 ? crc : Mix64(crc);
    file.uuid[i] = static_cast<uint8_t>(half >> (8 * (i % 8)));
  }
  return file;
}

Result<KernelPlace> FindKernel(const ContainerFile& file, std::string_view kernel,
                               const std::string& name) {
  using enum SectionKind;
  TESSERA_ASSIGN(const auto* metadata, Need(file, kEmbeddedMetadata, kEmbeddedMetadata, name));
  TESSERA_ASSIGN(const auto* layout, Need(file, kIpLayout, kIpLayout, name));
  TESSERA_ASSIGN(const auto* topology, Need(file, kGroupTopology, kMemTopology, name));
  TESSERA_ASSIGN(const auto* wiring, Need(file, kGroupConnectivity, kConnectivity, name));

  const std::string meta_where = Where(*metadata, name), layout_where = Where(*layout, name);
  const Result<std::vector<KernelText>> kernels = Kernels(*metadata);
  if (!kernels) return Within(meta_where, kernels.error());
  std::string known;
  const KernelText* found = nullptr;
  for (const KernelText& text : *kernels) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", text.name);
    if (text.name == kernel) found = &text;
  }
  if (found == nullptr) {
    return Fail(Code::kInvalidArgument,
                "{}: no kernel '{}'; there is {}: say which with the option kernel=NAME",
                meta_where, kernel, known.empty() ? "none" : known);
  }
  KernelPlace place{.kernel = std::string(kernel)};
  TESSERA_ASSIGN(place.register_range, RegisterRange(*found, meta_where));

  TESSERA_ASSIGN(const std::vector<IpEntry> ips, ReadIpLayout(layout->bytes, layout_where));
  const std::string prefix = fmt::format("{}:", kernel);
  const auto ours = [&](const IpEntry& ip) { return ip.name.starts_with(prefix); };
  const auto ip = std::ranges::find_if(ips, ours);
  if (const auto count = std::ranges::count_if(ips, ours); count != 1) {
    return Fail(Code::kInvalidArgument,
                "{}: {} instances of kernel '{}' among {} entries, a driver takes one",
                layout_where, count, kernel, ips.size());
  }
  place.instance = ip->name.substr(prefix.size());
  place.base_address = ip->base_address;

  const std::string memory_where = Where(*topology, name), wire_where = Where(*wiring, name);
  TESSERA_ASSIGN(const std::vector<MemoryEntry> memories,
                 ReadMemories(topology->bytes, memory_where));
  TESSERA_ASSIGN(const std::vector<WireEntry> wires, ReadWires(wiring->bytes, wire_where));
  const auto wire =
      std::ranges::find(wires, static_cast<int32_t>(ip - ips.begin()), &WireEntry::ip);
  if (wire == wires.end()) {
    return Fail(Code::kInvalidArgument, "{}: no argument of {} reaches a memory", wire_where,
                ip->name);
  }
  if (wire->memory < 0 || static_cast<size_t>(wire->memory) >= memories.size() ||
      !memories[static_cast<size_t>(wire->memory)].used) {
    return Fail(Code::kInvalidArgument,
                "{}: {} reaches memory {}, which is not one of the {} of section {} that are used",
                wire_where, ip->name, wire->memory, memories.size(), SectionName(topology->kind));
  }
  place.memory = wire->memory;
  const uint64_t kib = memories[static_cast<size_t>(wire->memory)].kib;
  place.memory_bytes = kib > (~uint64_t{0} >> 10) ? ~uint64_t{0} : kib << 10;
  ReadBuild(file, &place);
  return place;
}

}  // namespace tessera::xclbin
