// SPDX-License-Identifier: Apache-2.0
//
// What is tested: pieces of work on a cluster of three nodes: each has one answer, although tasks
// crash, hang, are killed, a node vanishes and the controller is killed and started again; what is
// stopped leaves no task; each message. Space: one cluster with one processor a node. Not tested
// here: nodes with a slow file system.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <thread>

#include "base/process.h"
#include "cluster/slurm_pool.h"
#include "tests/slurm/test_cluster.h"

namespace tessera::cluster::pool_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class SlurmPoolTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    cluster_ = new test::TestCluster;
    fs::create_directories(cluster_->folder() + "/tries");
    setenv("TESSERA_TRIES", (cluster_->folder() + "/tries").c_str(), 1);
  }
  static void TearDownTestSuite() { delete cluster_; }

  static SlurmOptions Options() {
    return {.command = {TESSERA_SLURM_WORKER},
            .folder = cluster_->folder(),
            .at_once = 12,
            .grace = std::chrono::milliseconds(1500)};
  }

  struct Ran {
    Status status;
    std::map<int64_t, WorkEnd> ends;
    int64_t doubled = 0, lost = 0;
  };
  // Runs |requests|; |after| hears how many have ended, and says whether to stop.
  static Ran Run(const std::vector<std::string>& requests,
                 const std::function<bool(size_t ended)>& after = {},
                 SlurmOptions options = Options()) {
    Ran ran;
    auto pool = SlurmPool::Open(std::move(options));
    if (!pool) {
      ran.status = std::unexpected(pool.error());
      return ran;
    }
    size_t given = 0;
    bool stop = false;
    ran.status = pool->Run({.next = [&]() -> std::optional<SlurmPool::Piece> {
                              if (given == requests.size()) return std::nullopt;
                              const auto number = static_cast<int64_t>(given++);
                              return SlurmPool::Piece{number, requests[given - 1]};
                            },
                            .done =
                                [&](int64_t piece, WorkEnd end) {
                                  if (!ran.ends.emplace(piece, std::move(end)).second)
                                    ++ran.doubled;
                                },
                            .tick =
                                [&] {
                                  if (after) stop = after(ran.ends.size());
                                },
                            .stop = [&] { return stop; }});
    ran.lost = pool->lost();
    return ran;
  }

  // Tries of |request|, "word-3".
  static int64_t TriesOf(const std::string& request) {
    int64_t tries = 0;
    for (const auto& entry : fs::directory_iterator(cluster_->folder() + "/tries"))
      tries += entry.path().filename().string().starts_with(request + ".") ? 1 : 0;
    return tries;
  }

  static std::string Queue() {
    return RunProcess({"squeue", "--noheader"}, {}, std::chrono::seconds(20))->output;
  }

  static test::TestCluster* cluster_;
};
test::TestCluster* SlurmPoolTest::cluster_ = nullptr;

TEST_F(SlurmPoolTest, EachPieceHasOneEnd) {
  std::vector<std::string> requests;
  for (int k = 0; k < 30; ++k) requests.push_back(fmt::format("square {}", k));
  requests[7] = "crash 7", requests[9] = "hang 9", requests[11] = "lost 11";
  const Ran ran = Run(requests);
  ASSERT_TRUE(ran.status) << ran.status.error().message;
  ASSERT_EQ(ran.ends.size(), requests.size());
  EXPECT_EQ(ran.doubled, 0);
  EXPECT_EQ(ran.lost, 1);
  for (const auto& [piece, end] : ran.ends) {
    if (piece == 7) {
      EXPECT_THAT(end.crash, HasSubstr("signal 6"));
    } else if (piece == 9) {
      EXPECT_TRUE(end.late);
    } else {
      EXPECT_EQ(end.crash, "");
      EXPECT_EQ(end.bytes, std::to_string(piece * piece));
    }
  }
  EXPECT_EQ(TriesOf("square-3"), 1);
  EXPECT_EQ(TriesOf("lost-11"), 2);
  // Its folder is gone.
  for (const auto& entry : fs::directory_iterator(cluster_->folder()))
    EXPECT_THAT(entry.path().filename().string(), ::testing::Not(HasSubstr("tessera-slurm-")));
}

