// SPDX-License-Identifier: Apache-2.0
//
// What is tested: `tessera explore --slurm` finds on a cluster, one of whose nodes is killed on the
// way, what it finds on one computer: the same machines, the same cycles, the same front. Space: a
// grid of 12 machines around the committed network. Not tested here: the search (tests/explore).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/slurm/test_cluster.h"
#include "tests/tools/command.h"

namespace tessera::test::slurm_explore_test {
namespace {

const std::string kSearch =
    "explore models/fashion/fashion_int8.onnx --search grid --runs 40 "
    "--sweep block=8,16,bus_bits=64,128,256,inp_kib=16,32 -o ";

TEST(SlurmExplore, FindsWhatOneComputerFinds) {
  TestCluster cluster;
  const std::string here = TempPath("here"), far = TempPath("far");
  const CommandResult local = Tessera(kSearch + here);
  ASSERT_EQ(local.code, 0) << local.output;
  std::atomic<bool> killed = false;
  const std::jthread killer([&](const std::stop_token& stop) {
    // The pool's folder of requests: tasks are in the queue.
    const auto begun = [&] {
      for (const auto& entry : std::filesystem::directory_iterator(cluster.folder())) {
        if (entry.path().filename().string().starts_with("tessera-slurm-")) return true;
      }
      return false;
    };
    while (!stop.stop_requested() && !begun())
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    if (stop.stop_requested()) return;
    cluster.KillNode(3);
    killed = true;
  });
  const CommandResult remote =
      Tessera(kSearch + far + " --slurm --slurm-folder " + cluster.folder());
  ASSERT_EQ(remote.code, 0) << remote.output;
  EXPECT_TRUE(killed);
  const std::string points = Read(here + "/points.csv");
  EXPECT_THAT(points, ::testing::HasSubstr("run"));
  EXPECT_EQ(Read(far + "/points.csv"), points);
  const CommandResult refused =
      Tessera(kSearch + TempPath("none") + " --slurm --slurm-folder /nowhere/else");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.output, ::testing::HasSubstr("no folder /nowhere/else"));
}

}  // namespace
}  // namespace tessera::test::slurm_explore_test
