// SPDX-License-Identifier: Apache-2.0
//
// A Slurm cluster of three nodes on this computer (cluster.sh), in a folder of its own. Depends on:
// base. Used by: tests.
#ifndef TESSERA_TESTS_SLURM_TEST_CLUSTER_H_
#define TESSERA_TESTS_SLURM_TEST_CLUSTER_H_

#include <string>

namespace tessera::test {

class TestCluster {
 public:
  // Starts it, and sets SLURM_CONF in the environment. A failure to start is one of the test.
  TestCluster();
  ~TestCluster();
  TestCluster(const TestCluster&) = delete;

  const std::string& folder() const { return folder_; }
  // Kills node |number|, 1 to 3, with what runs on it: no daemon tells the controller.
  void KillNode(int number);
  // Kills the controller; starts it again.
  void KillController();
  void StartController();

 private:
  std::string folder_;
};

}  // namespace tessera::test

#endif  // TESSERA_TESTS_SLURM_TEST_CLUSTER_H_
