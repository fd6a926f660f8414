// SPDX-License-Identifier: Apache-2.0
//
// What is tested: network traces of the host. Whatever layouts results have between its layers, by
// random traces, the network computes the same integers by other code, and the artifact tells the
// traces. Space: the committed network. Not tested here: that the compiler's own traces, given
// again, make the same artifact, and traces that are refused (schedule_test.cc).
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "base/rng.h"
#include "tests/tools/command.h"

namespace tessera::test::host_network_test {
namespace {

std::string Compile(const std::string& more) {
  return std::string("compile ") + kModel + " --target cpu " + more;
}

// The layers with a network trace of the host in |text|, in order.
std::vector<std::string> LayersOf(const std::string& text) {
  const std::string heading = "host.network ";
  std::vector<std::string> layers;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(heading) && line.ends_with(":"))
      layers.push_back(line.substr(heading.size(), line.size() - heading.size() - 1));
  }
  return layers;
}

TEST(HostNetwork, ResultsInAnyLayoutsAreTheSameIntegers) {
  const CommandResult dump = Tessera(Compile("--dump schedule"));
  ASSERT_EQ(dump.code, 0) << dump.output;
  const std::vector<std::string> layers = LayersOf(dump.output);
  EXPECT_GE(layers.size(), 8u);
  const auto logits = [](const std::string& more, const std::string& name) {
    const std::string net = TempPath(name + ".tsr"), out = TempPath(name + ".npy");
    const CommandResult made = Tessera(Compile("-o " + net + " " + more));
    EXPECT_EQ(made.code, 0) << made.output;
    const CommandResult ran = Tessera("run " + net + " --device cpu --first 4 --input " +
                                      std::string(kImages) + " --output " + out);
    EXPECT_EQ(ran.code, 0) << ran.output;
    return Read(out);
  };
  const std::string plain = logits("", "layouts");
  ASSERT_FALSE(plain.empty());
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    Rng rng(seed);
    std::string traces;
    for (const std::string& layer : layers)
      traces += "host.network " + layer + ":\n" + (rng.OneIn(2) ? "channels_last\n" : "") + "\n";
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + traces);
    EXPECT_EQ(logits("--schedule " + Write("layouts.txt", traces), "drawn"), plain);
    EXPECT_NE(Read(TempPath("drawn.tsr")), Read(TempPath("layouts.tsr")));
    const CommandResult told = Tessera("info " + TempPath("drawn.tsr") + " --schedules");
    EXPECT_EQ(LayersOf(told.output), layers);
    for (const std::string& layer : layers) {
      const std::string last = "host.network " + layer + ":\nchannels_last\n";
      EXPECT_EQ(told.output.find(last) != std::string::npos,
                traces.find(last) != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace tessera::test::host_network_test
