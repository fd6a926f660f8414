// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/on_demand.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "isa/gen/sv_package.h"

namespace tessera::sim {
namespace {

namespace fs = std::filesystem;

constexpr int kToolMissing = 3;    // exit status of build_machine.sh
constexpr int kInterrupted = 130;  // exit status of a shell after SIGINT

std::string WaveName(WaveKind wave) {
  switch (wave) {
    case WaveKind::kVcd:
      return "vcd";
    case WaveKind::kFst:
      return "fst";
    case WaveKind::kNone:
      return "none";
  }
  return "none";
}

// While this object lives, SIGINT reaches only the child process. The parent waits for the child
// and cleans up after it.
class LeaveInterrupt {
 public:
  LeaveInterrupt() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGINT, &ignore, &before_);
  }
  ~LeaveInterrupt() { sigaction(SIGINT, &before_, nullptr); }
  LeaveInterrupt(const LeaveInterrupt&) = delete;
  LeaveInterrupt& operator=(const LeaveInterrupt&) = delete;

 private:
  struct sigaction before_ {};
};

// Runs |args| with stdout and stderr to |log|. Returns the exit status, kInterrupted, or -1 if the
// process did not exit.
int RunProgram(const std::vector<std::string>& args, const std::string& log) {
  std::vector<char*> argv;
  for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  const LeaveInterrupt leave;
  const pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    std::signal(SIGINT, SIG_DFL);
    const int fd = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd >= 0) {
      dup2(fd, 1);
      dup2(fd, 2);
    }
    execvp(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) return kInterrupted;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The first line that |command| prints, "" if there is none.
std::string FirstLine(const std::string& command) {
  FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return "";
  char line[256] = "";
  if (std::fgets(line, sizeof(line), pipe) == nullptr) line[0] = 0;
  pclose(pipe);
  return line;
}

std::string Tool(const char* variable, const char* fallback) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != 0 ? value : fallback;
}

// Everything that the machine is made from, except the package. It names whole folders, so that no
// list of files must be kept up to date.
std::vector<fs::path> Sources(const fs::path& root) {
  std::vector<fs::path> files = {root / "hw/scripts/verilate.sh", root / "runtime/observer.h"};
  for (const char* folder : {"hw/rtl", "sim/rtl", "sim/dram", "sim/trace"}) {
    std::error_code ec;
    for (auto it = fs::recursive_directory_iterator(root / folder, ec); !ec && it != fs::end(it);
         it.increment(ec)) {
      const bool generated = it->path().parent_path().filename() == "gen";
      if (it->is_regular_file(ec) && !generated) files.push_back(it->path());
    }
  }
  std::ranges::sort(files);
  return files;
}

Result<uint64_t> Key(const fs::path& root, const std::string& package, WaveKind wave) {
  std::string text = package + WaveName(wave) +
                     FirstLine(Tool("VERILATOR", "verilator") + " --version") +
                     FirstLine(Tool("CXX", "g++") + " --version");
  uint64_t key = Crc64({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  for (const fs::path& file : Sources(root)) {
    TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(file));
    key = Crc64(bytes, key);
  }
  return key;
}

// Holds an exclusive lock on a file. A killed process loses the lock.
class FileLock {
 public:
  explicit FileLock(const std::string& path)
      : fd_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (fd_ < 0) return;
    while (flock(fd_, LOCK_EX) != 0) {
      if (errno == EINTR) continue;
      close(fd_);
      fd_ = -1;
      return;
    }
  }
  ~FileLock() {
    if (fd_ >= 0) close(fd_);
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  bool held() const { return fd_ >= 0; }

 private:
  int fd_;
};

// The last line of a log that reports an error, or else its first line that is not empty.
std::string LastError(const std::string& log) {
  auto bytes = ReadFile(log);
  if (!bytes) return "";
  std::string last, line;
  bytes->push_back('\n');
  for (const uint8_t byte : *bytes) {
    if (byte != '\n') {
      line += static_cast<char>(byte);
      continue;
    }
    if (line.find("rror") != std::string::npos || line.find("not found") != std::string::npos ||
        last.empty()) {
      last = line;
    }
    line.clear();
  }
  return last;
}

// The file beside |plugin| with the CRC-64 of its bytes. It is written last.
std::string SumFile(const std::string& plugin) { return plugin + ".sum"; }

Result<std::string> SumOf(const std::string& plugin) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(plugin));
  return fmt::format("{:016x}\n", Crc64(bytes));
}

// Whether |plugin| is complete. Opening a truncated one would end the process.
bool IsWhole(const std::string& plugin) {
  const Result<std::vector<uint8_t>> kept = ReadFile(SumFile(plugin));
  const Result<std::string> sum = SumOf(plugin);
  return kept && sum && *sum == std::string(kept->begin(), kept->end());
}

