// SPDX-License-Identifier: Apache-2.0
//
// tessera xclbin: writes the file that XRT loads for a configuration, or prints what a file holds.
#include <cinttypes>
#include <cstdio>
#include <memory>

#include "base/file.h"
#include "base/text.h"
#include "isa/config.h"
#include "runtime/xclbin/machine.h"
#include "tools/output.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

struct XclbinFlags {
  std::string file, config, output, bitstream, kernel{xclbin::kKernelName};
};

Result<int> WriteOne(const XclbinFlags& flags) {
  TESSERA_ASSIGN(const isa::Config config, isa::LoadConfig(flags.config));
  std::optional<std::vector<uint8_t>> bitstream;
  if (!flags.bitstream.empty()) {
    TESSERA_ASSIGN(bitstream, ReadFile(flags.bitstream));
  }
  const xclbin::ContainerFile file = xclbin::MachineContainer(config, std::move(bitstream));
  TESSERA_TRY(WriteFile(flags.output, xclbin::WriteContainer(file)));
  std::printf("%s: configuration %s with hash %016" PRIx64 ", %s\n", flags.output.c_str(),
              config.name.c_str(), config.Hash(),
              flags.bitstream.empty() ? "for XRT's software emulation" : "with a bitstream");
  return kExitOk;
}

std::string ModeText(xclbin::LoadMode mode) {
  switch (mode) {
    case xclbin::LoadMode::kFlat:
      return "a card";
    case xclbin::LoadMode::kHardwareEm:
      return "hardware emulation";
    case xclbin::LoadMode::kSoftwareEm:
      return "software emulation";
  }
  return fmt::format("mode {}", static_cast<int>(mode));
}

Result<int> ShowOne(const XclbinFlags& flags) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(flags.file));
  TESSERA_ASSIGN(const xclbin::ContainerFile file, xclbin::ReadContainer(bytes, flags.file));
  TESSERA_ASSIGN(const xclbin::KernelPlace place,
                 xclbin::FindKernel(file, flags.kernel, flags.file));
  std::vector<std::vector<std::string>> rows;
  for (const xclbin::ContainerSection& section : file.sections) {
    rows.push_back({xclbin::SectionName(section.kind), section.name,
                    Grouped(static_cast<int64_t>(section.bytes.size()))});
  }
  std::printf("%s: %zu bytes for %s, platform %s\n%s", flags.file.c_str(), bytes.size(),
              ModeText(file.mode).c_str(), Legible(file.platform).c_str(),
              Table({"section", "name", "bytes"}, "llr", rows).c_str());
  std::printf("kernel %s, instance %s: registers at %#" PRIx64 ", memory %d with %s MiB\n",
              Legible(place.kernel).c_str(), Legible(place.instance).c_str(), place.base_address,
              place.memory, Grouped(static_cast<int64_t>(place.memory_bytes >> 20)).c_str());
  if (place.config_hash) {
    std::printf("configuration %s with hash %016" PRIx64 "\n", Legible(place.configuration).c_str(),
                *place.config_hash);
  } else {
    std::printf("configuration: the file does not say; the machine's registers will\n");
  }
  return kExitOk;
}

Result<int> Run(const XclbinFlags& flags) {
  if (flags.config.empty() == flags.file.empty()) {
    return Fail(Code::kInvalidArgument,
                "xclbin: name a FILE to look at, or --config and --output to write one");
  }
  if (!flags.file.empty()) return ShowOne(flags);
  if (flags.output.empty()) {
    return Fail(Code::kInvalidArgument, "xclbin: --config needs --output FILE, where to write");
  }
  return WriteOne(flags);
}

}  // namespace

Action AddXclbin(CLI::App& app) {
  auto flags = std::make_shared<XclbinFlags>();
  CLI::App* verb = app.add_subcommand(
      "xclbin", "what XRT loads: write the file of a configuration, or say what is in one");
  verb->add_option("file", flags->file, "an xclbin to look at");
  verb->add_option("--kernel", flags->kernel, "the kernel to look for in it")
      ->capture_default_str();
  verb->add_option("--config", flags->config,
                   "write one for this configuration: a name or a JSON file");
  verb->add_option("-o,--output", flags->output, "where to");
  verb->add_option("--bitstream", flags->bitstream,
                   "what the card loads; without it the file is for XRT's software emulation");
  verb->footer("Example: tessera xclbin --config default -o default.xclbin");
  return [flags] { return Run(*flags); };
}

}  // namespace tessera::tools
