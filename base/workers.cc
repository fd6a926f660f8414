// SPDX-License-Identifier: Apache-2.0
#include "base/workers.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/check.h"

namespace tessera {
namespace {

using std::chrono::steady_clock;

bool WriteAll(int fd, const void* data, size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = write(fd, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n, size -= static_cast<size_t>(n);
  }
  return true;
}

bool ReadAll(int fd, void* data, size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t n = read(fd, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n, size -= static_cast<size_t>(n);
  }
  return true;
}

// A message: a length and that many bytes.
bool WriteMessage(int fd, const std::string& bytes) {
  const uint64_t size = bytes.size();
  return WriteAll(fd, &size, sizeof size) && WriteAll(fd, bytes.data(), size);
}

// While it lives, a write of this thread to a pipe without a reader is an error and no signal.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutPipeSignal() {
    const timespec now{};
    while (sigtimedwait(&pipe_, nullptr, &now) > 0) continue;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;

 private:
  sigset_t pipe_{}, before_{};
};

// Held while a process is made: no other process may get the writing end of its result pipe, which
// would hide its end.
std::mutex g_making;

bool ReadMessage(int fd, std::string& bytes) {
  uint64_t size = 0;
  if (!ReadAll(fd, &size, sizeof size)) return false;
  bytes.resize(size);
  return ReadAll(fd, bytes.data(), size);
}

}  // namespace

