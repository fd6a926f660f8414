// SPDX-License-Identifier: Apache-2.0
//
// What is tested: `tessera tune --slurm` measures on a cluster what it measures on one computer:
// the records are the same lines in the same order, first of the program, then of its layers. A
// target whose trials are timed is refused. Space: the committed network. Not tested here: the
// search (tests/compiler/tune), lost tasks (pool_test).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/slurm/test_cluster.h"
#include "tests/tools/command.h"

namespace tessera::test::slurm_tune_test {
namespace {

using ::testing::HasSubstr;

std::string Tune(const std::string& records) {
  return "tune models/fashion/fashion_int8.onnx --trials 48 -o " + records;
}

TEST(SlurmTune, MeasuresWhatOneComputerMeasures) {
  const TestCluster cluster;
  const std::string here = TempPath("here.jsonl"), far = TempPath("far.jsonl");
  const std::string slurm = " --slurm --slurm-folder " + cluster.folder();
  const CommandResult local = Tessera(Tune(here));
  ASSERT_EQ(local.code, 0) << local.output;
  const CommandResult remote = Tessera(Tune(far) + slurm + " --workers 4");
  ASSERT_EQ(remote.code, 0) << remote.output;
  const std::string records = Read(here);
  EXPECT_THAT(records, HasSubstr("\"cycles\""));
  EXPECT_EQ(Read(far), records);
  const CommandResult timed = Tessera(Tune(TempPath("cpu.jsonl")) + " --target cpu" + slurm);
  EXPECT_EQ(timed.code, 2);
  EXPECT_THAT(timed.output,
              HasSubstr("--slurm: --target cpu is timed, and times are of one computer"));
  // The batches do go to the cluster.
  const CommandResult refused =
      Tessera(Tune(TempPath("refused.jsonl")) + slurm + " --slurm-options --partition=none");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.output, HasSubstr("Invalid partition name"));
  const CommandResult nowhere =
      Tessera(Tune(TempPath("none.jsonl")) + " --slurm --slurm-folder /nowhere/else");
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_THAT(nowhere.output, HasSubstr("no folder /nowhere/else"));
}

}  // namespace
}  // namespace tessera::test::slurm_tune_test