TEST_F(SlurmPoolTest, WhatIsLostAgainAndAgainIsACrash) {
  SlurmOptions options = Options();
  options.tries = 2;
  const Ran ran = Run({"gone 1", "square 2"}, {}, options);
  ASSERT_TRUE(ran.status) << ran.status.error().message;
  EXPECT_THAT(ran.ends.at(0).crash,
              HasSubstr("was ended by Slurm 2 times without an answer, see "));
  EXPECT_EQ(ran.ends.at(1).bytes, "4");
  EXPECT_EQ(TriesOf("gone-1"), 2);
}

TEST_F(SlurmPoolTest, AStopLeavesNoTask) {
  std::vector<std::string> requests(20, "sleep 5");
  const Ran ran = Run(requests, [](size_t ended) { return ended > 0; });
  ASSERT_TRUE(ran.status);
  EXPECT_LT(ran.ends.size(), requests.size());
  for (int wait = 0; wait < 100 && !Queue().empty(); ++wait)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(Queue(), "");
}

TEST_F(SlurmPoolTest, WhatSlurmRefusesIsSaid) {
  SlurmOptions options = Options();
  options.sbatch = {"--partition=none"};
  const Ran ran = Run({"square 1"}, {}, options);
  ASSERT_FALSE(ran.status);
  EXPECT_THAT(ran.status.error().message, HasSubstr("--slurm: sbatch: error: "));
  EXPECT_THAT(ran.status.error().message, HasSubstr("Invalid partition name"));

  options = Options();
  options.folder = cluster_->folder() + "/none";
  EXPECT_THAT(Run({}, {}, options).status.error().message,
              HasSubstr("it must be one that all nodes"));

  const std::string path = std::getenv("PATH"), conf = std::getenv("SLURM_CONF");
  setenv("PATH", "/nowhere", 1);
  const Status none = Run({}).status;
  setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("package slurm-client"));
  // A controller that nobody started.
  const std::string other = cluster_->folder() + "/other.conf";
  std::ofstream(other) << std::regex_replace(
      (std::stringstream() << std::ifstream(conf).rdbuf()).str(), std::regex("SlurmctldPort=.*"),
      "SlurmctldPort=9\nMessageTimeout=2");
  setenv("SLURM_CONF", other.c_str(), 1);
  const Status dead = Run({}).status;
  setenv("SLURM_CONF", conf.c_str(), 1);
  ASSERT_FALSE(dead);
  EXPECT_THAT(dead.error().message, HasSubstr("--slurm: no controller answers: "));
}

// The last test: a node is missing afterwards.
TEST_F(SlurmPoolTest, ZANodeVanishesAndTheControllerStartsAgain) {
  std::vector<std::string> requests;
  for (int k = 0; k < 24; ++k) requests.push_back(fmt::format("sleep {}", 100 + k));
  int step = 0;
  const Ran ran = Run(requests, [&](size_t ended) {
    if (step == 0 && ended >= 3) cluster_->KillNode(2), step = 1;
    if (step == 1 && ended >= 9)
      cluster_->KillController(), step = 2;
    else if (step >= 2 && step < 8)
      ++step;  // a second later
    if (step == 8) cluster_->StartController(), step = 9;
    return false;
  });
  ASSERT_TRUE(ran.status) << ran.status.error().message;
  EXPECT_EQ(step, 9);
  EXPECT_EQ(ran.doubled, 0);
  ASSERT_EQ(ran.ends.size(), requests.size());
  for (const auto& [piece, end] : ran.ends) {
    EXPECT_EQ(end.crash, "");
    EXPECT_EQ(end.bytes, std::to_string((100 + piece) * (100 + piece)));
  }
}

}  // namespace
}  // namespace tessera::cluster::pool_test
