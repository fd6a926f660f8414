// SPDX-License-Identifier: Apache-2.0
//
// The only program of the Arm guest (guest.sh). It finds the memory that the host shares as a PCI
// device, runs the command of the file /command with the memory's path in place of {}, prints
// /out.npy in hexadecimal, and powers off.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

std::string Read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The path of the shared memory of QEMU's ivshmem device (1af4:1110), mapped with write combining;
// or "".
std::string SharedMemory() {
  for (const auto& device : std::filesystem::directory_iterator("/sys/bus/pci/devices")) {
    const std::string folder = device.path();
    if (Read(folder + "/vendor") != "0x1af4\n" || Read(folder + "/device") != "0x1110\n") continue;
    std::ofstream(folder + "/enable") << "1";
    const std::string combined = folder + "/resource2_wc";
    return std::filesystem::exists(combined) ? combined : folder + "/resource2";
  }
  return "";
}

int Run(const std::string& shared) {
  std::ifstream lines("/command");
  std::vector<std::string> words;
  for (std::string word; std::getline(lines, word);) {
    if (const size_t at = word.find("{}"); at != std::string::npos) word.replace(at, 2, shared);
    words.push_back(word);
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int main() {
  for (const char* folder : {"/proc", "/sys", "/dev"}) mkdir(folder, 0755);
  mount("proc", "/proc", "proc", 0, nullptr);
  mount("sysfs", "/sys", "sysfs", 0, nullptr);
  mount("devtmpfs", "/dev", "devtmpfs", 0, nullptr);
  const std::string shared = SharedMemory();
  std::printf("guest: shared memory is %s\n", shared.empty() ? "missing" : shared.c_str());
  std::fflush(stdout);
  const int code = shared.empty() ? 1 : Run(shared);
  std::printf("guest: output ");
  for (const char byte : Read("/out.npy")) std::printf("%02x", static_cast<unsigned char>(byte));
  std::printf("\nguest: exit code %d\n", code);
  std::fflush(stdout);
  sync();
  reboot(RB_POWER_OFF);
  return 0;
}
