// SPDX-License-Identifier: Apache-2.0
//
// The card with XRT: the only file that includes XRT's headers. One thread for each card makes all
// calls, because they never return once the bus is gone. Exceptions end here.
#include "runtime/drivers/xrt/xrt_card.h"

#include <xrt/experimental/xrt_ini.h>
#include <xrt/experimental/xrt_ip.h>
#include <xrt/experimental/xrt_system.h>
#include <xrt/experimental/xrt_xclbin.h>
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>

#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "base/copy.h"
#include "runtime/drivers/xrt/call_thread.h"

namespace tessera {
namespace {

// The limit to open a card and load a file: a card takes seconds; XRT's emulation waits 300 s.
constexpr std::chrono::minutes kLoadLimit{4};
constexpr uint64_t kBusBytes = uint64_t{1} << 40;  // addresses that the machine has

// XRT's objects for a card, kept until the process ends: closing a card of the emulation shuts down
// the protobuf library of the whole process, and XRT's own objects must not be destroyed after its
// libraries.
struct CardSlot {
  CallThread thread;
  std::optional<xrt::device> device;
  std::optional<xrt::ip> ip;
  std::optional<xrt::ip::interrupt> interrupt;  // destroyed before the kernel
  bool open = false;

  void DropKernel() {
    interrupt.reset();
    ip.reset();
  }
};

// The cards by index. Never destroyed.
std::mutex& SlotMutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}
std::map<uint32_t, std::shared_ptr<CardSlot>>& Slots() {
  static auto* slots = new std::map<uint32_t, std::shared_ptr<CardSlot>>;
  return *slots;
}

// |call| with its exceptions as errors with |code|.
std::function<Status()> Caught(Code code, std::function<void()> call) {
  return [code, call = std::move(call)]() -> Status {
    try {
      call();
      return {};
    } catch (const std::bad_alloc&) {
      return Fail(code, "XRT has no memory left for it");
    } catch (const std::exception& e) {
      std::string text = e.what();
      while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
      return Fail(code, "XRT says: {}", text.empty() ? "nothing" : text);
    } catch (...) {
      return Fail(code, "XRT threw something that is no exception of the library");
    }
  };
}

class BufferMemory : public MemoryPort {
 public:
  BufferMemory(std::string name, std::shared_ptr<CardSlot> slot, std::chrono::milliseconds limit,
               uint64_t bytes)
      : name_(std::move(name)),
        slot_(std::move(slot)),
        limit_(limit),
        bytes_(bytes),
        buffer_(std::make_shared<CardBuffer>()) {}

  // Frees the buffer on XRT's thread as well.
  ~BufferMemory() override {
    if (slot_->thread.stuck()) {
      new std::shared_ptr<CardBuffer>(buffer_);  // a call may still use it
      return;
    }
    (void)Call(
        Code::kUnavailable, [buffer = buffer_] { buffer->object.reset(); },
        [] { return std::string("freeing the buffer"); });
  }

  Status Allocate(int32_t memory) {
    TESSERA_TRY(Call(
        Code::kUnavailable,
        [slot = slot_, buffer = buffer_, memory, bytes = bytes_] {
          buffer->object.emplace(*slot->device, bytes, static_cast<xrt::memory_group>(memory));
          buffer->address = buffer->object->address();
          buffer->host = buffer->object->map<uint8_t*>();
        },
        [this] { return fmt::format("allocating {} bytes", bytes_); }));
    if (buffer_->address % 64 == 0 && buffer_->address < kBusBytes &&
        bytes_ <= kBusBytes - buffer_->address) {
      return {};
    }
    return Fail(Code::kUnavailable,
                "{}: XRT's buffer of {} bytes at {:#x} is out of the machine's reach: it needs a "
                "multiple of 64 and an end below 2^40",
                name_, bytes_, buffer_->address);
  }

  uint64_t size() const override { return bytes_; }
  uint64_t bus_address() const override { return buffer_->address; }

