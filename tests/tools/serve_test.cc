// SPDX-License-Identifier: Apache-2.0
//
// `tessera serve` and device remote in two processes: equal values, and one clear line without an
// output file when the process that serves is killed in a run. Not here: the messages of a socket
// (tests/runtime/drivers/remote).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/tools/command.h"

namespace tessera::test::serve_test {
namespace {

using ::testing::HasSubstr;

// Goes before a command that runs while another process serves device func.
std::string Served() {
  return fmt::format("runtime/drivers/remote/served.sh {} func ", TESSERA_COMMAND);
}

TEST(Serve, TwoProcessesRunOneNetwork) {
  const CommandResult r =
      Tessera(fmt::format("compare {} --devices cpu,remote --input {} --first 3", kModel, kImages),
              Served());
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("values are equal on cpu, remote"));
}

TEST(Serve, AKilledProcessEndsARunWithOneLine) {
  const std::string file = TempPath("killed.npy");
  const CommandResult r =
      Tessera(fmt::format("run {} --device remote --input {} --pipeline --output {}", kModel,
                          kImages, file),
              Served() + "sh -c '(sleep 1; kill -9 $TESSERA_SERVER) & exec \"$0\" \"$@\"' ");
  EXPECT_EQ(r.code, 2) << r.output;
  EXPECT_THAT(r.output, HasSubstr("the other process is gone ("));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Serve, RefusesWhatItCannotServe) {
  CommandResult r = Tessera("serve --device warp --socket " + TempPath("s"));
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.output, HasSubstr("warp"));
  r = Tessera("serve --device func");
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.output, HasSubstr("--socket is required"));
}

}  // namespace
}  // namespace tessera::test::serve_test
