// SPDX-License-Identifier: Apache-2.0
//
// genericpciemodel: the process, by this name, that XRT's software emulation starts in place of a
// card. It connects to the socket that XRT made and at once removes the socket and its folder from
// the file system. It answers until XRT closes the card or ends, then removes the folder that XRT
// keeps for the card. So killing either side leaves nothing behind.
//
// A message is a head of fixed size and a body; the head has the size of the body (messages.proto).
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>

#include "messages.pb.h"
#include "sim/xrt/card.h"

namespace tessera::sim {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kCardMemory = uint64_t{4} << 30;  // XRT allocates below this address
constexpr size_t kCallHeadBytes = 14;
// Most bytes of a call; XRT sends 8 MiB at once.
constexpr uint64_t kLargestCall = uint64_t{64} << 20;
constexpr auto kConnectFor = std::chrono::seconds(10);
constexpr auto kEndFor = std::chrono::seconds(1);
constexpr auto kLookAgain = std::chrono::milliseconds(5);

void Complain(const std::string& what) {
  std::fprintf(stderr, "genericpciemodel: %s\n", what.c_str());
}

// The path of the socket of XRT 2.13.
std::string SocketPath() {
  const char* user = std::getenv("USER");
  const char* id = std::getenv("EMULATION_SOCKETID");
  if (user == nullptr) return "/tmp/xcl_sock";
  return fmt::format("/tmp/{}/{}", user, id != nullptr ? id : "xcl_sock");
}

// Connects to XRT, which listens only some time after it starts this process.
Result<int> Connect(const std::string& path, pid_t parent) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return Fail(Code::kOutOfRange, "{}: a socket's path has at most {} bytes", path,
                sizeof(address.sun_path) - 1);
  }
  std::memcpy(address.sun_path, path.c_str(), path.size());
  const auto end = std::chrono::steady_clock::now() + kConnectFor;
  for (;;) {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return Fail(Code::kUnavailable, "socket: {}", std::strerror(errno));
    if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) return fd;
    close(fd);
    if (std::chrono::steady_clock::now() > end || getppid() != parent) {
      return Fail(Code::kUnavailable,
                  "{}: nobody listens: XRT's software emulation starts this program, a person "
                  "does not",
                  path);
    }
    std::this_thread::sleep_for(kLookAgain);
  }
}

// Reads exactly |bytes| bytes. Returns false if the other side is gone.
bool ReadAll(int fd, void* to, size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = read(fd, at, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

bool WriteAll(int fd, const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t put = send(fd, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    done += static_cast<size_t>(put);
  }
  return true;
}

// Answers one call. Returns false if the other side is gone.
Result<bool> Serve(int fd, EmulatedCard& card) {
  std::string head(kCallHeadBytes, '\0');
  if (!ReadAll(fd, head.data(), head.size())) return false;
  xrt::CallHead call;
  if (!call.ParseFromString(head) || call.size() > kLargestCall) {
    return Fail(Code::kDataLoss, "the head of a call is not one, or says more than {} bytes",
                kLargestCall);
  }
  std::string body(call.size(), '\0');
  if (!ReadAll(fd, body.data(), body.size())) return false;
  TESSERA_ASSIGN(const std::string answer, card.Answer(call.code(), body));
  xrt::AnswerHead answer_head;
  answer_head.set_size(answer.size());
  return WriteAll(fd, answer_head.SerializeAsString()) && WriteAll(fd, answer);
}

// Answers calls as they arrive. Between calls the machine runs.
Status ServeAll(int fd, EmulatedCard& card) {
  while (!card.closed()) {
    pollfd wanted{.fd = fd, .events = POLLIN, .revents = 0};
    const int ready = poll(&wanted, 1, card.running() ? 0 : -1);
    if (ready < 0 && errno != EINTR) {
      return Fail(Code::kUnavailable, "poll: {}", std::strerror(errno));
    }
    if (ready <= 0) {
      if (card.running()) card.Turn();
      continue;
    }
    TESSERA_ASSIGN(const bool there, Serve(fd, card));
    if (!there) return {};
  }
  return {};
}

// Removes XRT's folder of this card, RUN/.run/PID/sw_emu/deviceN, and its parents that are then
// empty.
void RemoveFolder(const std::string& folder) {
  fs::path path(folder);
  if (!path.filename().string().starts_with("device") ||
      path.parent_path().filename() != "sw_emu") {
    return;  // not a folder of XRT
  }
  std::error_code error;
  fs::remove_all(path, error);
  for (int up = 0; up < 3; ++up) {
    path = path.parent_path();
    if (!fs::remove(path, error)) return;
  }
}

// Whether |host|, the parent process, ends within kEndFor. Its files close before it ends.
bool Ends(pid_t host) {
  const auto end = std::chrono::steady_clock::now() + kEndFor;
  while (getppid() == host) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(kLookAgain);
  }
  return true;
}

// Removes XRT's folder of |host| if |host| was killed before it named the folder of a card. XRT
// makes its own folder first.
void RemoveFolderOfHost(pid_t host) {
  const char* run = std::getenv("SDACCEL_EM_RUN_DIR");
  if (run == nullptr || !Ends(host)) return;
  const fs::path path = fs::path(run) / ".run" / std::to_string(host);
  std::error_code error;
  fs::remove_all(path, error);
  fs::remove(path.parent_path(), error);
}

void RemoveSocket(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
  if (path.parent_path() != "/tmp") fs::remove(path.parent_path(), error);
}

Status Main() {
  const pid_t host = getppid();
  const std::string path = SocketPath();
  TESSERA_ASSIGN(std::unique_ptr<EmulatedCard> card, EmulatedCard::Make(kCardMemory));
  const Result<int> fd = Connect(path, host);
  if (fd || getppid() != host) RemoveSocket(path);
  const Status status = fd ? ServeAll(*fd, *card) : Status(std::unexpected(fd.error()));
  if (fd) close(*fd);
  if (card->folder().empty()) {
    RemoveFolderOfHost(host);
  } else {
    RemoveFolder(card->folder());
  }
  return status;
}

}  // namespace
}  // namespace tessera::sim

int main(int argc, char** argv) {
  if (argc > 1) {
    std::printf(
        "%s: stands for a card in XRT's software emulation, which starts it; see "
        "sim/xrt/emulated.sh\n",
        argv[0]);
    return 2;
  }
  // Ctrl-C reaches the whole process group. The host ends, and this process ends after it.
  std::signal(SIGINT, SIG_IGN);
  const tessera::Status status = tessera::sim::Main();
  if (status) return 0;
  tessera::sim::Complain(status.error().message);
  return 1;
}
