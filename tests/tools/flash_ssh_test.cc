// SPDX-License-Identifier: Apache-2.0
//
// What is tested: `tessera flash --host` through the system's ssh to this machine, to a server that
// the test starts on the loopback with keys of its own: a flash; a host that vanishes while the
// fabric is programmed, after which the message says so, and the next flash works; a key that is
// refused; a port without a server. Space: those four. Not tested here: other steps (flash_test),
// sudo.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "tests/tools/command.h"
#include "tests/tools/flash_build.h"
#include "tests/tools/simulated_fpga.h"

namespace tessera::test::flash_ssh_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A free port on the loopback.
int FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  close(fd);
  return ntohs(address.sin_port);
}

bool Listens(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  const bool yes = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return yes;
}

// The processes below |pid|, children first.
void Below(pid_t pid, std::vector<pid_t>& found) {
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream in(entry.path() / "status");
    for (std::string line; std::getline(in, line);) {
      if (line != "PPid:\t" + std::to_string(pid)) continue;
      Below(std::stoi(name), found);
      found.push_back(std::stoi(name));
    }
  }
}

class SshServer {
 public:
  explicit SshServer(const std::string& folder) : folder_(folder), port_(FreePort()) {
    fs::create_directories(folder);
    std::error_code only_root;  // root alone can make and needs this folder
    fs::create_directories("/run/sshd", only_root);
    const auto key = [&](const std::string& name) {
      const std::string command = "ssh-keygen -q -t ed25519 -N '' -f " + folder + "/" + name;
      EXPECT_EQ(std::system(command.c_str()), 0) << "ssh-keygen is not there: openssh-client";
    };
    key("host");
    key("user");
    key("stranger");
    fs::copy(folder + "/user.pub", folder + "/authorized");
    std::ofstream(folder + "/sshd_config")
        << "Port " << port_ << "\nListenAddress 127.0.0.1\nHostKey " << folder
        << "/host\nAuthorizedKeysFile " << folder
        << "/authorized\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
           "PermitRootLogin yes\nPidFile none\n";
    Config("user");
    Start();
  }
  ~SshServer() { Stop(); }

  // The client's configuration, with the key |name|.
  std::string Config(const std::string& name) {
    const std::string file = folder_ + "/" + name + "_config";
    std::string host;
    std::ifstream in(folder_ + "/host.pub");
    std::getline(in, host);
    std::ofstream(folder_ + "/known") << "[127.0.0.1]:" << port_ << " " << host << "\n";
    std::ofstream(file) << "Host *\n  Port " << port_ << "\n  IdentityFile " << folder_ << "/"
                        << name << "\n  IdentitiesOnly yes\n  UserKnownHostsFile " << folder_
                        << "/known\n  GlobalKnownHostsFile /dev/null\n";
    return file;
  }

  void Start() {
    pid_ = fork();
    if (pid_ == 0) {
      const std::string config = folder_ + "/sshd_config", log = folder_ + "/log";
      execl("/usr/sbin/sshd", "/usr/sbin/sshd", "-D", "-f", config.c_str(), "-E", log.c_str(),
            nullptr);
      _exit(127);
    }
    for (int i = 0; i < 500 && !Listens(port_); ++i) usleep(10000);
  }
  // Ends the server and every connection, like a pulled cable.
  void Stop() {
    if (pid_ <= 0) return;
    std::vector<pid_t> all;
    Below(pid_, all);
    all.push_back(pid_);
    for (pid_t pid : all) kill(pid, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  int port() const { return port_; }

 private:
  std::string folder_;
  int port_;
  pid_t pid_ = 0;
};

class FlashOverSsh : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(fs::exists("/usr/sbin/sshd"))
        << "sshd is not there: install openssh-server (scripts/setup.sh does)";
    server_.emplace(TempPath("ssh"));
    ASSERT_TRUE(Listens(server_->port())) << "sshd did not start; see " << TempPath("ssh/log");
    fpga_.emplace(TempPath("board"), "Xilinx ZynqMP FPGA Manager");
    for (uint64_t seed : {1, 2}) {
      builds_.push_back(FakeBuild::Make(TempPath("build" + std::to_string(seed)), "ultra96", seed));
      fpga_->Knows(builds_.back().bit.Bin(), builds_.back().board.image->config_hash);
    }
  }
  void TearDown() override {
    server_.reset();
    fs::remove_all(TempPath("ssh"));
  }
  CommandResult Run(size_t build, const std::string& key = "user") {
    return Tessera("flash " + builds_[build].folder + " --timeout 20 --ssh-config " +
                   server_->Config(key) + " --host " + getpwuid(geteuid())->pw_name +
                   "@127.0.0.1 --root " + fpga_->root());
  }

  std::optional<SshServer> server_;
  std::optional<SimulatedFpga> fpga_;
  std::vector<FakeBuild> builds_;
};

TEST_F(FlashOverSsh, ProgramsTheBoardThere) {
  const CommandResult r = Run(0);
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_EQ(fpga_->Running(), builds_[0].bit.Bin());
  EXPECT_THAT(r.output, HasSubstr("ultra96: runs on "));
  EXPECT_THAT(r.output, HasSubstr("@127.0.0.1: configuration ultra96, 250.000 MHz, identity"));
}

TEST_F(FlashOverSsh, AHostThatVanishesLeavesAStatedState) {
  ASSERT_EQ(Run(0).code, 0);
  FpgaFaults faults;
  faults.on_program = [&] { server_->Stop(); };
  fpga_->SetFaults(faults);
  const CommandResult r = Run(1);
  EXPECT_EQ(r.code, 1) << r.output;
  EXPECT_THAT(r.output, HasSubstr("program tessera-ultra96.bin: "));
  EXPECT_THAT(r.output, HasSubstr("cannot be reached: "));
  EXPECT_THAT(r.output, HasSubstr("the state of the fabric is unknown, what was in /lib/firmware "
                                  "before is there as tessera-ultra96.bin.before; run this again"));
  EXPECT_TRUE(fs::exists(fpga_->Path("lib/firmware/tessera-ultra96.bin.before")));
  fpga_->SetFaults({});
  server_->Start();
  const CommandResult again = Run(1);
  EXPECT_EQ(again.code, 0) << again.output;
  EXPECT_EQ(fpga_->Running(), builds_[1].bit.Bin());
  EXPECT_FALSE(fs::exists(fpga_->Path("lib/firmware/tessera-ultra96.bin.before")));
}

TEST_F(FlashOverSsh, RefusalsTouchNothing) {
  CommandResult r = Run(0, "stranger");
  EXPECT_EQ(r.code, 1) << r.output;
  EXPECT_THAT(r.output, HasSubstr("Permission denied (publickey"));
  EXPECT_THAT(r.output, HasSubstr("; nothing was changed"));
  server_->Stop();
  r = Run(0);
  EXPECT_EQ(r.code, 1) << r.output;
  EXPECT_THAT(r.output, HasSubstr("Connection refused; nothing was changed"));
  EXPECT_TRUE(fpga_->Running().empty());
}

}  // namespace
}  // namespace tessera::test::flash_ssh_test
