// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/simulated_fpga.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "isa/regs.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

const char* const kManager = "sys/class/fpga_manager/fpga0/";
const char* const kOverlay = "sys/kernel/config/device-tree/overlays/tessera";

std::vector<uint8_t> Bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void Put(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

// Whether this event fails: the next |count| events do.
bool Take(int& count) {
  if (count == 0) return false;
  --count;
  return true;
}

}  // namespace

SimulatedFpga::SimulatedFpga(std::string root, const std::string& manager)
    : root_(std::move(root)) {
  fs::remove_all(root_);
  for (const char* folder : {kManager, "sys/class/uio", "lib/firmware", "dev",
                             "proc/sys/kernel/random", "sys/kernel/config/device-tree/overlays"})
    fs::create_directories(Path(folder));
  Put(Path(kManager) + "name", manager + "\n");
  Put(Path(kManager) + "flags", "0\n");
  Put(Path(kManager) + "firmware", "");
  mkfifo((Path(kManager) + "state").c_str(), 0600);
  Put(Path("proc/sys/kernel/random/boot_id"), "boot-1\n");
  signal(SIGPIPE, SIG_IGN);  // a reader of `state` may close it before the answer
  thread_ = std::thread([this] { Loop(); });
}

SimulatedFpga::~SimulatedFpga() {
  stop_ = true;
  thread_.join();
}

void SimulatedFpga::Knows(const std::vector<uint8_t>& bin, uint64_t hash) {
  const std::lock_guard lock(mutex_);
  machines_[bin] = hash;
}

void SimulatedFpga::SetFaults(FpgaFaults faults) {
  const std::lock_guard lock(mutex_);
  faults_ = std::move(faults);
}

std::vector<uint8_t> SimulatedFpga::Running() {
  const std::lock_guard lock(mutex_);
  return running_;
}

bool SimulatedFpga::Attached() {
  const std::lock_guard lock(mutex_);
  return attached_;
}

void SimulatedFpga::Reboot() {
  const std::lock_guard lock(mutex_);
  running_.clear();
  attached_ = false;
  fs::remove_all(Path(kOverlay));
  fs::remove_all(Path("sys/class/uio/uio0"));
  fs::remove(Path("dev/uio0"));
  Put(Path("proc/sys/kernel/random/boot_id"), "boot-" + std::to_string(++boots_) + "\n");
}

void SimulatedFpga::Loop() {
  while (!stop_) {
    {
      const std::lock_guard lock(mutex_);
      TakeOverlay();
    }
    AnswerState();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// Loads the file that was named in `firmware`, as the manager does during the write.
void SimulatedFpga::TakeFirmware() {
  const std::string file = Path(kManager) + "firmware";
  if (!fs::is_regular_file(fs::symlink_status(file)) || fs::file_size(file) == 0) return;
  std::string name;
  std::ifstream(file) >> name;
  Put(file, "");
  if (faults_.on_program) faults_.on_program();
  if (Take(faults_.state_errors)) {
    state_ = "write error";
    running_.clear();
    return;
  }
  running_ = Bytes(Path("lib/firmware/" + name));
  state_ = running_.empty() ? "firmware request error" : "operating";
}

// A complete overlay makes devices; a removed overlay takes them away.
void SimulatedFpga::TakeOverlay() {
  const std::string blob = Path(kOverlay) + "/dtbo", uio = Path("sys/class/uio/uio0");
  if (attached_ && !fs::exists(Path(kOverlay))) {
    fs::remove_all(uio);
    fs::remove(Path("dev/uio0"));
    attached_ = false;
  }
  if (!fs::exists(blob)) return;
  const std::vector<uint8_t> tree = Bytes(blob);
  if (tree.size() < 8 || tree.size() < static_cast<size_t>(tree[6] << 8 | tree[7])) return;
  fs::remove(blob);  // like a folder of configfs, it can be removed with rmdir
  if (Take(faults_.no_devices)) return;
  std::vector<uint32_t> words(1024);
  const auto machine = machines_.find(running_);
  if (machine != machines_.end() && !Take(faults_.dead_machines)) {
    const uint64_t hash = machine->second ^ (Take(faults_.wrong_hashes) ? 1 : 0);
    words[isa::reg::kId / 4] = isa::reg::kIdValue;
    words[isa::reg::kVersion / 4] = isa::reg::kVersionValue;
    words[isa::reg::kConfigHashLo / 4] = static_cast<uint32_t>(hash);
    words[isa::reg::kConfigHashHi / 4] = static_cast<uint32_t>(hash >> 32);
  }
  if (!Take(faults_.no_nodes))
    Put(Path("dev/uio0"), {reinterpret_cast<const char*>(words.data()), 4 * words.size()});
  fs::create_directories(uio);
  Put(uio + "/name", "tessera\n");
  attached_ = true;
}

// The reader that opened the FIFO gets one line; the next reader finds a fresh FIFO.
void SimulatedFpga::AnswerState() {
  const std::string file = Path(kManager) + "state";
  const int fd = open(file.c_str(), O_WRONLY | O_NONBLOCK);
  if (fd < 0) return;  // no reader
  mkfifo((file + ".new").c_str(), 0600);
  fs::rename(file + ".new", file);
  bool silent = false;
  {
    const std::lock_guard lock(mutex_);
    TakeFirmware();
    silent = Take(faults_.silences);
    const std::string line = state_ + "\n";
    if (!silent) static_cast<void>(!write(fd, line.data(), line.size()));
  }
  // Stays silent until the reader has closed the FIFO.
  while (silent && !stop_) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    pollfd gone{fd, POLLOUT, 0};
    poll(&gone, 1, 0);
    silent = (gone.revents & POLLERR) == 0;
  }
  close(fd);
}

}  // namespace tessera::test