// Removes what ended processes have left in |cache_dir|: rtl_KEY.work.PID and files beside it.
void RemoveLitter(const std::string& cache_dir) {
  constexpr std::string_view kMark = ".work.";
  std::error_code ec;
  std::vector<fs::path> left;
  for (auto it = fs::directory_iterator(cache_dir, ec); !ec && it != fs::end(it);
       it.increment(ec)) {
    const std::string name = it->path().filename();
    const size_t mark = name.find(kMark);
    if (!name.starts_with("rtl_") || mark == std::string::npos) continue;
    const int pid = std::atoi(name.c_str() + mark + kMark.size());
    if (pid > 0 && kill(pid, 0) != 0 && errno == ESRCH) left.push_back(it->path());
  }
  for (const fs::path& path : left) fs::remove_all(path, ec);
}

}  // namespace

Result<std::string> VerilatorHere() {
  const fs::path root = TESSERA_SOURCE_DIR;
  std::error_code ec;
  if (!fs::exists(root / "hw/rtl/tsr_top.sv", ec)) {
    return Fail(Code::kUnsupported, "the sources to verilate are not at {}; build from a checkout",
                root.string());
  }
  const std::string line = FirstLine(Tool("VERILATOR", "verilator") + " --version");
  if (line.empty()) {
    return Fail(Code::kUnsupported,
                "verilator is not installed (Debian: verilator), nor named by VERILATOR");
  }
  return line.substr(0, line.find(' ', line.find(' ') + 1));
}

Result<std::string> BuildOnDemand(const isa::Config& config, WaveKind wave,
                                  const std::string& cache_dir) {
  const fs::path root = TESSERA_SOURCE_DIR;
  std::error_code ec;
  if (!fs::exists(root / "hw/rtl/tsr_top.sv", ec)) {
    return Fail(Code::kUnsupported,
                "configuration {} is not prebuilt and the sources it would be verilated from are "
                "not at {}; use a "
                "prebuilt configuration: default, pynq, tiny, wide or batch4",
                config.name, root.string());
  }
  fs::create_directories(cache_dir, ec);
  if (ec) {
    return Fail(Code::kUnavailable,
                "{}: cannot be made ({}); set XDG_CACHE_HOME to a folder that can be written",
                cache_dir, ec.message());
  }
  const std::string package = isa::PrintSvPackage(config);
  TESSERA_ASSIGN(const uint64_t key, Key(root, package, wave));
  const std::string stem = fmt::format("{}/rtl_{:016x}", cache_dir, key);
  const std::string plugin = stem + ".so";
  if (IsWhole(plugin)) return plugin;

  const FileLock lock(stem + ".lock");
  if (!lock.held()) {
    return Fail(Code::kUnavailable,
                "{}.lock: {}; set XDG_CACHE_HOME to a folder that can be written", stem,
                std::strerror(errno));
  }
  if (IsWhole(plugin)) return plugin;  // another process made it during the wait for the lock
  RemoveLitter(cache_dir);
  if (fs::exists(plugin, ec)) {
    std::fprintf(stderr, "tessera: %s: is damaged; it is made again\n", plugin.c_str());
    fs::remove(plugin, ec);
  }

  std::fprintf(stderr, "tessera: verilating configuration %s (about %d s, once) ...\n",
               config.name.c_str(), config.macs_per_cycle() > 64 ? 120 : 40);
  const std::string work = fmt::format("{}.work.{}", stem, getpid());
  const std::string package_file = work + ".sv", log = stem + ".log", tools_log = work + ".log";
  TESSERA_TRY(WriteFile(package_file, package));
  const int status = RunProgram({"/bin/sh", (root / "sim/rtl/build_machine.sh").string(),
                                 root.string(), package_file, work, plugin, WaveName(wave)},
                                log);
  fs::remove_all(work, ec);
  fs::remove(package_file, ec);
  fs::remove(work + ".d", ec);
  if (status == kInterrupted) {
    fs::remove(tools_log, ec);
    fs::remove(log, ec);
    std::raise(SIGINT);  // ends this process, as SIGINT would have done
    return Fail(Code::kUnavailable, "configuration {}: verilating it was interrupted", config.name);
  }
  if (status != 0 && status != kToolMissing) fs::rename(tools_log, log, ec);
  fs::remove(tools_log, ec);
  if (status == kToolMissing) {
    return Fail(Code::kUnsupported,
                "configuration {} is not prebuilt and cannot be verilated here: {}; install "
                "verilator and g++, or use "
                "a prebuilt configuration: default, pynq, tiny, wide or batch4",
                config.name, LastError(log));
  }
  if (status != 0) {
    return Fail(Code::kUnsupported, "configuration {}: verilating it failed: {} (all of it in {})",
                config.name, LastError(log), log);
  }
  fs::remove(log, ec);
  TESSERA_ASSIGN(const std::string sum, SumOf(plugin));
  TESSERA_TRY(WriteFile(SumFile(plugin), std::string_view(sum)));
  return plugin;
}

}  // namespace tessera::sim