// One process and the pipes to it. Its standard error goes to a file in memory.
class Worker {
 public:
  // Tries several times. Without a process, End says why.
  explicit Worker(const RequestWork& work) {
    constexpr int kTries = 5;
    for (int n = 0; n < kTries && !Make(work); ++n)
      std::this_thread::sleep_for(std::chrono::milliseconds(20 << n));
  }
  // Kills the process, which has no state to save. The process would not notice that its pipe is
  // closed: processes forked later hold an end of the pipe too.
  ~Worker() {
    for (const int file : {command_, result_, errors_}) {
      if (file >= 0) close(file);
    }
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void Begin(const std::string& request, std::chrono::seconds limit) {
    busy_ = true;
    until_ = steady_clock::now() + limit;
    limit_ = limit;
    if (!alive()) return;
    TESSERA_CHECK(ftruncate(errors_, 0) == 0 && lseek(errors_, 0, SEEK_SET) == 0);
    const WithoutPipeSignal quiet;
    static_cast<void>(WriteMessage(command_, request));  // End detects a dead process
  }

  // Call when the result pipe is readable or closed.
  WorkEnd End() {
    busy_ = false;
    WorkEnd end;
    if (!alive()) {
      end.unmade = true;
      end.crash = fmt::format("no process can be made: {}", std::strerror(refused_));
      return end;
    }
    if (ReadMessage(result_, end.bytes)) return end;
    end.bytes.clear();
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    end.late = late_;
    if (!late_ && WIFSIGNALED(status)) end.signal = WTERMSIG(status);
    end.crash = late_                 ? fmt::format("took more than {} s", limit_.count())
                : WIFSIGNALED(status) ? fmt::format("ended by signal {} ({})", WTERMSIG(status),
                                                    sigdescr_np(WTERMSIG(status)))
                                      : fmt::format("ended with exit code {}", WEXITSTATUS(status));
    if (const std::string said = Said(); !said.empty()) end.crash += ": " + said;
    return end;
  }

  // Kills the process if its time is over.
  void Watch() {
    if (!busy_ || late_ || !alive() || steady_clock::now() < until_) return;
    late_ = true;
    kill(pid_, SIGKILL);
  }

  bool busy() const { return busy_; }
  bool alive() const { return pid_ > 0; }
  int result() const { return result_; }

 private:
  // Makes the process. False: the system refuses.
  bool Make(const RequestWork& work) {
    std::unique_lock making(g_making);
    int ends[4] = {-1, -1, -1, -1};  // of the pipe to it, and of the pipe from it
    if (errors_ < 0) errors_ = memfd_create("tessera_worker", MFD_CLOEXEC);
    if (errors_ >= 0 && pipe(ends) == 0 && pipe(ends + 2) == 0) {
      std::fflush(nullptr);
      pid_ = fork();
    }
    if (pid_ < 0) {
      refused_ = errno;
      for (const int end : ends) {
        if (end >= 0) close(end);
      }
      return false;
    }
    if (pid_ == 0) {
      making.unlock();  // work may make processes too
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      std::signal(SIGABRT, SIG_DFL);  // so that the signal tells how it ended
      close(ends[1]), close(ends[2]);
      dup2(errors_, STDERR_FILENO);
      Serve(work, ends[0], ends[3]);
      _exit(0);
    }
    close(ends[0]), close(ends[3]);
    command_ = ends[1], result_ = ends[2];
    return true;
  }

  static void Serve(const RequestWork& work, int command, int result) {
    std::signal(SIGPIPE, SIG_IGN);
    for (std::string request; ReadMessage(command, request);) {
      if (!WriteMessage(result, work(request))) return;
    }
  }

  // The last line of the process on standard error that is not empty.
  std::string Said() const {
    std::string text(4096, 0);
    const off_t size = lseek(errors_, 0, SEEK_END);
    const off_t from = std::max<off_t>(0, size - static_cast<off_t>(text.size()));
    const ssize_t n = pread(errors_, text.data(), text.size(), from);
    text.resize(n > 0 ? static_cast<size_t>(n) : 0);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text.substr(text.rfind('\n') + 1);
  }

  pid_t pid_ = -1;
  int command_ = -1, result_ = -1, errors_ = -1;
  int refused_ = 0;  // the error of the system that made no process
  bool busy_ = false, late_ = false;
  steady_clock::time_point until_;
  std::chrono::seconds limit_{};
};

void Workers::Run(const std::function<std::optional<int64_t>()>& next,
                  const std::function<void(int64_t piece, WorkEnd end)>& done,
                  const std::function<void()>& tick) {
  const RequestWork work = [this](const std::string& request) {
    int64_t piece = 0;
    TESSERA_CHECK(request.size() == sizeof piece);
    std::memcpy(&piece, request.data(), sizeof piece);
    return work_(piece);
  };
  struct Busy {
    std::unique_ptr<Worker> worker;
    int64_t piece = 0;
  };
  std::vector<Busy> workers;
  const auto hand_out = [&](Busy& one) {
    const std::optional<int64_t> piece = next();
    if (!piece) return false;
    one.piece = *piece;
    one.worker->Begin({reinterpret_cast<const char*>(&*piece), sizeof *piece}, limit_);
    return true;
  };
  for (int n = 0; n < jobs_; ++n) {
    workers.push_back({std::make_unique<Worker>(work)});
    if (!hand_out(workers.back())) break;
  }
  for (;;) {
    std::vector<pollfd> wait;
    for (Busy& one : workers) {
      one.worker->Watch();
      if (one.worker->busy()) wait.push_back({one.worker->result(), POLLIN, 0});
    }
    if (wait.empty()) break;
    // A worker without a process has ended already.
    const bool unmade = std::ranges::any_of(wait, [](const pollfd& p) { return p.fd < 0; });
    poll(wait.data(), wait.size(), unmade ? 0 : 200);
    for (Busy& one : workers) {
      const auto polled = std::ranges::find(wait, one.worker->result(), &pollfd::fd);
      if (!one.worker->busy() || polled == wait.end()) continue;
      if (one.worker->alive() && polled->revents == 0) continue;
      done(one.piece, one.worker->End());
      if (!one.worker->alive()) one.worker = std::make_unique<Worker>(work);
      hand_out(one);
    }
    tick();
  }
}

IsolatedProcess::IsolatedProcess(std::chrono::seconds limit, RequestWork work)
    : limit_(limit), work_(std::move(work)) {}
IsolatedProcess::~IsolatedProcess() = default;

WorkEnd IsolatedProcess::Ask(const std::string& request) {
  if (!worker_ || !worker_->alive()) worker_ = std::make_unique<Worker>(work_);
  worker_->Begin(request, limit_);
  if (!worker_->alive()) return worker_->End();
  for (pollfd wait{worker_->result(), POLLIN, 0}; poll(&wait, 1, 200) <= 0;) worker_->Watch();
  return worker_->End();
}

WorkEnd RunIsolated(const std::function<std::string()>& work, std::chrono::seconds limit) {
  return IsolatedProcess(limit, [&](const std::string&) { return work(); }).Ask("");
}

}  // namespace tessera
