// SPDX-License-Identifier: Apache-2.0
//
// What is tested: a host that ends between connecting to the model of a card and naming the card's
// folder leaves neither the folder nor the socket. Space: one host, a process of this test that
// does what XRT does up to that point. Not tested here: kills of a host with XRT (command_test.sh).
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace tessera::sim::host_killed_test {
namespace {

namespace fs = std::filesystem;

// Acts as XRT in a process of its own until it has a connection, then exits.
[[noreturn]] void BeHost(const std::string& user, const fs::path& run) {
  const fs::path folder =
      run / ".run" / std::to_string(getpid()) / "sw_emu" / "device0" / "binary_0";
  std::error_code error;
  fs::create_directories(folder, error);
  std::ofstream(folder / "xmltmp") << "xml";
  setenv("USER", user.c_str(), 1);
  setenv("SDACCEL_EM_RUN_DIR", run.c_str(), 1);
  unsetenv("EMULATION_SOCKETID");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = "/tmp/" + user + "/xcl_sock";
  fs::create_directories(fs::path(path).parent_path(), error);
  std::memcpy(address.sun_path, path.c_str(), path.size());
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0 ||
      listen(listener, 1) != 0)
    _exit(1);
  if (fork() == 0) {
    execl(TESSERA_CARD_MODEL, "genericpciemodel", nullptr);
    _exit(1);
  }
  _exit(accept(listener, nullptr, nullptr) >= 0 && fs::exists(folder / "xmltmp") ? 0 : 1);
}

bool GoesAway(const fs::path& path) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (fs::exists(path)) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

TEST(KilledHost, LeavesNothing) {
  std::string run = (fs::temp_directory_path() / "tessera_host_killed_XXXXXX").string();
  ASSERT_NE(mkdtemp(run.data()), nullptr);
  const std::string user = fs::path(run).filename().string() + "_socket";
  const pid_t host = fork();
  ASSERT_GE(host, 0);
  if (host == 0) BeHost(user, run);
  int status = 0;
  ASSERT_EQ(waitpid(host, &status, 0), host);
  EXPECT_EQ(status, 0) << "the model did not connect";
  EXPECT_TRUE(GoesAway(fs::path(run) / ".run"));
  EXPECT_TRUE(fs::exists(run)) << "more was removed than the host's folder";
  EXPECT_FALSE(fs::exists(fs::path("/tmp") / user));
  fs::remove_all(run);
  fs::remove_all(fs::path("/tmp") / user);
}

}  // namespace
}  // namespace tessera::sim::host_killed_test