  Status Write(uint64_t address, std::span<const uint8_t> bytes) override {
    if (bytes.empty()) return {};
    CopyBytes(bytes, buffer_->host + address);
    return Sync(XCL_BO_SYNC_BO_TO_DEVICE, address, bytes.size(), "to");
  }

  Status Read(uint64_t address, std::span<uint8_t> bytes) override {
    if (bytes.empty()) return {};
    TESSERA_TRY(Sync(XCL_BO_SYNC_BO_FROM_DEVICE, address, bytes.size(), "from"));
    CopyBytes({buffer_->host + address, bytes.size()}, bytes.data());
    return {};
  }

 private:
  struct CardBuffer {
    std::optional<xrt::bo> object;
    uint64_t address = 0;
    uint8_t* host = nullptr;
  };

  Status Sync(xclBOSyncDirection direction, uint64_t address, size_t bytes, const char* way) {
    return Call(
        Code::kDataLoss,
        [buffer = buffer_, direction, address, bytes] {
          buffer->object->sync(direction, bytes, address);
        },
        [=] { return fmt::format("copying {} bytes {} address {:#x}", bytes, way, address); });
  }

  Status Call(Code code, std::function<void()> call, const std::function<std::string()>& what) {
    const Status status = slot_->thread.Run(Caught(code, std::move(call)), limit_, what);
    if (status) return status;
    return Within(fmt::format("{}: memory", name_), status.error());
  }

  std::string name_;
  std::shared_ptr<CardSlot> slot_;
  std::chrono::milliseconds limit_;
  uint64_t bytes_;
  std::shared_ptr<CardBuffer> buffer_;  // shared with a call that may not return
};

class OpenedCard : public XrtCard {
 public:
  OpenedCard(std::string name, std::shared_ptr<CardSlot> slot, const CardRequest& request)
      : name_(std::move(name)), slot_(std::move(slot)), request_(request) {}

  ~OpenedCard() override {
    if (!slot_->thread.stuck()) {
      (void)slot_->thread.Run(Caught(Code::kUnavailable, [slot = slot_] { slot->DropKernel(); }),
                              request_.answer, [] { return std::string("closing the kernel"); });
    }
    const std::lock_guard lock(SlotMutex());
    slot_->open = false;
  }

  Result<uint32_t> Read(uint32_t offset) override {
    const auto value = std::make_shared<uint32_t>();
    TESSERA_TRY(Call(
        Code::kDataLoss,
        [slot = slot_, offset, value] { *value = slot->ip->read_register(offset); },
        request_.answer, [=] { return fmt::format("reading register {:#05x}", offset); }));
    return *value;
  }

  Status Write(uint32_t offset, uint32_t value) override {
    return Call(
        Code::kDataLoss, [slot = slot_, offset, value] { slot->ip->write_register(offset, value); },
        request_.answer, [=] { return fmt::format("writing register {:#05x}", offset); });
  }

  Status Reload() override {
    return Call(
        Code::kUnavailable,
        [slot = slot_, file = request_.xclbin, place = request_.place] {
          slot->DropKernel();  // XRT loads no file while the process holds a kernel
          const xrt::xclbin loaded(std::vector<char>(file.begin(), file.end()));
          const xrt::uuid uuid = slot->device->load_xclbin(loaded);
          slot->ip.emplace(*slot->device, uuid,
                           fmt::format("{}:{{{}}}", place.kernel, place.instance));
        },
        kLoadLimit, [this] { return fmt::format("loading {}", request_.file); });
  }

  Status EnableInterrupt() override {
    const Status enabled = Call(
        Code::kUnsupported,
        [slot = slot_] {
          if (slot->interrupt) {
            slot->interrupt->enable();
          } else {
            slot->interrupt.emplace(slot->ip->create_interrupt_notify());
          }
        },
        request_.answer, [] { return std::string("asking for the kernel's interrupt"); });
    if (enabled) return {};
    return Fail(enabled.error().code, "{}; link a kernel whose interrupt is connected",
                enabled.error().message);
  }

