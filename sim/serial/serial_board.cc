// SPDX-License-Identifier: Apache-2.0
#include "sim/serial/serial_board.h"

#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <thread>

#include "Vulx3s.h"
#include "base/rng.h"
#include "verilated.h"

namespace tessera::sim {
namespace {

constexpr int kClocksPerBit = 2;  // as CMakeLists.txt gives it to the model
constexpr int kBits = 10;         // of a character: start, 8, stop
constexpr int kStep = 64;         // clocks from one look at the terminal to the next
// Clocks without a low line after which the board has nothing to say: it answers sooner.
constexpr uint64_t kQuiet = 4000;
constexpr uint8_t kBusyLamp = 1 << 3;
constexpr std::chrono::milliseconds kOverEvery{10};

// A direction of the line.
class Wire {
 public:
  Wire(const LineFaults& faults, uint64_t salt) : faults_(faults), random_(faults.seed + salt) {}

  void Pass(uint8_t byte, std::deque<uint8_t>& out) {
    if (Happens(faults_.lose)) return;
    if (Happens(faults_.change)) byte ^= static_cast<uint8_t>(1 << random_.Range(0, 7));
    out.push_back(byte);
    if (Happens(faults_.twice)) out.push_back(byte);
  }

 private:
  bool Happens(uint64_t mean) { return mean != 0 && random_.OneIn(static_cast<int64_t>(mean)); }
  LineFaults faults_;
  Rng random_;
};

class Ulx3sBoard : public SerialBoard {
 public:
  Ulx3sBoard(int terminal, std::string path, const LineFaults& faults)
      : terminal_(terminal), path_(std::move(path)), down_(faults, 0), up_(faults, 1) {
    top_.ftdi_txd = 1;
    top_.fire1 = 0;
    top_.clk_25mhz = 0;
    top_.eval();
    for (int clock = 0; clock < 64; ++clock) Clock();  // out of reset
  }
  ~Ulx3sBoard() override {
    top_.final();
    close(terminal_);
  }

  const std::string& path() const override { return path_; }
  void Serve(const std::function<bool(bool closed)>& over) override;

 private:
  // One cycle of the board's clock; the line moves with it.
  void Clock();
  void Drive();   // the computer's sender
  void Listen();  // the computer's receiver
  // Looks at the terminal; true if a byte came or went.
  bool Exchange();
  // Whether the clock may stop without anybody noticing.
  bool Idle() const {
    return to_board_.empty() && sending_ == 0 && receiving_ == 0 && (top_.led & kBusyLamp) == 0 &&
           quiet_ > kQuiet;
  }

  VerilatedContext context_;
  Vulx3s top_{&context_};
  int terminal_;
  std::string path_;
  Wire down_, up_;
  std::deque<uint8_t> to_board_, to_user_;
  int sending_ = 0;     // clocks left of the character on the way to the board
  uint32_t shift_ = 0;  // its bits
  int receiving_ = 0;   // clocks since its start bit of the character from the board, plus 1
  uint32_t received_ = 0;
  uint64_t quiet_ = 0;   // clocks since the line was last low
  bool opened_ = false;  // a process has had the port open
  bool closed_ = false;  // and has closed it
};

void Ulx3sBoard::Drive() {
  if (sending_ == 0 && !to_board_.empty()) {
    shift_ = uint32_t{to_board_.front()} << 1 | 1u << 9;
    to_board_.pop_front();
    sending_ = kBits * kClocksPerBit;
  }
  if (sending_ == 0) {
    top_.ftdi_txd = 1;
    return;
  }
  const int bit = kBits - (sending_ + kClocksPerBit - 1) / kClocksPerBit;
  top_.ftdi_txd = shift_ >> bit & 1;
  --sending_;
}

void Ulx3sBoard::Listen() {
  if (receiving_ == 0) {
    if (top_.ftdi_rxd != 0) return;
    receiving_ = 1;
    received_ = 0;
  }
  // The first clock of each bit; the board's clock is the computer's here.
  if ((receiving_ - 1) % kClocksPerBit == 0)
    received_ |= uint32_t{top_.ftdi_rxd} << ((receiving_ - 1) / kClocksPerBit);
  if (++receiving_ <= kBits * kClocksPerBit) return;
  receiving_ = 0;
  if ((received_ >> 9 & 1) != 0) up_.Pass(static_cast<uint8_t>(received_ >> 1), to_user_);
}

void Ulx3sBoard::Clock() {
  Drive();
  top_.clk_25mhz = 1;
  top_.eval();
  Listen();
  quiet_ = top_.ftdi_txd != 0 && top_.ftdi_rxd != 0 ? quiet_ + 1 : 0;
  top_.clk_25mhz = 0;
  top_.eval();
}

bool Ulx3sBoard::Exchange() {
  bool moved = false;
  uint8_t bytes[512];
  if (to_board_.size() < sizeof bytes) {
    const ssize_t count = read(terminal_, bytes, sizeof bytes);
    // EIO: no process has the other end open.
    if (count > 0) opened_ = true;
    closed_ = opened_ && count < 0 && errno == EIO;
    for (ssize_t i = 0; i < count; ++i) down_.Pass(bytes[i], to_board_);
    moved = count > 0;
  }
  while (!to_user_.empty()) {
    const uint8_t byte = to_user_.front();
    if (write(terminal_, &byte, 1) != 1) break;
    to_user_.pop_front();
    moved = true;
  }
  return moved;
}

void Ulx3sBoard::Serve(const std::function<bool(bool closed)>& over) {
  using SteadyClock = std::chrono::steady_clock;
  SteadyClock::time_point next_ask = SteadyClock::now();
  for (;;) {
    const bool moved = Exchange();
    if (!moved && Idle()) {
      pollfd event = {terminal_, POLLIN, 0};
      if (poll(&event, 1, static_cast<int>(kOverEvery.count())) == 1 &&
          (event.revents & POLLIN) == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));  // nobody is at the other end
    } else {
      for (int clock = 0; clock < kStep; ++clock) {
        Clock();
        if (Idle()) break;
      }
    }
    const SteadyClock::time_point now = SteadyClock::now();
    if (now < next_ask) continue;
    if (over(closed_)) return;
    next_ask = now + kOverEvery;
  }
}

}  // namespace

Result<std::unique_ptr<SerialBoard>> SerialBoard::Make(const LineFaults& faults) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  char path[64];
  int user = -1;
  if (terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0 &&
      ptsname_r(terminal, path, sizeof path) == 0)
    user = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (user < 0) {
    const int why = errno;
    if (terminal >= 0) close(terminal);
    return Fail(Code::kUnavailable, "no pseudo-terminal: {}; is /dev/pts mounted?",
                std::strerror(why));
  }
  // Raw before anybody opens it, or it would echo what the board sends.
  termios settings = {};
  tcgetattr(user, &settings);
  cfmakeraw(&settings);
  tcsetattr(user, TCSANOW, &settings);
  close(user);
  return std::make_unique<Ulx3sBoard>(terminal, path, faults);
}

}  // namespace tessera::sim
