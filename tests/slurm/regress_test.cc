// SPDX-License-Identifier: Apache-2.0
//
// What is tested: `tessera regress --slurm`: the tasks of a cluster find the same as processes of
// this computer, a crash of a machine is a finding, and wrong use is one line. Space: kept and
// random programs on tiny. Not tested here: lost tasks (pool_test).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "tests/slurm/test_cluster.h"
#include "tests/tools/command.h"

namespace tessera::test::slurm_regress_test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

Json Regress(const std::string& words, const std::string& name) {
  const std::string json = TempPath(name);
  const CommandResult r = Tessera("regress --config tiny --json " + json + " " + words);
  EXPECT_EQ(r.code, 0) << r.output;
  const auto bytes = ReadFile(json);
  EXPECT_TRUE(bytes);
  return bytes ? Json::parse(*bytes) : Json();
}

TEST(SlurmRegress, FindsWhatOneComputerFinds) {
  const TestCluster cluster;
  const std::string slurm = " --slurm --slurm-folder " + cluster.folder();
  const std::string kept = "--suite corpus --devices func,cycle";
  EXPECT_EQ(Regress(kept + slurm, "far.json")["suites"], Regress(kept, "here.json")["suites"]);
  const Json random = Regress(
      "--suite random --devices func,cycle --instructions 20000 --budget 5m --jobs 4" + slurm,
      "random.json")["suites"]["random"];
  EXPECT_GE(random["instructions"], 20000);
  EXPECT_EQ(random["differences"], 0);
  const CommandResult refused =
      Tessera("regress --suite corpus --slurm --slurm-options --partition=none --slurm-folder " +
              cluster.folder());
  EXPECT_EQ(refused.code, 2) << refused.output;
  EXPECT_THAT(refused.output, HasSubstr("Invalid partition name"));
  const CommandResult coverage = Tessera("regress --coverage --slurm");
  EXPECT_EQ(coverage.code, 2);
  EXPECT_THAT(coverage.output, HasSubstr("--coverage counts in this computer"));
}

}  // namespace
}  // namespace tessera::test::slurm_regress_test
