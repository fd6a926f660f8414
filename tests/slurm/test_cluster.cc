// SPDX-License-Identifier: Apache-2.0
#include "tests/slurm/test_cluster.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/process.h"

namespace tessera::test {
namespace {

constexpr int kPorts = 4;  // of the controller and three nodes

bool IsFree(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  const int yes = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const bool bound = bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return bound;
}

// The first of kPorts free ones below those that the system gives to clients.
int FreePorts() {
  for (int port = 20000 + getpid() % 1000 * 10; port < 32000; port += kPorts) {
    int free = 0;
    while (free < kPorts && IsFree(port + free)) ++free;
    if (free == kPorts) return port;
  }
  return 20000;
}

void Script(const std::vector<std::string>& words) {
  std::vector<std::string> argv{TESSERA_CLUSTER_SCRIPT};
  argv.insert(argv.end(), words.begin(), words.end());
  const auto end = RunProcess(argv, {}, std::chrono::seconds(60));
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->code, 0) << end->errors;
}

pid_t PidIn(const std::string& file) {
  pid_t pid = 0;
  std::ifstream(file) >> pid;
  return pid;
}

// Kills the processes whose environment has |sign|: the tasks of a node.
void KillWith(std::string_view sign) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "environ");
    const std::string all((std::istreambuf_iterator<char>(file)), {});
    if (all.find(sign) != std::string::npos) kill(std::stoi(name), SIGKILL);
  }
}

}  // namespace

TestCluster::TestCluster() {
  std::string made = ::testing::TempDir() + "tessera-slurm-XXXXXX";
  EXPECT_NE(mkdtemp(made.data()), nullptr);
  folder_ = made;
  setenv("SLURM_CONF", (folder_ + "/slurm.conf").c_str(), 1);
  Script({"start", folder_, std::to_string(FreePorts())});
}

TestCluster::~TestCluster() {
  Script({"stop", folder_});
  if (::testing::Test::HasFailure()) return;  // its logs tell more
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

void TestCluster::KillNode(int number) {
  kill(PidIn(fmt::format("{}/node{}.pid", folder_, number)), SIGKILL);
  KillWith(fmt::format("SLURMD_NODENAME=node{}", number));
}

void TestCluster::KillController() {
  const pid_t pid = PidIn(folder_ + "/slurmctld.pid");
  kill(pid, SIGKILL);
  while (kill(pid, 0) == 0 && std::ifstream(fmt::format("/proc/{}/cmdline", pid)).get() >= 0)
    usleep(10000);
}

void TestCluster::StartController() { Script({"controller", folder_}); }

}  // namespace tessera::test
