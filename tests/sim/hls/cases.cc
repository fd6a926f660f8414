// SPDX-License-Identifier: Apache-2.0
//
// Writes case files for sim/hls/bench.cc: random programs of the rig, with device memory before and
// as the functional simulator leaves it.
//   hls_cases CONFIG PROGRAMS FOLDER     PROGRAMS of each profile
#include <cstdlib>
#include <cstring>

#include "base/check.h"
#include "base/file.h"
#include "runtime/device/registry.h"
#include "sim/func/func_device.h"
#include "sim/rig/rig.h"

namespace tessera {
namespace {

std::vector<uint8_t> MakeCase(const isa::Config& config, isa::Profile profile, uint64_t seed) {
  const isa::ProgramImage image =
      rig::MakeProgram({.config = config, .profile = profile, .seed = seed, .instructions = 40});
  Launch launch{.profile = profile, .insn_count = static_cast<uint32_t>(image.insn_count())};
  std::vector<uint8_t> before = image.code;
  for (int s = 0; s < isa::kSegments; ++s) {
    before.resize((before.size() + 511) / 512 * 512);
    launch.segments[s] = {before.size(), image.segments[s].size};
    before.insert(before.end(), image.segments[s].data.begin(), image.segments[s].data.end());
    before.resize(launch.segments[s].base + launch.segments[s].size);
  }
  before.resize((before.size() + 511) / 512 * 512);
  auto device = sim::MakeFuncDevice(config, {.memory_bytes = before.size()});
  TESSERA_CHECK(device.has_value(), "{}", device.error().message);
  TESSERA_CHECK((*device)->Write(0, before).has_value());
  const auto report = (*device)->Run(launch);
  TESSERA_CHECK(report.has_value(), "seed {}: {}", seed, report.error().message);
  std::vector<uint8_t> after(before.size());
  TESSERA_CHECK((*device)->Read(0, after).has_value());

  std::vector<uint64_t> head = {profile == isa::Profile::kVta ? 1u : 0u, launch.insn_addr,
                                launch.insn_count, before.size()};
  for (const SegmentBinding& segment : launch.segments) {
    head.push_back(segment.base);
    head.push_back(segment.size);
  }
  std::vector<uint8_t> bytes(head.size() * 8);
  std::memcpy(bytes.data(), head.data(), bytes.size());
  bytes.insert(bytes.end(), before.begin(), before.end());
  bytes.insert(bytes.end(), after.begin(), after.end());
  return bytes;
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  using namespace tessera;
  if (argc != 4) return 2;
  const isa::Config config = isa::LoadConfig(argv[1]).value();
  for (const isa::Profile profile : {isa::Profile::kTessera, isa::Profile::kVta}) {
    if (profile == isa::Profile::kVta && !isa::ValidateVtaProfile(config)) continue;
    for (int seed = 1; seed <= std::atoi(argv[2]); ++seed) {
      const std::string path =
          fmt::format("{}/{}_{}_{}.case", argv[3], argv[1], isa::Text(profile), seed);
      TESSERA_CHECK(WriteFile(path, MakeCase(config, profile, 7000 + seed)).has_value(), "{}",
                    path);
    }
  }
  return 0;
}