  Result<bool> AwaitInterrupt(std::chrono::milliseconds limit) override {
    const auto came = std::make_shared<bool>(false);
    TESSERA_TRY(Call(
        Code::kDataLoss,
        [slot = slot_, came, limit] {
          *came = slot->interrupt && slot->interrupt->wait(limit) == std::cv_status::no_timeout;
        },
        request_.answer + limit, [] { return std::string("waiting for the interrupt"); }));
    return *came;
  }

  Result<std::unique_ptr<MemoryPort>> Allocate(uint64_t bytes) override {
    auto memory = std::make_unique<BufferMemory>(name_, slot_, request_.answer, bytes);
    TESSERA_TRY(memory->Allocate(request_.place.memory));
    return memory;
  }

  Status Open(uint32_t index) {
    const Status opened = Call(
        Code::kUnavailable,
        [slot = slot_, index] {
          if (!slot->device) slot->device.emplace(index);
        },
        kLoadLimit, [] { return std::string("opening it"); });
    if (opened) return Reload();
    return Fail(opened.error().code,
                "{}; 'xbutil examine' lists the cards, and XRT's setup.sh sets XILINX_XRT",
                opened.error().message);
  }

 private:
  Status Call(Code code, std::function<void()> call, std::chrono::milliseconds limit,
              const std::function<std::string()>& what) {
    const Status status = slot_->thread.Run(Caught(code, std::move(call)), limit, what);
    if (status) return status;
    // The line of a timeout names the call already; the other lines get the name here.
    if (status.error().code == Code::kTimeout) return Within(name_, status.error());
    return Within(fmt::format("{}: {}", name_, what()), status.error());
  }

  std::string name_;
  std::shared_ptr<CardSlot> slot_;
  CardRequest request_;
};

}  // namespace

Status HaveXrt() { return {}; }

Result<std::shared_ptr<XrtCard>> OpenCard(const CardRequest& request) {
  // XRT skips a file that a card already holds by uuid; a reset would then keep the contents of
  // memories. The emulation ignores this setting.
  static const bool asked = xrtIniStringSet("Runtime.force_program_xclbin", "true") == 0;
  (void)asked;
  // One at a time: the emulation passes the address to connect to through the environment.
  static auto* opening = new std::mutex;
  const std::lock_guard one(*opening);
  std::shared_ptr<CardSlot> slot;
  uint32_t index = 0;
  {
    const std::lock_guard lock(SlotMutex());
    if (request.index) {
      index = *request.index;
    } else {
      while (Slots().contains(index) && Slots()[index]->open) ++index;
    }
    std::shared_ptr<CardSlot>& at = Slots()[index];
    if (at == nullptr) at = std::make_shared<CardSlot>();
    slot = at;
    if (slot->open) {
      return Fail(Code::kUnavailable,
                  "xrt: card {} is open in this process already; close it, or name another", index);
    }
    slot->open = true;
  }
  auto card =
      std::make_shared<OpenedCard>(fmt::format("xrt: card {}", index), std::move(slot), request);
  TESSERA_TRY(card->Open(index));
  return card;
}

Result<std::string> CardsHere() {
  const auto count = std::make_shared<unsigned>(0);
  CallThread thread;
  const Status counted =
      thread.Run(Caught(Code::kUnavailable, [count] { *count = xrt::system::enumerate_devices(); }),
                 std::chrono::seconds(10), [] { return std::string("looking for cards"); });
  if (!counted) {
    return Fail(counted.error().code,
                "{}; XRT's setup.sh sets XILINX_XRT, sim/xrt/emulated.sh runs without a card",
                counted.error().message);
  }
  if (*count == 0) {
    return Fail(
        Code::kUnavailable,
        "XRT finds no card; 'xbutil examine' lists them, sim/xrt/emulated.sh runs without a card");
  }
  return fmt::format("{} card{}", *count, *count == 1 ? "" : "s");
}

}  // namespace tessera
