// SPDX-License-Identifier: Apache-2.0
#include "tests/networks/corpus.h"

#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>

#include "tests/networks/shrink.h"

namespace tessera::networks {

std::string ShrinkAndKeep(const Recipe& recipe, const Way& way, uint64_t generator_seed) {
  constexpr int kAttempts = 300;  // each is a compilation and a run
  const auto fails = [&](const Recipe& r) { return RunIsolated(r, way, 60).Fails(); };
  const Recipe small = Shrink(recipe, fails, kAttempts);
  std::string text =
      fmt::format("# generator seed {}, configuration {}, devices {}, fuse {}, observe {}\n",
                  generator_seed, way.config, fmt::join(way.devices, ","), way.fuse,
                  fmt::join(std::vector<int>(way.observe.begin(), way.observe.end()), ","));
  const std::string difference = RunIsolated(small, way).difference;
  for (size_t at = 0; at < difference.size();) {
    const size_t end = std::min(difference.find('\n', at), difference.size());
    text += "# " + difference.substr(at, end - at) + "\n";
    at = end + 1;
  }
  text += Print(small);
  const std::filesystem::path folder = TESSERA_FAILED_NETWORKS;
  std::filesystem::create_directories(folder);
  const std::filesystem::path file =
      folder / fmt::format("seed_{}_{}.txt", generator_seed, way.config);
  std::ofstream(file) << text;
  return file.string() + ":\n" + text;
}

}  // namespace tessera::networks
