// SPDX-License-Identifier: Apache-2.0
//
// One plan in two processes: the executor with a device that another process serves gives the bytes
// of the device itself; what is said when the other process is not there, is killed in a run, is
// silent, or is none of ours. Conformance of the device: cts_remote_test. Not here: processes of
// another user, which this test cannot start.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <thread>

#include "base/file.h"
#include "runtime/device/registry.h"
#include "runtime/drivers/remote/channel.h"
#include "runtime/drivers/remote/serve.h"
#include "runtime/drivers/remote/wire.h"

namespace tessera::remote_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A process of its own, which ends with this object.
class Other {
 public:
  explicit Other(const std::function<void()>& work) : id_(fork()) {
    if (id_ != 0) return;
    work();
    _exit(0);
  }
  ~Other() { End(SIGKILL); }
  void End(int signal) {
    if (id_ <= 0) return;
    kill(id_, signal);
    kill(id_, SIGCONT);
    waitpid(id_, nullptr, 0);
    id_ = -1;
  }
  pid_t id() const { return id_; }

 private:
  pid_t id_;
};

class RemoteTest : public ::testing::Test {
 protected:
  RemoteTest() {
    std::string name = fs::temp_directory_path() / "tessera_remote_XXXXXX";
    folder_ = mkdtemp(name.data());
    socket_ = folder_ + "/device";
  }
  ~RemoteTest() override { fs::remove_all(folder_); }

  std::unique_ptr<Other> Server(const std::string& device) {
    auto other = std::make_unique<Other>(
        [&] { static_cast<void>(remote::Serve({.socket = socket_, .device = device}, [] {})); });
    for (int k = 0; k < 1000 && !fs::exists(socket_); ++k)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return other;
  }
  Result<std::unique_ptr<Device>> Open() {
    return OpenDevice("remote", {}, {.values = {{"socket", socket_}}});
  }

  std::string folder_, socket_;
};

TEST_F(RemoteTest, MemoryIsThatOfTheOtherProcess) {
  const auto server = Server("func");
  const auto device = Open(), second = Open();
  ASSERT_TRUE(device) << device.error().message;
  ASSERT_TRUE(second) << second.error().message;
  const std::vector<uint8_t> bytes{1, 2, 3, 4, 5};
  std::vector<uint8_t> read(5);
  const auto address = (*device)->Allocate(64, 64);
  ASSERT_TRUE(address) << address.error().message;
  EXPECT_TRUE((*device)->Write(*address, bytes));
  EXPECT_TRUE((*device)->Read(*address, read));
  EXPECT_EQ(read, bytes);
  // Each connection has its own device.
  EXPECT_TRUE((*second)->Read(*address, read));
  EXPECT_EQ(read, std::vector<uint8_t>(5));
  // Errors come as the device gives them.
  const auto local = OpenDevice("func", isa::Config());
  EXPECT_EQ((*device)->Free(77).error().message, (*local)->Free(77).error().message);
  EXPECT_EQ((*device)->Wait().error().message, (*local)->Wait().error().message);
}

TEST_F(RemoteTest, AKilledProcessIsOneClearLineAndTheNextOneServes) {
  auto server = Server("func");
  auto device = Open();
  ASSERT_TRUE(device) << device.error().message;
  server->End(SIGKILL);
  const std::string gone = "socket " + socket_ + ": the other process is gone (";
  std::vector<uint8_t> read(5);
  const Status first = (*device)->Read(0, read);
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code, Code::kUnavailable);
  EXPECT_THAT(first.error().message, HasSubstr(gone));
  EXPECT_EQ((*device)->Reset().error().message, first.error().message);
  // In a run: the server is stopped, so that it has not answered when it is killed.
  fs::remove(socket_);
  server = Server("func");
  device = Open();
  ASSERT_TRUE(device) << device.error().message;
  kill(server->id(), SIGSTOP);
  Status waited;
  std::thread waiting([&] {
    const Result<RunReport> ran = (*device)->Wait();
    waited = ran ? Status() : std::unexpected(ran.error());
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  server->End(SIGKILL);
  waiting.join();
  ASSERT_FALSE(waited);
  EXPECT_THAT(waited.error().message, HasSubstr(gone));
  // A new server takes the place of the dead one's socket.
  fs::rename(socket_, socket_ + ".old");
  server = Server("func");
  EXPECT_TRUE(Open());
}

// Accepts connections, reads what comes, and says |answer|.
void SayTo(const std::string& path, const std::vector<uint8_t>& answer) {
  const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  if (bind(listening, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(listening, 1) != 0)
    return;
  const int one = accept(listening, nullptr, nullptr);
  char buffer[64];
  if (read(one, buffer, sizeof buffer) <= 0) return;
  if (write(one, answer.data(), answer.size()) < 0) return;
  pause();
}

TEST_F(RemoteTest, AProcessThatIsNoneOfOursIsRefused) {
  const Other other([&] { SayTo(socket_, std::vector<uint8_t>(9, 0xff)); });
  for (int k = 0; k < 1000 && !fs::exists(socket_); ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // between bind and listen
  const auto device = Open();
  ASSERT_FALSE(device);
  EXPECT_THAT(device.error().message, HasSubstr("this is no tessera serve"));
}

TEST_F(RemoteTest, AnotherGreetingIsRefused) {
  const auto server = Server("func");
  auto channel = remote::Channel::Connect(socket_);
  ASSERT_TRUE(channel) << channel.error().message;
  EXPECT_TRUE((*channel)->CheckPeer());
  const auto ask = [&](remote::Ask what, const remote::Bytes& bytes) {
    EXPECT_TRUE((*channel)->Send(static_cast<uint8_t>(what), bytes));
    const auto answer = (*channel)->Receive(remote::kPatience);
    if (!answer) return answer.error().message;
    EXPECT_EQ(answer->kind, static_cast<uint8_t>(remote::Answer::kError));
    remote::Reader reader(answer->bytes);
    reader.Get<uint8_t>();
    return reader.Text();
  };
  EXPECT_EQ(ask(remote::Ask::kReset, {}), "remote: no device is open");
  EXPECT_EQ(ask(remote::Ask::kOpen, remote::Writer().Text("hello").bytes),
            "remote: the greeting is 'hello', this process knows 'tessera device 1'; run the same "
            "tessera at both ends");
}

TEST_F(RemoteTest, SaysWhatIsMissing) {
  EXPECT_EQ(Open().error().message,
            "socket " + socket_ +
                ": nobody serves a device there (No such file or directory); "
                "start tessera serve --socket " +
                socket_);
  unsetenv("TESSERA_SOCKET");
  EXPECT_THAT(OpenDevice("remote", isa::Config()).error().message,
              HasSubstr("say where the other process serves: remote:socket=PATH"));
  const auto serve = [](const std::string& path, const std::string& device) {
    return remote::Serve({.socket = path, .device = device}, [] {}).error().message;
  };
  ASSERT_TRUE(WriteFile(folder_ + "/file", std::vector<uint8_t>{1}));
  EXPECT_THAT(serve(folder_ + "/file", "func"), HasSubstr("is there and is no socket"));
  EXPECT_THAT(serve(folder_ + "/no/socket", "func"), HasSubstr("no socket there"));
  EXPECT_THAT(serve(socket_, "warp"), HasSubstr("warp"));
  const auto server = Server("func");
  EXPECT_THAT(serve(socket_, "func"), HasSubstr("another process serves there"));
}

}  // namespace
}  // namespace tessera::remote_test
