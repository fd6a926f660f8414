// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace tessera {
namespace {

constexpr size_t kMostOutput = 1 << 20;
constexpr int kNoProgram = 127;

// Both ends of a pipe; the destructor closes them.
struct PipeEnds {
  int read = -1, write = -1;
  bool Open() {
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0) return false;
    read = fds[0];
    write = fds[1];
    return true;
  }
  static void Close(int& fd) {
    if (fd >= 0) close(fd);
    fd = -1;
  }
  ~PipeEnds() {
    Close(read);
    Close(write);
  }
};

[[noreturn]] void Exec(const std::vector<std::string>& argv, const PipeEnds& in,
                       const PipeEnds& out, const PipeEnds& err) {
  setpgid(0, 0);  // so that the parent can end its children with it
  dup2(in.read, 0);
  dup2(out.write, 1);
  dup2(err.write, 2);
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  _exit(kNoProgram);
}

// Appends the bytes in |fd| to |text|; false at the end of |fd|.
bool Drain(int fd, std::string& text) {
  std::array<char, 65536> chunk;
  const ssize_t n = read(fd, chunk.data(), chunk.size());
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  if (n > 0 && text.size() < kMostOutput)
    text.append(chunk.data(), std::min(static_cast<size_t>(n), kMostOutput - text.size()));
  return n > 0;
}

// Feeds and drains the pipes until both outputs end or |until| comes; true if both ended.
bool Attend(PipeEnds& in, PipeEnds& out, PipeEnds& err, std::span<const uint8_t> input,
            std::chrono::steady_clock::time_point until, ProcessEnd& end) {
  fcntl(in.write, F_SETFL, O_NONBLOCK);
  size_t fed = 0;
  while (out.read >= 0 || err.read >= 0) {
    if (in.write >= 0 && fed == input.size()) PipeEnds::Close(in.write);
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd fds[] = {{out.read, POLLIN, 0}, {err.read, POLLIN, 0}, {in.write, POLLOUT, 0}};
    if (poll(fds, 3, static_cast<int>(left.count())) < 0 && errno != EINTR) return false;
    if (fds[0].revents != 0 && !Drain(out.read, end.output)) PipeEnds::Close(out.read);
    if (fds[1].revents != 0 && !Drain(err.read, end.errors)) PipeEnds::Close(err.read);
    if (in.write < 0 || fds[2].revents == 0) continue;
    const ssize_t n = write(in.write, input.data() + fed, input.size() - fed);
    if (n > 0) fed += static_cast<size_t>(n);
    if (n < 0 && errno != EAGAIN && errno != EINTR) PipeEnds::Close(in.write);  // child closed it
  }
  return true;
}

// Waits for the exit status of |child| up to |until|; false if |child| still runs.
bool Reap(pid_t child, std::chrono::steady_clock::time_point until, int& status) {
  for (;;) {
    const pid_t done = waitpid(child, &status, WNOHANG);
    if (done == child || (done < 0 && errno != EINTR)) return true;
    if (std::chrono::steady_clock::now() >= until) return false;
    usleep(1000);
  }
}

}  // namespace

std::string LastLine(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  const size_t line = text.rfind('\n');
  return line == std::string::npos ? text : text.substr(line + 1);
}

std::string ShellWord(std::string_view text) {
  std::string word = "'";
  for (char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

Result<ProcessEnd> RunProcess(const std::vector<std::string>& argv, std::span<const uint8_t> input,
                              std::chrono::seconds limit) {
  signal(SIGPIPE, SIG_IGN);  // a program that stops reading reports its own exit code
  PipeEnds in, out, err;
  if (!in.Open() || !out.Open() || !err.Open())
    return Fail(Code::kUnavailable, "{}: no pipe: {}", argv[0], std::strerror(errno));
  const pid_t child = fork();
  if (child < 0)
    return Fail(Code::kUnavailable, "{}: no process: {}", argv[0], std::strerror(errno));
  if (child == 0) Exec(argv, in, out, err);
  setpgid(child, child);
  PipeEnds::Close(in.read);
  PipeEnds::Close(out.write);
  PipeEnds::Close(err.write);
  ProcessEnd end;
  const auto until = std::chrono::steady_clock::now() + limit;
  int status = 0;
  if (!Attend(in, out, err, input, until, end) || !Reap(child, until, status)) {
    end.timed_out = true;
    kill(-child, SIGKILL);
    waitpid(child, &status, 0);
  }
  if (!end.timed_out && WIFEXITED(status)) end.code = WEXITSTATUS(status);
  if (end.code == kNoProgram && end.output.empty() && end.errors.empty())
    return Fail(Code::kNotFound, "there is no program {} on PATH", argv[0]);
  return end;
}

}  // namespace tessera
