// SPDX-License-Identifier: Apache-2.0
//
// Devices that tests of the executor write plans for: an accelerator and a device that runs
// kernels. Both check that calls do not overlap, and call a hook in each run, which may wait or
// fail. What they compute is Mixed, four bytes from some others.
#ifndef TESSERA_TESTS_RUNTIME_FAKE_DEVICES_H_
#define TESSERA_TESTS_RUNTIME_FAKE_DEVICES_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "runtime/device.h"
#include "runtime/kernel_device.h"

namespace tessera {

using Four = std::array<uint8_t, 4>;

// Four bytes that depend on all others and on |salt|.
inline Four Mixed(uint32_t salt, std::span<const Four> values) {
  uint32_t mix = salt * 2654435761u + 12345;
  for (const Four& value : values) {
    for (const uint8_t byte : value) mix = (mix ^ byte) * 16777619u + (mix >> 15);
  }
  return {static_cast<uint8_t>(mix >> 24), static_cast<uint8_t>(mix >> 16),
          static_cast<uint8_t>(mix >> 8), static_cast<uint8_t>(mix)};
}

// Fails the test if calls on one device overlap.
class OneCall {
 public:
  explicit OneCall(std::atomic<int>& inside) : inside_(inside) {
    EXPECT_EQ(inside_.fetch_add(1, std::memory_order_relaxed), 0) << "two calls on one device";
  }
  ~OneCall() { inside_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  std::atomic<int>& inside_;
};

using RunHook = std::function<Status(int run)>;  // |run| of a program or kernel, from 0

// Programs of FakeProgram: number p reads the four bytes at each of its offsets in the arena, and
// writes Mixed of them and p + k to the k-th offset of |writes|, and junk to |hidden|.
struct FakeProgram {
  std::vector<uint64_t> reads, writes, hidden;
};

class FakeAccelerator : public Device {
 public:
  explicit FakeAccelerator(uint64_t bytes = 1 << 16) : memory_(bytes) {}
  std::map<uint8_t, FakeProgram> programs;  // by the first byte of segment 1
  RunHook hook;
  RunHook transfers;  // in each Write and Read after the hook is there
  int live = 0;       // allocations
  bool lost = false;  // the device frees nothing any more
  std::vector<uint64_t> budgets;

  std::string_view name() const override { return "fake"; }
  const isa::Config& config() const override { return config_; }
  bool has_clock() const override { return true; }
  Result<uint64_t> Allocate(uint64_t bytes, uint64_t) override {
    const OneCall one(inside_);
    if (next_ + bytes > memory_.size())
      return Fail(Code::kOutOfRange, "{} bytes wanted, {} free", bytes, memory_.size() - next_);
    const uint64_t at = next_;
    next_ += (bytes + 63) / 64 * 64;
    ++live;
    return at;
  }
  Status Free(uint64_t) override {
    --live;
    if (lost) return Fail(Code::kUnavailable, "the board does not answer");
    return {};
  }
  Status Write(uint64_t address, std::span<const uint8_t> bytes) override {
    const OneCall one(inside_);
    if (transfers) TESSERA_TRY(transfers(transfers_++));
    std::ranges::copy(bytes, memory_.begin() + static_cast<int64_t>(address));
    return {};
  }
  Status Read(uint64_t address, std::span<uint8_t> bytes) override {
    const OneCall one(inside_);
    if (transfers) TESSERA_TRY(transfers(transfers_++));
    std::copy_n(memory_.begin() + static_cast<int64_t>(address), bytes.size(), bytes.begin());
    return {};
  }
  Status Submit(const Launch& launch) override {
    const OneCall one(inside_);
    launch_ = launch;
    return {};
  }
  Result<RunReport> Wait() override {
    const OneCall one(inside_);
    budgets.push_back(launch_.budget);
    const uint8_t number = memory_[launch_.segments[1].base];
    if (hook) TESSERA_TRY(hook(runs_[number]++));
    const FakeProgram& program = programs[number];
    uint8_t* arena = &memory_[launch_.segments[static_cast<size_t>(isa::Segment::kArena)].base];
    std::vector<Four> values;
    for (const uint64_t at : program.reads)
      std::copy_n(arena + at, 4, values.emplace_back().begin());
    for (const uint64_t at : program.hidden) std::fill_n(arena + at, 4, 0x5a);
    for (size_t k = 0; k < program.writes.size(); ++k) {
      const Four result = Mixed(number + static_cast<uint32_t>(k), values);
      std::ranges::copy(result, arena + program.writes[k]);
    }
    return RunReport{.cycles = 100u + number};
  }
  Status Reset() override { return {}; }
  Status SetObserver(RunObserver*) override { return {}; }

 private:
  isa::Config config_;
  std::vector<uint8_t> memory_;
  uint64_t next_ = 0;
  Launch launch_;
  std::map<uint8_t, int> runs_;  // by program
  int transfers_ = 0;
  std::atomic<int> inside_{0};
};

// Kernel "k7" writes Mixed of the four bytes of its other buffers and 7 to its last buffer.
class FakeKernels : public KernelDevice {
 public:
  RunHook hook;

  const std::string& name() const override { return name_; }
  uint64_t memory_bytes() const override { return 1 << 20; }
  Status Build(const std::string&) override { return {}; }
  Result<uint64_t> Allocate(uint64_t bytes) override {
    const OneCall one(inside_);
    memories_.emplace_back(bytes);
    return memories_.size() - 1;
  }
  Status Write(MemoryPlace to, std::span<const uint8_t> bytes) override {
    const OneCall one(inside_);
    std::ranges::copy(bytes, At(to));
    return {};
  }
  Status Read(MemoryPlace from, std::span<uint8_t> bytes) override {
    const OneCall one(inside_);
    std::copy_n(At(from), bytes.size(), bytes.begin());
    return {};
  }
  Status Launch(const std::string& kernel, const std::array<uint32_t, 3>&,
                const std::array<uint32_t, 3>&, std::span<const MemoryPlace> buffers) override {
    const OneCall one(inside_);
    if (hook) TESSERA_TRY(hook(runs_[kernel]++));
    std::vector<Four> values;
    for (const MemoryPlace& place : buffers.first(buffers.size() - 1))
      std::copy_n(At(place), 4, values.emplace_back().begin());
    const Four result = Mixed(static_cast<uint32_t>(std::stoul(kernel.substr(1))), values);
    std::ranges::copy(result, At(buffers.back()));
    return {};
  }
  Result<uint64_t> Timed(const std::function<Status()>&) override { return 1; }

 private:
  std::vector<uint8_t>::iterator At(MemoryPlace place) {
    return memories_[place.memory].begin() + static_cast<int64_t>(place.offset);
  }
  std::string name_ = "fake kernels";
  std::vector<std::vector<uint8_t>> memories_;
  std::map<std::string, int> runs_;  // by kernel
  std::atomic<int> inside_{0};
};

}  // namespace tessera

#endif  // TESSERA_TESTS_RUNTIME_FAKE_DEVICES_H_
